"""Plots without a screen: the lines and labels asked for, and errors that name the entry."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from luff.blocks.errors import LuffError, RunError
from luff.solver.results.matplotlib_plots import COLOURS, default_plots, plot
from luff.solver.results.recorded_run import UnknownSignalError
from luff.solver.results.result import Result

COLUMNS = ["slew.position", "slew.velocity", "luff.position", "slide.position", "tip.y[0]", "tip.y[1]"]
UNITS = {
    "slew.position": "rad",
    "slew.velocity": "rad/s",
    "luff.position": "rad",
    "slide.position": "m",
    "tip.y": "m",
}


@pytest.fixture
def result() -> Result:
    time = np.linspace(0, 1, 50)
    return Result(time, COLUMNS, np.outer(time, np.arange(1.0, 7)), UNITS)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved."""
    saved: list[Figure] = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: (saved.append(self), save(self, *a, **k)))
    return saved


def test_plots_of_the_netlist_are_stacked_in_one_file(
    result: Result, tmp_path: Path, figures: list[Figure]
) -> None:
    result.plots = [
        {"title": "Joints", "y": ["slew.position", "l*.position"]},
        {"title": "100 $ _a_", "y": "tip.y", "x": "slide.position"},
        {"y": ["slew.*"]},
    ]
    plot(result, tmp_path / "run.png")
    joints, path, mixed, right = figures[0].axes
    assert joints.get_title() == "Joints"
    assert (joints.get_xlabel(), joints.get_ylabel()) == ("time [s]", "[rad]")
    assert [line.get_label() for line in joints.lines] == ["slew.position", "luff.position"]
    np.testing.assert_array_equal(joints.lines[1].get_ydata(), result["luff.position"])
    assert path.get_xlabel() == "slide.position [m]"
    np.testing.assert_array_equal(path.lines[1].get_xdata(), result["slide.position"])
    np.testing.assert_array_equal(path.lines[1].get_ydata(), result["tip.y[1]"])
    assert path.get_aspect() == 1  # metres over metres: a circle looks like one
    # another unit has an axis of its own
    assert [line.get_label() for line in (*mixed.lines, *right.lines)] == [
        "slew.position [rad]",
        "slew.velocity [rad/s]",
    ]
    assert (mixed.get_ylabel(), right.get_ylabel()) == ("[rad]", "[rad/s]")
    assert len(mixed.get_legend().get_texts()) == 2
    picture = imread(tmp_path / "run.png")
    assert picture.shape[0] > picture.shape[1] * 0.9  # three axes, one below another
    assert np.unique(picture.reshape(-1, picture.shape[2]), axis=0).shape[0] > 10


@pytest.mark.parametrize(
    ("wide", "high", "aspect"), [(1.0, 4.0, 1), (1.0, 100.0, "auto"), (3.0, 0.0, "auto"), (0.0, 0.0, "auto")]
)
def test_path_keeps_its_shape_where_that_leaves_it_readable(
    wide: float, high: float, aspect: float | str, tmp_path: Path, figures: list[Figure]
) -> None:
    time = np.linspace(0, 1, 50)
    rows = np.outer(np.sin(6 * time), [wide, high])
    path = Result(time, ["tip.x", "tip.y"], rows, {"tip.x": "m", "tip.y": "m"})
    plot(path, tmp_path / "path.png", [{"y": ["tip.y"], "x": "tip.x"}])
    assert figures[0].axes[0].get_aspect() == aspect


def test_one_line_has_its_name_on_the_axis(result: Result, tmp_path: Path, figures: list[Figure]) -> None:
    plot(result, tmp_path / "run.svg", [{"y": ["slew.velocity"]}])
    (axes,) = figures[0].axes
    assert axes.get_ylabel() == "slew.velocity [rad/s]"
    assert axes.get_legend() is None
    assert ET.parse(tmp_path / "run.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_default_plots_are_the_positions_by_unit(result: Result) -> None:
    assert default_plots(result) == [{"y": ["slew.position", "luff.position"]}, {"y": ["slide.position"]}]
    other = Result(np.zeros(1), ["a", "b", "c"], np.zeros((1, 3)), {"b": "N"})
    assert default_plots(other) == [{"y": ["a", "c"]}, {"y": ["b"]}]


def test_lines_beyond_the_eighth_differ_by_their_dashes(tmp_path: Path, figures: list[Figure]) -> None:
    names = [f"s{k}" for k in range(20)]
    plot(Result(np.arange(3.0), names, np.ones((3, 20))), tmp_path / "run.png", [{"y": ["*"]}])
    looks = {(line.get_color(), line.get_linestyle()) for line in figures[0].axes[0].lines}
    assert len(looks) == 20
    assert {colour for colour, _ in looks} == set(COLOURS)


def test_a_legend_has_room_beside_its_axes(tmp_path: Path, figures: list[Figure]) -> None:
    """With 40 names the axes had no height left, and the figure none at all."""
    names = [f"beam.psi[{k}]" for k in range(40)]
    wide = Result(
        np.linspace(0, 1, 5), names, np.outer(np.linspace(0, 1, 5), np.ones(40)), {"beam.psi": "rad"}
    )
    plot(wide, tmp_path / "wide.png", [{"y": ["beam.psi"]}])
    (axes,) = figures[0].axes
    assert len(axes.lines) == 40
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_texts()[-1].get_text() == "and 29 more"
    assert axes.get_window_extent().height > 0.5 * figures[0].bbox.height


def test_long_lines_keep_their_peaks_and_gaps(tmp_path: Path, figures: list[Figure]) -> None:
    rows = 123_457
    time = np.linspace(0, 123.456, rows)
    values = np.sin(time)
    values[[777, 60_001, rows - 1]] = 9, -7, 5
    values[90_000:90_100] = np.nan
    plot(Result(time, ["a.position"], values[:, None]), tmp_path / "run.png")
    (line,) = figures[0].axes[0].lines
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(x) < 10_000
    assert np.all(np.diff(x) >= 0)
    assert {(time[777], 9), (time[60_001], -7), (time[-1], 5)} <= set(zip(x, y, strict=True))
    assert np.isnan(y[(x >= 90) & (x < 90.1)]).all()
    np.testing.assert_array_equal(y[np.isfinite(y)], values[np.round(x[np.isfinite(y)] * 1e3).astype(int)])


def test_long_curve_keeps_its_shape(tmp_path: Path, figures: list[Figure]) -> None:
    angle = np.linspace(0, 2 * np.pi, 50_001)
    curve = Result(angle, ["x", "y"], np.column_stack((np.cos(angle), np.sin(angle))))
    plot(curve, tmp_path / "run.png", [{"x": "x", "y": ["y"]}])
    (line,) = figures[0].axes[0].lines
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(x) < 10_000
    # points of the circle itself, in order: only rounding is left
    np.testing.assert_allclose(np.hypot(x, y), 1, rtol=1e-12)
    assert np.all(np.diff(np.unwrap(np.arctan2(y, x))) > 0)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"y": ["slew.positon"]}, r'plots\[1\]: .*slew\.positon.*did you mean "slew\.position"'),
        ({"y": ["slew.position"], "x": "tme"}, r"plots\[1\]: .*tme"),
        ({"y": ["slew.position"], "x": "tip.y"}, r'plots\[1\]: .*2 columns wide.*"tip\.y\[0\]"'),
        ({"title": "nothing"}, r"plots\[1\]: found no y"),
        ({"y": ["slew.position"], "titel": "x"}, r'plots\[1\]: .*titel.*did you mean "title"'),
    ],
)
def test_error_names_the_entry(result: Result, tmp_path: Path, entry: dict[str, object], words: str) -> None:
    with pytest.raises(LuffError, match=words):
        plot(result, tmp_path / "run.png", [{"y": ["slew.position"]}, entry])
    assert not list(tmp_path.iterdir())


def test_unknown_signal_stays_a_key_error(result: Result, tmp_path: Path) -> None:
    with pytest.raises(UnknownSignalError):
        plot(result, tmp_path / "run.png", [{"y": ["nothing.like.it"]}])


def test_plot_says_what_it_cannot_do(result: Result, tmp_path: Path) -> None:
    with pytest.raises(LuffError, match=r'found "\.jpeg", expected \.png, \.svg, \.pdf'):
        plot(result, tmp_path / "run.jpeg")
    with pytest.raises(RunError, match="no signals"):
        plot(Result(np.zeros(1), [], np.zeros((1, 0))), tmp_path / "run.png")
    with pytest.raises(RunError, match="cannot save the figure"):
        plot(result, tmp_path / "nowhere" / "run.png")


def test_plot_of_an_empty_result_is_an_empty_plot(tmp_path: Path) -> None:
    plot(Result(np.zeros(0), ["a", "b"], np.zeros((0, 2))), tmp_path / "run.png")
    assert imread(tmp_path / "run.png").size > 0


def test_plot_leaves_pyplot_alone(tmp_path: Path) -> None:
    code = """
import sys, numpy as np
from luff.solver.results.matplotlib_plots import plot
from luff.solver.results.result import Result
plot(Result(np.arange(3.0), ["a"], np.ones((3, 1))), sys.argv[1])
print("matplotlib.pyplot" in sys.modules, any(name.startswith("PySide") for name in sys.modules))
"""
    command = [sys.executable, "-c", code, str(tmp_path / "run.png")]
    assert subprocess.run(command, check=True, text=True, capture_output=True).stdout.split() == [
        "False",
        "False",
    ]


def test_colours_differ_for_every_kind_of_eye() -> None:
    """Dichromats confuse colours along one axis: what then remains must still tell any two apart."""
    linear = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in COLOURS])
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    # Vienot, Brettel and Mollon (1999), for protanopes and deuteranopes, in linear RGB
    for name, matrix in {
        "normal": np.eye(3),
        "protan": np.array([[0.1124, 0.8876, 0], [0.1124, 0.8876, 0], [0.0040, -0.0040, 1]]),
        "deutan": np.array([[0.2928, 0.7072, 0], [0.2928, 0.7072, 0], [-0.0223, 0.0223, 1]]),
    }.items():
        seen = np.cbrt(np.clip(linear @ matrix.T, 0, 1))  # roughly even steps of lightness
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(len(COLOURS), 1)]
        # red and green of equal lightness come to 0; a step of 0.1 is plainly seen
        assert apart.min() > 0.1, name


def test_further_results_are_drawn_over_the_first_in_its_units(result: Result) -> None:
    heavy = Result(
        result.time[::2],
        ["slew.position", "luff.position"],
        np.degrees(result.table[::2, [0, 2]]) * 3.0,
        {"slew.position": "deg", "luff.position": "deg"},
    )
    axes = result.plot("slew.position", "luff.position", against={"heavy": heavy}).axes[0]
    assert [line.get_label() for line in axes.lines] == [
        "slew.position", "luff.position", "heavy: slew.position", "heavy: luff.position",
    ]  # fmt: skip
    # a colour for a signal, a dash for a result
    assert [line.get_color() for line in axes.lines] == [*COLOURS[:2], *COLOURS[:2]]
    assert [line.get_linestyle() for line in axes.lines] == ["-", "-", "--", "--"]
    np.testing.assert_allclose(axes.lines[3].get_ydata(), 9.0 * heavy.time, rtol=1e-15, atol=1e-15)  # type: ignore[arg-type]
    np.testing.assert_array_equal(axes.lines[3].get_xdata(), heavy.time)  # type: ignore[arg-type]


def test_a_signal_that_a_further_result_has_not_is_told_with_its_name(result: Result) -> None:
    other = Result(np.zeros(2), ["slew.position"], np.zeros((2, 1)), {"slew.position": "m"})
    with pytest.raises(UnknownSignalError, match=r"of heavy.*luff.position"):
        result.plot("luff.position", against={"heavy": other})
    with pytest.raises(LuffError, match=r'slew.position is in "m", expected "rad" as in the first result'):
        result.plot("slew.position", against={"heavy": other})


def test_plot_draws_into_axes_of_a_caller(result: Result) -> None:
    figure = Figure()
    one, *two = figure.subplots(3)
    assert result.plot("slew.position", "slide.position", ax=one) is figure
    (right,) = set(figure.axes) - {one, *two}  # of the second unit
    lines = (*one.lines, *right.lines)
    assert [line.get_label() for line in lines] == ["slew.position [rad]", "slide.position [m]"]
    result.plot("slew.*", ax=np.array(two))
    assert [axes.get_ylabel() for axes in two] == ["slew.position [rad]", "slew.velocity [rad/s]"]
    with pytest.raises(LuffError, match="found 2 axes for 3 plots"):
        result.plot("slew.*", "slide.*", ax=two)

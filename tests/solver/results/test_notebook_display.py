"""Results as pandas, xarray and figures, and what `repr` and Jupyter say of a diagram and its run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.results.result import Result
from luff.tests.shared.netlists import OSCILLATOR

COLUMNS = ["a.x", "v[0]", "v[1]", "b.y"]
RESULT = Result(
    np.array([0.0, 0.5, 1.0]),
    COLUMNS,
    np.arange(12.0).reshape(3, 4),
    {"a.x": "m", "v": "N", "b.y": "rad"},
    netlist="luff: 1\n",
    message="<ended>",
)


def test_pandas_has_columns_time_and_units() -> None:
    frame = RESULT.to_pandas()
    assert list(frame.columns) == COLUMNS
    assert frame.index.name == "time"
    assert frame.loc[0.5, "v[1]"] == 6.0
    assert frame.attrs["units"] == {"a.x": "m", "v[0]": "N", "v[1]": "N", "b.y": "rad"}
    assert frame.attrs["netlist"] == "luff: 1\n"


def test_xarray_has_signals_over_time() -> None:
    data = RESULT.to_xarray()
    assert list(data.data_vars) == ["a.x", "v", "b.y"]
    assert data["v"].dims == ("time", "v_element")
    assert float(data["v"].sel(time=1.0, v_element="v[0]")) == 9.0
    assert data["v"].attrs["units"] == "N"
    assert data["time"].attrs["units"] == "s"


@pytest.mark.parametrize("name", ["pandas", "xarray"])
def test_missing_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(LuffError, match=rf"{name}, which is not installed \(pip install 'luff\[data\]'\)"):
        getattr(RESULT, f"to_{name}")()


def test_plot_has_one_axes_for_each_unit() -> None:
    made = RESULT.plot("a.x", "v", "b.*")
    assert [axes.get_ylabel() for axes in made.axes] == ["a.x [m]", "[N]", "b.y [rad]"]
    np.testing.assert_array_equal(np.asarray(made.axes[1].lines[1].get_ydata()), [2.0, 6.0, 10.0])
    assert len(RESULT.plot(["a.x", "v"]).axes) == len(RESULT.plot("a.x", "v").axes)
    assert RESULT.plot("v", x="a.x").axes[0].get_xlabel() == "a.x [m]"
    with pytest.raises(LuffError, match="no signal of this result matches"):
        RESULT.plot("c")


def test_html_shows_plots_and_signals() -> None:
    text = RESULT._repr_html_()
    assert "3 signals, 3 rows, 0 to 1 s" in text
    assert "&lt;ended&gt;" in text
    assert "<td>v[1]</td><td>N</td><td>2</td><td>10</td><td>2</td><td>10</td>" in text
    assert len(re.findall(r'src="data:image/png;base64,iVBOR', text)) == 1
    assert "0 rows" in Result(np.zeros(0), [], np.zeros((0, 0)))._repr_html_()


def test_repr_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    diagram = luff.load(tmp_path / "model.yaml")
    assert repr(diagram) == f'<Diagram "oscillator" of {tmp_path / "model.yaml"}: 3 blocks, 2 wires>'
    sim = luff.compile(diagram)
    states = "1 degree of freedom, 2 states"
    assert re.fullmatch(rf'<Simulation "oscillator": {states}, \d+ signals; rk4, 0.01 s to 1 s>', repr(sim))


def test_a_notebook_shows_diagrams_and_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    diagram = luff.loads(OSCILLATOR)
    assert diagram._repr_svg_() == luff.draw(diagram).svg
    sim = luff.compile(diagram)
    shown = sim._repr_html_()
    assert "<b>luff</b> Simulation" in shown
    assert luff.draw(diagram).svg in shown

    def refuse(_: luff.Diagram) -> str:
        raise LuffError("cannot be drawn")

    monkeypatch.setattr(luff.Diagram, "_svg_of", staticmethod(refuse))
    assert diagram._repr_svg_() is None


def test_a_notebook_shows_a_diagram_before_anything_else_is_used() -> None:
    script = "import luff; print(luff.compile('library/templates/pendulum.yaml').diagram._repr_svg_()[:4])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "<svg\n"

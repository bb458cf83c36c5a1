"""Measured data of `luff fit`: files, units, arrays, weights; every mistake in a task."""

from __future__ import annotations

import math
import re
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.optimize
import scipy.stats
import yaml

import luff
from luff.blocks.errors import LuffError
from luff.solver.results.file_columns import columns_with_units

from ...conftest import hours_as_plain_python
from ...process import call
from .cases import HIDDEN, TASK, write


@hours_as_plain_python
@pytest.mark.parametrize("name", ["measured.mat", "measured.h5", "measured.npz"])
def test_vectors_that_another_program_has_written_are_measurements(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, seed=5)
    time, place = np.loadtxt(tmp_path / "measured.csv", delimiter=",", skiprows=1).T
    # as a logger has them: a clock of its own, more vectors, and a title
    vectors = {"clock": time, "log/place": place, "log/other": np.arange(7.0), "log/title": np.zeros(1)}
    key = "log/place"
    if name.endswith(".h5"):
        with h5py.File(tmp_path / name, "w") as file:
            for one, values in vectors.items():
                file[one] = values
    else:
        key = "place"
        flat = {one.rpartition("/")[2]: values for one, values in vectors.items()}
        if name.endswith(".mat"):
            scipy.io.savemat(tmp_path / name, flat)
        else:
            np.savez(tmp_path / name, **flat)
    own = TASK.replace("measured.csv", name) + "      time: clock\n"
    path.write_text(own.replace("place", key))
    assert luff.fit(path).values == luff.fit(write(tmp_path, seed=5)).values
    path.write_text(own.replace("place", key.replace("place", "other")))
    with pytest.raises(LuffError, match="found 7 values and 200 times"):
        luff.fit(path)


def test_the_unit_of_a_heading_counts(tmp_path: Path) -> None:
    """`place [mm]` with nothing else said of it is what `place` in metres is."""
    said = luff.fit(write(tmp_path, seed=1))
    told = luff.fit(write(tmp_path, seed=1, task=TASK.replace(", unit: mm", "")))
    assert told.values == said.values
    by_heading = luff.fit(
        write(tmp_path, seed=1, task=TASK.replace("column: place, unit: mm", 'column: "place [mm]"'))
    )
    assert by_heading.values == said.values
    assert not told.doubts


def test_arrays_whose_names_have_units_are_in_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, seed=1, task=TASK.replace(", unit: mm", ""))
    monkeypatch.chdir(tmp_path)
    of_file, task = luff.fit(path), yaml.safe_load(path.read_text())
    task["fit"]["data"][0]["file"] = pd.read_csv("measured.csv")
    assert luff.fit(task).values == of_file.values
    frame = pd.read_csv("measured.csv").rename(columns={"time [s]": "time", "place [mm]": "place"})
    frame.attrs["units"] = {"place": "mm"}
    task["fit"]["data"][0]["file"] = frame
    assert luff.fit(task).values == of_file.values


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("time [s],place [N]", "the column place is in N and in mm"),
        ("time [N],place [mm]", "the column time is in N, expected s"),
        ("time [s],place [clicks]", 'unit "clicks", which is unknown'),
        ("time [s],place [-]", "the column place is in - and in mm"),
        ("place [s],place [mm]", 'two columns "place"'),
    ],
)
def test_a_heading_that_contradicts_is_refused(heading: str, words: str, tmp_path: Path) -> None:
    path = write(tmp_path, seed=1)
    rows = (tmp_path / "measured.csv").read_text().partition("\n")[2]
    (tmp_path / "measured.csv").write_text(f"{heading}\n{rows}")
    said = call("fit", "task.yaml", cwd=tmp_path, code=1).stderr
    assert words in said
    assert str(path.name) in said


def test_data_lie_in_the_folder_unless_it_is_permitted(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in", seed=1, task=TASK.replace("measured.csv", "../measured.csv"))
    (tmp_path / "in" / "measured.csv").rename(tmp_path / "measured.csv")
    said = call("fit", "in/task.yaml", cwd=tmp_path, code=1).stderr
    assert "lies outside of the fit's folder" in said
    assert "--allow-files" in said
    call("fit", "in/task.yaml", "--allow-files", ".", cwd=tmp_path)
    with pytest.raises(LuffError, match="outside of the fit's folder"):
        luff.fit(tmp_path / "in" / "task.yaml")
    luff.fit(tmp_path / "in" / "task.yaml", files=[tmp_path])


SPELLED = {"s": 1.0, "ms": 1e-3, "min": 60.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3}


@hours_as_plain_python
def test_fits_of_the_same_data_in_other_units_agree(tmp_path: Path, seed: int, many: int) -> None:
    """The same numbers but for their rounding, 1e-16; searches end within 1e-10 of the box (`xtol`), in which they may
    end a step apart: 1e-8 of the values leaves a hundred of these."""
    draw = np.random.default_rng(seed)
    task = TASK.replace(", unit: mm", "")
    for _ in range(4 if many == 1 else 300):
        own = int(draw.integers(1 << 30))
        reference = luff.fit(write(tmp_path, own, task=task))
        time, place = np.loadtxt(tmp_path / "measured.csv", delimiter=",", skiprows=1).T
        of_time, of_place = draw.choice(["s", "ms", "min"]), draw.choice(["m", "cm", "km"])
        lines = [f"time [{of_time}],place[{of_place}]"]
        for t, x in zip(time.tolist(), place.tolist(), strict=True):
            lines.append(f"{t / SPELLED[of_time]!r},{1e-3 * x / SPELLED[of_place]!r}")
        (tmp_path / "measured.csv").write_text("\n".join(lines) + "\n")
        again = luff.fit(tmp_path / "task.yaml")
        print(own, of_time, of_place, reference.values, again.values)
        for name, value in reference.values.items():
            assert again.values[name] == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("kind", ["fit", "optimise"])
@pytest.mark.parametrize("entry", ["", " null", " ~"])
def test_an_empty_section_is_told(kind: str, entry: str, tmp_path: Path) -> None:
    write(tmp_path, seed=1)
    (tmp_path / "task.yaml").write_text(f"luff: 1\nmodel: ./oscillator.yaml\n{kind}:{entry}\n")
    said = call(kind, "task.yaml", cwd=tmp_path, code=1).stderr
    assert f"found an empty section `{kind}:`, expected a file with `model:` and `{kind}:`" in said


def test_a_fit_without_experiments_is_told(tmp_path: Path) -> None:
    write(tmp_path, seed=1, task=TASK.partition("  data:")[0] + "  data: []\n")
    assert (
        "fit.data: found no experiments, expected one or more"
        in call("fit", "task.yaml", cwd=tmp_path, code=1).stderr
    )


@pytest.mark.parametrize("decimals", ["3" * 5000, "0" * 5000 + "1"])
def test_a_number_of_thousands_of_digits_is_told(decimals: str, tmp_path: Path) -> None:
    write(tmp_path, seed=1, task=TASK.replace("lower: 40 N/m", f"lower: 40.{decimals} N/m"))
    model = tmp_path / "oscillator.yaml"
    assert "found a number of 50" in call("fit", "task.yaml", cwd=tmp_path, code=1).stderr
    told = "characters, expected at most 1000"
    assert told in call("run", "oscillator.yaml", "--set", f"k=0.{decimals} N/m", cwd=tmp_path, code=1).stderr
    model.write_text(model.read_text().replace("k: 90 N/m", f"k: 90.{decimals} N/m"))
    for command in ("check", "info", "run", "modes"):
        assert told in call(command, "oscillator.yaml", cwd=tmp_path, code=1).stderr


MISTAKES = [
    ("k: {lower: 40 N/m", "k: {lower: 400 N/m", "fit.parameters.k", "the lower below the upper"),
    (
        "k: {lower: 40 N/m",
        "k: {lower: 40 N",
        "fit.parameters.k.lower",
        "refuses 40 N",
    ),
    ("start: 90", "start: 300", "fit.parameters.k.start", "between"),
    ("    k: {", "    kk: {", "fit.parameters.kk", "nothing named"),
    ("lower: 0.1, upper", "lower: -0.1, upper", "fit.parameters.rail.damping", "above 0"),
    ("measured.csv", "measure.csv", "fit.data[0].file", "there is no such file"),
    ("column: place", "column: places", "fit.data[0].signals", "place"),
    ("rail.position: {", "rail.positon: {", "fit.data[0].signals", "positon"),
    ("deviation: 2 mm", "deviation: 0", "deviation", "above 0"),
    ("unit: mm", "units: mm", "units", "unit"),
    ("      signals:", "      start: 90 s\n      signals:", "fit.data[0].file", "0 rows"),
    (
        "      signals:",
        "      shift: {lower: -1, upper: 1}\n      signals:",
        "fit.data[0].file",
        "before the run",
    ),
    ("fit:", "fitt:", "", "`fit:`"),
]


@pytest.mark.parametrize(("right", "wrong", "where", "what"), MISTAKES)
def test_a_mistake_has_its_place(right: str, wrong: str, where: str, what: str, tmp_path: Path) -> None:
    assert right in TASK
    path = write(tmp_path, seed=0, task=TASK.replace(right, wrong, 1))
    with pytest.raises(luff.LuffError) as caught:
        luff.fit(path)
    problem = caught.value.problems[0]
    assert where in problem.path
    assert what in str(problem)
    assert problem.mark is not None
    assert problem.mark.file == str(path)


def test_arrays_give_what_their_file_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, seed=1)
    monkeypatch.chdir(tmp_path)
    of_file = luff.fit(path)
    task = yaml.safe_load(path.read_text())
    table = {
        name: values
        for name, (values, _) in columns_with_units(tmp_path / task["fit"]["data"][0]["file"], "").items()
    }
    for source in (table, pd.DataFrame(table)):
        task["fit"]["data"][0]["file"] = source
        assert luff.fit(task).values == of_file.values, "to the last bit"


def test_a_result_is_measured_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, seed=1)
    monkeypatch.chdir(tmp_path)
    task = yaml.safe_load(path.read_text())
    rows = luff.compile(tmp_path / task["model"], **HIDDEN).run()
    task["fit"]["data"] = [{"file": rows, "signals": {"rail.position": "rail.position"}}]
    fitted = luff.fit(task)
    for name, value in HIDDEN.items():  # its own rows: nothing but the search's tolerance is left
        assert fitted.values[name] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (3, "found int, expected measured signals"),
        ({"time": [0.0, 1.0], "x": ["a", "b"]}, 'the column "x" is not a list of numbers'),
        ({"time": [0.0, 1.0], "x": [[1.0, 2.0]]}, 'the column "x" has 2 dimensions'),
        ({"time": [0.0, 1.0, 2.0], "x": [1.0, 2.0]}, "found 2 values and 3 times, expected equal lengths"),
    ],
)
def test_arrays_that_are_no_measurement_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: object, words: str
) -> None:
    path = write(tmp_path, seed=1)
    monkeypatch.chdir(tmp_path)
    task = yaml.safe_load(path.read_text())
    task["fit"]["data"] = [{"file": source, "signals": {"rail.position": "x"}}]
    with pytest.raises(LuffError, match=re.escape(words)):
        luff.fit(task)


LEVELS = """luff: 1
parameters: {k: 0.3}
blocks:
  first: {type: constant, value: =k}
  second: {type: constant, value: =k}
simulation: {stop: 1 s, step: 0.1 s}
"""


def levels(folder: Path, task: str, rows: str) -> Path:
    (folder / "levels.yaml").write_text(LEVELS)
    (folder / "levels.csv").write_text("time [s],a,b\n" + rows)
    (folder / "fit.yaml").write_text("luff: 1\nname: level\nmodel: ./levels.yaml\nfit:\n" + task)
    return folder / "fit.yaml"


def test_weights_count_as_squares_of_residuals(tmp_path: Path) -> None:
    """The least of 1 (k - 0)^2 + 4 (k - 1)^2 is at k = 0.8."""
    task = """  parameters: {k: {lower: -3, upper: 3, start: 0.3}}
  data:
    - file: levels.csv
      signals: {first.y: {column: a, deviation: 0.1}, second.y: {column: b, deviation: 0.1, weight: 4}}
"""
    found = luff.fit(levels(tmp_path, task, "".join(f"{0.1 * n:.1f},0,1\n" for n in range(11))))
    assert found.values["k"] == pytest.approx(0.8, abs=1e-6)


def test_a_row_without_a_value_of_a_signal_is_left_out(tmp_path: Path) -> None:
    """The mean of the rows that have both: 2, and not of the one without b."""
    task = """  parameters: {k: {lower: -30, upper: 30, start: 0.3}}
  data:
    - file: levels.csv
      signals: {first.y: {column: a, deviation: 0.1}, second.y: {column: b, deviation: 0.1}}
"""
    found = luff.fit(levels(tmp_path, task, "0.1,1,1\n0.2,9,\n0.3,3,3\n0.4,,7\n0.5,2,2\n"))
    assert found.values["k"] == pytest.approx(2.0, abs=1e-6)


def test_a_fit_that_explains_nothing_says_so(tmp_path: Path) -> None:
    """Residuals of an rms of 1.58 where the data deviate by 0.71 from their mean: k may not come to it."""
    task = """  parameters: {k: {lower: 1.414, upper: 3, start: 2}}
  data: [{file: levels.csv, signals: {first.y: {column: a}}}]
"""
    rows = "".join(f"{0.1 * n:.1f},{math.sqrt(0.5) * (-1) ** n!r},0\n" for n in range(1, 11))
    found = luff.fit(levels(tmp_path, task, rows))
    assert any("does not explain first.y" in each for each in found.doubts), found

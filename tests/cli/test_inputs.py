"""`luff run --input`: signals of `inputs:` from tables and values."""

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.diagram.input_tables import feed_inputs
from luff.solver.results.file_columns import columns_with_units
from luff.tests.process import call
from luff.tests.solver.simulation.test_inputs import WHEEL

# a torque that grows for a second and then stands: v = t^2 / 1.5 / 2 * 3, and from 1 s on 1 + 2 (t - 1)
LOG = "time [ms],torque [kN*m],wind[0],wind[1],other\n0,0,5,6,1\n1000,0.003,5,7,1\n2000,0.003,5,8,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wheel.yaml").write_text(WHEEL)
    (tmp_path / "log.csv").write_text(LOG)
    return tmp_path


def run(folder: Path, *words: str) -> luff.Result:
    call("run", "wheel.yaml", "-o", "out.h5", "--quiet", *words, cwd=folder)
    return luff.read(folder / "out.h5")


def test_a_table_feeds_all_inputs_it_has_columns_for(folder: Path) -> None:
    found = run(folder, "--input", "log.csv")
    # the knots of the table are times of steps, so that RK4 has no error but rounding
    assert found["axle.velocity"][[100, 200]] == pytest.approx([1.0, 3.0], rel=1e-12)
    assert found["both.y[0]"][-1] == 50.0
    assert found["both.y[1]"][[0, 50, 200]] == pytest.approx([60.0, 65.0, 80.0])


def test_what_a_run_saved_feeds_the_next_one(folder: Path) -> None:
    (folder / "wheel.yaml").write_text(WHEEL.replace("record: [axle.velocity]", ""))
    first = run(folder, "--input", "log.csv")["axle.velocity"]
    (folder / "out.h5").rename(folder / "first.h5")
    found = run(folder, "--input", "first.h5")
    assert found["axle.velocity"] == pytest.approx(first)


def test_signals_keep_their_names_and_nothing_is_added(folder: Path) -> None:
    text = WHEEL.replace("record: [axle.velocity]", "")
    (folder / "wheel.yaml").write_text(text)
    plain, fed = run(folder), run(folder, "--input", "torque=log.csv")
    assert fed.columns == plain.columns
    assert fed["inputs.torque"][[50, 150]] == pytest.approx([1.5, 3.0])
    assert np.all(fed["inputs.wind[1]"] == 2.0)


def test_a_value_holds_through_the_run(folder: Path) -> None:
    assert run(folder, "--input", "torque=6 N*m")["axle.velocity"][-1] == pytest.approx(8.0)
    assert run(folder, "--input", "torque=log.csv:other")["axle.velocity"][-1] == pytest.approx(2 / 1.5)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("torqe=log.csv", 'no input "torqe" (did you mean "torque"?)'),
        ("torque=log.csv:tork", 'no column "tork"'),
        ("torque=none.csv", "there is no file none.csv"),
        ("torque", "expected a name and where its signal comes from"),
        ("torque=late.csv", "found 1 s after 2 s in row 3"),
        ("torque=gap.csv", "row 2 of the file lacks a number"),
        ("torque=metres.csv", "the column torque is in m, expected N*m"),
        ("other.csv", "no column of the file has the name of an input"),
        ("torque=words.csv", "is not a table of numbers"),
    ],
)
def test_mistakes_are_told_where_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    (folder / "late.csv").write_text("time,torque\n0,0\n2,1\n1,2\n")
    (folder / "gap.csv").write_text("time,torque\n0,0\n1,\n2,2\n")
    (folder / "metres.csv").write_text("time,torque [m]\n0,0\n1,1\n")
    (folder / "other.csv").write_text("time,a\n0,0\n1,1\n")
    (folder / "words.csv").write_text("time,torque\n0,a\n")
    monkeypatch.chdir(folder)
    with pytest.raises(luff.LuffError) as found:
        feed_inputs(luff.load("wheel.yaml"), [source])
    assert str(found.value).startswith(f"--input {source}: ")
    assert said in str(found.value)


def test_mistakes_are_those_of_the_command(folder: Path) -> None:
    done = call("run", "wheel.yaml", "--input", "torque=none.csv", cwd=folder, code=2)
    assert done.stderr.startswith("--input torque=none.csv: there is no file")
    done = call("run", "wheel.yaml", "--input", "torque=3 m", cwd=folder, code=2)
    assert done.stderr.startswith("--input torque: found '3 m' (m), expected a quantity in N*m")


def test_heads_have_a_name_an_element_and_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "heads.csv"
    path.write_text("time, wind[1] , f [kN],g[N],x [1], boom.psi[2] [rad]\n0,1,2,3,4,5\n")
    found = columns_with_units(path, "a table")
    assert {name: unit for name, (_, unit) in found.items()} == {
        "time": "", "wind[1]": "", "f": "kN", "g": "N", "x": "1", "boom.psi[2]": "rad",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"time,force\n0,1,2,3\n1,2,3,4\n", "is not a table of numbers"),  # twice as many numbers as names
        (b"time,force\n0,1,\n0.5,2,\n1,3,\n2,4,\n", "is not a table of numbers"),  # a comma behind each line
        ("time,Kr\xe4fte\n0,1\n1,2\n".encode("latin-1"), "it is not UTF-8 text"),
    ],
)
def test_tables_whose_columns_are_not_sure_are_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(data)
    with pytest.raises(luff.LuffError, match=said):
        columns_with_units(path, "a table")

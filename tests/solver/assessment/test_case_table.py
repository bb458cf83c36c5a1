"""Cases of an assessment from CSV files, as spreadsheets write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from luff.blocks import LuffError
from luff.solver.assessment import load
from luff.tests.process import call
from luff.tests.shared.sprung_weight import SPRUNG_WEIGHT

FILE = """\
luff: 1
model: ./model.yaml
cases: cases.csv
limits: [{title: sag, of: slide.position, metric: minimum, above: -0.25 m}]
"""


def written(folder: Path, table: str) -> Path:
    (folder / "model.yaml").write_text(SPRUNG_WEIGHT)
    (folder / "cases.csv").write_text(table, encoding="utf-8")
    (folder / "desk.yaml").write_text(FILE)
    return folder / "desk.yaml"


@pytest.mark.parametrize("apart", [",", ";", "\t"])
def test_each_row_is_a_case(tmp_path: Path, apart: str) -> None:
    """m g/k of each: 0.0981 m, 0.1962 m, and 0.2943 m beyond the limit of 0.25 m."""
    rows = [
        ["name", "m [g]", "k", "doc", "repeats"],
        ["light", "", "", "as it is", "10"],
        ["soft", "2000", "", "", ""],
    ]
    rows += [["heavy", "1500", "50 N/m", "", ""], []]
    path = written(tmp_path, "\ufeff" + "\n".join(apart.join(row) for row in rows))
    done = call("assess", path, "-o", "desk.h5", "--json", cwd=tmp_path, code=4)
    found = {one["run"]: one["value"] for one in json.loads(done.stdout)["every"]}
    assert found == {
        "light": pytest.approx(-0.0981, rel=1e-6),
        "soft": pytest.approx(-0.1962, rel=1e-6),
        "heavy": pytest.approx(-0.2943, rel=1e-6),
    }
    cases = load(path).settings.cases
    assert (cases["light"].doc, cases["light"].repeats, cases["soft"].repeats) == ("as it is", 10.0, 0.0)


@pytest.mark.parametrize(
    ("table", "line", "told"),
    [
        ("", 1, "expected a heading"),
        ("name,m\n", 1, "expected a heading"),
        ("case,m\na,1\n", 1, "expected one that is called name"),
        ("name,m,m\na,1,2\n", 1, 'two columns "m"'),
        ("name,m [bananas]\na,1\n", 1, "which is unknown"),
        ("name,m\na,1\n\na,2\n", 4, 'already a case "a"'),
        ("name,m\n,1\n", 2, "found no name"),
        ("name,m\na,1,2\n", 2, "found 3 cells, expected 2"),
        ('name,m\na,"1\n', 2, "no row of a CSV table"),
        ("name,m\na," + 200_000 * "1" + "\n", 2, "no row of a CSV table"),
    ],
)
def test_mistakes_of_a_table_have_their_line(tmp_path: Path, table: str, line: int, told: str) -> None:
    with pytest.raises(LuffError, match=told) as caught:
        load(written(tmp_path, table))
    mark = caught.value.problems[0].mark
    assert mark is not None
    assert (Path(mark.file).name, mark.line) == ("cases.csv", line)


@pytest.mark.parametrize("table", ["\nname;m [g]\na;2000\n", "name;m [g]\ra;2000\r"])
def test_blank_lines_and_old_line_ends_are_read(tmp_path: Path, table: str) -> None:
    assert load(written(tmp_path, table)).settings.cases["a"].set == {"m": "2000 g"}


def test_a_parameter_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(LuffError, match="mass_of_load"):
        load(written(tmp_path, "name,mass_of_load\na,1\n"))


def test_a_table_elsewhere_is_not_read(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = written(inner, "name,m\na,1\n")
    (tmp_path / "cases.csv").write_text("name,m\na,1\n")
    path.write_text(FILE.replace("cases.csv", "../cases.csv"))
    with pytest.raises(LuffError, match="outside of the assessment's folder"):
        load(path)
    assert list(load(path, files=[tmp_path]).settings.cases) == ["a"]

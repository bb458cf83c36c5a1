"""What a netlist may read of a disk: its own folder and what the user allows; and no error quotes a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.tests.process import call

TABLE = """\
luff: 1
blocks: {t: {type: table, file: %s}}
simulation: {stop: 2 ms, step: 1 ms}
"""
NESTED = """\
luff: 1
blocks: {inner: {type: %s}}
simulation: {stop: 2 ms, step: 1 ms}
"""
ROWS = "0, 1\n1, 2\n"


def check(folder: Path, *words: str, code: int) -> str:
    return call("check", "model.yaml", *words, cwd=folder, code=code).stderr


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A netlist's folder, with a table below it and another beside it."""
    for place in ("model/tables", "beside"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "rows.csv").write_text(ROWS)
        (tmp_path / place / "block.yaml").write_text(TABLE % "rows.csv" + "ports: {y: t.y}\n")
    (tmp_path / "beside" / "secret").write_text("root:$6$salt:19000:0:99999:7:::\nbin:*:18000\n")
    return tmp_path / "model"


@pytest.mark.parametrize("text", [TABLE % "tables/rows.csv", NESTED % "./tables/block.yaml"])
def test_what_lies_below_the_netlist_is_read(home: Path, text: str) -> None:
    (home / "model.yaml").write_text(text)
    check(home, code=0)


@pytest.mark.parametrize("text", [TABLE % "../beside/rows.csv", NESTED % "../beside/block.yaml"])
def test_what_lies_elsewhere_is_read_where_the_user_allows_it(home: Path, text: str) -> None:
    (home / "model.yaml").write_text(text)
    said = check(home, code=1)
    assert "lies outside of the netlist's folder" in said
    assert "--allow-files DIR" in said
    check(home, "--allow-files", "../beside", code=0)
    path = home / "model.yaml"
    luff.compile(luff.load(path, files=[home.parent / "beside"]))
    luff.compile(path, files=[home.parent / "beside"])
    with pytest.raises(luff.LuffError, match="lies outside"):
        luff.compile(luff.load(path))  # what one diagram may is not what all may


def test_a_study_reads_from_the_folders_that_its_caller_allows(home: Path, tmp_path: Path) -> None:
    (home / "model.yaml").write_text(TABLE % "../beside/rows.csv")
    path = home / "study.yaml"
    path.write_text(
        "luff: 1\nmodel: ./model.yaml\nvariants: {list: {one: {simulation.stop: 1 ms}, two: {}}}\n"
    )
    with pytest.raises(luff.LuffError, match="lies outside"):
        luff.study(path, tmp_path / "refused.h5", jobs=1)
    # the processes of the variants may read there as well
    found = luff.study(path, tmp_path / "out.h5", jobs=1, files=[home.parent / "beside"])
    assert found.statuses == {"one": "finished", "two": "finished"}, found.messages


UNITS = """\
luff: 1
blocks: {t: {type: table, file: rows.csv, unit: N}}
record: [t.y]
simulation: {stop: 4 ms, step: 1 ms}
"""


@pytest.mark.parametrize("heading", ["time [ms], force [kN]", "time [ms] force [kN]", "t[ms];F[kN]"])
def test_units_of_a_heading_count(heading: str, tmp_path: Path) -> None:
    """Over 4 ms the force grows from 0 to 8 kN."""
    (tmp_path / "model.yaml").write_text(UNITS)
    (tmp_path / "rows.csv").write_text(f"{heading}\n0, 0\n4, 8\n")
    call("run", "model.yaml", "-o", "out.h5", "--quiet", cwd=tmp_path)
    assert luff.read(tmp_path / "out.h5")["t.y"] == pytest.approx([0.0, 2e3, 4e3, 6e3, 8e3], rel=1e-12)


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("time [s], force [m]", "found column 2 in m, expected one of N"),
        ("time [m], force [N]", "found column 1 in m, expected one of s"),
        ("time [s], force [clicks]", 'unit "clicks", which is unknown'),
        (
            "time [s], force [N], more [N]",
            "the heading names 3 columns with their units, and a row has 2 numbers",
        ),
    ],
)
def test_units_of_a_heading_that_do_not_fit_are_refused(heading: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(UNITS)
    (tmp_path / "rows.csv").write_text(f"{heading}\n0, 0\n4, 8\n")
    assert words in check(tmp_path, code=1)


@pytest.mark.parametrize("name", ["/etc/passwd", "../beside/secret", "link.csv"])
def test_links_and_absolute_names_lead_nowhere_else(home: Path, name: str) -> None:
    (home / "link.csv").symlink_to(home.parent / "beside" / "secret")
    (home / "model.yaml").write_text(TABLE % name)
    said = check(home, code=1)
    assert "lies outside of the netlist's folder" in said
    assert "root:" not in said


def test_no_error_quotes_what_a_file_holds(home: Path) -> None:
    (home / "model.yaml").write_text(TABLE % "../beside/secret")
    said = check(home, "--allow-files", "../beside", code=1)
    assert "secret:2: expected numbers" in said
    assert not [word for word in ("root", "salt", "bin", "18000") if word in said]


def test_netlists_of_the_library_are_always_there(home: Path) -> None:
    (home / "model.yaml").write_text(
        "luff: 1\nblocks: {base: {type: base_on_springs}}\nconnect: [world.frame -- base.ground]\n"
    )
    assert "outside" not in check(home, code=0)

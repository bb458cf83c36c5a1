"""Netlists with subsystems in place, on the command line as a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from luff.tests.process import call
from luff.tests.solver.diagram.test_subsystems import NESTED


def luff(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return call(*arguments, cwd=cwd, code=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(NESTED)
    (tmp_path / "b.yaml").write_text(
        NESTED.replace("mass: =m", "mass: 9").replace("=k}", "=k, stiffness: 2}")
    )
    (tmp_path / "c.yaml").write_text(NESTED.replace("k: 0.5", "k: 0.7").replace("{k: 2", "{k: 3"))
    return tmp_path


def test_run_sets_and_records_what_is_inside(folder: Path) -> None:
    made = luff("run", "a.yaml", "--stop", "0.05", "--set", "arm.rod.mass=4kg", "-o", "out.csv", cwd=folder)
    assert made.returncode == 0, made.stderr
    head = (folder / "out.csv").read_text().splitlines()[0]
    assert head == "time [s],arm.elbow.position [rad],g.y,arm.speed [rad/s]"
    told = luff("info", "a.yaml", "--json", cwd=folder)
    assert "arm.elbow.position" in told.stdout
    made = luff("run", "a.yaml", "--set", "arm.rodd.mass=4kg", cwd=folder)
    assert made.returncode == 2
    assert 'there is nothing named "arm.rodd.mass" to set (did you mean "rod"?)' in made.stderr


def test_diff_and_merge_reach_inside(folder: Path) -> None:
    said = luff("diff", "a.yaml", "b.yaml", cwd=folder).stdout
    assert said == ("blocks\n  arm.rod.mass: =m -> 9 kg\n  arm.elbow.stiffness: not given -> 2 N*m/rad\n")
    merged = luff("merge", "a.yaml", "b.yaml", "c.yaml", cwd=folder)
    both = NESTED.replace("mass: =m", "mass: 9").replace("=k}", "=k, stiffness: 2}")
    assert (merged.returncode, merged.stdout) == (
        0,
        both.replace("k: 0.5", "k: 0.7").replace("{k: 2", "{k: 3"),
    )
    (folder / "d.yaml").write_text(
        NESTED.replace("rod.frame_b -- elbow.frame_a", "elbow.frame_b -- rod.frame_b")
    )
    said = luff("diff", "a.yaml", "d.yaml", cwd=folder).stdout
    assert said == "wires\n  - rod.frame_b -- elbow.frame_a in arm\n  + elbow.frame_b -- rod.frame_b in arm\n"


def test_check_repairs_a_word_inside(folder: Path) -> None:
    (folder / "e.yaml").write_text(NESTED.replace("damping: =k", "dampin: =k"))
    made = luff("check", "e.yaml", "--fix", cwd=folder)
    assert made.returncode == 0, made.stderr
    assert (folder / "e.yaml").read_text() == NESTED


def test_schema_knows_subsystems(folder: Path) -> None:
    import jsonschema

    from luff.solver.netlist import read_netlist

    validator = jsonschema.Draft202012Validator(json.loads(luff("schema", cwd=folder).stdout))
    assert validator.is_valid(read_netlist(NESTED).data)
    for wrong in ("axis: y, dampin: =k", "axis: 3, damping: =k"):
        assert not validator.is_valid(read_netlist(NESTED.replace("axis: y, damping: =k", wrong)).data)
    assert not validator.is_valid(read_netlist(NESTED.replace("ports: {root", "simulation: {root")).data)

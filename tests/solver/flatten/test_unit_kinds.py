"""Values that are tried in place of a netlist's own have units of its kind, where what they are used for takes any."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from luff.blocks.errors import LuffError
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.unit_kinds import of_another_kind, own_unit
from luff.solver.studies.study_file import load as study_of
from luff.solver.tuning.tuning_file import load as task_of

MODEL = """
luff: 1
parameters: {gain: 3 kN*m/rad}
blocks:
  drive: {type: pd, kp: 2 MN*m/rad, kd: 5}
  swing: {type: sine}
connect: [swing.trajectory -> drive.target, swing.trajectory -> drive.measured]
"""
TASK = "luff: 1\nmodel: model.yaml\noptimise:\n  minimise: {of: drive.effort}\n  parameters: {%s}\n"
STUDY = "luff: 1\nmodel: model.yaml\nvariants: {grid: {%s}}\n"


def of_task(path: Path) -> None:
    task_of(path, "optimise")


def of_study(path: Path) -> None:
    study_of(path)


@pytest.mark.parametrize(
    ("read", "text", "wrong"),
    [
        (
            of_task,
            TASK % "drive.kp: {lower: 1 N*m/rad, upper: 3 N*m*s/rad}",
            "found 3 N*m*s/rad, expected a unit of the kind of MN*m/rad",
        ),
        (
            of_task,
            TASK % "gain: {lower: 1 N, upper: 2 kN*m/rad}",
            "found 1 N, expected a unit of the kind of kN*m/rad",
        ),
        # the model writes no unit: the bounds are of one kind among themselves
        (
            of_task,
            TASK % "drive.kd: {lower: 1 N*s, upper: 3 N}",
            "found 3 N, expected a unit of the kind of N*s",
        ),
        (of_study, STUDY % "drive.kp: [1 N*m/rad, 3 N*m*s/rad]", "found 3 N*m*s/rad, expected"),
        (of_study, STUDY % "drive.kp: [1 N*m/rad, =gain]", ""),
        (of_study, STUDY % "drive.kd: [1 N*s, 3 N*s]", ""),
        (of_task, TASK % "drive.kp: {lower: 1, upper: 3 kN*m/rad, start: 2 N*m/rad}", ""),
    ],
)
def test_a_unit_of_another_kind_is_told(
    tmp_path: Path, read: Callable[[Path], None], text: str, wrong: str
) -> None:
    (tmp_path / "model.yaml").write_text(MODEL)
    (tmp_path / "task.yaml").write_text(text)
    if not wrong:
        read(tmp_path / "task.yaml")
        return
    with pytest.raises(LuffError, match=re.escape(wrong)) as told:
        read(tmp_path / "task.yaml")
    assert [problem.mark is not None for problem in told.value.problems] == [True]


def test_what_has_no_unit_is_of_any_kind() -> None:
    diagram = Diagram.from_yaml(MODEL)
    assert own_unit(diagram, "drive.kp") == "MN*m/rad"
    assert own_unit(diagram, "gain") == "kN*m/rad"
    assert own_unit(diagram, "drive.kd") == own_unit(diagram, "nothing.like_it") == ""
    for given in (2.0, "3", "=gain", "5 N*m/rad", "1 foo", None):
        assert of_another_kind(given, "MN*m/rad") == ""
    assert of_another_kind("3 m", "") == ""

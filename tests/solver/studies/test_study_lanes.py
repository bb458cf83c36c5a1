"""Variants of a study side by side in lanes: the bits of single runs, and nothing lost where a process dies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.batch.simd_group import LaneDecision
from luff.solver.batch.study_lanes import LaneResults
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.flatten import flatten
from luff.solver.simulation.simulation import Simulation
from luff.solver.studies import load, read_study, report
from luff.solver.studies.lane_groups import LaneGrouping
from luff.solver.studies.study_run import run, with_alone_figures
from luff.solver.studies.variant_fingerprint import structure_fingerprint
from luff.tests.conftest import PLAIN

# a limit that each variant passes at another time, so that lanes part; a step that RK4 cannot bear of the last
BALL = """\
luff: 1
blocks:
  rail: {type: prismatic, axis: z, initial: {position: 1}, damping: 0.1}
  ball: {type: rigid_link, mass: 1}
  low: {type: saturation, lower: 0.9, upper: 5}
  push: {type: constant, value: 1.0}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- ball.frame_a
  - push.y -> rail.effort
  - rail.position -> low.u
simulation: {stop: 1, step: 0.001, output_step: 0.01}
"""
DAMPING = [0.1, 0.2, 0.3, 0.4, 9e4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1]
STUDY = f"luff: 1\nmodel: ./ball.yaml\nvariants: {{grid: {{rail.damping: {DAMPING}}}}}\n"


def ball(folder: Path, study: str = STUDY) -> Path:
    (folder / "ball.yaml").write_text(BALL)
    path = folder / "study.yaml"
    path.write_text(study)
    return path


def test_variants_in_lanes_have_the_bits_of_single_runs(tmp_path: Path) -> None:
    path = ball(tmp_path)
    seen: list[str] = []
    outcomes = run(
        load(path), tmp_path / "lanes.h5", jobs=1, lanes=True,
        progress=lambda _, ended: seen.append(ended.variant.name) if ended else None,
    )  # fmt: skip
    names = [outcome.variant.name for outcome in outcomes]
    assert seen == names
    run(load(path), tmp_path / "alone.h5", jobs=1, lanes=False)
    together, alone = (
        with_alone_figures(read_study(tmp_path / "lanes.h5"), outcomes),
        read_study(tmp_path / "alone.h5"),
    )
    assert together.statuses == alone.statuses
    assert together.messages == alone.messages
    assert [*together.statuses.values()].count("failed") == 1
    for name in names:
        ours, theirs = together[name], alone[name]
        np.testing.assert_array_equal(ours.time, theirs.time)
        np.testing.assert_array_equal(ours.table, theirs.table)
        assert ours.quality == theirs.quality
        assert ours.remarks == theirs.remarks
        assert ours.parameters == theirs.parameters
    if not PLAIN:
        assert [*together.alone.values()].count("") == 11
        (page, *_) = report(load(path), together, tmp_path)
        assert "11 of the 12 variants" in page.read_text()
        assert "- 1: it ended before the others" in page.read_text()


def test_runs_of_cases_in_lanes_are_those_of_each(tmp_path: Path) -> None:
    """Also of more than a group takes."""
    ball(tmp_path)
    diagram = luff.load(tmp_path / "ball.yaml")

    def sims() -> list[Simulation]:
        return [Simulation(diagram, {"rail.damping": c}) for c in DAMPING if c < 2.0]

    runs = LaneResults(22)
    choice = runs.choice = LaneDecision("rk4", True)
    for ours, sim in zip(runs.results(sims()), sims(), strict=True):
        theirs = sim.run()
        np.testing.assert_array_equal(ours.table, theirs.table)
        assert ours.quality == theirs.quality
        assert ours.remarks == theirs.remarks
    if not PLAIN:
        assert choice.ready


def test_a_process_that_dies_takes_its_own_variant_alone(tmp_path: Path) -> None:
    (tmp_path / "fatal.py").write_text(
        "import os, sys\n"
        "from luff.blocks import Block, Out, Param\n"
        "class Fatal(Block):\n"
        '    """Ends the process."""\n'
        "    y = Out()\n"
        '    deadly = Param(0.0, doc="whether")\n'
        "    def check(self):\n"
        '        if self.deadly > 4.5 and "luff.solver.studies.study_worker" in sys.orig_argv:\n'
        "            os._exit(7)\n"
        "        return ()\n"
        "    def out(t, deadly): return deadly\n"
    )
    (tmp_path / "model.yaml").write_text(
        "luff: 1\nblocks: {files: [fatal.py], f: {type: fatal}}\nsimulation: {stop: 0.1 s}\n"
    )
    path = tmp_path / "study.yaml"
    path.write_text("luff: 1\nmodel: ./model.yaml\nvariants: {grid: {f.deadly: [0.0, 1.0, 5.0, 3.0]}}\n")
    outcomes = run(load(path, allow_code=True), tmp_path / "study.h5", jobs=1, lanes=True)
    assert [outcome.status for outcome in outcomes] == ["finished"] * 2 + ["failed", "finished"]
    assert {outcome.alone for outcome in outcomes} == {"a process that ran it beside others died"}
    results = read_study(tmp_path / "study.h5")
    assert "died with code 7" in results.messages["f.deadly = 5"]
    assert results["f.deadly = 3"]["f.y"][-1] == 3.0


def test_what_differs_in_more_than_numbers_is_no_kin(tmp_path: Path) -> None:
    diagram = Diagram.load(ball(tmp_path).with_name("ball.yaml"))
    usual = structure_fingerprint(flatten(diagram, {}))
    assert structure_fingerprint(flatten(diagram, {"ball.mass": 2.0, "rail.damping": 3})) == usual
    for change in ({"simulation.stop": 2.0}, {"simulation.method": "euler"}, {"simulation.events": "locate"}):
        assert structure_fingerprint(flatten(diagram, change)) != usual


def test_lanes_that_do_not_pay_are_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LaneGrouping, "left", lambda *_: 1e-3)  # s: however slow the machine is today
    results = luff.study(ball(tmp_path), tmp_path / "study.h5", jobs=1)
    why = [*results.alone.values()]
    assert why[0] == "it was made before lanes were ready, or was left over"
    assert PLAIN or set(why[1:]) == {"too little is left to save"}

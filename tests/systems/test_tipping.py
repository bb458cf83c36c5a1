"""Cranes that tip over the edge of their supports: statics refuse them in one wording, runs and analyses say so."""

from __future__ import annotations

import json
import math

import pytest

import luff
from luff.blocks import CompileError, RunError
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.process import call

CRANE = LIBRARY / "crane_on_outriggers.yaml"
# of the library's crane: tonnes and metres
STAND, BOOM, BOOM_AT, REACH, HALF_LENGTH, HALF_WIDTH = 20.0, 1.0, 4.0, 8.0, 3.0, 2.0


def capacity(azimuth: float) -> float:
    """Tonnes that rigid supports bear, by moments about the edges."""
    sides = (HALF_LENGTH, abs(math.cos(azimuth))), (HALF_WIDTH, abs(math.sin(azimuth)))
    return min(
        (STAND * half + BOOM * (half - BOOM_AT * out)) / (REACH * out - half)
        for half, out in sides
        if REACH * out > half
    )


def at(load: float, azimuth: float, **more: object) -> luff.Simulation:
    values = {"parameters.load": f"{load} t", "slewing.start_value": azimuth, **more}
    return luff.compile(CRANE, **values)


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0, 135.0, 180.0, 285.0])
def test_statics_stand_up_to_the_capacity_and_nowhere_beyond(degrees: float) -> None:
    azimuth = math.radians(degrees)
    most = capacity(azimuth)
    lean = at(0.98 * most, azimuth).static()["positions"]
    assert max(abs(lean["stand.phi"]), abs(lean["stand.theta"])) < 0.01
    for factor in (1.001, 1.3, 3.0, 8.0, 16.0):  # up to 120 t, where an answer upside down was found
        with pytest.raises(
            CompileError, match=r"stand: tips over the edge between supports \d and \d: its load"
        ):
            at(factor * most, azimuth)


@pytest.mark.parametrize(
    ("degrees", "edge"), [(0.0, "1 and 2"), (90.0, "1 and 3"), (180.0, "3 and 4"), (270.0, "2 and 4")]
)
def test_the_edge_is_named(degrees: float, edge: str) -> None:
    with pytest.raises(CompileError, match=f"tips over the edge between supports {edge}:"):
        at(20.0, math.radians(degrees))


def test_the_command_refuses_a_crane_that_would_rest_upside_down() -> None:
    options = ["--set", "load=12t", "--set", "slewing.start_value=135deg", "--json"]
    told = json.loads(call("static", CRANE, *options, cwd=CRANE.parent, code=1).stdout)
    assert "tips over the edge between supports 1 and 3" in json.dumps(told)


def test_a_run_that_topples_says_over_which_edge_and_when() -> None:
    session = at(7.0, math.pi).start(stop=15.0)
    while session.advance() == "running":
        pass
    times, rows = session.take()
    phi = rows[:, session.columns.index("stand.phi")]
    (note,) = [each for each in session.remarks if "tips over" in each.message]
    assert note.message.startswith(
        "tips over the edge between supports 1 and 3: it leans more than 30 deg at t = "
    )
    told = float(note.message.split("t = ")[1].split(" s")[0])
    first = times[int((abs(phi) > math.radians(30.0)).argmax())]
    assert first - 0.02 <= told <= first  # between two rows


def test_a_run_that_stands_says_nothing_of_it() -> None:
    session = at(6.0, math.pi).start(stop=15.0)
    while session.advance() == "running":
        pass
    assert not [each for each in session.remarks if "tips over" in each.message]


def test_linear_models_have_no_equilibrium_to_stand_on() -> None:
    sim = at(1.05 * capacity(math.pi / 2), math.pi / 2, **{"initial.solve": "assemble"})
    with pytest.raises(RunError, match="tips over the edge between supports 1 and 3"):
        luff.equilibrium(sim)


def test_feet_in_a_line_tip_over_the_last_of_them() -> None:
    text = """
luff: 1
blocks:
  stand: {type: base_support, mass: 1000, com: [0, 0, 1], inertia: [1e3, 1e3, 1e3], coordinates: [z, theta],
          one_sided: true, frame_b: {at: [4, 0, 1]}, supports: [
          {at: [2, 0, 0], stiffness: [0, 0, 1e7]}, {at: [-2, 0, 0], stiffness: [0, 0, 1e7]}]}
  weight: {type: rigid_link, mass: LOAD, inertia: [1, 1, 1]}
connect: [world.frame -- stand.frame_a, stand.frame_b -- weight.frame_a]
initial: {solve: static}
"""
    assert luff.compile(luff.loads(text.replace("LOAD", "990"))).static()["positions"]["stand.theta"] < 0.01
    # 1 t at 2 m from the foot on either side of it
    with pytest.raises(CompileError, match=r"stand: tips over support 1: its load presses 0\.0198 m beyond"):
        luff.compile(luff.loads(text.replace("LOAD", "1020")))


def test_what_fails_for_another_reason_is_not_called_tipping() -> None:
    slides = "slew: {type: prismatic, axis: [1, 0, 0.5]}"
    text = CRANE.read_text().replace("slew: {type: revolute, axis: z, driven: true}", slides)
    text = text.replace("  - slewing.y -> slew.follow\n", "")
    with pytest.raises(CompileError, match="nothing holds") as told:
        luff.compile(luff.loads(text.replace("load: 6 t", "load: 1 t").replace("reach: 8 m", "reach: 1 m")))
    assert "tips" not in str(told.value)

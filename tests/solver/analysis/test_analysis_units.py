"""Numbers that analyses tell are in the units that the netlist declares."""

from __future__ import annotations

import math

import pytest

import luff
from luff.solver.analysis.analysis_units import display_unit_of
from luff.solver.analysis.static_tables import describe_static

TEXT = """luff: 1
parameters: {weight: 2 kN}
blocks:
  pin: {type: revolute, axis: y, stiffness: 40 kN*m/rad, initial: {position: 20 deg}}
  bob: {type: rigid_link, mass: 3 t, com: [0, 0, -0.2], inertia: [1, 1, 1]}
  push: {type: constant, value: =weight, unit: N}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]
initial: {solve: static}
plots: [{y: [pin.position], unit: deg}, {y: [pin.velocity]}]
"""


def test_a_declared_unit_counts_for_signals_and_numbers() -> None:
    sim = luff.compile(luff.loads(TEXT))
    shown = display_unit_of(sim)
    assert shown("pin.position") == ("deg", pytest.approx(180 / math.pi))
    assert shown("pin.velocity") == ("rad/s", 1.0)  # a plot that says no unit
    assert shown("bob.mass") == ("t", 1e-3)
    assert shown("weight") == ("kN", pytest.approx(1e-3))
    assert shown("pin.damping")[1] == 1.0  # left at its default
    assert shown("bob.com[2]")[1] == 1.0
    again = display_unit_of(type(sim)(sim.diagram, {"bob.mass": "3000 kg"}))
    assert again("bob.mass") == ("kg", 1.0)


def test_positions_at_rest_are_told_in_the_unit_of_their_plot() -> None:
    sim = luff.compile(luff.loads(TEXT))
    lines = describe_static(sim.static(), display_unit_of(sim))
    (line,) = (line for line in lines if line.startswith("  pin.position ="))
    assert line.endswith(" deg")
    assert float(line.split()[2]) == pytest.approx(
        math.degrees(sim.static()["positions"]["pin.position"]), abs=1e-4
    )


def test_a_position_within_its_error_is_told_as_zero() -> None:
    """40 kN m/rad q = -3 t g 0.2 m sin q has q = 0 alone, where the search ends to within its bound."""
    sim = luff.compile(luff.loads(TEXT.replace("initial: {position", "guess: {position")))
    rest = sim.static()
    error = rest["errors"]["pin.position"]
    assert abs(rest["positions"]["pin.position"]) <= error < 1e-12

    def told(position: float) -> float:
        rest["positions"]["pin.position"] = position
        lines = describe_static(rest, display_unit_of(sim))
        return float(next(line for line in lines if line.startswith("  pin.position =")).split()[2])

    assert told(0.9 * error) == told(-0.9 * error) == 0.0
    assert told(1.1 * error) == pytest.approx(math.degrees(1.1 * error), rel=1e-5)
    rest["errors"]["pin.position"] = math.nan  # not known
    assert told(error) != 0.0


def test_an_effort_within_its_rounding_is_told_as_zero() -> None:
    """A slide across the weight of 3 t that it carries: what holds it is rounding of 29 kN."""
    text = TEXT.replace(
        "revolute, axis: y, stiffness: 40 kN*m/rad, initial: {position: 20 deg}", "prismatic, axis: x"
    )
    sim = luff.compile(luff.loads(text.replace("solve: static", "solve: static, hold: [pin]")))
    rest = sim.static()
    assert abs(rest["held"]["pin.position"]) <= rest["held_errors"]["pin.position"] < 1e-9
    rest["held"]["pin.position"] = 0.9 * rest["held_errors"]["pin.position"]
    assert "  pin.position: 0 N" in describe_static(rest, display_unit_of(sim))

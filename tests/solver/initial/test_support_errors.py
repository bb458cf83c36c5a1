"""Forces of supports at rest lie within their bounds of closed forms, and are told as zero where these allow it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.solver.analysis.analysis_units import display_unit_of
from luff.solver.analysis.static_tables import describe_static

G = 9.81
# a block of 2 t on four springs, the load 0.3 m beside its middle
BASE = """luff: 1
blocks:
  base:
    type: base_support
    mass: 2 t
    com: [0.3, 0, 0.5]
    inertia: [500, 500, 500]
    supports:
      - {at: [1, 1, 0], stiffness: [1e6, 1e6, 2e6]}
      - {at: [-1, 1, 0], stiffness: [1e6, 1e6, 2e6]}
      - {at: [-1, -1, 0], stiffness: [1e6, 1e6, 2e6]}
      - {at: [1, -1, 0], stiffness: [1e6, 1e6, 2e6]}
connect: [world.frame -- base.frame_a]
initial: {solve: static}
"""
PINNED = """
  pin: {type: revolute, axis: y, initial: {position: 10 deg}}
  rod: {type: rigid_link, mass: 3 t, com: [0, 0, -0.2], inertia: [1, 1, 1]}
connect: [world.frame -- base.frame_a, world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
initial: {solve: static, hold: [pin]}
"""


def test_forces_are_within_their_bounds_of_the_balance() -> None:
    """Of vertical forces and of moments about both level axes, and nothing across."""
    rest = luff.compile(luff.loads(BASE)).static()
    forces = np.array([*rest["supports"].values()])
    bounds = np.array([*rest["support_errors"].values()])
    assert forces.shape == bounds.shape == (4, 3)
    assert np.all((bounds > 0.0) & (bounds < 1e-4))  # N, of 2 t
    total = forces.sum(axis=0)
    assert abs(total[2] - 2000.0 * G) <= bounds[:, 2].sum()
    assert np.all(abs(total[:2]) <= bounds[:, :2].sum(axis=0))
    # about y by the sideways forces' arms too: the base turns by 1e-3 rad, and its weight with it
    assert forces[:, 2] == pytest.approx(2000.0 * G / 4 * (1.0 + 0.3 * np.array([1, -1, -1, 1])), rel=5e-3)


def test_bounds_grow_with_what_the_position_may_be_off() -> None:
    """A spring's force is off by its stiffness times the error of its deflection."""
    rest = luff.compile(luff.loads(BASE)).static()
    lift = max(error for name, error in rest["errors"].items() if rest["units"][name] == "m")
    for bounds in rest["support_errors"].values():
        assert bounds[2] >= 2e6 * lift


def test_a_force_within_its_bound_is_told_as_zero() -> None:
    sim = luff.compile(luff.loads(BASE))
    rest = sim.static()
    name = next(iter(rest["supports"]))

    def told(force: float, bound: float) -> str:
        rest["supports"][name][1], rest["support_errors"][name][1] = force, bound
        line = next(
            one for one in describe_static(rest, display_unit_of(sim)) if one.startswith(f"  {name}:")
        )
        return line.partition("[")[2].split(", ")[1]

    assert told(-0.9e-9, 1e-9) == "0"
    assert told(-1.1e-9, 1e-9) == "-1.1e-09"
    assert told(-0.9e-9, math.nan) == "-9e-10"  # no bound is known


def test_components_of_a_model_keep_their_bounds() -> None:
    """The pin stands apart from the base: 3 t g 0.2 m sin 10 deg hold it."""
    rest = luff.compile(luff.loads(BASE.partition("connect:")[0].rstrip() + PINNED)).static()
    effort, error = rest["held"]["pin.position"], rest["held_errors"]["pin.position"]
    assert abs(abs(effort) - 3000.0 * G * 0.2 * math.sin(math.radians(10.0))) <= error
    assert rest["support_errors"].keys() == rest["supports"].keys()
    assert max(rest["errors"].values()) > 0.0

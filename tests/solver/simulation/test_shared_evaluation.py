"""One evaluation for what is updated or recorded after a step and for the next step's first stage: to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.integrators.run_data import SHARED

LIBRARY = Path(luff.__file__).parent / "library"

ARM = """
luff: 1
blocks:
  arm: {type: revolute, axis: y, damping: 0.1, limits: {lower: -1, upper: 3}, initial: {position: 1}}
  a: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, -1]}}
  cycles: {type: rainflow, fatigue: {strength: 5}}
connect: [world.frame -- arm.frame_a, arm.frame_b -- a.frame_a, arm.acceleration -> cycles.u]
simulation: {stop: 0.5, step: 1e-3, output_step: 1e-3}
"""
HELD = ARM.replace("connect: [", "  hold: {type: zero_order_hold, sample_time: 0.01}\nconnect: [").replace(
    "arm.acceleration -> cycles.u",
    "arm.acceleration -> cycles.u, arm.position -> hold.u, hold.y -> arm.effort",
)


@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "implicit"])
@pytest.mark.parametrize("rows", [1e-3, 7e-3])
def test_shared_is_alone_to_the_last_bit(method: str, rows: float) -> None:
    given = {"simulation.method": method, "simulation.output_step": rows}
    sim = luff.compile(luff.loads(ARM), **given)
    assert sim.program.shared == 2
    whole, apart, pieces = sim.start(), sim.start(), sim.start()
    apart.instance.number[SHARED] = 0
    pieces.advance(steps=3)
    for session in (whole, apart, pieces):
        session.advance(steps=session.steps)
    taken = [session.take() for session in (whole, apart, pieces)]
    for times, values in taken[1:]:
        np.testing.assert_array_equal(times, taken[0][0])
        np.testing.assert_array_equal(values, taken[0][1])
    assert taken[0][1][-1, sim.signal_names.index("cycles.cycles")] > 0.0


def test_what_is_left_after_the_rates_is_no_dynamics() -> None:
    ordered = luff.compile(luff.loads(ARM)).program.ordered
    names = {name: {one.label or one.makes[0][1] for one in ordered[name]} for name in ordered}
    assert "dynamics" in {one.makes[0][1] for one in ordered["updates"]}
    assert not {"kinematics", "dynamics", "mechanism"} & names["late_updates"]
    assert not {"kinematics", "dynamics", "mechanism"} & names["late_outputs"]


def test_what_the_rates_hang_on_is_evaluated_apart() -> None:
    """A held value feeds the joint: the rates after the update are others than those before."""
    sim = luff.compile(luff.loads(HELD))
    assert not sim.program.shared
    result = sim.run()
    force = result["hold.y"]
    # at each sample, and after it until the next, the angle of that time
    np.testing.assert_array_equal(force[::10], result["arm.position"][::10])
    assert (np.diff(force)[force[1:] == force[:-1]] == 0.0).all()


def test_numbers_set_between_advances_count_at_once() -> None:
    """A session that is stopped for a new number does not go on with rates of before."""
    sim, damped = luff.compile(luff.loads(ARM)), luff.compile(luff.loads(ARM), **{"arm.damping": 3.0})
    one, other = sim.start(), sim.start()
    other.instance.number[SHARED] = 0
    for session in (one, other):
        session.advance(steps=50)
        session.instance.take(damped.program)
        session.advance(steps=50)
    np.testing.assert_array_equal(one.x, other.x)


def test_reactions_of_a_closed_mechanism_are_those_of_an_evaluation_alone() -> None:
    """Powers find its multipliers once more, and round them otherwise: a row has the bits of a single evaluation."""
    sim = luff.compile(luff.load(LIBRARY / "crane_knuckle_boom_vessel.yaml"))
    assert sim.program.shared == 1
    step = sim.settings.step
    rows = sim.run(stop=5 * step, output_step=step)
    apart = sim.start(stop=5 * step, output_step=step)
    apart.instance.number[SHARED] = 0
    apart.advance(steps=5)
    np.testing.assert_array_equal(np.column_stack([rows[name] for name in sim.signal_names]), apart.take()[1])

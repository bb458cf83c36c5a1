"""Calls of a script that cannot be meant: each ends at once, with words that say what was found."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import luff
from luff import RunError

WHEEL = """
luff: 1
inputs: {torque: {unit: N*m}, other: {}}
outputs: {speed: axle.velocity, seen: twice.y}
blocks:
  axle: {type: revolute, axis: y}
  disc: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  twice: {type: gain, k: 2}
connect: [world.frame -- axle.frame_a, axle.frame_b -- disc.frame_a, inputs.torque -> axle.effort,
  inputs.other -> twice.u]
simulation: {stop: 1 s, step: 1 ms}
"""
NO_COUNT = [0.5, 2.0, 0, -1, math.nan, math.inf, "3", [1]]


@pytest.fixture(scope="module")
def sim() -> luff.Simulation:
    return luff.compile(luff.loads(WHEEL))


@pytest.mark.parametrize("method", ["rk4", "dop853"])
@pytest.mark.parametrize("steps", NO_COUNT, ids=map(str, NO_COUNT))
def test_steps_are_whole_and_one_or_more(sim: luff.Simulation, steps: Any, method: str) -> None:
    session = sim.start(method=method)
    for call, path in ((session.advance, "advance"), (session.step, "step")):
        with pytest.raises(
            RunError, match=rf"^{path}: found {re.escape(repr(steps))} steps, expected a whole"
        ):
            call(steps=steps)
    assert session.done == 0
    session.advance(steps=np.int64(2))
    session.step(steps=np.int32(3))
    assert session.done == 5


@pytest.mark.parametrize("count", [0, 1, 3, 100])
def test_states_have_their_number(sim: luff.Simulation, count: int) -> None:
    for call in (sim.evaluate, sim.derivative, sim.jacobian, sim.mass_matrix, sim.kinematics):
        with pytest.raises(RunError, match=f"found {count} states, expected 2"):
            call(t=0.0, x=[0.1] * count)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_an_input_that_is_not_finite_is_named(sim: luff.Simulation, wrong: float) -> None:
    session = sim.start()
    session.step([1.0, 2.0])
    for given in ([wrong, 0.0], {"torque": wrong}):
        with pytest.raises(
            RunError, match=rf"^inputs\.torque: found {wrong} at t = 0.001 s, expected a finite"
        ):
            session.step(given)
    with pytest.raises(RunError, match=r"^inputs\.other: "):
        session.give([0.0, wrong])
    assert session.inputs.tolist() == [1.0, 2.0], "a refused input leaves what was given before"
    session.give({"torque": np.array(1.0), "other": 2})
    session.give([1e308, 1e308])  # whose sum is not finite
    # written past all checks, as an environment may: the run fails, and says because of whom
    session = sim.start()
    session.inputs[0] = wrong
    with pytest.raises(RunError, match=r"inputs\.torque: this input is not finite"):
        session.step(steps=3)


def test_a_function_that_gives_nan_is_named(sim: luff.Simulation) -> None:
    with pytest.raises(RunError, match=r"inputs\.torque: found nan at t = 0.01 s"):
        sim.run(inputs={"torque": lambda t: math.nan if t >= 0.01 else 1.0})

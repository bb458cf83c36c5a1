"""The quick way into generated functions is the slow one, sooner."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

import luff
from luff.solver.diagram import loads
from luff.solver.door import Door
from luff.solver.jit import ENABLED
from luff.solver.simulation import Simulation

PENDULUM = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y, damping: 0.1, initial: {position: 1}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.17, 0.17, 0]}
  push: {type: sine, amplitude: 3, unit: N*m}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - push.y -> pin.effort
simulation: {stop: 1, step: 1 ms}
"""


@pytest.fixture
def sim() -> Simulation:
    return luff.compile(loads(PENDULUM))


def direct(sim: Simulation, t: float, x: np.ndarray) -> np.ndarray:
    dx = np.zeros_like(x)
    sim.code.rhs(t, x, dx, *sim.arguments(sim.program.memory))
    return dx


def test_door_gives_the_same_rates(sim: Simulation) -> None:
    door = Door(sim.code.rhs, sim.arguments(sim.program.memory))
    for t, x in ((0.0, [1.0, 0.0]), (0.7, [-2.0, 3.0])):
        dx = np.zeros(2)
        door(t, np.array(x), dx)
        assert dx.tolist() == direct(sim, t, np.array(x)).tolist()
        assert dx.tolist() == sim.derivative(t, x).tolist()


def test_change_of_a_parameter_is_seen_through_the_door(sim: Simulation) -> None:
    before = sim.derivative(0.0, [1.0, 0.0])[1]
    sim.set("rod.mass", 4)
    # with twice the mass about the pin: m g s sin / (I + m s^2)
    assert sim.derivative(0.0, [1.0, 0.0])[1] != pytest.approx(before, rel=1e-3)
    assert sim.derivative(0.0, [1.0, 0.0]).tolist() == direct(sim, 0.0, np.array([1.0, 0.0])).tolist()


def test_change_of_structure_makes_a_new_door(sim: Simulation) -> None:
    sim.derivative(0.0, sim.x0)
    sim.set("pin.friction", {"model": "lugre", "load": 100, "diameter": 0.1})
    assert len(sim.x0) == 3
    assert (
        sim.derivative(0.0, [1.0, 0.5, 0.0]).tolist() == direct(sim, 0.0, np.array([1.0, 0.5, 0.0])).tolist()
    )


@pytest.mark.skipif(not ENABLED, reason="plain Python has no slow way")
def test_door_is_quicker_by_far(sim: Simulation) -> None:
    x, dx = sim.x0.copy(), np.zeros_like(sim.x0)

    def best(call) -> float:
        times = []
        for _ in range(20):
            began = perf_counter()
            call()
            times.append(perf_counter() - began)
        return min(times)

    door = Door(sim.code.rhs, sim.arguments(sim.program.memory))
    # a hundred times and more on any machine that was measured
    assert best(lambda: door(0.0, x, dx)) < 0.1 * best(lambda: direct(sim, 0.0, x))

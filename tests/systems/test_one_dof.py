"""A four-bar with all that acts on it: the solution by virtual power of one freedom against Lagrange multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.kernels.model_data import DENSE, O_SOLVER, SCHUR

FOUR_BAR = """
luff: 1
blocks:
  far: {type: fixed, at: [1.2, 0, 0]}
  j0: {type: revolute, axis: y, initial: {position: -1.3, velocity: 2}}
  l0: {type: rigid_link, mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.4, 0, 0]}}
  j1: {type: revolute, axis: y, guess: {position: 1.5}, EXTRA}
  l1: {type: rigid_link, mass: 2, com: [0.4, 0.1, 0.2], inertia: [0.1, 0.2, 0.1], frame_b: {at: [1.1, 0, 0]}}
  j2: {type: revolute, axis: y, guess: {position: 1.0}}
  l2: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0.8, 0, 0]}}
  last: {type: revolute, axis: y, cut: true}
  turn: {type: applied_torque}
  push: {type: applied_force}
  torque: {type: constant, value: [0, TORQUE, 0]}
  force: {type: constant, value: [FORCE, 0, -3]}
connect: [world.frame -- j0.frame_a, j0.frame_b -- l0.frame_a, l0.frame_b -- j1.frame_a, j1.frame_b -- l1.frame_a,
          l1.frame_b -- j2.frame_a, j2.frame_b -- l2.frame_a, world.frame -- far.frame_a, l2.frame_b -- last.frame_a,
          far.frame_b -- last.frame_b, l1.frame_b -- turn.frame_b, l1.frame_b -- push.frame_b,
          torque.y -> turn.torque, force.y -> push.force]
simulation: {stop: 1, step: 1e-3, constraints: {redundant: minimum_norm}}
"""


@pytest.mark.parametrize(
    ("extra", "torque", "force"),
    [
        ("stiffness: 40, damping: 3", 0.0, 0.0),
        ("armature: 2", 0.0, 0.0),
        ("", 30.0, 0.0),
        ("", 0.0, 30.0),
    ],
    ids=["spring", "rotor", "torque", "force"],
)
def test_virtual_power_of_one_freedom_agrees_with_multipliers(
    extra: str, torque: float, force: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accelerations(solver: int, extra: str, torque: float, force: float) -> np.ndarray:
        monkeypatch.setattr("luff.solver.initial.initial_state.cheapest_solver", lambda *_: solver)
        text = FOUR_BAR.replace("EXTRA", extra)
        sim = luff.compile(luff.loads(text.replace("TORQUE", str(torque)).replace("FORCE", str(force))))
        assert sim.program.model.option[O_SOLVER] == solver
        values = sim.evaluate()
        return np.array([values[f"{name}.acceleration"] for name in ("j0", "j1", "j2")])

    single = accelerations(DENSE, extra, torque, force)
    # rounding of a small system
    np.testing.assert_allclose(single, accelerations(SCHUR, extra, torque, force), rtol=1e-9)
    assert np.abs(single - accelerations(DENSE, "", 0.0, 0.0)).max() > 1.0

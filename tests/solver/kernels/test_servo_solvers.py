"""More multipliers than one sweep answers at once: the Schur complement of servo constraints against the reduced mass
matrix, which knows no lanes."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.kernels.model_data import DENSE, LANES, O_SOLVER, SCHUR


def chain(joints: int) -> str:
    """Links that hang from each other, each turning by a share of the one before; drives realise the last relation."""
    blocks, wires, before = [], [], "world.frame"
    for k in range(joints):
        start = "initial: {position: 0.3, velocity: 1.1}" if k == 0 else "guess: {position: 0.1}"
        blocks += [
            f"  j{k}: {{type: revolute, axis: {'xyz'[k % 2]}, {start}}}",
            (
                f"  l{k}: {{type: rigid_link, mass: {1 + 0.1 * k}, com: [0.1, 0, -0.2], inertia: [0.02, 0.03, 0.04], "
                "frame_b: {at: [0, 0, -0.4]}}"
            ),
        ]
        wires += [f"  - {before} -- j{k}.frame_a", f"  - j{k}.frame_b -- l{k}.frame_a"]
        before = f"l{k}.frame_b"
    for k in range(1, joints):
        drive = f", realised_by: [j{k}]" if k == joints - 1 else ""
        blocks.append(
            f"  r{k}: {{type: programmed_constraint, joints: [j{k}, j{k - 1}], relation: x - 0.7*y - 0.1*y^2{drive}}}"
        )
    return "\n".join(
        ["luff: 1", "blocks:", *blocks, "connect:", *wires, "simulation: {stop: 1 s, step: 1 ms}", ""]
    )


@pytest.mark.parametrize("relations", [1, LANES, LANES + 2])
def test_all_multipliers_are_found_whatever_the_number_of_lanes(
    relations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {}
    for solver in (DENSE, SCHUR):
        monkeypatch.setattr(
            "luff.solver.initial.initial_state.cheapest_solver", lambda *_, solver=solver: solver
        )
        sim = luff.compile(luff.loads(chain(relations + 1)))
        assert sim.program.model.option[O_SOLVER] == solver
        values = sim.evaluate()
        answers[solver] = np.array(
            [float(values[f"j{k}.acceleration"]) for k in range(relations + 1)]
            + [float(values[f"r{k}.multiplier"]) for k in range(1, relations + 1)]
        )
    assert abs(answers[DENSE]).min() > 1e-3
    # rounding of small systems
    assert answers[SCHUR] == pytest.approx(answers[DENSE], rel=1e-9)

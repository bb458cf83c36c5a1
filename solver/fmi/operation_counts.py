"""Upper bounds of the floating-point operations of a library's step, by kernel, for any state and input."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ...blocks.errors import LuffError
from ..kernels import position_projection
from ..kernels.model_data import EVALUATIONS, ROUNDS, SCALARS
from ..simulation.simulation import Simulation

STEPS = 1000  # that are counted, or all of a shorter run


def counted(sim: Simulation, steps: int = STEPS) -> np.ndarray:
    """Evaluations and Newton's rounds of each step with its outputs: a row a step, of a run as the netlist has it."""
    session = sim.start(output_step=sim.settings.step)
    scalars = session.instance.data.scalar.reshape(-1, SCALARS)  # a row a component
    rows = [scalars[:, [EVALUATIONS, ROUNDS]].sum(axis=0)]
    with suppress(LuffError):  # of a run that ends early what came before counts
        for _ in range(steps):
            session.advance(steps=1)
            if session.done < len(rows):
                break
            rows.append(scalars[:, [EVALUATIONS, ROUNDS]].sum(axis=0))
    return np.diff(np.array(rows), axis=0)


def described(sim: Simulation) -> list[str]:
    """Lines on the operations of each kernel in a step, under its name."""
    found = counted(sim)
    if not len(found) or not found[:, 0].any():
        return []
    lines = [f"Measured over {len(found)} steps of the model's own run, in a step with its outputs:"]
    lines.append(_mean_and_most(found[:, 0], "evaluations of the mechanism"))
    if found[:, 1].any():
        limit = f"; {position_projection.ITERATIONS} in an evaluation are the limit"
        lines.append(_mean_and_most(found[:, 1], "rounds of Newton's method, which closes loops") + limit)
    return [*lines, "Other inputs and states may take more."]


def _mean_and_most(counts: np.ndarray, what: str) -> str:
    return f"{what}: {counts.mean():.3g} in the mean, {counts.max():.0f} at most"

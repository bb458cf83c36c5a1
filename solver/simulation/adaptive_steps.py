"""Adaptive integration by SciPy, restarted wherever a block declares a jump or a kink in time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..integrators.method_table import method_of
from .instance import Instance
from .time_events import times_between

LONGEST = 0.02  # longest step over the run: a longer one may pass over short events


def integrate_span(
    run: Instance,
    x: np.ndarray,
    span: tuple[float, float],
    known: Sequence[tuple[float, float]],
    method: str,
    stop: float,
    edge: float,
) -> bool:
    """Integrate the state x over a span of time in place; True if it stays finite. `known`: rows of jumps and kinks."""
    from scipy.integrate import solve_ivp

    settings = run.program.flat.simulation
    for begin, end in pairwise([span[0], *times_between(known, *span, 4.0 * edge), span[1]]):

        def rates(
            t: float, x: np.ndarray, first: float = begin + edge, last: float = end - edge
        ) -> np.ndarray:
            # both ends belong to the interval between them
            dx = run.rates(t, x, min(max(t, first), last))
            if run.program.closed:
                run.settle()
            return dx

        solution = solve_ivp(
            rates, (begin, end), x, method=method_of(method).scipy,
            rtol=settings.rtol, atol=settings.atol, max_step=LONGEST * stop,
        )  # fmt: skip
        x[:] = solution.y[:, -1]
        if not solution.success or not np.all(np.isfinite(x)):
            return False
    return True

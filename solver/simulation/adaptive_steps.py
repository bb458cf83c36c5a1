"""Methods that choose their steps, by SciPy: they begin anew wherever a block says that something jumps or bends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..integrators.method_table import method_of
from .instance import Instance
from .time_events import times_between

LONGEST = 0.02  # step as a share of the run: a longer one may pass over what is short


def integrate_span(
    run: Instance,
    x: np.ndarray,
    span: tuple[float, float],
    known: Sequence[tuple[float, float]],
    method: str,
    stop: float,
    edge: float,
) -> bool:
    """The state over a span of time, in place; whether it is finite. `known` are rows of jumps and bends."""
    from scipy.integrate import solve_ivp

    settings = run.program.flat.simulation
    for begin, end in pairwise([span[0], *times_between(known, *span, 4.0 * edge), span[1]]):

        def rates(
            t: float, x: np.ndarray, first: float = begin + edge, last: float = end - edge
        ) -> np.ndarray:
            # both ends belong to what lies between them
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

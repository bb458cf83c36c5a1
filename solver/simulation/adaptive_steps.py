"""Adaptive integration by SciPy, restarted wherever a block declares a jump or a kink in time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..integrators.method_table import method_of
from ..kernels import model_data as f
from .instance import Instance
from .time_events import times_between

ROUNDING = 64.0 * np.finfo(float).eps  # of accelerations in a regular position, relative
LONGEST = 0.02  # longest step over the run: a longer one may pass over short events


def integrate_span(
    run: Instance,
    x: np.ndarray,
    span: tuple[float, float],
    known: Sequence[tuple[float, float]],
    method: str,
    stop: float,
    edge: float,
    passed: dict[int, float],
) -> bool:
    """Integrate the state x over a span of time in place; True if it stays finite. `known`: rows of jumps and kinks.

    `passed` takes the mechanisms that come to a singular position, with the time: det Phi_d changes its sign between
    two evaluations (dependent coordinates are not chosen anew here), or is so small that the rounding of accelerations,
    quotients by it, exceeds the tolerance.
    """
    from scipy.integrate import solve_ivp

    settings = run.program.flat.simulation
    for begin, end in pairwise([span[0], *times_between(known, *span, 4.0 * edge), span[1]]):
        times = [begin]  # of the last evaluation

        def rates(
            t: float,
            x: np.ndarray,
            first: float = begin + edge,
            last: float = end - edge,
            times: list[float] = times,
        ) -> np.ndarray:
            # both ends belong to the interval between them
            dx = run.rates(t, x, min(max(t, first), last))
            if run.program.closed:
                before = run.scalars[:, f.DETERMINANT].copy()
                run.settle()
                now, most = (run.scalars[:, k] for k in (f.DETERMINANT, f.DETERMINANT_MAX))
                turned = before * now < 0.0
                for number in np.flatnonzero(turned | (settings.rtol * abs(now) < ROUNDING * most)).tolist():
                    # a change of sign may be that of a far trial: between both by a straight line
                    back = now[number] / (now[number] - before[number]) if turned[number] else 0.0
                    passed.setdefault(number, float(t - back * (t - times[-1])))
                times[:] = [t]
            return dx

        solution = solve_ivp(
            rates, (begin, end), x, method=method_of(method).scipy,
            rtol=settings.rtol, atol=settings.atol, max_step=LONGEST * stop,
        )  # fmt: skip
        x[:] = solution.y[:, -1]
        if not solution.success or not np.all(np.isfinite(x)):
            return False
    return True

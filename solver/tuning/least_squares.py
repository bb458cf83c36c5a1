"""Least-squares search by Gauss-Newton steps within bounds, and what its Jacobian says of the unknowns.

The covariance of the unknowns is (J^T J)^-1, times the mean square of the residuals unless all deviations are given
(Seber and Wild, 2003, Nonlinear Regression, section 2.1.2).
"""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import numpy as np

from .concurrent_searches import Ask
from .residuals import Linearised, Residuals
from .search_journal import SearchEnd, SearchJournal, step_words

# ratio of singular values, of columns of length one, below which a direction cannot be told: differences of runs over
# NUDGE know a Jacobian to about NUDGE^2, a tenth of it; no bound
BLIND = 1e-7
OFFSET = 1e-3  # relative offset before the last step of a search, in standard errors: the default of nls in S


class Converged(Exception):
    """The search is at its minimum, to a share of the standard errors."""


def search(
    residuals: Residuals,
    begin: np.ndarray,
    k: int,
    journal: SearchJournal,
    most: int,
    ask: Ask[Linearised],
) -> SearchEnd:
    """Least-squares search by SciPy's trust region, from a start or from where it was ended; `ask` makes the runs.

    It ends by a Gauss-Newton step from a relative offset of OFFSET (Bates and Watts 1981, A relative offset
    orthogonality convergence criterion for nonlinear least squares, Technometrics 23), or where residuals fall no more.
    """
    from scipy.optimize import least_squares

    half = journal.last(search=k)
    point, least = (np.array(half["point"]), half.get("cost", np.inf)) if half else (begin, np.inf)
    last: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}  # of the latest points: residuals and slopes
    asked = count()

    def values(z: np.ndarray) -> np.ndarray:
        nonlocal least
        told = ask(z[None])
        off = told.values[0]
        while len(last) > 1:
            del last[next(iter(last))]
        last[z.tobytes()] = off, told.slopes[0]
        cost = float(off @ off)
        if cost < least:
            least = cost
            journal.note(search=k, point=z.tolist(), cost=cost)
        residuals.watch.report_progress(words=step_words(k, "step", next(asked), most), value=cost)
        return off

    def jacobian(z: np.ndarray) -> np.ndarray:
        off, J = last[z.tobytes()]
        if not np.isfinite(J).all():
            J = residuals.differences(z, lambda points: ask(points).values)
        if relative_offset(off, J) <= OFFSET:
            raise Converged(z, float(off @ off), gauss_newton_step(off, J))
        return J

    chosen: Any = jacobian  # what SciPy's types say of it leaves functions out
    try:
        ended = least_squares(
            values, np.clip(point, 1e-9, 1.0 - 1e-9), jac=chosen, bounds=(0.0, 1.0), xtol=1e-10, ftol=1e-12,
            gtol=1e-12, max_nfev=most,
        )  # fmt: skip
        x, cost = ended.x, float(2.0 * ended.cost)
    except Converged as there:
        x, cost, step = there.args
        nearer = np.clip(x + step, 0.0, 1.0)
        off = values(nearer)
        if off @ off <= cost:
            x, cost = nearer, float(off @ off)
    done: SearchEnd = {"search": k, "done": True, "point": x.tolist(), "cost": cost}
    journal.note(**done)
    return done


def relative_offset(off: np.ndarray, J: np.ndarray) -> float:
    """Residuals along the tangents over those across them, each as a root mean square of its degrees of freedom.

    Where it is small it is the distance from the least squares, in standard errors.
    """
    U, values, _ = np.linalg.svd(J / column_sizes(J), full_matrices=False)
    seen = values > BLIND * values.max(initial=0.0)
    along = U[:, seen].T @ off
    across = off - U[:, seen] @ along
    p, free = len(along), len(off) - len(along)
    if not p:
        return 0.0
    if free <= 0 or not np.any(across):
        return math.inf
    return float(np.linalg.norm(along) / math.sqrt(p) / (np.linalg.norm(across) / math.sqrt(free)))


def gauss_newton_step(off: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Step to the least squares of linear residuals, along directions that these tell."""
    size = column_sizes(J)
    return np.linalg.lstsq(J / size, -off, rcond=BLIND)[0] / size


def column_sizes(J: np.ndarray) -> np.ndarray:
    """Lengths of the columns; 1 where a column is zero."""
    size = np.linalg.norm(J, axis=0)
    return np.where(size == 0.0, 1.0, size)


def blind_directions(J: np.ndarray) -> np.ndarray:
    """Unknowns that the residuals do not determine."""
    return uncertainty(J, 1.0)[2]


def uncertainty(J: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard deviations of the unknowns, their correlations, and the unknowns that the residuals do not determine."""
    size, still = column_sizes(J), np.linalg.norm(J, axis=0) == 0.0
    _, values, directions = np.linalg.svd(J / size, full_matrices=False)
    seen = values > BLIND * values.max(initial=0.0)
    inverse = (directions[seen].T / values[seen] ** 2) @ directions[seen]
    blind = still | (np.abs(directions[~seen]) > 0.1).any(axis=0)
    spread = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    safe = np.where(spread > 0.0, spread, 1.0)
    return np.sqrt(noise) * spread / size, inverse / np.outer(safe, safe), blind

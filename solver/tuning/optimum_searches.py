"""Searches for an optimum: differential evolution, the simplex of Nelder and Mead, linear programs over rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..results.result import Result
from .concurrent_searches import Ask
from .minimax import LinearPoint, minimax_search
from .parallel_runs import RunCounter
from .search_journal import SearchEnd, SearchJournal, step_words
from .tuning_file import Space, Task

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

NEAR = 1e-6  # of the bounds' distance: where a simplex ends
FIRST = 0.05  # its first size
EVALUATION = "evaluation"
Cases = dict[str, Result | None]
Linear = LinearPoint[Cases]


@dataclass
class LargestSeen:
    """Largest number seen in one search; not shared, so that a search does not depend on others."""

    value: float = 0.0


class SearchedObjective(Protocol):
    """The number that is to be small, at points of the cube."""

    space: Space
    watch: RunCounter

    def at(self, points: np.ndarray) -> np.ndarray:
        """Values at points."""
        ...

    def values(self, results: list[Cases], worst: LargestSeen) -> np.ndarray:
        """Values of runs; `worst` remembers the largest number seen."""
        ...


def global_search(task: Task, objective: SearchedObjective, journal: SearchJournal) -> SearchEnd:
    """Differential evolution, a generation at a time."""
    from scipy.optimize import differential_evolution

    settings, count = task.optimise, len(objective.space.names)
    done = journal.last(kind="global", done=True)
    if done is not None:
        return done
    half = journal.last(kind="global")
    generation = half.get("generation", 0) if half else 0
    # SciPy's types know the words alone
    population: Any = np.array(half.get("population")) if half else "latinhypercube"

    def note(members: np.ndarray, point: np.ndarray, value: float) -> None:
        journal.note(
            kind="global",
            generation=generation,
            population=members.tolist(),
            point=point.tolist(),
            value=value,
        )
        words = f"generation {generation} of at most {settings.generations}"
        objective.watch.report_progress(words=words, value=value)

    def note_generation(intermediate_result: OptimizeResult) -> None:
        nonlocal generation
        generation += 1
        state = intermediate_result
        note(state.population, state.x, float(state.fun))

    def values(z: np.ndarray) -> np.ndarray:
        found = objective.at(z.T)
        if (
            journal.last(kind="global") is None
        ):  # the first population: the search may be ended before the next
            best = int(np.argmin(found))
            note(z.T, z.T[best], float(found[best]))
        return found

    left = settings.generations - generation
    if left > 0:
        # a resumed search draws other numbers than it would have: what it has found so far is kept all the same
        ended = differential_evolution(
            values, [(0.0, 1.0)] * count, popsize=settings.population, maxiter=left,
            rng=settings.seed + generation, init=population, callback=note_generation, polish=False, vectorized=True,
            updating="deferred", tol=1e-6, x0=None if half else objective.space.cube(objective.space.start),
        )  # fmt: skip
        point, value = ended.x, float(ended.fun)
    else:
        assert half is not None
        point, value = np.array(half["point"]), half.get("value", np.inf)
    end: SearchEnd = {"kind": "global", "done": True, "point": point.tolist(), "value": value}
    journal.note(**end)
    return end


def local_search(
    objective: SearchedObjective,
    begin: np.ndarray,
    k: int,
    journal: SearchJournal,
    most: int,
    worst: LargestSeen,
    at: Ask[list[dict[str, Result | None]]],
) -> SearchEnd:
    """Nelder and Mead's simplex from a point, or from where it was ended; `at` gives results at points."""
    from scipy.optimize import minimize

    done = journal.last(kind="local", search=k, done=True)
    if done is not None:
        return done
    half = journal.last(kind="local", search=k)
    point = np.array(half["point"]) if half else begin
    # the first simplex lies within the bounds
    corners = np.vstack([point, point + np.diag(np.where(point > 0.5, -FIRST, FIRST))])
    asked = 0

    def value_at(z: np.ndarray) -> float:
        nonlocal asked
        asked += 1
        return objective.values(at(z), worst)[0]

    def note(intermediate_result: OptimizeResult) -> None:
        state = intermediate_result
        journal.note(kind="local", search=k, point=state.x.tolist(), value=float(state.fun))
        words = step_words(k, EVALUATION, asked, most)
        objective.watch.report_progress(words=words, value=float(state.fun))

    with np.errstate(invalid="ignore"):  # SciPy subtracts the infinite values of failed runs
        ended = minimize(
            value_at, point, method="Nelder-Mead",
            bounds=[(0.0, 1.0)] * len(point), callback=note,
            options={"xatol": NEAR, "fatol": 0.0, "maxfev": most, "initial_simplex": np.clip(corners, 0.0, 1.0)},
        )  # fmt: skip
    words = "" if ended.success else f"ended after {most} evaluations, before it converged"
    end: SearchEnd = {
        "kind": "local", "search": k, "done": True, "point": ended.x.tolist(), "value": float(ended.fun), "note": words
    }  # fmt: skip
    journal.note(**end)
    return end


def gradient_search(
    objective: SearchedObjective,
    begin: np.ndarray,
    k: int,
    journal: SearchJournal,
    most: int,
    worst: LargestSeen,
    at: Ask[list[Linear | None]],
) -> SearchEnd:
    """Sequential linear programs from a point, or from where they were ended; `at` gives numbers with derivatives."""
    done = journal.last(kind="local", search=k, done=True)
    if done is not None:
        return done
    half = journal.last(kind="local", search=k)
    least = np.inf
    best: SearchEnd = {"kind": "local", "search": k, "point": begin.tolist(), "value": least}
    asked = 0

    def linear_at(z: np.ndarray) -> Linear | None:
        nonlocal asked
        asked += 1
        return at(z[None])[0]

    def tell(z: np.ndarray, made: Linear) -> None:
        nonlocal best, least
        value = float(objective.values([made.made], worst)[0])
        if value <= least:
            least = value
            best = {"kind": "local", "search": k, "point": z.tolist(), "value": value}
            journal.note(**best)
        objective.watch.report_progress(words=step_words(k, EVALUATION, asked, most), value=value)

    point = np.array(half["point"]) if half else begin
    words = minimax_search(linear_at, point, most, tell)
    end: SearchEnd = {**best, "done": True, "note": words}
    journal.note(**end)
    return end

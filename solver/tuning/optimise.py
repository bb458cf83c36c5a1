"""`luff optimise`: parameters for the least of a number of a run, while others keep their limits.

The global search is SciPy's differential evolution, with each generation run side by side. The local one is a sequence
of linear programs over the rows of runs that carry derivatives; where numbers or runs have none it is the simplex of
Nelder and Mead. A limit that is exceeded costs as much as the largest number seen, and more the farther it is exceeded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.text.quantity import spelled
from ..netlist import Given
from ..results.result import Result
from ..simulation.script_values import parameter_changes
from ..studies.run_measures import (
    beyond,
    factor,
    heading,
    in_shown_unit,
    measure_value,
    shown_unit,
    signal_unit,
    signals_of,
)
from ..studies.study_settings import Measure, Requirement
from .concurrent_searches import ConcurrentSearches
from .goodness_of_fit import AT_BOUND
from .measure_rows import bounds_of, parts_of, unlike_rows
from .minimax import Bounded, LinearPoint, at_most
from .optimum import Demand, Optimum
from .optimum_searches import LargestSeen, Linear, global_search, gradient_search, local_search
from .parallel_runs import Evaluator, RunCounter, columns_of
from .run_backends import RunBackend
from .search import Progress, run_searches
from .search_journal import SearchEnd, SearchJournal
from .tuning_file import Space, Task, load
from .tuning_settings import PARAMETER


class Objective:
    """The number that is to be small, at points of the cube."""

    def __init__(self, task: Task, engine: RunBackend, watch: RunCounter):
        self.task, self.watch, self.digest, settings = task, watch, task.digest(), task.optimise
        self.space = Space.of(settings.parameters)
        goals = [each for each in (settings.minimise, settings.maximise) if each is not None]
        if len(goals) != 1:
            mistake = "found both minimise and maximise" if goals else "found neither minimise nor maximise"
            raise LuffError(Problem(f"{mistake}, expected one of them", "optimise"))
        self.goal: Measure = goals[0]
        self.own = self.goal.metric == PARAMETER
        if self.own and self.goal.of not in self.space.names:
            fix = did_you_mean(self.goal.of, self.space.names)
            raise LuffError(Problem(f'"{self.goal.of}" is not searched for', "optimise", fix))
        self.units = {name: _unit_of(each.lower[1]) for name, each in settings.parameters.items()}
        self.sign = 1.0 if settings.minimise is not None else -1.0
        self.demands: list[Requirement] = [*settings.require]
        for demand in self.demands:
            if demand.below is None and demand.above is None:
                raise LuffError(
                    Problem("a requirement needs a limit", "optimise.require", "add below: or above:")
                )
        for measure in (self.goal, *self.demands):
            if measure.metric == "quality":
                raise LuffError(Problem("the quality report is not part of a search", "optimise"))
        seen = (*self.demands,) if self.own else (self.goal, *self.demands)
        names = [name for each in seen for name in signals_of(each)]
        self.models: dict[str, Evaluator] = {}
        for case, changes in (settings.cases or {"": {}}).items():
            sim = task.simulation(changes)
            columns = columns_of(sim, names, "optimise")
            self.models[case] = Evaluator(sim, self.space, columns, None, engine, watch)
        self.worst = LargestSeen()
        self.simplex_why: str | None = (
            None  # reason for which the local search has no derivatives; "": it has
        )
        (start,) = self.results(self.space.cube(self.space.start)[None])
        for result in filter(None, start.values()):  # mistakes in the measures are told now
            self.number(result)
            self.judged(result)
            watch.unit = signal_unit(result, self.goal)
        watch.told = self.best_words

    def results(self, points: np.ndarray) -> list[dict[str, Result | None]]:
        """Results of each case at each point; None where a run failed."""
        results: list[dict[str, Result | None]] = [{} for _ in points]
        for case, model in self.models.items():
            for k, result in enumerate(self._results(model, points)):
                results[k][case] = result
        return results

    def _results(self, model: Evaluator, points: np.ndarray) -> list[Result | None]:
        return self._results_of(model, np.atleast_2d(self.space.values(points)))

    def _results_of(self, model: Evaluator, values: np.ndarray) -> list[Result | None]:
        rows = model.runs_of(values)
        own = [dict(zip(self.space.names, each, strict=True)) for each in values.tolist()]
        return [
            Result(rows.time, rows.names, rows.table[k], {**self.units, **rows.units}, parameters=own[k])
            if rows.status[k] == "finished"
            else None
            for k in range(len(rows))
        ]

    def number(self, result: Result, *, shown: bool = True) -> float:
        """Value of the objective from a run, or of a parameter, in the shown unit or in SI."""
        if not self.own:
            return measure_value(result, self.goal, shown=shown)
        value = result.parameters[self.goal.of]
        assert isinstance(value, float)
        return value / factor(self.units[self.goal.of], self.goal.unit) if shown else value

    def best_words(self, value: float) -> str:
        """Best value of the search so far, in the unit of the answer."""
        word = shown_unit(self.watch.unit, self.goal)
        told = f"best {self.sign * value / factor(self.watch.unit, word):.4g} {word}".rstrip()
        return told + ", with penalties" * bool(self.demands)

    def at(self, points: np.ndarray) -> np.ndarray:
        """Values at points, of the worst case; infinite where a run failed."""
        return self.values(self.results(np.atleast_2d(points)), self.worst)

    def values(self, results: list[dict[str, Result | None]], worst: LargestSeen) -> np.ndarray:
        """Values of the worst case at points; `worst` remembers the largest number seen."""
        return np.array([self._value([*each.values()], worst) for each in results])

    def _value(self, results: list[Result | None], worst: LargestSeen) -> float:
        whole = [result for result in results if result is not None]
        if len(whole) < len(results):
            return np.inf
        value = max(self.sign * self.number(result, shown=False) for result in whole)
        over = sum(
            float(np.maximum(0.0, demand.excess)) / scale
            for result in whole
            for demand, scale in self.judged(result)
        )
        if not (np.isfinite(value) and np.isfinite(over)):
            return np.inf
        if over > 0.0:
            return value + (1.0 + over) * max(worst.value, abs(value)) + over
        worst.value = max(worst.value, abs(value))
        return value

    def worst_of(self, results: dict[str, Result | None]) -> tuple[str, Result]:
        """Worst case, with its result; a number that is NaN is the worst.

        The best point has a failed run only where no point that was tried has a finite value.
        """
        failed = [case for case, result in results.items() if result is None]
        if failed:
            cases = f" of {', '.join(failed)}" if any(failed) else ""
            raise RunError(
                f"no point that was tried has a finite value: at the last one the run{cases} failed",
                fix="check the bounds of the parameters with luff run --set",
            )
        whole = {case: result for case, result in results.items() if result is not None}
        numbers = {case: self.sign * self.number(result, shown=False) for case, result in whole.items()}
        case = max(numbers, key=lambda name: (math.isnan(numbers[name]), numbers[name]))
        return case, whole[case]

    def before(self) -> tuple[dict[str, float], float | None]:
        """Values of the parameters in the model [SI], and the number there; None where that is not known.

        Its runs do not count as those of the search.
        """
        models = {case: replace(model, watch=RunCounter()) for case, model in self.models.items()}
        known = next(iter(models.values())).own_values()
        if len(known) < len(self.space.names):
            return known, None
        try:
            results = {
                case: self._results_of(each, np.array([[*known.values()]]))[0]
                for case, each in models.items()
            }
            number = self.number(self.worst_of(results)[1])
        except LuffError:
            return known, None
        return known, number if math.isfinite(number) else None

    def demands_of(self, results: dict[str, Result | None]) -> list[Demand]:
        """Requirements, each in the case nearest to its limit or farthest beyond it."""
        told = [[demand for demand, _ in self.judged(one)] for one in results.values() if one is not None]
        return [max(same, key=lambda one: (one.verdict.rank, one.excess)) for same in zip(*told, strict=True)]

    def judged(self, result: Result) -> list[tuple[Demand, float]]:
        """Requirements with the sizes of their limits."""
        demands = []
        for k, entry in enumerate(self.demands):
            unit, value = shown_unit(signal_unit(result, entry), entry), measure_value(result, entry)
            bounds = ((entry.below, "below"), (entry.above, "above"))
            given = [(limit, word) for limit, word in bounds if limit is not None]
            try:
                scale = max((abs(in_shown_unit(limit, unit)) for limit, _ in given), default=0.0)
            except LuffError as error:
                fix = f"give the limit in {unit}" if unit else f"{entry.of} has no unit: give a number alone"
                where = f"optimise.require[{k}]"
                raise LuffError(Problem(one.message, where, fix) for one in error.problems) from None
            words = ", ".join(f"{word} {limit.text}" for limit, word in given)
            demand = Demand(heading(entry), float(value), unit, words, beyond(value, entry, unit))
            demands.append((demand, scale or 1.0))
        return demands

    def _at_bounds(self, point: np.ndarray) -> Iterator[str]:
        """Words on parameters that the search leaves at a bound."""
        for name, z in zip(self.space.names, point.tolist(), strict=True):
            if z in (0.0, 1.0):
                side = AT_BOUND.format("lower" if z == 0.0 else "upper")
                yield f"{name} is {side}, so that its best value may lie beyond"

    def choose_gradients(self, point: np.ndarray) -> None:
        """Search by derivatives where the numbers are extremes of rows and the runs at a point are differentiable.

        Runs locate events from then on.
        """
        if self.simplex_why is not None:
            return
        self.simplex_why = self._not_of_rows()
        if self.simplex_why:
            return
        before = self.models
        self.models = {case: model.located() for case, model in before.items()}
        made = self._linear(point)
        if isinstance(made, str):
            self.models, self.simplex_why = before, made

    def _not_of_rows(self) -> str:
        """Why the objective or a requirement is no extreme, mean or norm of rows; empty where all are."""
        for measure in self.demands if self.own else (self.goal, *self.demands):
            for model in self.models.values():
                why = unlike_rows(measure, model.signals)
                if why:
                    return why
        return ""

    def linearised(self, points: np.ndarray) -> list[Linear | None]:
        """Numbers at points with their derivatives; None where a run fails or has none."""
        return [None if isinstance(one, str) else one for one in map(self._linear, np.atleast_2d(points))]

    def _linear(self, point: np.ndarray) -> Linear | str:
        """Numbers at one point with their derivatives by the cube's coordinates; or why there are none."""
        values = self.space.values(point)
        chain, own = self.space.slopes(values), dict(zip(self.space.names, values.tolist(), strict=True))
        goals, limits, results = [], [], {}
        for case, model in self.models.items():
            found = model.derivatives_at(values)
            if isinstance(found, str):
                return found
            units = {**self.units, **model.sim.units}
            result = Result(found.time, found.names, found.values, units, parameters=own)
            results[case] = result
            slopes = found.slopes * chain[:, None, None]
            if not self.own:
                goals.append(Bounded(parts_of(self.goal, result, slopes, self.sign)))
            for demand in self.demands:
                limits += bounds_of(demand, result, slopes)
        if self.own:
            k = self.space.names.index(self.goal.of)
            row = np.zeros((1, len(chain)))
            row[0, k] = chain[k]
            goals = [Bounded([*at_most("final", self.sign * values[k : k + 1], self.sign * row, values)])]
        return LinearPoint(goals, limits, results)

    def searches(self, journal: SearchJournal) -> Iterator[SearchEnd]:
        """Ends of the global and local searches; those that the journal holds are not repeated."""
        settings = self.task.optimise
        begin = self.space.points(settings.starts, settings.seed)
        if settings.method != "local":
            ended = global_search(self.task, self, journal)
            if settings.method == "global":
                yield ended
                return
            begin = np.array([ended["point"]])
        self.choose_gradients(begin[0])
        given = journal, settings.evaluations
        if self.simplex_why:
            searches = [
                partial(local_search, self, point, k, *given, replace(self.worst))
                for k, point in enumerate(begin)
            ]
            yield from ConcurrentSearches(self.results, searches).ends()
            return
        by_rows = [
            partial(gradient_search, self, point, k, *given, replace(self.worst))
            for k, point in enumerate(begin)
        ]
        yield from ConcurrentSearches(self.linearised, by_rows).ends()

    def answer(self, ends: list[SearchEnd], status: str) -> Optimum:
        """Optimum at the best end."""
        best = min(ends, key=lambda end: end.get("value", np.inf))
        point = np.array(best["point"])
        results = self.results(point[None])[0]
        case, result = self.worst_of(results)
        values = self.space.values(point)
        before, value_before = self.before()
        return Optimum(
            self.task.name,
            dict(zip(self.space.names, values.tolist(), strict=True)),
            self.goal.title or self.goal.of if self.own else heading(self.goal),
            self.number(result),
            shown_unit(signal_unit(result, self.goal), self.goal),
            self.demands_of(results),
            ends,
            self.watch.runs,
            status,
            self.digest,
            "; ".join(
                words
                for words in (
                    *self._at_bounds(point),
                    f"worst in the case {case}" if case else "",
                    best.get("note", ""),
                    f"searched by the simplex method: {self.simplex_why}" if self.simplex_why else "",
                )
                if words
            ),
            before=before,
            value_before=value_before,
        )


def _unit_of(raw: object) -> str:
    """SI unit of a bound; empty for a plain number."""
    dimension = Scope().quantity(raw).dimension
    return "" if dimension is None else spelled(dimension)


def optimise(
    source: Given | Task,
    output: str | Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    on: object = None,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Optimum:
    """Search for parameters that minimise or maximise a number of a run within limits, as `luff optimise` does.

    Parameters
    ----------
    source : str, Path or mapping
        An optimisation file, or a mapping with its sections.
    output : str or Path, optional
        A .json file that keeps the state of the search: one that was ended goes on, a finished one is read.
    threads : int, optional
        Threads of this process, or workers of `on="local"`; one for each processor by default.
    progress : callable, optional
        Called with the number of runs and words on the search; the search ends when it returns False.
    fresh : bool, optional
        Search anew, whatever `output` holds.
    on : object, optional
        Dask in place of threads: the address of a scheduler, "local", a client or a cluster.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Optimum
        The best values found, and the requirements there.

    Raises
    ------
    LuffError
        The file or the model is wrong.

    Examples
    --------
    >>> import luff
    >>> found = luff.optimise(
    ...     {
    ...         "model": luff.load("library/templates/pendulum.yaml"),
    ...         "set": {"simulation.stop": "1 s"},
    ...         "optimise": {
    ...             "parameters": {"pin.damping": {"lower": 0.01, "upper": 0.5}},
    ...             "minimise": {"of": "pin.position", "metric": "rms"},
    ...         },
    ...     }
    ... )
    >>> 0.01 <= found.values["pin.damping"] <= 0.5
    True
    """
    task = source if isinstance(source, Task) else load(source, "optimise", parameter_changes(set, changes))
    return run_searches(task, Objective, output, progress, fresh, on, threads)

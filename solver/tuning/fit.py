"""`luff fit`: parameters from measured signals, by least squares within bounds, from many starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NotRequired, TypedDict

import numpy as np

from ...blocks.errors import RunError
from ..netlist import Given
from ..simulation.script_values import parameter_changes
from .concurrent_searches import ConcurrentSearches
from .goodness_of_fit import AT_BOUND, Estimate, Experiment, fit_doubts
from .least_squares import blind_directions, search, uncertainty
from .profile_likelihood import profile_intervals
from .residuals import LOST, Residuals
from .search import Answer, Progress, run_searches
from .search_journal import SearchEnd, SearchJournal
from .tuning_file import Task, load


class EstimateFile(TypedDict):
    """An estimate, as its file holds it."""

    name: str
    value: float
    error: float
    lower: float
    upper: float
    note: str


class FitFile(TypedDict):
    """A fit, as its file holds it."""

    task: str
    name: str
    status: str
    doubts: NotRequired[list[str]]
    parameters: dict[str, EstimateFile]
    shifts: list[EstimateFile]
    correlation: list[list[float]]
    cost: float
    residuals: int
    searches: list[SearchEnd]
    derivatives: NotRequired[str]
    differences_why: NotRequired[str]
    before: NotRequired[dict[str, float]]


@dataclass
class Fit(Answer):
    """Fitted parameters with standard errors.

    `parameters` are estimates by name: `value`, `error`, `lower`, `upper`, `note`; `correlation` is their matrix.
    `cost` is the sum of squares of the residuals. `status` is finished or interrupted; `doubts` are reasons not to
    believe the values. The search and the standard errors follow from exact derivatives where `derivatives` is "exact";
    else `differences_why` says why the runs have none. `before` are values of the model as it is [SI].

    Examples
    --------
    See `luff.fit`.
    """

    name: str
    parameters: dict[str, Estimate]
    shifts: list[Estimate]
    correlation: np.ndarray
    cost: float  # sum of the squares of the residuals
    residuals: int
    searches: list[SearchEnd]  # where each ended
    experiments: list[Experiment]
    runs: int
    status: str = "finished"  # or interrupted
    digest: str = ""
    alone: dict[str, int] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)  # reasons not to believe the values
    derivatives: str = "differences"  # of which steps and standard errors are made; or "exact"
    differences_why: str = ""  # reason for which the search took differences of runs
    before: dict[str, float] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """Fitted values by name [SI]."""
        return {name: each.value for name, each in self.parameters.items()}

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data, as the result file holds it.

        Returns
        -------
        dict
            Estimates, correlation, cost, doubts and searches.
        """
        return {
            "task": self.digest,
            "name": self.name,
            "status": self.status,
            "doubts": self.doubts,
            "parameters": {name: vars(each) for name, each in self.parameters.items()},
            "shifts": [vars(each) for each in self.shifts],
            "correlation": self.correlation.tolist(),
            "cost": self.cost,
            "residuals": self.residuals,
            "rms": [experiment.rms() for experiment in self.experiments],
            "rms_before": [experiment.rms_before() for experiment in self.experiments],
            "whiteness": [known_numbers(experiment.whiteness()) for experiment in self.experiments],
            "held_out": [k for k, experiment in enumerate(self.experiments) if experiment.held_out],
            "searches": self.searches,
            "derivatives": self.derivatives,
            "differences_why": self.differences_why,
            "before": self.before,
        }

    @classmethod
    def from_dict(cls, data: FitFile) -> Fit:
        """Make a fit of plain data; curves of the experiments are not part of them.

        Parameters
        ----------
        data : dict
            Data of `as_dict`.

        Returns
        -------
        Fit
            The fit.
        """
        return cls(
            name=data["name"],
            parameters={name: Estimate(**each) for name, each in data["parameters"].items()},
            shifts=[Estimate(**each) for each in data["shifts"]],
            correlation=np.array(data["correlation"], float),
            cost=data["cost"],
            residuals=data["residuals"],
            searches=data["searches"],
            experiments=[],
            runs=0,
            status=data["status"],
            digest=data["task"],
            doubts=data.get("doubts", []),
            derivatives=data.get("derivatives", "differences"),
            differences_why=data.get("differences_why", ""),
            before=data.get("before", {}),
        )

    def __repr__(self) -> str:
        values = ", ".join(
            f"{each.name} = {each.value:.6g} +- {each.error:.2g}" for each in self.parameters.values()
        )
        return f"<Fit {self.status}: {values}>"


def known_numbers(named: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers by name, None for those that are unknown."""
    return {name: None if np.isnan(value) else value for name, value in named.items()}


class FitObjective(Residuals):
    """Residuals whose least squares are searched for."""

    @property
    def begin(self) -> np.ndarray:
        """Start of the first search."""
        first = (self.first - self.low) / (self.high - self.low)
        return np.clip(np.hstack([self.space.cube(self.space.start), first]), 1e-9, 1.0 - 1e-9)

    def searches(self, journal: SearchJournal) -> Iterator[SearchEnd]:
        """Ends of the searches; those that the journal holds are not repeated."""
        settings = self.task.fit
        self.watch.told = "sum of squares {:.4g}".format
        points, first = self.space.points(settings.starts, settings.seed), self.begin[self.count :]
        known = [journal.last(search=k, done=True) for k in range(len(points))]
        yield from (end for end in known if end is not None)
        searches = [
            partial(search, self, np.hstack([point, first]), k, journal, settings.evaluations)
            for k, point in enumerate(points)
            if known[k] is None
        ]
        if searches:
            self.choose_gradients(self.begin)
        yield from ConcurrentSearches(self.linearised, searches).ends()

    def answer(self, ends: list[SearchEnd], status: str) -> Fit:
        """The best end, with standard errors and correlations."""
        self.choose_gradients(self.begin)
        best = min(ends, key=lambda end: end.get("cost", np.inf))
        point = np.array(best["point"])
        J, derivatives = self.jacobian(point)
        moved = self.on_bounds(point, blind_directions(J))
        if moved is not None:
            point, (J, derivatives) = moved, self.jacobian(moved)
        off = self.linearised(point[None]).values[0]
        if (off == LOST).all():
            raise RunError("every run failed", fix="check the bounds of the parameters with luff run --set")
        cost = float(off @ off)
        known = all(np.isfinite(self.data[k].deviation).all() for k in self.fitted)
        noise = 1.0 if known else cost / max(1, len(off) - self.width)
        deviations, correlation, blind = uncertainty(J, noise)
        unseen = self.unknown_mask(point) if (J == 0.0).all(axis=0).any() else np.zeros(self.width, bool)
        values, shifts = self.space.values(point[: self.count]), self.shifts(point)
        slopes = np.concatenate([self.space.slopes(values), self.high - self.low])
        lower = np.concatenate([self.space.lower, self.low])
        upper = np.concatenate([self.space.upper, self.high])
        names = [*self.space.names, *(f"shift of experiment {k + 1}" for k in self.shifted)]
        estimates = []
        for j, value in enumerate([*values, *shifts]):
            note = "the data do not determine it" if blind[j] else ""
            note = "its error is not known: the runs beside it fail" if unseen[j] else note
            if point[j] in (0.0, 1.0):
                note = AT_BOUND.format("lower" if point[j] < 0.5 else "upper")
            error = float("inf") if blind[j] else float(deviations[j] * slopes[j])
            estimates.append(Estimate(names[j], float(value), error, float(lower[j]), float(upper[j]), note))
        if self.task.fit.profile:
            for j, ends_of in enumerate(profile_intervals(self, point, off, J, known)):
                estimates[j].interval = self._in_units(ends_of[0], j), self._in_units(ends_of[1], j)
        experiments = [
            Experiment(data, self.curves(point[None], k)[0], k not in self.fitted, own, self.units)
            for k, (data, own) in enumerate(zip(self.data, self.own_curves(), strict=True))
        ]
        return Fit(
            self.task.name,
            {each.name: each for each in estimates[: self.count]},
            estimates[self.count :],
            correlation,
            cost,
            len(off),
            ends,
            experiments,
            self.watch.runs,
            status,
            self.digest,
            doubts=fit_doubts(estimates, experiments, self.units),
            derivatives=derivatives,
            differences_why=self.differences_why or "",
            before=self.models[0].own_values(),
        )

    def _in_units(self, end: float, j: int) -> float:
        """Value of an unknown at a coordinate of the cube [SI]; infinite beyond its bounds."""
        if not np.isfinite(end):
            return end
        z = np.full(self.width, end)
        return float(np.concatenate([self.space.values(z[: self.count]), self.shifts(z)])[j])

    def on_bounds(self, point: np.ndarray, blind: np.ndarray) -> np.ndarray | None:
        """The point with unknowns on their nearer bounds wherever the residuals are no greater there; None: nowhere.

        A search ends inside of the box, however near; what no residual tells stays where it is.
        """
        near = np.round(point)
        ends = np.where(np.eye(self.width, dtype=bool), near, point)
        candidates = np.vstack([point, ends])
        off = self.at(candidates)
        costs = np.where((off == LOST).all(axis=1), np.inf, (off**2).sum(axis=1))
        better = (costs[1:] <= costs[0]) & ~blind
        if not better.any() or not np.isfinite(costs[0]):
            return None
        together = np.where(better, near, point)
        single = ends[int(np.argmin(np.where(better, costs[1:], np.inf)))]
        return together if (self.at(together[None]) ** 2).sum() <= costs[0] else single


def fit(
    source: Given | Task,
    output: str | Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    on: object = None,
    files: Iterable[str | Path] = (),
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Fit:
    """Fit parameters to measured signals by least squares, as `luff fit` does.

    Parameters
    ----------
    source : str, Path or mapping
        A fit file, or a mapping with its sections.
    output : str or Path, optional
        A .json file that keeps the state of the searches: one that was ended goes on, a finished one is read.
    threads : int, optional
        Threads of this process, or workers of `on="local"`; one for each processor by default.
    progress : callable, optional
        Called with the number of runs and words on the search; the fit ends when it returns False.
    fresh : bool, optional
        Search anew, whatever `output` holds.
    on : object, optional
        Dask in place of threads: the address of a scheduler, "local", a client or a cluster.
    files : iterable of str or Path, optional
        Folders, beside the file's own, that may be read.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Fit
        Values with standard errors, their correlation, and doubts.

    Raises
    ------
    LuffError
        The file, the model or the measured data is wrong.

    Examples
    --------
    >>> import luff
    >>> model = luff.load("library/templates/pendulum.yaml")
    >>> measured = luff.compile(model).run(stop=1.0)
    >>> angle = {"column": "pin.position", "deviation": "1 mrad"}
    >>> found = luff.fit(
    ...     {
    ...         "model": model,
    ...         "fit": {
    ...             "parameters": {"pin.damping": {"lower": 0.01, "upper": 0.5}},
    ...             "data": [{"file": measured, "signals": {"pin.position": angle}}],
    ...         },
    ...     }
    ... )
    >>> round(found.values["pin.damping"], 6)
    0.05
    """
    task = (
        source
        if isinstance(source, Task)
        else load(source, "fit", parameter_changes(set, changes), files=files)
    )
    return run_searches(task, FitObjective, output, progress, fresh, on, threads)

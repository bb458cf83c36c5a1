"""`luff fit`: parameters from measured signals, by least squares within bounds, from many starts.

Residuals are divided by the deviation of the noise, or by the spread of their signal where that is not known. The
covariance of the parameters is (J^T J)^-1, times the mean square of the residuals unless all deviations are given
(Seber and Wild, 2003, Nonlinear Regression, section 2.1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ..analysis.sensitivity import sensitivity
from ..netlist import Given
from ..results.recorded_run import signal_of
from .concurrent_searches import Ask, ConcurrentSearches
from .goodness_of_fit import AT_BOUND, Estimate, Experiment, fit_doubts
from .measured_signals import MeasuredExperiment, read_experiment, resample
from .parallel_runs import Evaluator, RunCounter, columns_of
from .run_backends import RunBackend
from .search import Answer, Progress, run_searches
from .search_journal import SearchEnd, SearchJournal
from .tuning_file import Space, Task, load

NUDGE = 1e-4  # of the bounds' distance, for central differences
LOST = 1e6  # residual of a run that failed
BLIND = 1e-7  # ratio of singular values below which a direction cannot be told


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


@dataclass
class Fit(Answer):
    """Fitted parameters with standard errors.

    `parameters` are estimates by name: `value`, `error`, `lower`, `upper`, `note`; `correlation` is their matrix.
    `cost` is the sum of squares of the residuals. `status` is finished or interrupted; `doubts` are reasons not to
    believe the values. Standard errors follow from exact derivatives where `derivatives` is "exact".

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
    derivatives: str = "differences"  # of which standard errors are made; or "exact"

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
            "searches": self.searches,
            "derivatives": self.derivatives,
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
        )

    def __repr__(self) -> str:
        values = ", ".join(
            f"{each.name} = {each.value:.6g} +- {each.error:.2g}" for each in self.parameters.values()
        )
        return f"<Fit {self.status}: {values}>"


class Residuals:
    """Residuals of all experiments at points of the cube: parameters first, then shifts."""

    def __init__(self, task: Task, engine: RunBackend, watch: RunCounter):
        self.task, self.watch, settings = task, watch, task.fit
        self.space = Space.of(settings.parameters)
        self.data: list[MeasuredExperiment] = []
        self.models: list[Evaluator] = []
        self.units: dict[str, str] = {}  # of measured signals, SI
        self.shifted: list[int] = []  # experiments whose clock is searched for
        bounds = []
        for k, data in enumerate(settings.data):
            where = f"fit.data[{k}]"
            sim = task.simulation(data.set)
            units = {signal_of(name): unit for name, unit in sim.units.items()} | sim.units
            folder = task.path.resolve().parent
            table = read_experiment(data, folder, where, task.tables.get(k), task.files, units)
            self.units.update((name, units.get(name, "")) for name in table.signals)
            latest = 0.0
            if data.shift is not None:
                self.shifted.append(k)
                bounds.append((data.shift.lower, data.shift.upper, data.shift.start))
                latest = data.shift.upper
            earliest = table.time[0] + (data.shift.lower if data.shift else 0.0)
            if earliest < -1e-9:
                fix = "give a shift that makes them later, or start: later"
                raise LuffError(
                    Problem(f"times begin at {earliest:g} s, before the run", f"{where}.file", fix)
                )
            columns = columns_of(sim, table.signals, f"{where}.signals")
            if len(columns) != len(table.signals):
                raise LuffError(Problem("name elements of vectors, psi[1]", f"{where}.signals"))
            step = sim.settings.output_step
            stop = step * np.ceil((table.time[-1] + latest) / step - 1e-9)
            self.data.append(table)
            self.models.append(Evaluator(sim, self.space, columns, float(max(stop, 4 * step)), engine, watch))
        self.low, self.high, self.first = np.array(bounds).reshape(-1, 3).T
        self.count = len(self.space.names)
        self.digest = task.digest(*(data.values.tobytes() + data.time.tobytes() for data in self.data))

    @property
    def width(self) -> int:
        """Number of unknowns: parameters and shifts."""
        return self.count + len(self.shifted)

    def shifts(self, points: np.ndarray) -> np.ndarray:
        """Shifts of the clocks at points of the cube [s]."""
        return self.low + points[..., self.count :] * (self.high - self.low)

    def curves(self, points: np.ndarray, k: int) -> np.ndarray:
        """(points, signals, times) of one experiment; NaN for runs that failed."""
        different, which = np.unique(points[:, : self.count], axis=0, return_inverse=True)
        at_points = self.models[k].at(different)
        data, table = self.data[k], at_points.table[which.ravel()]
        late = np.zeros(len(points))
        if k in self.shifted:
            late = self.shifts(points)[:, self.shifted.index(k)]
        curves = np.full((len(points), len(data.signals), len(data.time)), np.nan)
        for j, rows in enumerate(table):
            if np.all(np.isfinite(rows)):
                wanted = np.clip(data.time + late[j], 0.0, at_points.time[-1])
                curves[j] = resample(at_points.time, rows, wanted).T
        return curves

    def at(self, points: np.ndarray) -> np.ndarray:
        """Residuals at points of the cube: (points, residuals); LOST for runs that failed."""
        parts = []
        for k, data in enumerate(self.data):
            off = (self.curves(points, k) - data.values) / data.scale[:, None]
            parts.append((np.sqrt(data.weight)[:, None] * off).reshape(len(points), -1))
        residuals = np.hstack(parts)
        return np.where(np.isfinite(residuals).all(axis=1)[:, None], residuals, LOST)

    def slopes(self, point: np.ndarray, at: Ask[np.ndarray]) -> np.ndarray:
        """Jacobian by central differences, side by side; one-sided beside a failed run, zero between two of them."""
        ahead, behind, ends = self._nudged_points(point, at)
        lost = (ends == LOST).all(axis=1)
        if lost.any():
            for side, first in ((ahead, 0), (behind, self.width)):
                gone = lost[first : first + self.width]
                side[gone] = point
                ends[first : first + self.width][gone] = at(point[None])[0]
        length = (ahead - behind).sum(axis=1)
        rise = ends[: self.width] - ends[self.width :]
        return (rise / np.where(length > 0.0, length, 1.0)[:, None]).T

    def exact_slopes(self, point: np.ndarray) -> np.ndarray | None:
        """Jacobian by exact derivatives along the runs; None where a run has none, or fails."""
        values, late = self.space.values(point[: self.count]), self.shifts(point)
        chain, parts = self.space.slopes(values), []
        at = dict(zip(self.space.names, values.tolist(), strict=True))
        for k, (data, model) in enumerate(zip(self.data, self.models, strict=True)):
            try:
                found = sensitivity(model.sim, at, model.signals, model.stop)
            except LuffError:
                return None
            if not np.isfinite(found.slopes).all():
                return None
            J = np.zeros((self.width, len(data.signals), len(data.time)))
            own = self.shifted.index(k) if k in self.shifted else None
            wanted = np.clip(data.time + (0.0 if own is None else late[own]), 0.0, found.time[-1])
            for j in range(self.count):
                J[j] = chain[j] * resample(found.time, found.slopes[j], wanted).T
            if own is not None:
                rates = resample(found.time, found.values, wanted, 1).T
                J[self.count + own] = (self.high[own] - self.low[own]) * rates
            J *= (np.sqrt(data.weight) / data.scale)[:, None]
            parts.append(J.reshape(self.width, -1))
        return np.hstack(parts).T

    def _nudged_points(
        self, point: np.ndarray, at: Ask[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points NUDGE ahead of and behind a point along each unknown, within the cube, and their residuals."""
        steps = NUDGE * np.eye(self.width)
        ahead, behind = np.clip(point + steps, 0.0, 1.0), np.clip(point - steps, 0.0, 1.0)
        return ahead, behind, at(np.vstack([ahead, behind]))

    def unknown_mask(self, point: np.ndarray) -> np.ndarray:
        """Mask of the unknowns between two runs that fail: nothing is known of how the residuals depend on them."""
        lost = (self._nudged_points(point, self.at)[2] == LOST).all(axis=1)
        return lost[: self.width] & lost[self.width :]

    def searches(self, journal: SearchJournal) -> Iterator[SearchEnd]:
        """Ends of the searches; those that the journal holds are not repeated."""
        settings = self.task.fit
        first = (self.first - self.low) / (self.high - self.low)
        points = self.space.points(settings.starts, settings.seed)
        known = [journal.last(search=k, done=True) for k in range(len(points))]
        yield from (end for end in known if end is not None)
        searches = [
            partial(search, self, np.hstack([point, first]), k, journal, settings.evaluations)
            for k, point in enumerate(points)
            if known[k] is None
        ]
        yield from ConcurrentSearches(self.at, searches).ends()

    def answer(self, ends: list[SearchEnd], status: str) -> Fit:
        """The best end, with standard errors and correlations."""
        best = min(ends, key=lambda end: end.get("cost", np.inf))
        point = np.array(best["point"])
        J, derivatives = self._last_slopes(point)
        moved = self.on_bounds(point, blind_directions(J))
        if moved is not None:
            point, (J, derivatives) = moved, self._last_slopes(moved)
        off = self.at(point[None])[0]
        if (off == LOST).all():
            raise RunError("every run failed", fix="check the bounds of the parameters with luff run --set")
        cost = float(off @ off)
        known = all(np.isfinite(data.deviation).all() for data in self.data)
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
        experiments = [Experiment(data, self.curves(point[None], k)[0]) for k, data in enumerate(self.data)]
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
        )

    def _last_slopes(self, point: np.ndarray) -> tuple[np.ndarray, str]:
        """Jacobian of which standard errors are made, and how: exact where the runs are differentiable."""
        J = self.exact_slopes(point)
        return (self.slopes(point, self.at), "differences") if J is None else (J, "exact")

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
    task = source if isinstance(source, Task) else load(source, "fit", changes, files=files)
    return run_searches(task, Residuals, output, progress, fresh, on, threads)


def search(
    residuals: Residuals, begin: np.ndarray, k: int, journal: SearchJournal, most: int, at: Ask[np.ndarray]
) -> SearchEnd:
    """Least-squares search by SciPy's trust region, from a start or from where it was ended; `at` gives residuals."""
    from scipy.optimize import least_squares

    half = journal.last(search=k)
    point, least = (np.array(half["point"]), half.get("cost", np.inf)) if half else (begin, np.inf)

    def values(z: np.ndarray) -> np.ndarray:
        nonlocal least
        off = at(z[None])[0]
        cost = float(off @ off)
        if cost < least:
            least = cost
            journal.note(search=k, point=z.tolist(), cost=cost)
        residuals.watch.report_progress(words=f"search {k + 1}")
        return off

    jacobian: Any = partial(residuals.slopes, at=at)  # what SciPy's types say of it leaves functions out
    ended = least_squares(
        values, np.clip(point, 1e-9, 1.0 - 1e-9), jac=jacobian, bounds=(0.0, 1.0), xtol=1e-10, ftol=1e-12,
        gtol=1e-12, max_nfev=most,
    )  # fmt: skip
    done: SearchEnd = {"search": k, "done": True, "point": ended.x.tolist(), "cost": float(2.0 * ended.cost)}
    journal.note(**done)
    return done


def blind_directions(J: np.ndarray) -> np.ndarray:
    """Unknowns that the residuals do not determine."""
    return uncertainty(J, 1.0)[2]


def uncertainty(J: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard deviations of the unknowns, their correlations, and the unknowns that the residuals do not determine."""
    size = np.linalg.norm(J, axis=0)
    still = size == 0.0
    scaled = J / np.where(still, 1.0, size)
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    seen = values > BLIND * values.max(initial=0.0)
    inverse = (directions[seen].T / values[seen] ** 2) @ directions[seen]
    blind = still | (np.abs(directions[~seen]) > 0.1).any(axis=0)
    spread = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    safe = np.where(spread > 0.0, spread, 1.0)
    return np.sqrt(noise) * spread / np.where(still, 1.0, size), inverse / np.outer(safe, safe), blind

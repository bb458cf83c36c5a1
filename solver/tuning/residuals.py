"""Residuals of all experiments at points of the unit cube, and their Jacobians.

Residuals are divided by the deviation of the noise, or by the spread of their signal where that is not known. Jacobians
are exact where all runs are differentiable: values and slopes come from one pass, whose steps end at events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..results.recorded_run import signal_of
from ..simulation.simulation import Simulation
from .measured_signals import MeasuredExperiment, read_experiment, resample
from .parallel_runs import Evaluator, RunCounter, columns_of
from .run_backends import RunBackend
from .tuning_file import Space, Task
from .tuning_settings import Data

NUDGE = 1e-4  # of the bounds' distance, for central differences
LOST = 1e6  # residual of a run that failed


@dataclass
class Linearised:
    """Residuals at points, (points, residuals), and Jacobians, (points, residuals, unknowns); NaN: not known."""

    values: np.ndarray
    slopes: np.ndarray

    def __getitem__(self, rows: slice) -> Linearised:
        return Linearised(self.values[rows], self.slopes[rows])


class Residuals:
    """Residuals of all experiments at points of the cube: parameters first, then shifts.

    Experiments that are held out have curves, and no residuals.
    """

    def __init__(self, task: Task, engine: RunBackend, watch: RunCounter):
        self.task, self.watch = task, watch
        self.space = Space.of(task.fit.parameters)
        self.count = len(self.space.names)
        self.data: list[MeasuredExperiment] = []
        self.models: list[Evaluator] = []
        self.units: dict[str, str] = {}  # of measured signals, SI
        self.shifted: list[int] = []  # experiments whose clock is searched for
        self.fitted = [k for k, data in enumerate(task.fit.data) if not data.validate]
        if not self.fitted:
            raise LuffError(Problem("found no experiment to fit, all are held out", "fit.data"))
        bounds = []
        for k, data in enumerate(task.fit.data):
            where = f"fit.data[{k}]"
            latest = 0.0
            if data.shift is not None:
                if data.validate:
                    raise LuffError(
                        Problem("an experiment that is held out finds no shift", f"{where}.shift")
                    )
                self.shifted.append(k)
                bounds.append((data.shift.lower, data.shift.upper, data.shift.start))
                latest = data.shift.upper
            sim = task.simulation(data.set)
            table = self._read(sim, data, k)
            columns = columns_of(sim, table.signals, f"{where}.signals")
            if len(columns) != len(table.signals):
                raise LuffError(Problem("name elements of vectors, psi[1]", f"{where}.signals"))
            step = sim.settings.output_step
            stop = step * np.ceil((table.time[-1] + latest) / step - 1e-9)
            self.data.append(table)
            self.models.append(Evaluator(sim, self.space, columns, float(max(stop, 4 * step)), engine, watch))
        self.low, self.high, self.first = np.array(bounds).reshape(-1, 3).T
        self.digest = task.digest(*(data.values.tobytes() + data.time.tobytes() for data in self.data))
        self._last: tuple[bytes, Linearised] | None = None
        self.differences_why: str | None = None  # reason for which Jacobians are differences; "": none

    def _read(self, sim: Simulation, data: Data, k: int) -> MeasuredExperiment:
        where, task = f"fit.data[{k}]", self.task
        units = {signal_of(name): unit for name, unit in sim.units.items()} | sim.units
        table = read_experiment(
            data, task.path.resolve().parent, where, task.tables.get(k), task.files, units
        )
        self.units.update((name, units.get(name, "")) for name in table.signals)
        earliest = table.time[0] + (data.shift.lower if data.shift else 0.0)
        if earliest < -1e-9:
            fix = "give a shift that makes them later, or start: later"
            raise LuffError(Problem(f"times begin at {earliest:g} s, before the run", f"{where}.file", fix))
        return table

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
        late = self._lateness(points, k)
        curves = np.full((len(points), len(data.signals), len(data.time)), np.nan)
        for j, rows in enumerate(table):
            if np.all(np.isfinite(rows)):
                wanted = np.clip(data.time + late[j], 0.0, at_points.time[-1])
                curves[j] = resample(at_points.time, rows, wanted).T
        return curves

    def own_curves(self) -> list[np.ndarray | None]:
        """(signals, times) of the model as it is, an entry an experiment; None where that is not known.

        Shifts are at their starts. These runs do not count as those of the search.
        """
        return [self._own_curves(k) for k in range(len(self.data))]

    def _own_curves(self, k: int) -> np.ndarray | None:
        model, data = replace(self.models[k], watch=RunCounter()), self.data[k]
        known = model.own_values()
        if len(known) < self.count:
            return None
        try:
            run = model.runs_of(np.array([[*known.values()]]))
        except LuffError:
            return None
        late = self.first[self.shifted.index(k)] if k in self.shifted else 0.0
        rows = run.table[0]
        if not np.isfinite(rows).all():
            return None
        return resample(run.time, rows, np.clip(data.time + late, 0.0, run.time[-1])).T

    def _lateness(self, points: np.ndarray, k: int) -> np.ndarray:
        """Shift of one experiment's clock at each point [s]."""
        if k not in self.shifted:
            return np.zeros(len(points))
        return self.shifts(points)[:, self.shifted.index(k)]

    def at(self, points: np.ndarray) -> np.ndarray:
        """Residuals at points of the cube: (points, residuals); LOST for runs that failed."""
        parts = []
        for k in self.fitted:
            data = self.data[k]
            off = (self.curves(points, k) - data.values) * data.factor[:, None]
            parts.append(off.reshape(len(points), -1))
        residuals = np.hstack(parts)
        return np.where(np.isfinite(residuals).all(axis=1)[:, None], residuals, LOST)

    def choose_gradients(self, point: np.ndarray) -> None:
        """Take exact Jacobians where the runs at a point are differentiable; runs locate events from then on."""
        if self.differences_why is not None:
            return
        before = self.models
        self.models = [model.located() for model in before]
        made = self._exact(point)
        self.differences_why = made if isinstance(made, str) else ""
        if isinstance(made, str):
            self.models = before
        else:
            self._last = point.tobytes(), Linearised(made.values, made.slopes)

    def linearised(self, points: np.ndarray) -> Linearised:
        """Residuals at points, and exact Jacobians; those are NaN at points whose runs are not differentiable."""
        if self.differences_why:
            values = self.at(points)
            return Linearised(values, np.full((*values.shape, self.width), np.nan))
        told = [self._one(point) for point in points]
        return Linearised(
            np.concatenate([one.values for one in told]), np.concatenate([one.slopes for one in told])
        )

    def _one(self, point: np.ndarray) -> Linearised:
        key = point.tobytes()
        if self._last is None or self._last[0] != key:
            made = self._exact(point)
            if isinstance(made, str):
                values = self.at(point[None])
                made = Linearised(values, np.full((*values.shape, self.width), np.nan))
            self._last = key, made
        return self._last[1]

    def _exact(self, point: np.ndarray) -> Linearised | str:
        """Residuals and exact Jacobian at one point, each with a leading axis of one; or why there is none."""
        values = self.space.values(point[: self.count])
        chain, off, slopes = self.space.slopes(values), [], []
        for k in self.fitted:
            data, late = self.data[k], float(self._lateness(point[None], k)[0])
            found = self.models[k].derivatives_at(values)
            if isinstance(found, str):
                return found
            wanted = np.clip(data.time + late, 0.0, found.time[-1])
            J = np.zeros((self.width, len(data.signals), len(data.time)))
            J[: self.count] = np.swapaxes(resample(found.time, found.slopes, wanted), 1, 2)
            J[: self.count] *= chain[:, None, None]
            if k in self.shifted:
                own = self.shifted.index(k)
                rates = resample(found.time, found.values, wanted, 1).T
                J[self.count + own] = (self.high[own] - self.low[own]) * rates
            y = resample(found.time, found.values, wanted).T
            off.append(((y - data.values) * data.factor[:, None]).ravel())
            slopes.append((J * data.factor[:, None]).reshape(self.width, -1))
        return Linearised(np.hstack(off)[None], np.hstack(slopes).T[None])

    def differences(self, point: np.ndarray, at: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
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

    def _nudged_points(
        self, point: np.ndarray, at: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points NUDGE ahead of and behind a point along each unknown, within the cube, and their residuals."""
        steps = NUDGE * np.eye(self.width)
        ahead, behind = np.clip(point + steps, 0.0, 1.0), np.clip(point - steps, 0.0, 1.0)
        return ahead, behind, at(np.vstack([ahead, behind]))

    def unknown_mask(self, point: np.ndarray) -> np.ndarray:
        """Mask of the unknowns between two runs that fail: nothing is known of how the residuals depend on them."""
        lost = (self._nudged_points(point, self.at)[2] == LOST).all(axis=1)
        return lost[: self.width] & lost[self.width :]

    def jacobian(self, point: np.ndarray) -> tuple[np.ndarray, str]:
        """Jacobian at a point, and how it was made: "exact", or "differences"."""
        J = self.linearised(point[None]).slopes[0]
        return (J, "exact") if np.isfinite(J).all() else (self.differences(point, self.at), "differences")

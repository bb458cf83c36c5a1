"""Backends for the runs of a search: threads of this process, or workers of Dask.

Rows are those of single runs whoever makes them, so that a search finds the same on one machine and on many.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ..analysis.sensitivity import RunDerivatives, Sensitivity
from ..batch.batch import Batch, batch
from ..codegen.transforms.entry_point_variants import DIRECTIONS
from ..simulation.simulation import Simulation
from ..studies.dask_connection import AGAIN, AHEAD, POLL, RETURN, Connection

if TYPE_CHECKING:
    from distributed import Future

Look = Callable[[int], None]  # so many runs are done; it may raise


@dataclass(frozen=True)
class RunRequest:
    """Runs of one simulation: one for each entry of the arrays in `values`."""

    sim: Simulation
    values: Mapping[str, np.ndarray]
    signals: Sequence[str]
    stop: float | None

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    @property
    def end(self) -> float:
        """Time at which runs end, unless a condition of the netlist ends them [s]."""
        return self.sim.settings.stop if self.stop is None else self.stop


@dataclass(frozen=True)
class DerivedRun:
    """A run with its derivatives by some numbers, or why it has none; its length is the number of passes."""

    found: Sensitivity | str
    passes: int

    def __len__(self) -> int:
        return self.passes

    @classmethod
    def at(cls, runs: RunDerivatives, values: Sequence[float], end: float) -> DerivedRun:
        """Make the run; one without derivatives along its whole length, or that ends before its time, has none."""
        passes = -(-len(values) // DIRECTIONS)
        try:
            found = runs.at(values)
        except LuffError as error:
            return cls(error.problems[0].message, passes)
        if not (np.isfinite(found.slopes).all() and np.isfinite(found.values).all()):
            return cls(
                found.remarks[-1] if found.remarks else "a signal or its derivative is not finite", passes
            )
        last = found.time[-1] + (1.0 - 1e-9) * np.diff(found.time[:2]).sum()
        if not last > end:  # a row is missing
            return cls(found.remarks[-1], passes)
        return cls(found, passes)


class RunBackend(Protocol):
    """Makes many runs of one simulation."""

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        """Make all runs; `look` is called all the while with the number of those that have ended."""
        ...

    def derivatives(self, wanted: RunRequest, look: Look) -> DerivedRun:
        """Make one run with its derivatives by all numbers in `values`."""
        ...

    def close(self) -> None:
        """No runs are wanted any more."""


class ThreadBackend:
    """Threads of this process: runs hold no lock of the interpreter."""

    def __init__(self, threads: int | None):
        self.threads = threads
        self._derived: dict[int, tuple[Simulation, RunDerivatives]] = {}

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        return batch(
            wanted.sim, wanted.values, wanted.signals, stop=wanted.stop, threads=self.threads,
            progress=lambda done, count: look(1),
        )  # fmt: skip

    def derivatives(self, wanted: RunRequest, look: Look) -> DerivedRun:
        kept = self._derived.get(id(wanted.sim))
        try:
            kept = kept or (wanted.sim, derivatives_of(wanted.sim, wanted))
        except LuffError as error:
            return DerivedRun(error.problems[0].message, 0)
        self._derived[id(wanted.sim)] = kept
        made = DerivedRun.at(kept[1], numbers_of(wanted), wanted.end)
        look(len(made))
        return made

    def close(self) -> None:
        pass


def derivatives_of(sim: Simulation, wanted: RunRequest) -> RunDerivatives:
    """Runs with derivatives by the numbers of a request."""
    return RunDerivatives(sim, [*wanted.values], wanted.signals, wanted.stop)


def numbers_of(wanted: RunRequest) -> list[float]:
    """The numbers of a request for one run."""
    return [float(each[0]) for each in wanted.values.values()]


Done = Batch | DerivedRun
Problems = list[Problem]  # they go as they are: not every exception can be sent


class ClusterBackend:
    """Workers of a Dask scheduler: each is sent the simulation and a share of the values."""

    def __init__(self, on: object, jobs: int | None):
        self.line = Connection(on, jobs)

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        count = len(wanted)
        shares = np.array_split(np.arange(count), min(count, AHEAD * max(1, self.line.threads)))
        sent = pickle.dumps(wanted.sim)
        parts: list[Batch] = OrderedTasks(
            self.line,
            run_share,
            [
                (
                    sent,
                    {path: each[share] for path, each in wanted.values.items()},
                    wanted.signals,
                    wanted.stop,
                )
                for share in shares
            ],
        ).all(look)
        first = parts[0]
        return Batch(
            first.time,
            first.names,
            np.concatenate([part.table for part in parts]),
            first.units,
            dict(wanted.values),
            [status for part in parts for status in part.status],
            [message for part in parts for message in part.messages],
            alone=[why for part in parts for why in part.alone],
        )

    def derivatives(self, wanted: RunRequest, look: Look) -> DerivedRun:
        sent = pickle.dumps(wanted.sim), dict(wanted.values), [*wanted.signals], wanted.stop
        (made,) = OrderedTasks(self.line, derived_share, [sent]).all(look)
        return made

    def close(self) -> None:
        self.line.close()


D = TypeVar("D", bound=Done)


class OrderedTasks(Generic[D]):
    """Tasks whose answers are wanted in their order; what is lost with workers or a scheduler is handed in again."""

    def __init__(
        self, line: Connection, work: Callable[..., D | Problems], orders: Sequence[tuple[object, ...]]
    ):
        self.line, self.work, self.orders = line, work, orders
        self.done: dict[int, D] = {}
        self.lost = [0] * len(orders)
        self.under_way: dict[int, Future] = {}
        self.ended: queue.Queue[tuple[int, Future]] = queue.Queue()

    def all(self, look: Look) -> list[D]:
        try:
            while len(self.done) < len(self.orders):
                self._hand_in()
                answer = self._next()
                look(len(answer) if answer is not None else 0)
        finally:
            if self.under_way:
                with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to cancel
                    self.line.client.cancel([*self.under_way.values()], force=True)
        return [self.done[k] for k in range(len(self.orders))]

    def _hand_in(self) -> None:
        if not self.line.open:
            self.line.reconnect()
            self.under_way.clear()
        for k, order in enumerate(self.orders):
            if k not in self.done and k not in self.under_way:
                future = self.under_way[k] = self.line.client.submit(self.work, *order, pure=False)
                future.add_done_callback(lambda ended, k=k: self.ended.put((k, ended)))

    def _next(self) -> D | None:
        """Wait a little for an answer; None where none has come, or one is lost."""
        try:
            k, future = self.ended.get(timeout=POLL)
        except queue.Empty:
            return None
        if self.under_way.get(k) is not future:
            return None  # of a scheduler that is gone
        del self.under_way[k]
        try:
            answer: D | Problems = future.result(timeout=RETURN)
        except Exception as error:
            # its workers or the scheduler have died: nothing says that the runs are to blame
            self.lost[k] += 1
            if self.lost[k] >= AGAIN:
                last = type(error).__name__
                raise RunError(f"runs of this search were lost {AGAIN} times, the last with {last}") from None
            return None
        if isinstance(answer, list):
            raise RunError(answer)
        self.done[k] = cast("D", answer)
        return answer


def run_share(
    sent: bytes, values: dict[str, np.ndarray], signals: list[str], stop: float | None
) -> Batch | Problems:
    """Run a share of the values on a worker."""
    try:
        return batch(_revived(sent), values, signals, stop=stop, threads=1)
    except LuffError as error:
        return error.problems
    except Exception as error:  # of a block's own code
        return [Problem(f"{type(error).__name__}: {error}")]


def derived_share(
    sent: bytes, values: dict[str, np.ndarray], signals: list[str], stop: float | None
) -> DerivedRun | Problems:
    """Make a run with derivatives on a worker."""
    try:
        wanted = RunRequest(_revived(sent), values, signals, stop)
        return DerivedRun.at(
            _derivatives(sent, (*values,), (*signals,), stop), numbers_of(wanted), wanted.end
        )
    except LuffError as error:
        return DerivedRun(error.problems[0].message, 0)
    except Exception as error:  # of a block's own code
        return [Problem(f"{type(error).__name__}: {error}")]


@lru_cache(8)
def _derivatives(
    sent: bytes, names: tuple[str, ...], signals: tuple[str, ...], stop: float | None
) -> RunDerivatives:
    return RunDerivatives(_revived(sent), names, [*signals], stop)


@lru_cache(8)
def _revived(sent: bytes) -> Simulation:
    return pickle.loads(sent)


def run_backend(on: object, jobs: int | None) -> RunBackend:
    return ThreadBackend(jobs) if on is None else ClusterBackend(on, jobs)

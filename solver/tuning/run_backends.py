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
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ..batch.batch import Batch, batch
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


class RunBackend(Protocol):
    """Makes many runs of one simulation."""

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        """Make all runs; `look` is called all the while with the number of those that have ended."""
        ...

    def close(self) -> None:
        """No runs are wanted any more."""


class ThreadBackend:
    """Threads of this process: runs hold no lock of the interpreter."""

    def __init__(self, threads: int | None):
        self.threads = threads

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        return batch(
            wanted.sim, wanted.values, wanted.signals, stop=wanted.stop, threads=self.threads,
            progress=lambda done, count: look(1),
        )  # fmt: skip

    def close(self) -> None:
        pass


Answer = Batch | list[Problem]  # problems go as they are: not every exception can be sent


class ClusterBackend:
    """Workers of a Dask scheduler: each is sent the simulation and a share of the values."""

    def __init__(self, on: object, jobs: int | None):
        self.line = Connection(on, jobs)

    def runs(self, wanted: RunRequest, look: Look) -> Batch:
        count = len(wanted)
        shares = np.array_split(np.arange(count), min(count, AHEAD * max(1, self.line.threads)))
        sent = pickle.dumps(wanted.sim)
        parts = OrderedTasks(
            self.line,
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

    def close(self) -> None:
        self.line.close()


class OrderedTasks:
    """Tasks whose answers are wanted in their order; what is lost with workers or a scheduler is handed in again."""

    def __init__(self, line: Connection, orders: Sequence[tuple[object, ...]]):
        self.line, self.orders = line, orders
        self.done: dict[int, Batch] = {}
        self.lost = [0] * len(orders)
        self.under_way: dict[int, Future] = {}
        self.ended: queue.Queue[tuple[int, Future]] = queue.Queue()

    def all(self, look: Look) -> list[Batch]:
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
                future = self.under_way[k] = self.line.client.submit(run_share, *order, pure=False)
                future.add_done_callback(lambda ended, k=k: self.ended.put((k, ended)))

    def _next(self) -> Batch | None:
        """Wait a little for an answer; None where none has come, or one is lost."""
        try:
            k, future = self.ended.get(timeout=POLL)
        except queue.Empty:
            return None
        if self.under_way.get(k) is not future:
            return None  # of a scheduler that is gone
        del self.under_way[k]
        try:
            answer: Answer = future.result(timeout=RETURN)
        except Exception as error:
            # its workers or the scheduler have died: nothing says that the runs are to blame
            self.lost[k] += 1
            if self.lost[k] >= AGAIN:
                last = type(error).__name__
                raise RunError(f"runs of this search were lost {AGAIN} times, the last with {last}") from None
            return None
        if isinstance(answer, list):
            raise RunError(answer)
        self.done[k] = answer
        return answer


def run_share(sent: bytes, values: dict[str, np.ndarray], signals: list[str], stop: float | None) -> Answer:
    """Run a share of the values on a worker."""
    try:
        return batch(_revived(sent), values, signals, stop=stop, threads=1)
    except LuffError as error:
        return error.problems
    except Exception as error:  # of a block's own code
        return [Problem(f"{type(error).__name__}: {error}")]


@lru_cache(8)
def _revived(sent: bytes) -> Simulation:
    return pickle.loads(sent)


def run_backend(on: object, jobs: int | None) -> RunBackend:
    return ThreadBackend(jobs) if on is None else ClusterBackend(on, jobs)

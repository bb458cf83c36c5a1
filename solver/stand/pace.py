"""Runs beside the clock: no step is taken before its time, and how late each was is measured."""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    from ..run.session import Session

SLICE = 1e-3  # s between looks at the clock and at the operator's devices, where steps are shorter
SOON = 2e-3  # s; what is less late than this is in time
HOPELESS = 0.5  # s; what is so late is not caught up with: the clock is put back


class Lateness(TypedDict):
    """How late slices were, in seconds."""

    slices: int
    in_time: float  # share that was at most 2 ms late
    latest: float
    mean: float
    skipped: float  # by which the clock was put back, where the run could not follow


class Pace:
    """Advances a session in slices of a step, or of a millisecond; none begins before its end is due, and `give` is
    asked before each."""

    def __init__(
        self,
        session: Session,
        give: Callable[[], object] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        wait: Callable[[float], object] = time.sleep,
    ):
        periods = [sampled.period for sampled in session.instance.program.sampled if sampled.period > 0.0]
        self.steps = max(1, round(min([SLICE, *periods]) / session.step_size))
        self.session, self._give, self._clock, self._wait = session, give, clock, wait
        self.late = array("d")  # s, of each slice
        self.skipped = 0.0
        self._zero: float | None = None  # of the simulated time

    def advance(self, seconds: float) -> str:
        """Slices for about that much wall time; the status after them."""
        session, until = self.session, self._clock() + seconds
        if self._zero is None:
            self._zero = self._clock() - session.time
        while session.status == "running" and self._clock() < until:
            end = self._zero + min(session.done + self.steps, session.steps) * session.step_size
            ahead = end - self._clock()
            if ahead > 0.0:
                self._wait(ahead)
            if self._give is not None:
                self._give()
            session.advance(steps=self.steps)
            late = self._clock() - end
            self.late.append(late)
            if late > HOPELESS:
                self.skipped += late
                self._zero += late
        return session.status

    def report(self) -> Lateness:
        late = np.frombuffer(self.late) if self.late else np.zeros(1)
        return {
            "slices": len(self.late),
            "in_time": float((late <= SOON).mean()),
            "latest": float(late.max()),
            "mean": float(late.mean()),
            "skipped": self.skipped,
        }

    def __str__(self) -> str:
        report = self.report()
        skipped = f"; the clock was put back by {self.skipped:.3g} s" if self.skipped else ""
        return (
            f"real time: {report['slices']} slices, {100 * report['in_time']:.4g} % of them at most {1e3 * SOON:g} ms "
            f"late, {1e3 * report['mean']:.2g} ms on average, {1e3 * report['latest']:.2g} ms at most{skipped}"
        )


class Undisturbed:
    """No pass of the garbage collector while a run keeps to the clock."""

    def __enter__(self) -> None:
        self._on = gc.isenabled()
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._on:
            gc.enable()

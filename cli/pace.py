"""Runs beside the clock: no communication point is met before its time, and how late each was is measured."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from ..solver.run.session import Session

SLICE = 0.01  # s between looks at the clock where nothing is sampled


class Lateness(TypedDict):
    """Seconds by which slices were late."""

    slices: int
    latest: float
    mean: float


class Pace:
    """Advances a session in slices that end at its communication points."""

    def __init__(self, session: Session):
        periods = [sampled.period for sampled in session.instance.program.sampled if sampled.period > 0.0]
        self.steps = max(1, round(min([SLICE, *periods]) / session.step_size))
        self.late: list[float] = []
        self._began = time.perf_counter()

    def advance(self, session: Session, seconds: float) -> str:
        """Slices for about that much wall time."""
        until = time.perf_counter() + seconds
        while session.status == "running" and time.perf_counter() < until:
            end = self._began + min(session.done + self.steps, session.steps) * session.step_size
            time.sleep(max(0.0, end - time.perf_counter()))
            session.advance(steps=self.steps)
            self.late.append(time.perf_counter() - end)
        return session.status

    def report(self) -> Lateness:
        count = len(self.late)
        return {
            "slices": count,
            "latest": max(self.late, default=0.0),
            "mean": sum(self.late) / count if count else 0.0,
        }

    def __str__(self) -> str:
        report = self.report()
        return (
            f"real time: {report['slices']} slices, late by {1e3 * report['mean']:.2g} ms on average, "
            f"{1e3 * report['latest']:.2g} ms at most"
        )

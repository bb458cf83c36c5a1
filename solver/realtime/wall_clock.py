"""Real-time runs: no step is taken before its time, and the lateness of each is measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .jitter import SOON, JitterStatistics, LatencyStatistics
from .rt_priority import USUAL, RealTimePriority

if TYPE_CHECKING:
    from ..simulation.session import Session

SLICE = 1e-3  # s between looks at the clock and at the operator's devices, where steps are shorter
HOPELESS = 0.5  # s; what is so late is not caught up with: the clock is put back


class RealTimePacer:
    """Advances a session in slices of a step, or of a millisecond; none begins before its end is due, and `give` is
    asked before each."""

    def __init__(
        self,
        session: Session,
        give: Callable[[], object] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        wait: Callable[[float], object] = time.sleep,
    ):
        self.session, self._give, self._clock, self._wait = session, give, clock, wait
        self.punctual, self.urgent = JitterStatistics(), RealTimePriority()
        self.priority = USUAL  # that its thread was given
        self.restart()

    def restart(self, speed: float = 1.0) -> None:
        """Continue with `speed` seconds of simulated time for each of wall time."""
        session, self.speed = self.session, speed
        periods = [sampled.period for sampled in session.instance.program.sampled if sampled.period > 0.0]
        self.steps = max(1, round(min([SLICE * speed, *periods]) / session.step_size))
        self._zero: float | None = None  # of the simulated time
        self.punctual.pause()

    def advance(self, seconds: float) -> str:
        """Slices for about that much wall time; the status after them."""
        session, until = self.session, self._clock() + seconds
        if self._zero is None:
            self._zero = self._clock() - session.time / self.speed
        while session.status == "running" and (now := self._clock()) < until:
            end = min(session.done + self.steps, session.steps) * session.step_size / self.speed + self._zero
            if end > now:
                self._wait(min(end, until) - now)
                if end > until:
                    break
            if self._give is not None:
                self._give()
            session.advance(steps=self.steps)
            now = self._clock()
            late = now - end
            self.punctual.note(late, now)
            if late > HOPELESS:
                self.punctual.skipped += late
                self._zero += late
                self.priority += ", given back: it could not follow" * (self.urgent.priority != USUAL)
                self.urgent.__exit__()
        return session.status

    def __enter__(self) -> RealTimePacer:
        """Raise the priority of this thread."""
        self.priority = self.urgent.__enter__().priority
        return self

    def __exit__(self, *_: object) -> None:
        self.urgent.__exit__()

    def report(self) -> LatencyStatistics:
        return self.punctual.report()

    def __str__(self) -> str:
        report = self.report()
        stalls = f"; it stood still {report['stalls']} times, {1e3 * report['longest_gap']:.0f} ms at most"
        skipped = f"; the clock was put back by {report['skipped']:.3g} s"
        return (
            f"real time: {report['slices']} slices, {100 * report['in_time']:.4g} % of them at most {1e3 * SOON:g} ms "
            f"late, {1e3 * report['mean']:.2g} ms on average, {1e3 * report['latest']:.2g} ms at most, with "
            f"{self.priority}{stalls * (report['stalls'] > 0)}{skipped * (report['skipped'] > 0)}"
        )

"""Jitter of a real-time run: lateness of its steps, and its gaps."""

from __future__ import annotations

import math
from typing import TypedDict

SOON = 2e-3  # s; what is less late than this is in time
STALL = 0.05  # s without a step, which a hand notices


class LatencyStatistics(TypedDict):
    """Lateness of slices [s]."""

    slices: int
    in_time: float  # share that was at most 2 ms late
    latest: float
    mean: float
    stalls: int  # gaps between two slices of more than 50 ms
    longest_gap: float
    skipped: float  # by which the clock was put back, where the run could not follow


class JitterStatistics:
    """Statistics of lateness; a slice is what is taken in one go, at most a millisecond."""

    def __init__(self) -> None:
        self.slices = self.late_slices = self.stalls = 0
        self.latest = self.longest_gap = self.skipped = 0.0
        self._sum = 0.0
        self._before = math.nan  # when the last slices were taken

    def note(self, late: float, now: float) -> None:
        """A slice that was taken until now, so late."""
        self.slices += 1
        self.late_slices += late > SOON
        self._sum += max(0.0, late)
        self.latest = max(self.latest, late)
        gap = now - self._before
        if gap > self.longest_gap:  # not where it is NaN
            self.longest_gap = gap
        self.stalls += gap > STALL
        self._before = now

    def pause(self) -> None:
        """Begin a pause: the time until the next slice is no gap."""
        self._before = math.nan

    def report(self) -> LatencyStatistics:
        count = max(self.slices, 1)
        return {
            "slices": self.slices,
            "in_time": 1.0 - self.late_slices / count,
            "latest": self.latest,
            "mean": self._sum / count,
            "stalls": self.stalls,
            "longest_gap": self.longest_gap,
            "skipped": self.skipped,
        }

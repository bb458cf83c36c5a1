"""Priorities of threads: a run beside the clock comes before others, and no garbage is collected for it; any other run
comes after them."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading

PRIORITY = 5  # of real-time scheduling, 1 to 99: above all usual threads, below those of the system
NICENESS = -10  # where that is not allowed
BEHIND = 5  # niceness of what has time

REAL_TIME, PREFERRED, USUAL = "real-time priority", f"niceness {NICENESS}", "the usual priority"


def lower_priority() -> None:
    """Lower the priority of this thread, so that the window comes first on few processors."""
    if sys.platform == "linux":  # elsewhere niceness is the whole process's
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BEHIND)


class RealTimePriority:
    """Context that raises the thread's priority as far as the system allows; `priority` says how far.

    Who finds that the run cannot follow the clock leaves it: nothing else would get a processor.
    """

    def __init__(self, rank: int = 0) -> None:
        """`rank` counts those that come before it."""
        self.priority = USUAL
        self._rank = rank
        self._thread = self._niceness = 0

    def __enter__(self) -> RealTimePriority:
        if sys.platform == "linux":  # elsewhere priorities are the whole process's
            self._thread = threading.get_native_id()
            with contextlib.suppress(OSError):
                self._niceness = os.getpriority(os.PRIO_PROCESS, self._thread)
                self.priority = self._raise_priority()
        return self

    def _raise_priority(self) -> str:
        rule = os.SCHED_RR | os.SCHED_RESET_ON_FORK  # not for processes that the thread starts
        with contextlib.suppress(OSError):
            os.sched_setscheduler(self._thread, rule, os.sched_param(PRIORITY - self._rank))
            return REAL_TIME
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._thread, NICENESS)
            return PREFERRED
        return USUAL

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            if self.priority == REAL_TIME:
                os.sched_setscheduler(self._thread, os.SCHED_OTHER, os.sched_param(0))
            elif self.priority == PREFERRED:
                os.setpriority(os.PRIO_PROCESS, self._thread, self._niceness)
        self.priority = USUAL


class NoGarbageCollection:
    """No pass of the garbage collector while a run keeps to the clock."""

    def __enter__(self) -> None:
        self._on = gc.isenabled()
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._on:
            gc.enable()

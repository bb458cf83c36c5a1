"""Runs beside the clock, on clocks that tests turn; and what the system is asked for them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import luff
from luff.solver.realtime import rt_priority
from luff.solver.realtime.jitter import JitterStatistics
from luff.solver.realtime.rt_priority import PREFERRED, REAL_TIME, USUAL, RealTimePriority
from luff.solver.realtime.wall_clock import RealTimePacer
from luff.tests.solver.realtime.fake_clock import Clock

LAG = """
luff: 1
name: lag
blocks:
  source: {type: constant, value: 1}
  lag: {type: transfer_function, num: [1], den: [1, 1]}
connect: [source.y -> lag.u]
simulation: {stop: 0.1, step: 1 ms}
"""
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have priorities on Linux")


class Noted(JitterStatistics):
    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []

    def note(self, late: float, now: float) -> None:
        self.late.append(late)
        super().note(late, now)


def paced(give: Callable[[], object], clock: Clock) -> tuple[RealTimePacer, Noted]:
    pace = RealTimePacer(luff.compile(luff.loads(LAG)).start(), give, clock, clock.turn)
    pace.punctual = noted = Noted()
    return pace, noted


def test_pace_measures_each_step() -> None:
    """A clock that runs only while the run waits, and a device that takes 3 ms in one of the steps."""
    clock, calls = Clock(), 0

    def give() -> None:
        nonlocal calls
        calls += 1
        clock.turn(3e-3 if calls == 11 else 0.0)

    pace, noted = paced(give, clock)
    assert pace.advance(1e6) == "finished"
    assert len(noted.late) == calls == 100
    want = np.zeros(100)
    want[10:13] = [3e-3, 2e-3, 1e-3]  # it catches up a step at a time
    np.testing.assert_allclose(noted.late, want, atol=1e-9)
    report = pace.report()
    assert report["in_time"] == 0.99
    assert report["latest"] == pytest.approx(3e-3)
    assert report["mean"] == pytest.approx(6e-5)
    assert report["longest_gap"] == pytest.approx(4e-3)
    assert report["stalls"] == report["skipped"] == 0
    assert "100 slices, 99 % of them at most 2 ms late" in str(pace)
    assert f"with {USUAL}" in str(pace)
    assert "stood still" not in str(pace)


def test_pace_puts_the_clock_back_where_it_cannot_follow() -> None:
    clock = Clock()
    gone = [0.0] * 49 + [2.0]
    pace, noted = paced(lambda: clock.turn(gone.pop(0) if gone else 0.0), clock)
    with pace:
        pace.advance(1e6)
        assert pace.urgent.priority == USUAL  # others need the processor that it cannot do with
    assert pace.report()["skipped"] == pytest.approx(2.0)
    assert np.count_nonzero(np.array(noted.late) > 1e-9) == 1
    assert "the clock was put back by 2 s" in str(pace)
    assert "it stood still 1 times, 2001 ms at most" in str(pace)


def test_a_pause_is_no_stall() -> None:
    punctual = JitterStatistics()
    punctual.note(0.0, 1.0)
    punctual.pause()
    punctual.note(0.0, 9.0)
    assert punctual.report()["stalls"] == 0
    punctual.note(0.0, 9.0511)
    assert punctual.report()["stalls"] == 1


def test_pace_counts_anew_from_a_change_of_speed_and_returns_where_the_next_slice_is_far() -> None:
    clock = Clock()
    pace, noted = paced(lambda: None, clock)
    pace.advance(0.0205)
    assert pace.session.done == 20
    clock.turn(7.0)  # paused
    pace.restart(0.1)
    began = clock.now
    assert pace.advance(0.0045) == "running"
    assert (pace.session.done, clock.now) == (20, pytest.approx(began + 0.0045))
    pace.advance(0.0501)
    assert pace.session.done == 25  # a step of 1 ms in 10 ms
    assert max(noted.late) == pytest.approx(0.0, abs=1e-9)
    assert pace.report()["stalls"] == pace.report()["skipped"] == 0


@LINUX
@pytest.mark.parametrize(("refused", "given"), [(0, REAL_TIME), (1, PREFERRED), (2, USUAL)])
def test_urgent_thread_takes_what_it_may_have(
    refused: int, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system is asked for, in its order, and that all of it is given back."""
    asked: list[tuple[str, int, int]] = []

    def schedule(thread: int, rule: int, parameter: os.sched_param) -> None:
        if refused > 0 and rule != os.SCHED_OTHER:
            raise PermissionError
        asked.append(("schedule", thread, parameter.sched_priority))

    def prefer(which: int, thread: int, niceness: int) -> None:
        if refused > 1:
            raise PermissionError
        asked.append(("nice", thread, niceness))

    monkeypatch.setattr(rt_priority.os, "sched_setscheduler", schedule)
    monkeypatch.setattr(rt_priority.os, "setpriority", prefer)
    own, usual = threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0)
    with RealTimePriority() as first:
        assert first.priority == given
        with RealTimePriority(1) as second:
            assert second.priority == given
    assert first.priority == USUAL
    ways = {
        REAL_TIME: [("schedule", own, n) for n in (rt_priority.PRIORITY, rt_priority.PRIORITY - 1, 0, 0)],
        PREFERRED: [("nice", own, n) for n in (rt_priority.NICENESS, rt_priority.NICENESS, usual, usual)],
        USUAL: [],
    }
    assert asked == ways[given]

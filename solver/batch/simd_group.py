"""Runs side by side in lanes, whoever made them: when that pays, and a group that goes on together while it can.

Some run first goes by itself, and its time says how long the others will take. Lanes are for what then remains, where
they save more than it takes to load their code, or to compile it. `luff.batch` sends its runs here (`scheduler.py`),
and studies their sessions (`study_lanes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..codegen.jit import ENABLED, NoCode
from ..codegen.transforms.entry_point_variants import LANES
from ..integrators.method_table import method_of
from ..integrators.run_data import Run
from ..simulation.instance import Instance
from .simd_memory import LaneMember, MemoryGroup, MemoryGroups, step_entry_points

TOGETHER = ""  # how a run went that was in lanes to its end
LEAST = LANES // 2  # runs of a group; of fewer each goes on by itself
FEW, MANY = (
    4,
    256,
)  # steps that runs take by themselves where they part: at first, and where they part again and again
BEGIN, CHUNK = 64, 1024  # steps of one call: the first, and the longest, for a call that parts is repeated
SOON = 32  # steps: after so many together it pays to have met
SAVED = 0.5  # of the time of single runs, at least
LOADING = 0.2  # [s] to load code that is there
BEFORE = "it was made before lanes were ready, or was left over"
FEWER = f"fewer than {LEAST} runs go together"


class LaneDecision:
    """Whether runs go in lanes: decided once, by all threads together."""

    def __init__(self, method: str, wanted: bool | None):
        self.wanted = wanted
        self.why = ""  # there are none
        self.ready: bool | None = None  # None: not decided yet
        if not ENABLED:
            self._refuse("compiled code is off")
        elif wanted is False:
            self._refuse("lanes are off")
        elif method_of(method).adaptive:
            self._refuse("this method chooses its own steps")

    def _refuse(self, why: str) -> None:
        self.ready, self.why = False, why

    def decide_at_once(self, instance: Instance) -> None:
        """Where no run has to be made first: lanes are wanted, or an earlier run has loaded their code."""
        from ..codegen.object_loader import loaded

        if self.ready is None and (self.wanted or loaded(step_entry_points(instance))):
            self.decide(instance, math.inf)

    def decide(self, instance: Instance, seconds: float) -> None:
        """`seconds` are what the runs that are left take if each is made by itself."""
        from ..codegen.object_loader import cost_of, load

        entries = step_entry_points(instance)
        if not self.wanted and SAVED * seconds < LOADING:
            self._refuse("too little is left to save")
        elif not self.wanted and SAVED * seconds < LOADING + cost_of(entries):
            self._refuse("to compile their code would take longer")
        else:
            try:
                load(entries)
                self.ready = True
            except NoCode as error:
                self._refuse(str(error))


class LaneRun(Protocol):
    """A run that takes steps among others, and by itself."""

    instance: Instance
    bundle: Run

    def due(self) -> int:
        """The number of steps after which it wants to be by itself: its last, or earlier."""
        ...

    def wrote(self, first: int, rows: np.ndarray) -> None:
        """Rows of steps among others, from this one on; the array is not its own."""

    def steps(self, done: int, until: int) -> bool:
        """By itself, with `done` steps behind it; False where it is over, or has something to tell."""
        ...

    def leave(self, done: int, why: str) -> None:
        """It goes on by itself, to its end."""

    def over(self) -> None:
        """It needs nothing more of the others: what `steps` said of it."""


@dataclass(frozen=True)
class StepPlan:
    """How many steps, how many from row to row, and how long they are."""

    steps: int
    every: int
    size: float


class SimdGroup:
    """Runs of one pace, no more than lanes: each goes with the others as long as it does what they do."""

    def __init__(self, runners: Sequence[LaneRun], pace: StepPlan, ended: Callable[[], bool]):
        self._runners, self._pace, self._ended = runners, pace, ended
        members = [[LaneMember(runner.instance, runner.bundle) for runner in runners]]
        self._groups = MemoryGroups(members, CHUNK // pace.every + 2)

    @property
    def group(self) -> MemoryGroup:
        return self._groups.each[0]

    def go(self, members: list[int]) -> None:
        """To their end, or until one of them asks for it by `ended`."""
        done, met, chunk, few, last = 0, 0, BEGIN, FEW, self._pace.steps
        members = self._on(members, 0, 0)
        while members and not self._ended():
            due = min(self._runners[member].due() for member in members)
            count = min(chunk, due - done)
            taken = self._advance(members, done, count)
            done += taken
            if taken == count:
                chunk = min(2 * chunk, CHUNK)
                if done < due:
                    continue
                until = done
            else:
                few = FEW if done - met > SOON else min(2 * few, MANY)
                until = met = min(done + few, last)
                chunk = BEGIN
            self.group.scatter(members)
            members, done = self._on(members, done, until), until
        if members:
            self.group.scatter(members)
            self._leave(members, done, "the runs were ended")

    def _on(self, members: Sequence[int], first: int, until: int) -> list[int]:
        """A few steps of each by itself; those that then go on together, in the memory of the group."""
        on = []
        for member in members:
            if self._runners[member].steps(first, until):
                on.append(member)
            else:
                self._runners[member].over()
        if until >= self._pace.steps:
            return []
        alike = self.group.alike(on) if len(on) >= LEAST else on
        self._leave([k for k in on if k not in alike], until, "its coordinates are chosen in another way")
        if len(alike) < LEAST:
            self._leave(alike, until, FEWER)
            return []
        self.group.gather(alike)
        return alike

    def _leave(self, members: Sequence[int], done: int, why: str) -> None:
        for member in members:
            self._runners[member].leave(done, why)

    def _advance(self, members: list[int], done: int, count: int) -> int:
        """Steps that all take together, and their rows: all of them, or as many as go before they part."""
        pace, groups = self._pace, self._groups
        while count:
            taken = groups.advance([0], np.array([done]), count, pace.every, pace.size).get(0, count)
            if taken == count:
                first, last = done // pace.every, (done + count) // pace.every
                for lane, member in enumerate(members):
                    self._runners[member].wrote(first + 1, groups.rows[0, : last - first, :, lane])
                break
            count = taken
        return count

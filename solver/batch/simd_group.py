"""SIMD groups of runs: the decision to use lanes, and a group that steps together while its runs agree.

One run is first made by itself, and its time predicts the others. Lanes are used where they save more than loading or
compiling their code takes. `luff.batch` sends its runs here (`scheduler.py`), studies their sessions
(`study_lanes.py`).
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

TOGETHER = ""  # reason of a run that stayed in lanes to its end
LEAST = LANES // 2  # least number of runs of a group
FEW, MANY = (
    4,
    256,
)  # steps that diverged runs take by themselves: at first, and after repeated divergence
BEGIN, CHUNK = 64, 1024  # steps of the first and of the longest call: a call that diverges is repeated
SOON = 32  # steps together after which rejoining has paid
SAVED = 0.5  # least saving over the time of single runs
LOADING = 0.2  # [s] time to load stored code
BEFORE = "it was made before lanes were ready, or was left over"
FEWER = f"fewer than {LEAST} runs go together"


class LaneDecision:
    """Decision whether runs go in lanes, made once for all threads."""

    def __init__(self, method: str, wanted: bool | None):
        self.wanted = wanted
        self.why = ""  # reason why there are none
        self.ready: bool | None = None  # None: not decided yet
        if not ENABLED:
            self._refuse("compiled code is off")
        elif wanted is False:
            self._refuse("lanes are off")
        elif method_of(method).adaptive:
            self._refuse("this method chooses its own steps")

    def _refuse(self, why: str) -> None:
        """Decide against lanes."""
        self.ready, self.why = False, why

    def decide_at_once(self, instance: Instance) -> None:
        """Decide without a first run: if lanes are wanted, or their code is loaded already."""
        from ..codegen.object_loader import loaded

        if self.ready is None and (self.wanted or loaded(step_entry_points(instance))):
            self.decide(instance, math.inf)

    def decide(self, instance: Instance, seconds: float) -> None:
        """Decide; `seconds`: time of the remaining runs if each is made by itself."""
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
    """Run that takes steps in a group and by itself."""

    instance: Instance
    bundle: Run

    def due(self) -> int:
        """Number of steps after which the run has to be by itself: its last, or earlier."""
        ...

    def wrote(self, first: int, rows: np.ndarray) -> None:
        """Rows recorded in the group from row `first` on; the array is reused."""

    def steps(self, done: int, until: int) -> bool:
        """Take steps `done` to `until` by itself; False if the run is over or produced a diagnostic."""
        ...

    def leave(self, done: int, why: str) -> None:
        """Continue by itself to the end."""

    def over(self) -> None:
        """The run is over, as `steps` returned."""


@dataclass(frozen=True)
class StepPlan:
    """Number of steps, steps from row to row, step size [s]."""

    steps: int
    every: int
    size: float


class SimdGroup:
    """Runs of one step plan, at most LANES: each stays in the group as long as it takes the same branches."""

    def __init__(self, runners: Sequence[LaneRun], pace: StepPlan, ended: Callable[[], bool]):
        self._runners, self._pace, self._ended = runners, pace, ended
        members = [[LaneMember(runner.instance, runner.bundle) for runner in runners]]
        self._groups = MemoryGroups(members, CHUNK // pace.every + 2)

    @property
    def group(self) -> MemoryGroup:
        """Memory group of the runs."""
        return self._groups.each[0]

    def go(self, members: list[int]) -> None:
        """Run the members to their end, or until `ended()`."""
        done, met, chunk, few, last = 0, 0, BEGIN, FEW, self._pace.steps
        members = self._step_singly(members, 0, 0)
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
            members, done = self._step_singly(members, done, until), until
        if members:
            self.group.scatter(members)
            self._leave(members, done, "the runs were ended")

    def _step_singly(self, members: Sequence[int], first: int, until: int) -> list[int]:
        """Take steps of each run by itself; returns those that can then step together, gathered in the group."""
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
        """Let members continue by themselves."""
        for member in members:
            self._runners[member].leave(done, why)

    def _advance(self, members: list[int], done: int, count: int) -> int:
        """Steps that all take together, with their rows: `count`, or as many as they take before they diverge."""
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

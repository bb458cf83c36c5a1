"""Control steps of several environments in lanes; those that cannot take one alike take it by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...integrators.methods import method_of
from ...machine.jit import ENABLED, NoCode
from ...machine.numbers.forms import LANES
from ...program.started import Started
from ...table.places import DURING, TIME
from ..abreast import LEAST
from ..instance import Instance
from ..interface import signals_of
from ..lanes import Group, Member, called, common_integers
from .env import Env, Why

ALL = slice(None)
LONGEST = 64  # control steps that environments take by themselves, where they part again and again


class Eight:
    """As many environments of one model as there are lanes, or fewer.

    The state of an environment that is `inside` stands in the group's memory, that of any other in its session.
    """

    def __init__(self, envs: Sequence[Env], wanted: bool):
        self.envs = envs
        first = envs[0]
        self._hold, self._size = first.hold, first.session.step_size
        self._program = first.session.instance.program
        self._timeless = timeless(self._program)
        self.inside, self.ages = [False] * LANES, [0] * LANES  # [control steps]
        self._group = self._made() if wanted and self._possible() else None
        self._alone, self._few = 0, 1  # control steps until they meet again; how many it were the last time

    def _possible(self) -> bool:
        """Whether there is code for lanes; it is compiled where it is not kept."""
        session = self.envs[0].session
        if not ENABLED or len(self.envs) < LEAST:
            return False
        if method_of(session.method).adaptive or session.instance.talks:
            return False
        from ...machine.objects import load

        try:
            load(called(session.instance))
        except NoCode:
            return False
        return True

    def _made(self) -> Group:
        session = self.envs[0].session
        places = signals_of(self._program).places
        self._members = [member(session.instance, session.work, places) for _ in range(LANES)]
        group = Group(self._members, 1)
        self._rows = group.rows[0]
        at, count = session.instance.sections.first["mem"], len(signals_of(self._program).inputs)
        self._inputs = group.widened(self._members[0].instance.w, ()).table[at : at + count]
        self._integers = common_integers(self._members[0].instance)
        return group

    # --- in and out -------------------------------------------------------------------------------------------------

    def begin(self, lane: int) -> None:
        """An environment has been reset."""
        self.inside[lane], self.ages[lane] = False, 0
        if not self._alone:
            self._enter(lane)

    def _enter(self, lane: int) -> None:
        """Into the group, where its structure is that of the group."""
        session = self.envs[lane].session
        if self._group is None or session.status != "running":
            return
        theirs = session.instance
        if theirs.program is not self._program and not theirs.program.like(self._program):
            return
        if not np.array_equal(common_integers(theirs), self._integers):
            return
        ours = self._members[lane]
        ours.instance.put(theirs.memories)
        ours.instance.real[:], ours.run.x[:] = theirs.real, session.x
        self._group.enter(lane, lane)
        self.inside[lane] = True

    def leave(self, lane: int) -> None:
        """Back into its session."""
        if self._group is None or not self.inside[lane]:
            return
        self.inside[lane] = False
        ours, session = self._members[lane], self.envs[lane].session
        self._group.leave(lane, lane)
        session.instance.put(ours.instance.memories)
        session.instance.real[:], session.x[:] = ours.instance.real, ours.run.x
        session.done = self.ages[lane] * self._hold

    # --- steps ------------------------------------------------------------------------------------------------------

    def step(self, on: Sequence[int], inputs: np.ndarray, outputs: np.ndarray) -> dict[int, Why]:
        """One control step of these lanes, a column each of inputs and outputs; whose runs have ended, and why."""
        left = [*on] if self._group is None else self._together(self._group, on, inputs, outputs)
        ends = {}
        for lane in left:
            env = self.envs[lane]
            env.session.inputs[:] = inputs[:, lane]
            outputs[:, lane], why = env.go_on()
            self.ages[lane] += 1
            if why:
                ends[lane] = why
        return ends

    def _together(
        self, group: Group, on: Sequence[int], inputs: np.ndarray, outputs: np.ndarray
    ) -> list[int]:
        """The lanes that have not taken the step, for they could not go with the others."""
        if self._alone:
            self._alone -= 1
            return [*on]
        lanes = on if self._all_together(on) else self._ready(on)
        if len(lanes) >= LEAST:
            places: slice | list[int] = ALL if len(lanes) == LANES else [*lanes]
            if places is not ALL:
                group.fill({*range(LANES)} - {*lanes}, lanes[0])
            self._inputs[:, places] = inputs[:, places]
            hold = self._hold
            if group.advance(self.ages[lanes[0]] * hold, hold, hold, self._size) == hold:
                outputs[:, places] = self._rows[:, places]
                for lane in lanes:
                    self.ages[lane] += 1
                self._few = 1
                return [] if lanes is on else [lane for lane in on if lane not in lanes]
            self._alone, self._few = self._few, min(2 * self._few, LONGEST)
        for lane in lanes:
            self.leave(lane)
        return [*on]

    def _all_together(self, on: Sequence[int]) -> bool:
        """Whether nobody waits, has to come in, or is of another age where that matters."""
        whole = len(on) == LANES and False not in self.inside
        return whole and (self._timeless or self.ages.count(self.ages[0]) == LANES)

    def _ready(self, on: Sequence[int]) -> list[int]:
        """Those of them that go together: all, or of a model that hangs on time the most of one age."""
        for lane in on:
            if not self.inside[lane]:
                self._enter(lane)
        lanes = [lane for lane in on if self.inside[lane]]
        if self._timeless or not lanes:
            return lanes
        ages = [self.ages[lane] for lane in lanes]
        age = max(ages, key=ages.count)
        for lane in lanes:
            if self.ages[lane] != age:
                self.leave(lane)
        return [lane for lane in lanes if self.inside[lane]]


def member(instance: Instance, work: np.ndarray, places: np.ndarray) -> Member:
    """An instance that records these places."""
    twin = instance.twin()
    x = np.zeros(len(twin.program.x0) + twin.program.trailing)
    run = twin.run(x, np.zeros_like(work), np.zeros(1), np.zeros((1, len(places))), record=places)
    return Member(twin, run)


def timeless(program: Started) -> bool:
    """Whether no number of a run hangs on the time or on the count of its steps."""
    calls = [call for table in program.tables.values() for call in table.calls]
    times = {TIME, DURING}
    return all(
        call.due < 0 and not any(times.intersection(one.entries) for one in call.operations) for call in calls
    )

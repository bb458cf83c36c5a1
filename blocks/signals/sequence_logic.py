"""Blocks of sequences: what was set, what has changed, how often, since when.

All decide at the start of a step, and a number counts as true above 0.5. A run may decide more than once at one
instant: what was before it is kept apart from what holds from it on.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block, Equation
from ..block_states import Memory
from ..errors import Problem
from ..params import Choice
from ..ports import ANY, In, Out
from ..signal_params import PerElement
from .arithmetic import limits_problem

TRUE = 0.5
NEVER = -1e300  # a time before all


def above_half(u):
    """Positive where it is true."""
    return u - TRUE


def latch_reset_first(set, reset, state):
    if reset > TRUE:
        state[0] = 0.0
    elif set > TRUE:
        state[0] = 1.0


def latch_set_first(set, reset, state):
    if set > TRUE:
        state[0] = 1.0
    elif reset > TRUE:
        state[0] = 0.0


class Latch(Block):
    """A latch: y = 1 from when `set` is true, 0 from when `reset` is, and as before where neither is."""

    set = In(ANY, doc="true: y becomes 1")
    reset = In(ANY, default=0.0, doc="true: y becomes 0")
    y = Out(ANY)
    initial = PerElement(0.0, doc="1 where y is 1 at first")
    wins = Choice("reset", ["reset", "set"], doc="which one holds where both are true")
    state = Memory("initial", doc="y in this step")

    def instance_functions(self) -> dict[str, Equation]:
        return {**self.functions, "decide": latch_reset_first if self.wins == "reset" else latch_set_first}

    def out(state):
        return 1.0 if state[0] > TRUE else 0.0

    def crossing_set(set):
        return above_half(set)

    def crossing_reset(reset):
        return above_half(reset)


def update_logical_value(t, u, time, now, before):
    """Update u's logical value now and before this instant; True if the instant is a new one."""
    new = t != time[0]
    if new:
        time[0] = t
        before[0] = now[0]
    now[0] = 1.0 if u > TRUE else 0.0
    return new


class Edge(Block):
    """An edge: y = 1 in the step that begins where u becomes true, and 0 in all others."""

    u, y = In(ANY), Out(ANY)
    edge = Choice("rising", ["rising", "falling", "either"], doc="which change of u is looked for")
    initial = PerElement(0.0, doc="u before the start; 1 where a u that is true there is no edge")
    derived_names = ("counts",)
    time = Memory(NEVER, doc="when it looked last")
    now = Memory("initial", doc="1 where u is true")
    before = Memory("initial", doc="1 where u was true before this instant")
    state = Memory(doc="y in this step")

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"counts": (float(self.edge != "falling"), float(self.edge != "rising"))}

    def out(state):
        return state[0]

    def decide(t, u, counts, time, now, before, state):
        update_logical_value(t, u, time, now, before)
        state[0] = 0.0
        if now[0] > before[0]:
            state[0] = counts[0]
        elif now[0] < before[0]:
            state[0] = counts[1]

    def crossing_u(u):
        return above_half(u)


class Counter(Block):
    """A counter: y grows by one where u becomes true, falls by one where `down` does, and `reset` keeps it at 0."""

    u = In(ANY, doc="each time that it becomes true y grows by one")
    down = In(ANY, default=0.0, doc="each time that it becomes true y falls by one")
    reset = In(ANY, default=0.0, doc="true: y is 0")
    y = Out(ANY)
    initial = PerElement(0.0, doc="y at the start")
    lower = PerElement(None, doc="y does not fall below; no limit when not given")
    upper = PerElement(None, doc="y does not grow above; no limit when not given")
    time = Memory(NEVER, doc="when it looked last")
    now = Memory(doc="1 where u is true")
    before = Memory(doc="1 where u was true before this instant")
    down_time = Memory(NEVER, doc="the same of `down`")
    down_now = Memory(doc="the same of `down`")
    down_before = Memory(doc="the same of `down`")
    kept = Memory("initial", doc="y before this instant")
    state = Memory("initial", doc="y in this step")

    def check(self) -> Iterable[Problem]:
        return limits_problem(self.lower, self.upper)

    def out(state):
        return state[0]

    def decide(
        t, u, down, reset, lower, upper, time, now, before, down_time, down_now, down_before, kept, state
    ):
        if update_logical_value(t, u, time, now, before):
            kept[0] = state[0]
        update_logical_value(t, down, down_time, down_now, down_before)
        count = kept[0]
        if now[0] > before[0]:
            count += 1.0
        if down_now[0] > down_before[0]:
            count -= 1.0
        if count < lower:
            count = lower
        if count > upper:
            count = upper
        state[0] = 0.0 if reset > TRUE else count

    def crossing_u(u):
        return above_half(u)

    def crossing_down(down):
        return above_half(down)

    def crossing_reset(reset):
        return above_half(reset)


def time_passed(t, begun, duration):
    """Time since a duration has passed [s]; above zero if it has, up to the rounding of times."""
    return t - begun - duration * (1.0 - 1e-9) + 1e-12 * abs(t) + 1e-15 if begun > NEVER else -1.0


def has_passed(t, begun, duration):
    return time_passed(t, begun, duration) > 0.0


class Timer(Block):
    """A timer: on_delay: y = 1 while u has been true for `duration`; off_delay: until u has been false for so long;
    pulse: for so long from where u becomes true."""

    u = In(ANY)
    y = Out(ANY)
    elapsed = Out(
        ANY, unit="s", doc="time since u became true, for off_delay false; at the start of the step"
    )
    kind = Choice("on_delay", ["on_delay", "off_delay", "pulse"], doc="what it does")
    duration = PerElement(1.0, "s", ge=0, doc="the time that has to pass")
    derived_names = ("mode",)
    time = Memory(NEVER, doc="when it looked last")
    now = Memory(doc="1 where u is true")
    before = Memory(doc="1 where u was true before this instant")
    kept = Memory(NEVER, doc="where its time began, before this instant")
    begun = Memory(NEVER, doc="where its time began")
    state = Memory(size=3, doc="y and elapsed in this step; whether it decides in the middle of steps")

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"mode": (float(("on_delay", "off_delay", "pulse").index(self.kind)),)}

    def out_y(state):
        return state[0]

    def out_elapsed(state):
        return state[1]

    def decide(t, during, u, duration, mode, time, now, before, kept, begun, state):
        if update_logical_value(t, u, time, now, before):
            kept[0] = begun[0]
        begun[0] = kept[0]
        rises, falls = now[0] > before[0], now[0] < before[0]
        over = kept[0] == NEVER or has_passed(t, kept[0], duration)
        if mode[0] == 0.0:
            begun[0] = t if rises else kept[0]
            running = now[0] > TRUE
            state[0] = 1.0 if running and has_passed(t, begun[0], duration) else 0.0
        elif mode[0] == 1.0:
            begun[0] = t if falls else kept[0]
            running = not now[0] > TRUE and begun[0] > NEVER
            state[0] = 1.0 if now[0] > TRUE or (running and not has_passed(t, begun[0], duration)) else 0.0
        else:
            begun[0] = t if rises and over else kept[0]
            running = begun[0] > NEVER and not has_passed(t, begun[0], duration)
            state[0] = 1.0 if running else 0.0
        state[1] = t - begun[0] if running else 0.0
        state[2] = 1.0 if t == during else 0.0

    def crossing_u(u):
        return above_half(u)

    def crossing_time(t, during, duration, begun, state):
        return time_passed(during if state[2] > TRUE else t, begun[0], duration)

"""A chart as tables of numbers, and what one function does with them at an instant."""

from __future__ import annotations

from .postfix_programs import overdue, work_out
from .sequence_logic import NEVER

NONE = -1.0  # of a program, a time: there is none
# programs of a state: what it is followed by, what it sets at its end and its beginning, and all the time
CHOICE, EXIT, ENTRY, LAWS, PROGRAMS = range(5)
# columns of a crossing
STATE, PROGRAM, LASTS, CROSSING = range(4)
# of what it remembers beside states and values
CLOCK, DUE, LAST, ENTERED, LOOPED, GRID, PHASES = range(7)


def waits(during, phase):
    """True while sampled blocks of this instant have still to be updated: they come first."""
    return not abs(during - phase[DUE]) <= 0.5 * (phase[DUE] - phase[CLOCK])


def decide_chart(
    t, during, inputs, targets, programs, code, current, begun, kept, decided, phase, stack
):  # fmt: skip
    """Transitions at one instant: a chain of them, as many as there are states, until no guard holds.

    Around it goes `during` values, the choice of a transition, `exit` and `entry` values.
    """
    if waits(during, phase) or t == phase[LAST]:
        return
    grid = 1.0 if t == during else 0.0
    now = phase[CLOCK] if grid > 0.0 else t
    phase[GRID], phase[LOOPED] = grid, 0.0
    part, row, moved = LAWS, 0, 0
    if phase[ENTERED] == 0.0:
        phase[ENTERED], begun[0], begun[1] = 1.0, t, now
        part = ENTRY
    while part >= 0:
        at = int(programs[PROGRAMS * (int(current[0]) - 1) + part])
        lasted, elapsed = t - begun[0], now - begun[1]
        value = work_out(code, at, t, now, during, lasted, elapsed, grid, inputs, kept, decided, True, stack)
        if part == ENTRY:
            part = LAWS
        elif part == LAWS:
            part = CHOICE
        elif part == EXIT:
            current[0], begun[0], begun[1] = targets[row], t, now
            part = ENTRY
        elif value > 0.0 and moved < len(programs) // PROGRAMS:
            part, row, phase[LAST] = EXIT, int(value) - 1, t
            moved += 1
        else:
            phase[LOOPED] = 1.0 if value > 0.0 else 0.0
            part = -1


def output_of(number, t, during, inputs, named, laws, code, current, begun, kept, decided, stack):
    """The state's number, the named outputs, then whether each state is active."""
    count = int(named[0])
    if number == 0:
        return current[0]
    if number > count:
        return 1.0 if current[0] == number - count else 0.0
    at = int(laws[(int(current[0]) - 1) * len(kept) + number - 1])
    if at < 0:
        return kept[number - 1]
    lasted = t - begun[1]
    return work_out(code, at, t, t, during, lasted, lasted, 0.0, inputs, kept, decided, False, stack)


def crossing_of(number, t, during, inputs, crossings, code, current, begun, kept, decided, phase, stack):
    """Crossing function of a comparison or time that counts in the active state; those of other states are constant."""
    row = CROSSING * number
    if current[0] != crossings[row + STATE]:
        return -1.0
    grid = phase[GRID]
    time = during if grid > 0.0 else t
    at, lasted = int(crossings[row + PROGRAM]), time - begun[0]
    if at < 0:
        return overdue(time, lasted, crossings[row + LASTS], grid)
    return work_out(code, at, time, time, during, lasted, lasted, grid, inputs, kept, decided, False, stack)


def first_phases() -> tuple[float, ...]:
    return NEVER, NEVER, NEVER, 0.0, 0.0, 0.0

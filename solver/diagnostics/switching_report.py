"""Switching report of a run: chatter, late jumps, lifted contacts, ranges left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks.errors import Problem
from ..integrators.run_data import BUSY, CHANGED, CHANGES, LOCATE, LOWEST, MOST, ROUGH, STARTED, UNHELD, VALUE
from ..integrators.substeps import FINEST
from ..integrators.zero_crossings import STRETCH
from ..program.ball_joints import LOCK, lock_message
from ..program.switching_functions import ROOM, TOUCH, SwitchingFunction, switching_counts
from ..program.tip_over import TIPS, tipping_message
from ..program.travel_limits import DEEP, TWO_BLOCKED, depth_message, stroke_message, two_block_message
from ..simulation.instance import Instance, plain_call

CHATTERING = STRETCH / 3  # sign changes in a stretch above which the step causes them, not the model
SHORTER = "take a shorter step, or make it softer"
SMOOTHER = {
    "friction": "take a shorter step, a higher `stribeck` velocity, or friction with bristles (elastoplastic)",
    "contact": "take a shorter step, or a contact that is softer or has more dissipation",
    "support": "take a shorter step, or softer supports with more damping",
    "touch": "take a shorter step, or a touch that is softer or has more dissipation",
    "wheel": "take a shorter step, or a softer wheel with more damping",
    "guide": "take a shorter step, or a softer guide with more damping",
    "stop": "take a shorter step, or a stop that is softer or has more damping",
    "taut": "take a shorter step, or a rope with more damping",
}
Counted = tuple[SwitchingFunction, np.ndarray]  # switching function and its columns
LIFTING = {  # what it means that one lifts
    "contact": "so begins the hoisting of a load, or the tipping of a body that stands",
    "support": "the others carry its share from there, until the base tips",
    "wheel": "it leaves its rail there",
}


def switching_warnings(run: Instance) -> Iterator[str]:
    """Warnings of each block's switching, one of each kind."""
    switches = run.program.switches
    columns = switching_counts(run.w, run.sections, switches)
    located = run.number[LOCATE] != 0
    for block in dict.fromkeys(switch.block for switch in switches):
        own = [(switch, columns[:, k]) for k, switch in enumerate(switches) if switch.block == block]
        laws = [each for each in own if each[0].room is None]
        switch, counts = max(laws or own, key=lambda each: each[1][MOST])
        if laws and counts[MOST] > CHATTERING:
            fix = "take a shorter step, or a relay with a band" if switch.decided else SHORTER
            often = f"{counts[MOST]:.0f} times in {STRETCH} steps"
            yield (
                f"{block}: switches ({switch.what}) {often} at t = {counts[BUSY]:.6g} s, "
                f"with the step and not with the model; {SMOOTHER.get(switch.what.split()[0], fix)}"
            )
        elif not located:
            yield from _late_jump_warning(block, own)
        yield from _lifted_support_warning(block, own)
        yield from _fast_opening_warning(block, own)
        yield from _limit_warnings(run, own)
    if run.number[UNHELD] > 0:
        often = "a step" if run.number[UNHELD] == 1 else f"{run.number[UNHELD]} steps"
        yield (
            f"simulation.method: in {often} the slopes that the implicit method uses held in no part of the step, "
            "because something jumps with the state: results there may be wrong; give a relay or a sign a band, or "
            "take rk4"
        )


def _late_jump_warning(block: str, own: list[Counted]) -> Iterator[str]:
    """Warning of jumps by state that took effect at the next step."""
    late = [counts for switch, counts in own if switch.decided and counts[CHANGES] > 0]
    if late:
        count, first = sum(counts[CHANGES] for counts in late), min(counts[CHANGED] for counts in late)
        often = "once" if count == 1 else f"{count:.0f} times"
        yield (
            f"{block}: jumped {often} within a step, first before t = {first:.6g} s, and it took effect at its end: "
            "an error of first order; simulation: {events: locate} ends a step there"
        )


def _limit_warnings(run: Instance, own: list[Counted]) -> Iterator[str]:
    """Warnings of cylinders beyond their strokes, and of bodies that tipped, in the first direction."""
    left = [
        # what is beyond at the start has its first change where it comes back
        (0.0 if counts[STARTED] < 0.0 else counts[CHANGED], -counts[LOWEST], switch)
        for switch, counts in own
        if switch.room and counts[LOWEST] < 0.0
    ]
    tipped = [each for each in left if each[2].what.startswith(TIPS)]
    for time, _, switch in sorted(tipped, key=lambda each: each[0])[:1]:
        yield tipping_message(run.program.mechanism, switch, time)
    for time, beyond, switch in left:
        block = run.program.flat.blocks[switch.block]
        if switch.what.startswith(ROOM):
            yield f"{switch.block}: {block.words_of_room(switch.what.removeprefix(ROOM), time, -beyond)}"
        elif switch.what == TWO_BLOCKED:
            yield two_block_message(block, time, beyond)
        elif switch.what.startswith(DEEP):
            yield depth_message(switch, time, beyond)
        elif switch.what == LOCK:
            yield lock_message(switch, time)
        elif not switch.what.startswith(TIPS):
            yield stroke_message(block, switch, time, beyond)


def pairs_that_never_met(run: Instance) -> list[str]:
    """Pairs of shapes that have touched neither at the start nor in any step, with their blocks."""
    switches = run.program.switches
    columns = switching_counts(run.w, run.sections, switches)
    return [
        f"{switch.block}: {switch.what.removeprefix(TOUCH).replace(' on ', ' and ')}"
        for k, switch in enumerate(switches)
        if switch.what.startswith(TOUCH) and columns[STARTED, k] <= 0.0 and columns[CHANGES, k] == 0.0
    ]


def failure_causes(run: Instance) -> Iterator[Problem]:
    """Problems that explain a state that is not finite: blocks that left a fatal range."""
    switches = run.program.switches
    columns = switching_counts(run.w, run.sections, switches)
    for k, switch in enumerate(switches):
        name, block = switch.what.removeprefix(ROOM), run.program.flat.blocks.get(switch.block)
        if switch.what.startswith(ROOM) and columns[LOWEST, k] < 0.0 and block and name in block.fatal_rooms:
            yield Problem(block.words_of_room(name, columns[CHANGED, k], columns[LOWEST, k]), switch.block)


def watch_ranges(run: Instance, x: np.ndarray, t: float, during: float) -> None:
    """Update the range columns for adaptive methods, at each output."""
    rooms = [k for k, switch in enumerate(run.program.switches) if switch.room is not None]
    if not rooms:
        return
    run.rates(t, x, during)
    for code, w, places, _ in run.calls["sides"]:
        plain_call(code)(w, places)
    columns = switching_counts(run.w, run.sections, run.program.switches)
    for k in rooms:
        if columns[VALUE, k] < 0.0 and columns[LOWEST, k] == 0.0:
            columns[CHANGED, k] = t
        columns[LOWEST, k] = min(columns[LOWEST, k], columns[VALUE, k])


def _fast_opening_warning(block: str, own: list[Counted]) -> Iterator[str]:
    """Warning of openings too fast for any substep."""
    if any(counts[ROUGH] > 0 for _, counts in own):
        yield (
            f"{block}: opens and shuts within {1 / FINEST:.1g} of a step, and what it passes may be wrong; "
            "take a shorter step, a wider band, or more oil beside it"
        )


def _lifted_support_warning(block: str, own: list[Counted]) -> Iterator[str]:
    """Warning of supports that carried at the start and lifted later."""
    lifted = [
        (counts[CHANGED], switch.what)
        for switch, counts in own
        if switch.what.startswith(tuple(LIFTING)) and counts[STARTED] > 0 and counts[CHANGES] > 0
    ]
    if lifted:
        time, what = min(lifted)
        others = f"; so do {len(lifted) - 1} more of its supports" if len(lifted) > 1 else ""
        meaning = LIFTING[what.split()[0]]
        yield f"{block}: the {what} carried at the start, and lifts at t = {time:.6g} s{others}: {meaning}"

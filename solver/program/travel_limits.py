"""Limits of cylinders (stroke), hooks (two-blocking), shapes that touch (depth): switching functions and messages."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...blocks import Block
from ...blocks.multibody_parts import Telescope, Touch
from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from .switching_functions import SwitchingFunction
from .work_space import Place, data_place

STROKE, PINS = "stroke", "pins"
TWO_BLOCKED = "two-blocked"
DEEP = "depth of "  # prefix of the ranges of shapes that touch
FELT = 1.0  # [N] two-blocking force from which on it is reported
PLAY = 0.01  # tolerance over the stroke, for dead volumes and soft stops


def stroke_switches(mechanism: Mechanism) -> Iterator[tuple[SwitchingFunction, Place]]:
    """Switching functions of each cylinder's stroke; without a stroke, of the meeting of its pins."""
    parts = {placed.block: placed.part for placed in mechanism.others_of(Telescope)}
    for joint in mechanism.joints:
        part = parts.get(joint.block)
        if part is None or joint.part.name != part.slide:
            continue
        what, room = PINS, (-part.length, math.inf)
        if part.stroke is not None:
            what, room = STROKE, (-PLAY * part.stroke, (1.0 + PLAY) * part.stroke)
        yield SwitchingFunction(joint.block, what, room=room), data_place("row", joint.first, f.Q)


def stroke_message(block: Block, switch: SwitchingFunction, time: float, beyond: float) -> str:
    """Message about a cylinder beyond its range."""
    limits = block.values.get("limits")
    at = f"at t = {time:.6g} s" if time > 0.0 else "at the start"
    if switch.what == PINS:
        length = -switch.room[0] if switch.room else 0.0
        mistake = f"its pins meet {at} (position {-length:.6g} m), and it goes on by {beyond:.3g} m"
    else:
        stroke = switch.room[1] / (1.0 + PLAY) if switch.room else 0.0
        beyond += PLAY * stroke
        mistake = f"leaves its stroke of {stroke:.6g} m {at}, and goes {beyond:.3g} m beyond its ends"
    fix = (
        "make its end stops stiffer"
        if limits
        else "give it end stops: limits {lower, upper, stiffness, damping}"
    )
    return f"{block.name}: {mistake}, which no cylinder can; {fix}"


def depth_switches(mechanism: Mechanism) -> Iterator[tuple[SwitchingFunction, Place]]:
    """Range of the depth of each pair of shapes but those with planes: up to the sum of roundings, where cores meet."""
    for e, placed in enumerate(mechanism.elements):
        part = placed.part
        if isinstance(part, Touch) and part.solid_a.kind != "plane":
            room = (-math.inf, part.solid_a.rounding + part.solid_b.rounding)
            what = f"{DEEP}{part.frame_b} in {part.frame_a}"
            yield SwitchingFunction(placed.block, what, room=room), data_place("element_out", e, f.DEFLECTION)


def depth_message(switch: SwitchingFunction, time: float, beyond: float) -> str:
    """Message about shapes whose cores have met: beyond, the force jumps from face to face."""
    at, fix = f"at t = {time:.6g} s", "give a higher `law.stiffness`, or a larger `round`"
    if time == 0.0:
        at, fix = "at the start", "start them apart, or leave the pair out by `without`"
    limit = switch.room[1] if switch.room else 0.0
    pair = switch.what.removeprefix(DEEP)
    return (
        f"{switch.block}: {pair} is deeper than its roundings, {limit:.3g} m, {at}, by up to {beyond:.3g} m: forces "
        f"jump there, and edges may pass each other; {fix}"
    )


def two_block_message(block: Block, time: float, most: float) -> str:
    """Message about a rope whose hook has met its sheave."""
    at = f"at t = {time:.6g} s" if time > 0.0 else "at the start"
    return (
        f"{block.name}: hook and sheave meet {at} (two-blocked), and press on each other with up to {most:.3g} N; stop "
        "the drum before, or give `shortest` another value (0 for none)"
    )

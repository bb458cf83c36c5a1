"""Time events: times of jumps and kinks, steps that meet them, and stops of adaptive methods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ...blocks import Block
from ...blocks.ports import TRAJECTORY
from ..flatten.flatten import Flat

ON_A_STEP = 1e-6  # share of a step within which a jump counts as on it
FINEST = 100  # largest factor by which a suggested step is shorter


def jump_warnings(flat: Flat, stop: float, step: float) -> Iterator[str]:
    """Warnings of blocks whose jumps, own or delayed, fall between steps."""
    led = {wire.source.block for wire in flat.wires if wire.kind == TRAJECTORY}
    for block in flat.blocks.values():
        known = [*block.jumps(), *delayed_jumps(flat, block, step)]
        yield from lost_pulse(block, stop, step) or _missed_jump_warning(block, "jumps", known, stop, step)
        if block.name in led:
            # blocks that follow it or use its rate jump with it
            breaks = [(round(first, 12), round(period, 12)) for first, period in block.breaks()]
            others = [row for row in breaks if row not in known]
            yield from _missed_jump_warning(
                block, "the rate or acceleration of its trajectory jumps", others, stop, step
            )


def lost_pulse(block: Block, stop: float, step: float) -> list[str]:
    """Warning of a pulse both of whose edges take effect at one step: it is lost."""
    rows = [*block.jumps()]
    times = sorted(set(times_within(rows, stop))) if len(rows) > 1 else []
    for first, last in pairwise(times):
        if round(first / step) == round(last / step):
            what = (
                f"{block.name}: what it does from t = {first:.6g} s to {last:.6g} s is lost between two steps"
            )
            return [
                f"{what}; take a step of {last - first:.2g} s or less, or a longer pulse of the same area"
            ]
    return []


def _missed_jump_warning(
    block: Block, what: str, known: list[tuple[float, float]], stop: float, step: float
) -> Iterator[str]:
    """Warning of the first jump between steps, with a step that would meet it."""
    missed = [time for time in times_within(known, stop) if steps_off(time, step) > ON_A_STEP]
    if missed:
        first, better = missed[0], step_that_meets(known, step)
        fix = (
            f"a step of {better:g} s would meet it" if better else "move it onto a step, or shorten the step"
        )
        yield (
            f"{block.name}: {what} at t = {first:.6g} s, between two steps of {step:g} s, and takes effect at "
            f"the nearer one, t = {step * round(first / step):.6g} s; {fix}"
        )


def delayed_jumps(flat: Flat, block: Block, step: float) -> Iterator[tuple[float, float]]:
    """Jumps of the sources of a block, delayed by its lag."""
    lags = [lag for lag in block.lags() if steps_off(lag, step) > ON_A_STEP]
    if not lags:
        return
    from ...blocks.signals.memory_blocks import (
        ZeroOrderHold,  # with what it needs in turn: few blocks have lags
    )

    for name in {wire.source.block for wire in flat.wires if wire.target.block == block.name}:
        source = flat.blocks[name]
        known = [*source.jumps()]
        if isinstance(source, ZeroOrderHold):
            known.append((0.0, step * max(1, round(source.sample_time / step))))
        yield from ((round(first + lag, 12), period) for first, period in known for lag in lags)


def times_within(known: Iterable[tuple[float, float]], stop: float) -> Iterator[float]:
    """First two times of each row of jumps within a run: if these meet the steps, all do."""
    for first, period in known:
        begun = max(0, math.ceil(-first / period)) if period > 0.0 else 0
        yield from (
            t
            for t in (first + begun * period, first + (begun + 1) * period)[: 2 if period else 1]
            if 0.0 < t < stop
        )


def steps_off(time: float, step: float) -> float:
    """Distance of a time from the nearest step, in steps, without the rounding of large times."""
    return max(0.0, abs(time / step - round(time / step)) - 4e-16 * time / step)


def step_that_meets(known: Iterable[tuple[float, float]], step: float) -> float | None:
    """Longest step of which the present one and all jumps are multiples; None if it would be too short."""
    common = Fraction(repr(step))
    for time in (t for row in known for t in row if t):
        other = Fraction(repr(abs(time)))
        common = Fraction(
            math.gcd(common.numerator * other.denominator, other.numerator * common.denominator),
            common.denominator * other.denominator,
        )
    return float(common) if common * FINEST >= Fraction(repr(step)) else None


def times_between(
    known: Sequence[tuple[float, float]], begin: float, end: float, apart: float
) -> list[float]:
    """Times of jumps and kinks between `begin` and `end`, at least `apart` from each other and the ends, in order."""
    times = [begin]
    for time in sorted({t for row in known for t in repeated(*row, begin, end)}):
        if time - times[-1] > apart and end - time > apart:
            times.append(time)
    return times[1:]


def repeated(first: float, period: float, begin: float, end: float) -> Iterator[float]:
    """Times first + k period between begin and end."""
    if period == 0.0:
        if begin < first < end:
            yield first
        return
    k = math.floor((begin - first) / period)
    while first + k * period < end:
        yield first + k * period
        k += 1

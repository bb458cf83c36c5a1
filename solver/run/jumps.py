"""Times at which blocks jump or bend: which steps meet them, and where methods that choose their steps stop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from ...blocks import Block

ON_A_STEP = 1e-6  # of a step, within which a jump is at one
FINEST = 100  # times shorter than the step, at most, is the step that is suggested


def jump_notes(blocks: Iterable[Block], stop: float, step: float) -> Iterator[str]:
    """One sentence for each block whose jumps do not meet the steps."""
    for block in blocks:
        known = block.jumps()
        missed = [time for time in times_within(known, stop) if off_by(time, step) > ON_A_STEP]
        if missed:
            first, better = missed[0], step_that_meets(known, step)
            fix = (
                f"a step of {better:g} s would meet it"
                if better
                else "move it onto a step, or shorten the step"
            )
            yield (
                f"{block.name}: jumps at t = {first:.6g} s, between two steps of {step:g} s, and takes effect at "
                f"the nearer one, t = {step * round(first / step):.6g} s; {fix}"
            )


def times_within(known: Iterable[tuple[float, float]], stop: float) -> Iterator[float]:
    """The first two of each row of jumps that lie in a run: if these meet the steps, all of them do."""
    for first, period in known:
        begun = max(0, math.ceil(-first / period)) if period > 0.0 else 0
        yield from (
            t
            for t in (first + begun * period, first + (begun + 1) * period)[: 2 if period else 1]
            if 0.0 < t < stop
        )


def off_by(time: float, step: float) -> float:
    """How far a time is from the nearest step, in steps; rounding of large times is none of it."""
    return max(0.0, abs(time / step - round(time / step)) - 4e-16 * time / step)


def step_that_meets(known: Iterable[tuple[float, float]], step: float) -> float | None:
    """The longest step of which the present one and all jumps are multiples; None where it would be very short."""
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
    """All times of rows of jumps and bends that lie between two others, at least so far apart, in order."""
    found = [begin]
    for time in sorted({t for row in known for t in repeated(*row, begin, end)}):
        if time - found[-1] > apart and end - time > apart:
            found.append(time)
    return found[1:]


def repeated(first: float, period: float, begin: float, end: float) -> Iterator[float]:
    if period == 0.0:
        if begin < first < end:
            yield first
        return
    k = math.floor((begin - first) / period)
    while first + k * period < end:
        yield first + k * period
        k += 1

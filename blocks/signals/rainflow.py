"""Rainflow counting after ASTM E1049-85 (2017), 5.4.4, and the damage of what was counted by Miner's sum.

One law for both uses: a block that counts within a run, with bounded memory, and `solver/results/cycle_counting.py` for
signals of results; both take the same numbers in the same order, and so give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..block_states import Memory
from ..errors import Problem
from ..params import Choice, Integer, Param, Struct, Sub
from ..ports import ANY, In, Out
from ..signal_params import AnyUnit

CORRECTIONS = ("none", "goodman", "gerber", "swt")
# entries of the law of damage, and of what the block remembers of each signal
STRENGTH, SLOPE, REFERENCE, KNEE, BEYOND, CORRECTION, ULTIMATE, SMALLEST = range(8)
COUNT, TIP, WAY, DAMAGE, CYCLES, STATES = range(6)


class Woehler(Struct):
    """Woehler's line: damage of a cycle of range s is (s/strength)^slope / reference."""

    strength = AnyUnit(1.0, gt=0, doc="range that is borne `reference` times, in the unit of the signal")
    slope = Param(3.0, gt=0, doc="m of the line: 3 of welds, 5 of notches")
    reference = Param(2e6, gt=0, doc="cycles that `strength` stands for")
    knee = Param(None, gt=0, doc="cycles behind which the line has the slope `beyond`; none if left out")
    beyond = Param(None, gt=0, doc="slope behind the knee; ranges below it do no damage if left out")
    correction = Choice(
        "none",
        CORRECTIONS,
        doc="of mean stress: none; goodman and gerber with `ultimate`, for tension; Smith, Watson and Topper",
    )
    ultimate = AnyUnit(None, gt=0, doc="for goodman and gerber: ultimate strength, in the unit of the signal")
    smallest = AnyUnit(0.0, ge=0, doc="smaller movements are no cycles, in the unit of the signal")

    def problems(self) -> Iterable[Problem]:
        if self.correction in ("goodman", "gerber") and self.ultimate is None:
            yield Problem(f"{self.correction} needs the ultimate strength", ".ultimate", "give `ultimate`")
        if self.beyond is not None and self.knee is None:
            yield Problem(
                "found a slope beyond the knee, and no knee", ".beyond", "give `knee`, 5e6 for example"
            )

    def law(self) -> tuple[float, ...]:
        """The numbers that `cycle_damage` reads."""
        knee = (
            0.0 if self.knee is None else self.strength * (self.reference / self.knee) ** (1.0 / self.slope)
        )
        beyond = self.beyond if self.beyond is not None else 0.0
        return (
            self.strength, self.slope, self.reference, knee, beyond,
            float(CORRECTIONS.index(self.correction)), self.ultimate or math.inf, self.smallest,
        )  # fmt: skip


def corrected(span, mean, law):
    """The range without mean stress that does as much damage."""
    kind = law[5]
    if kind == 3.0:  # Smith, Watson, Topper (1970): sqrt(s_max s_a) about no mean
        top = mean + 0.5 * span
        if top <= 0.0:
            return 0.0
        return 2.0 * math.sqrt(top * 0.5 * span)
    if kind == 0.0 or mean <= 0.0:
        return span
    share = mean / law[6]
    if kind == 2.0:
        share = share * share
    if share >= 1.0:
        return math.inf
    return span / (1.0 - share)


def cycle_damage(span, mean, law):
    """Damage of one cycle by the S-N law."""
    s = corrected(span, mean, law)
    if s < law[3]:
        if law[4] == 0.0:
            return 0.0
        knee = (law[3] / law[0]) ** law[1] / law[2]
        return knee * (s / law[3]) ** law[4]
    return (s / law[0]) ** law[1] / law[2]


def count_cycle(state, share, a, b, law):
    """A whole cycle, or half of one, between two reversals."""
    state[3] += share * cycle_damage(abs(a - b), 0.5 * (a + b), law)
    state[4] += share


def take_reversal(state, open, x, law):
    """A reversal: count the cycles that it closes. The open ranges shrink from the first to the last."""
    n = int(state[0])
    if n == len(open):  # no room: the greatest range counts as the half cycle that it is if nothing closes it
        count_cycle(state, 0.5, open[0], open[1], law)
        for k in range(1, n):
            open[k - 1] = open[k]
        n -= 1
    open[n] = x
    n += 1
    while n >= 3:
        if abs(open[n - 1] - open[n - 2]) < abs(open[n - 2] - open[n - 3]):
            break
        if n == 3:
            count_cycle(state, 0.5, open[0], open[1], law)
            open[0], open[1] = open[1], open[2]
            n = 2
        else:
            count_cycle(state, 1.0, open[n - 3], open[n - 2], law)
            open[n - 3] = open[n - 1]
            n -= 2
    state[0] = n


def take_value(state, open, u, law):
    """Take in the next value; a turn by more than the smallest range is a reversal."""
    if u - u != 0.0:  # neither a number nor infinite values have ranges: nothing is known from here on
        state[3] = state[4] = u - u
    elif state[0] == 0.0:
        state[0], state[1], state[2] = 1.0, u, 0.0
        open[0] = u
    elif state[2] == 0.0:
        if abs(u - open[0]) > law[7]:
            state[1], state[2] = u, math.copysign(1.0, u - open[0])
    elif state[2] * (u - state[1]) >= 0.0:
        state[1] = u
    elif abs(u - state[1]) > law[7]:
        take_reversal(state, open, state[1], law)
        state[1], state[2] = u, -state[2]


def counted_so_far(state, open, law):
    """Damage and cycles if the signal ended here: its last extreme is a reversal, and open ranges are half cycles."""
    damage, cycles = state[3], state[4]
    n, first, x = int(state[0]), 0, state[1]
    if state[2] == 0.0 or damage != damage:
        return damage, cycles
    while n - first >= 2:
        a, b = open[n - 2], open[n - 1]
        if abs(x - b) < abs(b - a):
            break
        if n - first == 2:
            damage += 0.5 * cycle_damage(abs(a - b), 0.5 * (a + b), law)
            cycles += 0.5
            first += 1
        else:
            damage += cycle_damage(abs(a - b), 0.5 * (a + b), law)
            cycles += 1.0
            n -= 2
    for k in range(first, n):
        b = x if k == n - 1 else open[k + 1]
        damage += 0.5 * cycle_damage(abs(open[k] - b), 0.5 * (open[k] + b), law)
        cycles += 0.5
    return damage, cycles


class Rainflow(Block):
    """Counts cycles of a signal while it runs, by rainflow (ASTM E1049), and sums their damage (Miner).

    damage = sum of n (s/strength)^slope / reference over ranges s, each value of u once a step. What is open counts as
    half cycles, as at the end of a record. Up to `depth` ranges may be open at a time, each inside the one before; if
    more are, the greatest counts as a half cycle from then on.
    """

    u = In(ANY, doc="a stress, or any other signal")
    damage = Out(ANY, doc="Miner's sum so far; 1 is failure")
    cycles = Out(ANY, doc="cycles so far; half ones count half")
    fatigue = Sub(Woehler, {}, doc="Woehler's line {strength, slope, reference, knee, beyond, ...}")
    depth = Integer(256, ge=4, le=100_000, doc="most open ranges that it remembers")
    sample_time = Param(0.0, "s", ge=0, doc="period at which it looks; every step if 0")
    derived_names = ("law",)
    open = Memory(size="places", doc="reversals of ranges that are open")
    state = Memory(
        size=STATES, doc="how many, the last extreme, its direction; damage and cycles of what is closed"
    )

    def places(self, step: float) -> int:
        return self.depth

    def check(self) -> Iterable[Problem]:
        for problem in self.fatigue.problems():
            yield problem.at(path=f".fatigue{problem.path}")

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"law": self.fatigue.law()}

    def update(u, open, state, law):
        take_value(state, open, u, law)

    def out_damage(open, state, law):
        return counted_so_far(state, open, law)[0]

    def out_cycles(open, state, law):
        return counted_so_far(state, open, law)[1]

"""Input shapers: a command that leaves one mode of vibration at rest."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block, Echo
from ..block_states import Memory
from ..params import Choice, Param
from ..ports import ANY, TRAJECTORY, In, Out
from ..signal_params import Frequency
from ..signals.memory_blocks import ring_length, ring_place
from ..signals.piecewise_polynomials import inside_step


def quintic_hermite(x, h, p_0, v_0, a_0, p_1, v_1, a_1):
    """Value, rate and acceleration at the share x between two ends whose three are known, h apart."""
    # p(x) = p_0 + c_1 x + ... + c_5 x^5
    c_1, c_2 = h * v_0, 0.5 * h * h * a_0
    way = p_1 - p_0 - c_1 - c_2
    turn = h * v_1 - c_1 - 2.0 * c_2
    bend = h * h * a_1 - 2.0 * c_2
    c_3 = 10.0 * way - 4.0 * turn + 0.5 * bend
    c_4 = -15.0 * way + 7.0 * turn - bend
    c_5 = 6.0 * way - 3.0 * turn + 0.5 * bend
    value = p_0 + x * (c_1 + x * (c_2 + x * (c_3 + x * (c_4 + x * c_5))))
    rate = c_1 + x * (2.0 * c_2 + x * (3.0 * c_3 + x * (4.0 * c_4 + x * 5.0 * c_5)))
    acceleration = 2.0 * c_2 + x * (6.0 * c_3 + x * (12.0 * c_4 + x * 20.0 * c_5))
    return value, rate / h, acceleration / (h * h)


def delayed(t, near, now, times, values, rates, accelerations, ends, count):
    """The trajectory at a time t that is over; at rest at its first value before the first step."""
    k, share = ring_place(times, count[0], t, near)
    if k < 0:
        return (values[0] if count[0] > 0.0 else now), 0.0, 0.0
    size = len(times)
    a, b = (k - 1) % size, k % size
    h = times[b] - times[a]
    return quintic_hermite(
        share, h, values[a], rates[a], accelerations[a], ends[b], ends[size + b], ends[2 * size + b]
    )


class InputShaper(Block):
    """A shaper of commands: y(t) = sum A_k u(t - t_k), which leaves a mode of `frequency` and `damping` at rest.

    With K = exp(-pi zeta / sqrt(1 - zeta^2)) and T the damped period, impulses stand at 0 and T/2, and for zvd
    and ei at T: zv has [1, K], zvd [1, 2 K, K^2], ei [1, 2 c K, K^2], each over its sum (Singer and Seering, 1990;
    Singhose, Seering and Singer, 1994). ei lets the share V = `tolerance` of what the plain command would leave through
    at the frequency itself, for none a little below and above: c = (2 - V (1 + K^2)) / (2 (1 + K V)), which without
    damping is their (1 - V) / (1 + V). Within a fifth of the frequency V = 5 % and hardly more (5.03 %, for damping up
    to 0.3) is left of what one impulse starts.

    The past of u is kept at the steps, with rate and acceleration, and joined by quintics: where u is smooth, their
    error falls with the sixth power of the step for values, the fifth for rates, the fourth for accelerations.
    """

    family = "planning"
    u = In(ANY, kind=TRAJECTORY, doc="the command")
    y = Out(ANY, kind=TRAJECTORY, doc="the shaped command, complete half a period or a period later")
    shaper = Choice("zvd", ["zv", "zvd", "ei"], doc="zv is fast; zvd and ei forgive a wrong frequency")
    frequency = Frequency(2 * math.pi, gt=0, live=False, doc="undamped frequency; 1 Hz means 2 pi rad/s")
    damping = Param(0.0, ge=0, lt=1, live=False, doc="damping ratio of the mode")
    tolerance = Param(
        0.05, gt=0, lt=0.5, doc="ei: share of the vibration that it lets through at the frequency"
    )
    times = Memory(size="size", doc="when the past steps were")
    values = Memory(size="size", doc="value of u at those times")
    rates = Memory(size="size", doc="rate of u at those times")
    accelerations = Memory(size="size", doc="acceleration of u at those times")
    ends = Memory(size="three_sizes", doc="all three just before those times")
    count = Memory(doc="steps so far")
    derived_names = ("impulses",)

    def unit_laws(self) -> Iterable[str]:
        return ("y = u",)

    def echo(self) -> Echo:
        return Echo(shares=tuple((share, time) for time, share in self.shares()))

    def shares(self) -> list[tuple[float, float]]:
        """Time and share of each impulse."""
        root = math.sqrt(1 - self.damping**2)
        K, half = math.exp(-math.pi * self.damping / root), math.pi / (self.frequency * root)
        V = self.tolerance
        c = (2 - V * (1 + K**2)) / (2 * (1 + K * V)) if self.shaper == "ei" else 1.0
        shares = [1.0, K] if self.shaper == "zv" else [1.0, 2 * c * K, K**2]
        return [(k * half, share / sum(shares)) for k, share in enumerate(shares)]

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"impulses": tuple(x for impulse in self.shares() for x in impulse)}

    def size(self, step: float) -> int:
        # a power of two, so that shapers of near frequencies have one form
        needed = ring_length(f"{self.name}.frequency", tuple(time for time, _ in self.shares()[1:]), step)
        return 1 << (needed - 1).bit_length()

    def three_sizes(self, step: float) -> int:
        return 3 * self.size(step)

    def out(t, during, u, impulses, times, values, rates, accelerations, ends, count):
        near = inside_step(t, during)
        share = impulses[1]
        value, rate, acceleration = share * u[0], share * u[1], share * u[2]
        for k in range(2, len(impulses), 2):
            past = delayed(
                t - impulses[k],
                near - impulses[k],
                u[0],
                times,
                values,
                rates,
                accelerations,
                ends,
                count,
            )
            value += impulses[k + 1] * past[0]
            rate += impulses[k + 1] * past[1]
            acceleration += impulses[k + 1] * past[2]
        return value, rate, acceleration

    def end(u, ends, count):
        size = len(ends) // 3
        k = int(count[0]) % size
        for part in range(3):
            ends[part * size + k] = u[part]

    def update(t, u, times, values, rates, accelerations, count):
        k = int(count[0]) % len(times)
        times[k] = t
        values[k] = u[0]
        rates[k] = u[1]
        accelerations[k] = u[2]
        count[0] += 1.0

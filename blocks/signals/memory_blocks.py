"""Signals with a memory: what was, held or handed on later."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block, Echo, Equation
from ..block_states import Memory
from ..errors import CompileError
from ..params import Choice, Param
from ..ports import ANY, In, Out, Port
from ..signal_params import PerElement
from .continuous_equivalents import ContinuousDelay
from .piecewise_polynomials import inside_step


def signal_held(held):
    return held[0]


def hold_signal(u, held):
    held[0] = u


def trajectory_held(held):
    return held[0], held[1], held[2]


def hold_trajectory(u, held):
    held[0], held[1], held[2] = u


class ZeroOrderHold(Block):
    """A sampler: y = u at the last multiple of `sample_time`; of a trajectory all three parts are held."""

    u, y = In(ANY), Out(ANY)
    kind = Choice("signal", ["signal", "trajectory"], doc="what the wires carry")
    sample_time = Param(0.01, "s", gt=0, doc="time from one sample to the next, rounded to steps")
    held = Memory(size="size")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u",)

    def size(self, step: float) -> int:
        return 1 if self.kind == "signal" else 3

    def echo(self) -> Echo:
        return Echo(sample_time=self.sample_time)

    def ports(self) -> dict[str, Port]:
        return {"u": In(ANY, kind=self.kind).named("u"), "y": Out(ANY, kind=self.kind).named("y")}

    def instance_functions(self) -> dict[str, Equation]:
        if self.kind == "signal":
            return {"out": signal_held, "update": hold_signal}
        return {"out": trajectory_held, "update": hold_trajectory}


class UnitDelay(Block):
    """A delay by one sample: y = u at the multiple of `sample_time` before the last, and `initial` up to the first."""

    u, y = In(ANY), Out(ANY)
    sample_time = Param(0.01, "s", gt=0, doc="time from one sample to the next, rounded to steps")
    initial = PerElement(0.0, doc="y until the first sample is handed on")
    samples = Memory("initial", size=2, doc="the sample that y shows, and the next")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "initial = y")

    def out(samples):
        return samples[0]

    def shift(samples):
        samples[0] = samples[1]

    def update(u, samples):
        samples[1] = u

    def echo(self) -> Echo:
        return Echo(sample_time=self.sample_time, by=ContinuousDelay(self.name, {}))


class RateLimit(Block):
    """A limit on the rate: y follows u, no faster than `rising` upwards and `falling` downwards."""

    u, y = In(ANY), Out(ANY)
    rising = PerElement(1.0, ge=0, doc="greatest rate upwards, per second")
    falling = PerElement(None, ge=0, doc="greatest rate downwards, per second; as upwards when not given")
    last = Memory(size=3, doc="whether there is a last value, its time, and the value")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "rising = u/s", "falling = u/s")

    def echo(self) -> Echo:
        return Echo(shares=((1.0, 0.0),))  # small signals are slow enough

    def out(t, u, rising, falling, last):
        if last[0] == 0.0:
            return u
        down = falling if falling >= 0.0 else rising
        return min(max(u, last[2] - down * (t - last[1])), last[2] + rising * (t - last[1]))

    def update(t, u, rising, falling, last):
        down = falling if falling >= 0.0 else rising
        y = u
        if last[0] != 0.0:
            y = min(max(u, last[2] - down * (t - last[1])), last[2] + rising * (t - last[1]))
        last[0] = 1.0
        last[1] = t
        last[2] = y


def ring_length(name: str, delays: tuple[float, ...], step: float) -> int:
    """Number of steps that a delay memory holds; CompileError for a delay shorter than a step."""
    for delay in delays:
        if delay < step * (1 - 1e-9):
            mistake = f"found a delay of {delay:g} s, shorter than the step of {step:g} s"
            raise CompileError(f"{mistake}, expected at least one step", path=name, fix="shorten the step")
    return math.ceil(max(delays) / step) + 3


def ring_place(times, count, t, near):
    """Place of the interval of a ring of times that holds t: the newer end of it, and its share behind t.

    `near` decides between two intervals that meet at t. A place of -1 says that t lies before all that is known. Steps
    are equal but for rounding, so the search begins next to its end.
    """
    size = len(times)
    newest = int(count) - 1
    oldest = max(newest - size + 1, 0)
    if newest < 1 or near < times[oldest % size]:
        return -1, 0.0
    step = times[newest % size] - times[(newest - 1) % size]
    k = newest
    if step > 0.0:
        k = newest - int((times[newest % size] - near) / step)
    k = min(max(k, oldest + 1), newest)
    while k > oldest + 1 and times[(k - 1) % size] > near:
        k -= 1
    while k < newest and times[k % size] < near:
        k += 1
    after, before = times[k % size], times[(k - 1) % size]
    return k, (t - before) / (after - before)


class Delay(Block):
    """A delay: y(t) = u(t - delay), linear between steps, and `initial` before u was there.

    Where u jumps at a step, both values are kept: what was a staircase stays one.
    """

    u, y = In(ANY), Out(ANY)
    delay = Param(0.1, "s", gt=0, live=False, doc="delay, one step or longer")
    initial = PerElement(0.0, doc="y until u arrives")
    times = Memory(size="size", doc="when the past steps were")
    values = Memory(size="size", doc="u at those times")
    ends = Memory(size="size", doc="u just before those times")
    count = Memory(doc="steps so far")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "initial = y")

    def size(self, step: float) -> int:
        return ring_length(f"{self.name}.delay", (self.delay,), step)

    def lags(self) -> Iterable[float]:
        return (self.delay,)

    def echo(self) -> Echo:
        return Echo(shares=((1.0, self.delay),))

    def out(t, during, delay, initial, times, values, ends, count):
        near = inside_step(t, during) - delay
        k, share = ring_place(times, count[0], t - delay, near)
        if k < 0:
            # the first value of all is known alone
            return values[0] if count[0] == 1.0 and near >= times[0] else initial
        size = len(times)
        before = values[(k - 1) % size]
        return before + share * (ends[k % size] - before)

    def end(u, ends, count):
        ends[int(count[0]) % len(ends)] = u

    def update(t, u, times, values, count):
        k = int(count[0]) % len(times)
        times[k] = t
        values[k] = u
        count[0] += 1.0

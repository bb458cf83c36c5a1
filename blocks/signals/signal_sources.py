"""Sources: signals that are functions of time alone."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..errors import Problem
from ..params import Integer, Param
from ..ports import ANY, TRAJECTORY, Out, Port
from ..signal_params import Frequency, PerElement, UnitName


class Source(Block, abstract=True):
    """Base of sources: the output `y`, and the unit of their values."""

    y = Out(ANY, doc="the signal")
    unit = UnitName()

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        if self.unit:
            known["y"] = Out(ANY, self.unit, known["y"].doc).named("y")
        return known


class MovingSource(Source, abstract=True):
    """A source whose rates are known exactly."""

    trajectory = Out(ANY, doc="y with its rate and acceleration", kind=TRAJECTORY)


class Constant(MovingSource):
    """A constant: y = value."""

    usual = ("value",)
    value = PerElement(1.0, unit_in="unit", doc="value")

    def unit_laws(self) -> Iterable[str]:
        return ("y = value", "trajectory = y")

    def out_y(value):
        return value

    def out_trajectory(value):
        return value, 0.0, 0.0


class Step(Source):
    """A step: y = offset before start, offset + height from then on."""

    usual = ("height", "start")
    offset = PerElement(0.0, unit_in="unit", doc="value before the step")
    height = PerElement(1.0, unit_in="unit", doc="height of the step")
    start = Param(0.0, "s", doc="time of the step")

    def unit_laws(self) -> Iterable[str]:
        return ("offset = y", "height = y")

    def jumps(self) -> Iterable[tuple[float, float]]:
        return ((self.start, 0.0),)

    def out(during, offset, height, start):
        if during < start:
            return offset
        return offset + height


class Ramp(MovingSource):
    """A ramp: y = offset + slope (t - start) from start on, for `duration` or without end."""

    usual = ("slope", "start", "duration")
    offset = PerElement(0.0, unit_in="unit", doc="value before the ramp")
    slope = PerElement(1.0, doc="change per second")
    start = Param(0.0, "s", doc="start of the ramp")
    duration = Param(None, "s", ge=0, doc="duration of the ramp; without end when not given")

    def unit_laws(self) -> Iterable[str]:
        return ("trajectory = y", "offset = y", "slope = y/s")

    def kinks(self) -> Iterable[tuple[float, float]]:
        return tuple((time, 0.0) for time in (self.start, self.start + (self.duration or 0.0)))

    breaks = kinks

    def out_y(t, offset, slope, start, duration):
        tau = max(t - start, 0.0)
        if tau > duration:
            tau = duration
        return offset + slope * tau

    def out_trajectory(t, during, offset, slope, start, duration):
        tau = t - start
        if during < start:
            return offset, 0.0, 0.0
        if during - start >= duration:
            return offset + slope * duration, 0.0, 0.0
        return offset + slope * tau, slope, 0.0


class Pulse(Source):
    """A pulse: y = offset + height for `duration` from start on, once or every `period`; else y = offset."""

    usual = ("height", "start", "duration", "period")
    offset = PerElement(0.0, unit_in="unit", doc="value outside of the pulse")
    height = PerElement(1.0, unit_in="unit", doc="height of the pulse")
    start = Param(0.0, "s", doc="start of the first pulse")
    duration = Param(0.5, "s", gt=0, doc="duration of a pulse")
    period = Param(None, "s", gt=0, doc="time from one pulse to the next; a single pulse when not given")

    def unit_laws(self) -> Iterable[str]:
        return ("offset = y", "height = y")

    def check(self) -> Iterable[Problem]:
        if self.period is not None and self.duration >= self.period:
            mistake = f"found a duration of {self.duration:g} s in a period of {self.period:g} s: it never falls back"
            yield Problem(mistake, ".duration", "make it shorter than the period", severity="warning")

    def jumps(self) -> Iterable[tuple[float, float]]:
        return tuple((time, self.period or 0.0) for time in (self.start, self.start + self.duration))

    def out(during, offset, height, start, duration, period):
        tau = during - start
        if period > 0.0 and tau > 0.0:
            # outside of a run `during` is t, and times are sums of steps: an edge counts as reached a little before it
            tau -= math.floor(tau / period + 1e-9) * period
            tau += 1e-9 * period
        if 0.0 <= tau < duration:
            return offset + height
        return offset


class Sine(MovingSource):
    """A sine: y = offset + amplitude sin(frequency (t - start) + phase) from start on, y = offset before."""

    usual = ("amplitude", "frequency", "phase")
    offset = PerElement(0.0, unit_in="unit", doc="mean value")
    amplitude = PerElement(1.0, unit_in="unit", doc="amplitude")
    frequency = Frequency(1.0, gt=0, doc="angular frequency; 2 Hz means 4 pi rad/s")
    phase = PerElement(0.0, "rad", doc="phase at the start")
    start = Param(0.0, "s", doc="when the oscillation starts")

    def unit_laws(self) -> Iterable[str]:
        return ("trajectory = y", "offset = y", "amplitude = y")

    def jumps(self) -> Iterable[tuple[float, float]]:
        phases = self.phase if isinstance(self.phase, tuple) else (self.phase,)
        return ((self.start, 0.0),) if any(phases) else ()

    def kinks(self) -> Iterable[tuple[float, float]]:
        return ((self.start, 0.0),)

    breaks = kinks

    def out_y(t, during, offset, amplitude, frequency, phase, start):
        if during < start:
            return offset
        return offset + amplitude * math.sin(frequency * (t - start) + phase)

    def out_trajectory(t, during, offset, amplitude, frequency, phase, start):
        if during < start:
            return offset, 0.0, 0.0
        angle = frequency * (t - start) + phase
        s = amplitude * math.sin(angle)
        c = amplitude * math.cos(angle)
        return offset + s, frequency * c, -frequency * frequency * s


def chirp_angle(tau, sweeps, first, last, duration):
    """Angle, frequency and its rate where the frequency runs from first to last, and stays."""
    rate = (last - first) / duration
    if sweeps:
        return first * tau + 0.5 * rate * tau * tau, first + rate * tau, rate
    return 0.5 * (first + last) * duration + last * (tau - duration), last, 0.0


class Chirp(MovingSource):
    """A sine whose frequency runs linearly from `first` to `last` within `duration`, and stays there."""

    usual = ("amplitude", "first", "last", "duration")
    offset = PerElement(0.0, unit_in="unit", doc="mean value")
    amplitude = PerElement(1.0, unit_in="unit", doc="amplitude")
    first = Frequency(1.0, ge=0, doc="frequency at the start; 2 Hz means 4 pi rad/s")
    last = Frequency(10.0, ge=0, doc="frequency at the end of the sweep")
    duration = Param(10.0, "s", gt=0, doc="duration of the sweep")
    start = Param(0.0, "s", doc="start of the sweep; y = offset before")

    def unit_laws(self) -> Iterable[str]:
        return ("trajectory = y", "offset = y", "amplitude = y")

    def kinks(self) -> Iterable[tuple[float, float]]:
        return tuple((time, 0.0) for time in (self.start, self.start + self.duration))

    breaks = kinks

    def out_y(t, during, offset, amplitude, first, last, duration, start):
        if during < start:
            return offset
        angle, _, _ = chirp_angle(t - start, during < start + duration, first, last, duration)
        return offset + amplitude * math.sin(angle)

    def out_trajectory(t, during, offset, amplitude, first, last, duration, start):
        if during < start:
            return offset, 0.0, 0.0
        angle, w, wd = chirp_angle(t - start, during < start + duration, first, last, duration)
        s = amplitude * math.sin(angle)
        c = amplitude * math.cos(angle)
        return offset + s, w * c, wd * c - w * w * s


def hash_mix(x, y):
    """Mix two 32-bit numbers into one: multiplications and shifts that stay within 64 bits."""
    x = (x + 0x9E3779B9 + y) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x45D9F3B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def hash_uniform(seed, index, element, salt):
    """A number above 0 and below 1 that depends on nothing but its four counters."""
    x = hash_mix(seed & 0xFFFFFFFF, salt)
    x = hash_mix(x, element)
    x = hash_mix(x, (index >> 32) & 0xFFFFFFFF)
    x = hash_mix(x, index & 0xFFFFFFFF)
    return (x + 0.5) / 4294967296.0


class Noise(Source):
    """Normal noise, held for `sample_time`: the same seed gives the same noise, whatever the step."""

    usual = ("deviation", "mean")
    mean = PerElement(0.0, unit_in="unit", doc="mean value")
    deviation = PerElement(1.0, unit_in="unit", ge=0, doc="standard deviation")
    sample_time = Param(0.01, "s", gt=0, doc="time for which a value is held")
    seed = Integer(0, ge=0, le=2**31 - 1, doc="another seed, another noise; elements differ anyhow")
    derived_names = ("means", "deviations", "clock")

    def unit_laws(self) -> Iterable[str]:
        return ("mean = y", "deviation = y")

    def derived(self) -> dict[str, tuple[float, ...]]:
        spread = lambda value: value if isinstance(value, tuple) else (value,)  # noqa: E731
        clock = (self.sample_time, float(self.seed))
        return {"means": spread(self.mean), "deviations": spread(self.deviation), "clock": clock}

    def jumps(self) -> Iterable[tuple[float, float]]:
        return ((self.sample_time, self.sample_time),)

    def out(during, i, means, deviations, clock):
        k = math.floor(during / clock[0] + 1e-9)
        seed = int(clock[1])
        # Box and Muller's transform of two uniform numbers
        radius = math.sqrt(-2.0 * math.log(hash_uniform(seed, k, i, 1)))
        angle = 2.0 * math.pi * hash_uniform(seed, k, i, 2)
        return means[i % len(means)] + deviations[i % len(deviations)] * radius * math.cos(angle)

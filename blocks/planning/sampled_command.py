"""A command as a controller gets it: in samples."""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block, Equation
from ..block_states import Memory
from ..params import Choice, Param
from ..ports import ANY, TRAJECTORY, In, Out


def unchanged_sample(u):
    return u[0], u[1], u[2]


def held_sample(sample):
    return sample[0], 0.0, 0.0


def interpolated_sample(t, sample_time, sample):
    slope = sample[1] + 0.5 * sample_time * sample[2]
    return sample[0] + slope * (t - sample[3]), slope, 0.0


def taken(t, u, sample):
    sample[0], sample[1], sample[2] = u
    sample[3] = t


def never(u, sample):
    sample[0] = u[0]


class SampledCommand(Block):
    """A sampled trajectory: the samples alone (zero_order), or joined by lines (linear); with hold none y = u.

    A line runs to where the next sample will be as far as value, rate and acceleration tell: it is off by the third
    power of the sample time times the jerk over 6, and comes without delay. What is held has no rate.
    """

    family = "planning"
    u, y = In(ANY, kind=TRAJECTORY), Out(ANY, kind=TRAJECTORY)
    sample_time = Param(0.016, "s", gt=0, doc="time from one sample to the next, rounded to steps")
    hold = Choice("linear", ["linear", "zero_order", "none"], doc="what is between the samples")
    sample = Memory(size=4, doc="value, rate and acceleration of the last sample, and its time")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u",)

    def instance_functions(self) -> dict[str, Equation]:
        if self.hold == "none":
            return {"out": unchanged_sample, "update": never}
        return {"out": interpolated_sample if self.hold == "linear" else held_sample, "update": taken}

"""Statistics of a signal within a run, by integration: they rest on no samples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ..block import Block, State
from ..params import Param
from ..ports import ANY, In, Out, Port
from ..signal_params import UnitName


def since(t, start):
    """The time since the start; zero where it is rounding."""
    span = t - start
    return span if span > 1e-12 * (1.0 + abs(start)) else 0.0


class Rms(Block):
    """Root mean square since `start`: y^2 = (integral of u^2 dt) / (t - start), by the run's own integrator.

    No sample is missed, and none counts twice: the value at the end is that of the whole run, whatever the output
    step. `deviation` is the root mean square about the mean; it is lost in rounding below 1e-8 of the mean.
    """

    u = In(ANY, doc="the signal")
    y = Out(ANY, doc="root mean square; the signal's magnitude before the start")
    mean = Out(ANY, doc="mean; the signal before the start")
    deviation = Out(ANY, doc="root mean square about the mean; 0 before the start")
    start = Param(0.0, "s", doc="when the integration begins")
    unit = UnitName(doc="unit of the signal; empty is not checked")
    squares = State(width=ANY, doc="integral of u^2")
    total = State(width=ANY, doc="integral of u")

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        return {name: replace(port, unit=self.unit or None) for name, port in known.items()}

    def jumps(self) -> Iterable[tuple[float, float]]:
        return ((self.start, 0.0),)

    def der(during, u, start):
        if during < start:
            return 0.0, 0.0
        return u * u, u

    def out_y(t, u, squares, start):
        span = since(t, start)
        if span == 0.0:
            return abs(u)
        return math.sqrt(max(squares, 0.0) / span)

    def out_mean(t, u, total, start):
        span = since(t, start)
        if span == 0.0:
            return u
        return total / span

    def out_deviation(t, squares, total, start):
        span = since(t, start)
        if span == 0.0:
            return 0.0
        mean = total / span
        return math.sqrt(max(squares / span - mean * mean, 0.0))

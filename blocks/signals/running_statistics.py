"""Statistics of a signal within a run: means by integration, extremes and percentiles over the end of every step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ..block import Block
from ..block_states import Memory, State
from ..errors import Problem
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

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "mean = u", "deviation = u")

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


class Peak(Block):
    """Greatest and least value of a signal so far, over the end of every step: whatever lies between steps is not seen.

    Rows of the result come every `output_step`, and may miss a peak: this does not. `reset` begins anew. NaN is kept.
    """

    u = In(ANY, doc="the signal")
    reset = In(ANY, default=0.0, doc="above 0.5: begins anew")
    y = Out(ANY, doc="greatest value so far")
    least = Out(ANY, doc="least value so far")
    magnitude = Out(ANY, doc="greatest magnitude so far")
    time = Out(ANY, "s", doc="when the greatest value was first met")
    start = Param(0.0, "s", doc="when it begins; before, it shows the signal")
    unit = UnitName(doc="unit of the signal; empty is not checked")
    above = Memory(-math.inf, doc="greatest value")
    below = Memory(math.inf, doc="least value")
    met = Memory(doc="time of the greatest value")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "least = u", "magnitude = u")

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        signals = ("u", "y", "least", "magnitude")
        return known | {name: replace(known[name], unit=self.unit or None) for name in signals}

    def update(t, u, reset, start, above, below, met):
        if reset > 0.5 or since(t, start) <= 0.0:
            above[0] = below[0] = u
            met[0] = t
        if not u <= above[0] and above[0] == above[0]:
            above[0] = u
            met[0] = t
        if not u >= below[0] and below[0] == below[0]:
            below[0] = u

    def out_y(above):
        return above[0]

    def out_least(below):
        return below[0]

    def out_magnitude(above, below):
        return max(above[0], -below[0]) if above[0] == above[0] else above[0]

    def out_time(met):
        return met[0]


def bin_of(u, smallest, ratio, half):
    """Place of a value among bins that grow by `ratio`: half is zero, below it the negative ones."""
    size = abs(u)
    if not size > smallest:
        return half
    k = math.ceil(min(math.log(size / smallest) / math.log(ratio), half))
    return half + k if u > 0.0 else half - k


class Percentile(Block):
    """Value below which a signal was for a share of the steps so far, within `accuracy` of it (DDSketch).

    Values are counted in bins whose bounds grow by (1 + a) / (1 - a), a the accuracy: the middle of a bin is within
    a times the value of all that it holds, and the answer as near to the exact percentile (Masson, Rim and Lee 2019).
    Magnitudes below `smallest` count as zero, those above `largest` as that. NaN is kept.
    """

    u = In(ANY, doc="the signal")
    reset = In(ANY, default=0.0, doc="above 0.5: begins anew")
    y = Out(ANY, doc="the percentile of the ends of all steps so far")
    share = Param(0.9, gt=0, lt=1, doc="share of the steps in which the signal is not above it")
    accuracy = Param(0.01, gt=1e-4, lt=0.5, doc="relative error of y, at most", live=False)
    smallest = Param(1e-6, gt=0, doc="magnitude below which a value counts as zero", live=False)
    largest = Param(1e9, gt=0, doc="magnitude above which all count alike", live=False)
    start = Param(0.0, "s", doc="when it begins")
    unit = UnitName(doc="unit of the signal; empty is not checked")
    counts = Memory(size="bins", doc="number of steps in each bin; behind them their sum, and y")
    derived_names = ("scale",)

    def unit_laws(self) -> Iterable[str]:
        return ("y = u",)

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        return known | {name: replace(known[name], unit=self.unit or None) for name in ("u", "y")}

    def check(self) -> Iterable[Problem]:
        if self.largest <= self.smallest:
            yield Problem(f"found largest {self.largest:g}, not above smallest {self.smallest:g}", ".largest")

    def half(self) -> int:
        """Number of bins on each side of zero."""
        span = math.log(self.largest / self.smallest)
        return math.ceil(span / math.log((1.0 + self.accuracy) / (1.0 - self.accuracy)))

    def bins(self, step: float) -> int:
        return 2 * self.half() + 3

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"scale": ((1.0 + self.accuracy) / (1.0 - self.accuracy), float(self.half()))}

    def update(t, u, reset, share, smallest, start, scale, counts):
        half = int(scale[1])
        total = 2 * half + 1
        if reset > 0.5 or since(t, start) <= 0.0:
            for k in range(total + 2):
                counts[k] = 0.0
        if u != u or counts[total + 1] != counts[total + 1]:
            counts[total + 1] = math.nan
        else:
            counts[bin_of(u, smallest, scale[0], half)] += 1.0
            counts[total] += 1.0
            # the least value that at least this share of the steps does not exceed
            k, seen = 0, counts[0]
            while seen < share * counts[total] and k < total - 1:
                k += 1
                seen += counts[k]
            middle = 2.0 * smallest * scale[0] ** abs(k - half) / (scale[0] + 1.0)
            counts[total + 1] = 0.0 if k == half else middle if k > half else -middle

    def out(scale, counts):
        return counts[2 * int(scale[1]) + 2]

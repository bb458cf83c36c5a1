"""A relay: two values with a band between their thresholds."""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block
from ..block_states import Memory
from ..errors import Problem
from ..ports import ANY, In, Out
from ..signal_params import PerElement
from .arithmetic import limits_problem


class Relay(Block):
    """A relay: y = high once u > upper, low once u <= lower, and as before between; decided at the start of a step."""

    u, y = In(ANY), Out(ANY)
    lower = PerElement(-0.5, doc="threshold at which y falls to low")
    upper = PerElement(0.5, doc="threshold above which y rises to high")
    low = PerElement(0.0, doc="y below")
    high = PerElement(1.0, doc="y above")
    start = PerElement(0.0, doc="1 where y is high at first, if u lies between the thresholds")
    above = Memory("start", doc="1 where y is high in this step, else 0")

    def check(self) -> Iterable[Problem]:
        return limits_problem(self.lower, self.upper)

    def unit_laws(self) -> Iterable[str]:
        return ("lower = u", "upper = u", "low = y", "high = y")

    def out(low, high, above):
        return high if above[0] > 0.0 else low

    def decide(u, lower, upper, above):
        above[0] = 1.0 if u > (lower if above[0] > 0.0 else upper) else 0.0

    def crossing_threshold(u, lower, upper, above):
        return u - (lower if above[0] > 0.0 else upper)

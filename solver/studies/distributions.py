"""Distributions that a study draws values from, each as its quantile function: a share from 0 to 1 gives a value.

Every design of experiments (independent draws, Latin hypercubes, Sobol sequences) then works with every distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError
from ...blocks.params import Scope, fail, shown_value
from ...blocks.text.quantity import Dimension, spelled, written_unit
from ...blocks.text.quantity import unit as unit_of
from ...blocks.text.raw_types import Raw

Floats = NDArray[np.float64]
CHOICE = "choice"
NORMAL = ("normal", "lognormal")  # those that may be correlated


@dataclass(frozen=True)
class Distribution:
    """Distribution with its numbers in SI; for a choice, the raw values themselves."""

    name: str
    values: tuple[Raw, ...]
    unit: str = ""  # that the drawn values are written in

    def value(self, share: float) -> Raw:
        """The value that this share of all draws lies below, as a netlist writes it."""
        if self.name == CHOICE:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        number = float(QUANTILES[self.name](np.float64(share), *self.values))
        return f"{number / float(unit_of(self.unit).factor)!r} {self.unit}" if self.unit else number


def _uniform(p: Floats, low: float, high: float) -> Floats:
    return low + (high - low) * p


def _log_uniform(p: Floats, low: float, high: float) -> Floats:
    return low * (high / low) ** p


def _normal(p: Floats, mean: float, deviation: float) -> Floats:
    from scipy.special import ndtri

    return mean + deviation * ndtri(p)


def _lognormal(p: Floats, mean: float, deviation: float) -> Floats:
    """Mean and deviation are those of the value itself, not of its logarithm."""
    variance = np.log1p((deviation / mean) ** 2)
    return np.exp(_normal(p, np.log(mean) - variance / 2.0, np.sqrt(variance)))


def _triangular(p: Floats, low: float, mode: float, high: float) -> Floats:
    if high == low:
        return low + 0.0 * p
    rising = low + np.sqrt(p * (high - low) * (mode - low))
    falling = high - np.sqrt((1.0 - p) * (high - low) * (high - mode))
    return np.where(p < (mode - low) / (high - low), rising, falling)


QUANTILES: dict[str, Callable[..., Floats]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "normal": _normal,
    "lognormal": _lognormal,
    "triangular": _triangular,
}
WORDS = {
    "uniform": "two numbers: low, high",
    "log_uniform": "two positive numbers: low, high",
    "normal": "a mean and a standard deviation that is not negative",
    "lognormal": "a positive mean and a standard deviation that is not negative",
    "triangular": "three numbers in rising order: low, most likely, high",
    CHOICE: "a list of values",
}


def read_distribution(raw: object, scope: Scope, path: str) -> Distribution:
    """`{uniform: [80 kg, 120 kg]}`"""
    if not isinstance(raw, dict) or len(raw) != 1 or next(iter(raw)) not in WORDS:
        known = ", ".join(WORDS)
        raise fail(
            path,
            f"found {shown_value(raw)}, expected one of {known}",
            "for example {uniform: [80 kg, 120 kg]}",
        )
    ((name, values),) = raw.items()
    wrong = fail(path, f"found {shown_value(values)}, expected {WORDS[name]}")
    if not isinstance(values, list) or not values:
        raise wrong
    if name == CHOICE:
        return Distribution(name, tuple(values))
    if len(values) != (3 if name == "triangular" else 2):
        raise wrong
    try:
        quantities = [scope.quantity(value) for value in values]
    except LuffError as error:
        raise LuffError(problem.at(path=path) for problem in error.problems) from None
    dimensions = {one.dimension for one in quantities if one.dimension is not None}
    if len(dimensions) > 1:
        raise fail(path, f"found {shown_value(values)}, expected numbers of one unit")
    numbers = tuple(one.value for one in quantities)
    if not _sensible(name, numbers):
        raise wrong
    return Distribution(name, numbers, _unit(values, dimensions.pop()) if dimensions else "")


def _unit(values: Sequence[object], dimension: Dimension) -> str:
    """The unit that the first quantity is written in; of expressions alone, that of SI."""
    units = [written_unit(value) for value in values if isinstance(value, str)]
    return next(filter(None, units), spelled(dimension))


def _sensible(name: str, numbers: Sequence[float]) -> bool:
    if name == "log_uniform":
        return min(numbers) > 0.0
    if name == "triangular":
        return list(numbers) == sorted(numbers)
    if name in NORMAL:
        return numbers[1] >= 0.0 and (name == "normal" or numbers[0] > 0.0)
    return True

"""Cycles of signals in results: the same counting as in the block `rainflow`, and what follows from the counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...blocks.signals.rainflow import STATES, Woehler, corrected, counted_so_far, take_value

Floats = NDArray[np.float64]
DEPTH = 256  # open ranges, as the block's default
# upper bounds of the classes of the stress history parameter, EN 13001-3-1: to be compared with the edition in use
CLASSES = {
    "S02": 0.002, "S01": 0.004, "S0": 0.008, "S1": 0.016, "S2": 0.032, "S3": 0.063, "S4": 0.125, "S5": 0.25,
    "S6": 0.5, "S7": 1.0, "S8": 2.0, "S9": 4.0,
}  # fmt: skip


def turning_points(values: Floats) -> Floats:
    """The values at which a signal turns, with its first and last one."""
    values = np.asarray(values, float)
    if len(values) < 3:
        return values
    steps = np.diff(values)
    moves = steps != 0.0
    kept = np.concatenate([[True], moves])
    values, steps = values[kept], steps[moves]
    turns = np.flatnonzero(steps[1:] * steps[:-1] < 0.0) + 1
    # products of very small steps underflow
    small = np.flatnonzero((np.sign(steps[1:]) != np.sign(steps[:-1])) & (steps[1:] * steps[:-1] == 0.0)) + 1
    return values[np.unique(np.concatenate([[0], turns, small, [len(values) - 1]]).astype(int))]


@dataclass(frozen=True)
class CycleCount:
    """Damage and number of cycles of one signal."""

    damage: float
    cycles: float


def count_signal(values: Floats, fatigue: Woehler, depth: int = DEPTH) -> CycleCount:
    """Damage and cycles of a signal, to the last bit those of the block over the same values."""
    if not np.isfinite(values).all():
        return CycleCount(math.nan, math.nan)
    law, state, open = fatigue.law(), [0.0] * STATES, [0.0] * depth
    for value in turning_points(values).tolist():
        take_value(state, open, value, law)
    damage, cycles = counted_so_far(state, open, law)
    return CycleCount(float(damage), float(cycles))


def closed_cycles(values: Floats, smallest: float = 0.0, depth: int = DEPTH) -> Floats:
    """A row for each counted cycle, in the order in which they close: range, mean, and 1 or 0.5.

    Of a signal that is not finite one row of NaN: nothing is known of its cycles.
    """
    if not np.isfinite(values).all():
        return np.full((1, 3), np.nan)
    cycles: list[tuple[float, float, float]] = []
    left: list[float] = []

    def close(a: float, b: float, share: float) -> None:
        cycles.append((abs(a - b), 0.5 * (a + b), share))

    points = turning_points(values).tolist()
    for x in _larger_movements(points, smallest) if smallest > 0.0 else points:
        if len(left) == depth:
            close(left[0], left[1], 0.5)
            del left[0]
        left.append(x)
        while len(left) >= 3 and abs(left[-1] - left[-2]) >= abs(left[-2] - left[-3]):
            close(left[-3], left[-2], 0.5 if len(left) == 3 else 1.0)
            del left[-3 : (-2 if len(left) == 3 else -1)]
    for a, b in pairwise(left):
        if a != b:
            close(a, b, 0.5)
    return np.array(cycles).reshape(-1, 3)


def _larger_movements(points: list[float], smallest: float) -> list[float]:
    """Turning points of movements above the smallest."""
    kept: list[float] = points[:1]
    tip, way = points[0], 0.0
    for x in points[1:]:
        if way == 0.0:
            if abs(x - kept[0]) > smallest:
                tip, way = x, math.copysign(1.0, x - kept[0])
        elif way * (x - tip) >= 0.0:
            tip = x
        elif abs(x - tip) > smallest:
            kept.append(tip)
            tip, way = x, -way
    return [*kept, tip] if way else kept


def equivalent_range(values: Floats, fatigue: Woehler, cycles: float = 1.0) -> float:
    """The range that does the same damage in so many cycles, on the line of one slope."""
    law = fatigue.law()
    table = closed_cycles(values, fatigue.smallest)
    total = sum(n * corrected(s, mean, law) ** fatigue.slope for s, mean, n in table.tolist())
    return float((total / cycles) ** (1.0 / fatigue.slope))


@dataclass(frozen=True)
class StressHistory:
    """EN 13001: s_m = nu k_m, with nu = cycles/2e6 and k_m = sum((s_i/s_max)^m n_i/n)."""

    cycles: float
    largest: float
    k_m: float
    nu: float

    @property
    def s_m(self) -> float:
        return self.nu * self.k_m

    @property
    def stress_class(self) -> str:
        """The first that reaches up to s_m."""
        if math.isnan(self.s_m):
            return "unknown"
        return next((name for name, bound in CLASSES.items() if self.s_m <= bound * (1 + 1e-9)), "above S9")


def stress_history(table: Floats, slope: float, repeats: float = 1.0) -> StressHistory:
    """Stress history of counted cycles that come `repeats` times."""
    if np.isnan(table).any():
        return StressHistory(math.nan, math.nan, math.nan, math.nan)
    if not len(table) or not table[:, 0].max() > 0.0:
        return StressHistory(0.0, 0.0, 0.0, 0.0)
    largest, n = float(table[:, 0].max()), float(table[:, 2].sum())
    k_m = float(np.sum((table[:, 0] / largest) ** slope * table[:, 2]) / n)
    return StressHistory(n * repeats, largest, k_m, n * repeats / 2e6)


def spectrum(table: Floats, bins: int = 16) -> list[tuple[float, float]]:
    """Cycles by classes of range: upper edge and number of each, the highest first."""
    if not len(table) or np.isnan(table).any():
        return []
    edges = np.linspace(0.0, float(table[:, 0].max()), bins + 1)
    counts, _ = np.histogram(table[:, 0], edges, weights=table[:, 2])
    return [(float(edge), float(n)) for edge, n in zip(edges[:0:-1], counts[::-1], strict=True)]

"""A metric over a varied parameter: a curve with its points for each combination of the other parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...solver.studies.study_store import StudyResult
from ..plots.graph import Curve, Picture
from ..theme.number_format import quantity_text
from .variant_table import Input

POINT = "o"


def curve_inputs(results: StudyResult, inputs: Sequence[Input], drawn: Sequence[str]) -> list[Input]:
    """Inputs over which a metric is a curve: numbers that differ, given to all variants; of draws a lone one.

    The first has the most values.
    """
    if len(drawn) > 1 or (drawn and len(inputs) > 1):
        return []
    found = [
        one for one in inputs if _count(one) > 1 and all(name in one.numbers for name in results.changes)
    ]
    return sorted(found, key=_count, reverse=True)


def _count(one: Input) -> int:
    return len(set(one.numbers.values()))


def metric_picture(
    values: Mapping[str, float],
    head: str,
    unit: str,
    over: Input,
    changes: Mapping[str, Mapping[str, object]],
) -> Picture:
    """Curves of measured numbers over an input; their points are the variants, and gaps those without a number."""
    families: dict[str, list[str]] = {}
    for name in values:
        others = [f"{path} = {value}" for path, value in changes[name].items() if path != over.path]
        families.setdefault(", ".join(others), []).append(name)
    given = over.unit
    peak = max((abs(value) for value in values.values() if np.isfinite(value)), default=0.0)
    curves = []
    for k, (label, names) in enumerate(families.items()):
        names.sort(key=over.numbers.__getitem__)
        x = np.array([over.numbers[name] for name in names])
        y = np.array([values[name] for name in names])

        def words(j: int, x: np.ndarray = x, y: np.ndarray = y) -> str:
            """The variant next to the cursor: between two of them nothing is known."""
            number = quantity_text(y[j], unit, peak, 5) if np.isfinite(y[j]) else "no number"
            return f"{number} at {x[j]:.5g} {given}".rstrip()

        told = label or head
        curves.append(Curve(told, x, y, k, words=words))
        curves.append(Curve(told, x, y, k, symbol=POINT, words=words))
    return Picture(curves, over.words, head if len(families) > 1 else "", unit)

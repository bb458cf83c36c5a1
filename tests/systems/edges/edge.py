"""A model with a known answer at an edge of a law, and how it is run: both methods, and steps ten times too long."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import luff

# what is compared, what is known, and how far they may lie apart: always absolute, in the unit of the signal
Compared = tuple[str, Any, Any, float]
Check = Callable[[luff.Result], Iterable[Compared]]
METHODS = ("rk4", "implicit")
EXAMPLES = Path(luff.__file__).resolve().parent / "docs" / "examples"  # whose files a model may name
COARSE = 0.05  # of the greatest known value: how far a run with steps ten times too long may be off untold


@dataclass(frozen=True)
class Edge:
    name: str
    kinds: tuple[str, ...]  # the blocks whose laws are at an edge
    netlist: str
    step: float
    check: Check
    coarse: bool = True
    methods: tuple[str, ...] = METHODS

    def run(self, method: str, step: float) -> luff.Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", luff.ModelWarning)
            return luff.compile(
                luff.loads(self.netlist.replace("STEP", repr(step)).replace("METHOD", method), base=EXAMPLES)
            ).run()

    def worst(self, method: str) -> list[str]:
        """What is farther off than it may be."""
        result = self.run(method, self.step)
        return [
            f"{what}: {off:.3g} off, {tolerance:.1g} allowed"
            for what, off, tolerance, _ in self.deviations(result)
            if not off <= tolerance
        ]

    def deviations(self, result: luff.Result) -> list[tuple[str, float, float, float]]:
        answers = []
        for what, measured, known, tolerance in self.check(result):
            one, other = np.asarray(measured, float), np.asarray(known, float)
            off = float(np.max(np.abs(one - other))) if one.size else np.nan
            answers.append((what, off, tolerance, float(np.max(np.abs(other)))))
        return answers

    def silent(self, method: str) -> list[str]:
        """What a step ten times too long makes wrong without a word."""
        try:
            result = self.run(method, 10.0 * self.step)
        except luff.RunError:
            return []
        if result.remarks:
            return []
        return [
            f"{what}: {off:.3g} off of {size:.3g} with a step of {10 * self.step:g} s, and nothing is told"
            for what, off, tolerance, size in self.deviations(result)
            if not off <= max(10.0 * tolerance, COARSE * size)
        ]


EDGES: list[Edge] = []


def edge(
    kinds: str,
    blocks: str,
    wires: str = "",
    stop: float = 1.0,
    step: float = 1e-2,
    rows: float = 0.0,
    coarse: bool = True,
    more: str = "",
    methods: tuple[str, ...] = METHODS,
) -> Callable[[Check], Check]:
    """A model: the blocks whose edge it is, the netlist, and the function below that compares."""

    def keep(check: Check) -> Check:
        netlist = f"""
luff: 1
blocks:
{blocks.rstrip()}
connect: [{wires}]
simulation: {{stop: {stop}, step: STEP, output_step: {rows or "STEP"}, method: METHOD}}
{more}
"""
        EDGES.append(Edge(check.__name__, tuple(kinds.split()), netlist, step, check, coarse, methods))
        return check

    return keep

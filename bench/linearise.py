"""Linearisation: all differences in one call of compiled code, against the same differences one call each.

python -m luff.bench.linearise [--divisions 6 12 24]
"""

from __future__ import annotations

import argparse

import numpy as np

import luff
from luff.solver.analysis.differences import LEVELS, jacobian
from luff.solver.analysis.operating import OperatingPoint

from .report import keep
from .timing import race

MODEL = """
luff: 1
blocks:
  boom:
    type: rfem_link
    length: 5 m
    section: {{shape: rectangle, width: 10 cm, height: 20 cm}}
    divisions: {divisions}
connect: [world.frame -- boom.frame_a]
"""
TURNS = 5


def ratio(divisions: int) -> tuple[int, float, float]:
    """States, seconds of all derivatives in one call, and how many times longer single calls from Python take."""
    point = OperatingPoint(luff.compile(luff.loads(MODEL.format(divisions=divisions))), 0.0)
    x = point.x

    def together(count: int) -> None:
        for _ in range(count):
            jacobian(point.rates, x, many=point.many)

    def singly(count: int) -> None:
        for _ in range(count):
            jacobian(point.rates, x)

    times = race({"together": together, "singly": singly}, TURNS)
    pairs = zip(times["singly"], times["together"], strict=True)
    return len(x), float(np.median(times["together"])), float(np.median([b / a for b, a in pairs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--divisions", type=int, nargs="+", default=[6, 12, 24])
    options = parser.parse_args()
    lines = [
        "# All differences of a linear model in one call, against single calls from Python",
        "",
        "`python -m luff.bench.linearise`, ratios within one run",
        "",
        "| states | all derivatives | of which each evaluation | single calls take |",
        "|---|---|---|---|",
    ]
    for divisions in options.divisions:
        states, seconds, times = ratio(divisions)
        one = 1e6 * seconds / (2 * LEVELS * states)
        lines.append(f"| {states} | {1e3 * seconds:.3g} ms | {one:.3g} us | {times:.1f} times as long |")
    keep("linearise.md", lines)


if __name__ == "__main__":
    main()

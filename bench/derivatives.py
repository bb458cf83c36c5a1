"""Exact derivatives against differences, in one process: `python -m luff.bench.derivatives` writes
results/derivatives.md.

The linear model's derivatives are timed with what is asked beside them: rounding, and kinks to both sides.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import luff
from luff.bench.report import keep
from luff.bench.systems import chain, crane, netlist
from luff.bench.timing import machine_words, race, ratio
from luff.solver.analysis.model_derivatives import EXACT, derivatives, finite_difference_derivatives
from luff.solver.analysis.operating_point import OperatingPoint
from luff.solver.analysis.steady_state import newton_search
from luff.solver.codegen.transforms.entry_point_variants import DIRECTIONS
from luff.solver.simulation.jacobian import jacobian_of

LIBRARY = Path(luff.__file__).parent / "library"
BOOM = """
luff: 1
blocks:
  boom:
    type: rfem_link
    length: 5 m
    section: {{shape: rectangle, width: 10 cm, height: 20 cm}}
    divisions: {divisions}
connect: [world.frame -- boom.frame_a]
"""
NAMES = ("crane_knuckle_boom", "crane_gpme", "crane_offshore", "crane_knuckle_boom_hydraulic", "hoist")
AT_REST = (
    "bridge_crane_hoist",
    "column",
    "tower_crane",
    "crane_knuckle_boom",
    "crane_knuckle_boom_hydraulic",
)
MANY = 200  # states in one call, so that what calls from Python cost does not count
Work = Callable[[int], None]


def models() -> dict[str, luff.Simulation]:
    booms = {
        f"boom of {divisions} divisions": luff.compile(luff.loads(BOOM.format(divisions=divisions)))
        for divisions in (6, 12, 24)
    }
    trees = {
        "chain of 6": luff.compile(netlist(chain(6))),
        "chain of 18": luff.compile(netlist(chain(18))),
        "crane": luff.compile(netlist(crane())),
    }
    return booms | trees | {name: luff.compile(LIBRARY / f"{name}.yaml") for name in NAMES}


def repeated(work: Callable[[], object]) -> Work:
    def go(count: int) -> None:
        for _ in range(count):
            work()

    return go


def works(sim: luff.Simulation) -> dict[str, Work]:
    point = OperatingPoint(sim, 0.0)
    point.go(sim.x0)
    if (made := derivatives(point)).how != EXACT:
        raise RuntimeError(made.how)
    slopes, points = jacobian_of(point.sim.instance), np.repeat(point.x[None], MANY, axis=0)
    rows = slopes.arguments_for(MANY)
    rows.states[:, : len(point.x), 0] = points
    return {
        "exact": repeated(lambda: derivatives(point)),
        "alone": repeated(lambda: slopes.jacobians(0.0, point.x[None])),
        "differences": repeated(lambda: finite_difference_derivatives(point, (), "")),
        "directions": repeated(lambda: slopes.evaluate(rows)),
        "values": repeated(lambda: point.sim.instance.many(0.0, points)),
    }


def row(name: str, sim: luff.Simulation, turns: int) -> str:
    times = race(works(sim), turns)
    exact, alone, differences = (
        1e3 * statistics.median(times[each]) for each in ("exact", "alone", "differences")
    )
    cost = ratio(times, "directions", "values")
    return f"| {name} | {len(sim.x0)} | {differences:.2f} ms | {exact:.2f} ms | {alone:.3f} ms | {cost:.1f} |"


def sought(sim: luff.Simulation, exact: bool) -> tuple[int, float]:
    """Evaluations of the search for its equilibrium, one for eight directions counted as one, and processor time."""
    point = OperatingPoint(sim, 0.0, memories=True)
    counts = [0]

    def counted(method: Callable[..., Any], size: Callable[..., int]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            counts[0] += size(*given)
            return method(*given)

        return call

    instance = point.sim.instance
    point.go(sim.x0)
    slopes = jacobian_of(instance)
    with ExitStack() as stack:
        for owner, name, size in (
            (instance, "rates", lambda *_: 1),
            (instance, "many", lambda _, points, *__: len(points)),
            (slopes, "evaluate", lambda rows: len(rows.states)),
        ):
            method = counted(getattr(owner, name), size)
            stack.enter_context(mock.patch.object(owner, name, method))
        begun = time.process_time()
        newton_search(point, exact)
        return counts[0], time.process_time() - begun


def rest(name: str, sim: luff.Simulation) -> str:
    cells = []
    for exact in (False, True):
        try:
            sought(sim, exact)
            count, seconds = sought(sim, exact)
            cells += [str(count), f"{1e3 * seconds:.1f} ms"]
        except luff.RunError:
            cells += ["none found", ""]
    return f"| {name} | {len(sim.x0)} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=15)
    turns = parser.parse_args().turns
    about = machine_words()
    lines = [
        "# Derivatives of rates by states",
        "",
        f"`python -m luff.bench.derivatives` on {about}",
        "",
        f"| model | states | differences | exact | of which the Jacobian | {DIRECTIONS} directions, in evaluations |",
        "|---|---|---|---|---|---|",
        *(row(name, sim, turns) for name, sim in models().items()),
        "",
        "Processor time of a linear model; medians over turns. Both ask too what is uncertain, and for kinks.",
        f"Directions are those of {MANY} states in one call, which share what time alone decides; evaluations do not.",
        "",
        "# Equilibria",
        "",
        "| model | states | evaluations by differences | time | evaluations by exact derivatives | time |",
        "|---|---|---|---|---|---|",
        *(rest(name, luff.compile(LIBRARY / f"{name}.yaml")) for name in AT_REST),
    ]
    keep("derivatives.md", lines)


if __name__ == "__main__":
    main()

"""What a variant costs before its first step: `python -m luff.bench.starts` writes results/starts.md.

The netlist read, described and started, as for a single run; read and started, as for a variant of a study or a place
of a load chart; and a program whose numbers alone are written and that is started, as for a run of a batch. All give
the same bits. The least processor time of many turns, which others on the machine change least.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words
from luff.solver.flatten.flatten import flatten
from luff.solver.program.started_program import started
from luff.solver.simulation.parameters import Forms, Parameters

LIBRARY = Path(luff.__file__).parent / "library"
MODELS = (
    ("crane_knuckle_boom", "outer.boom.mass", 9000.0, "static"),
    ("crane_knuckle_boom", "outer.boom.mass", 9000.0, "assemble"),
    ("crane_knuckle_boom", "outer.mass", 9000.0, "static"),  # of a netlist inside, not of one block
    ("templates/crane", "load.mass", 900.0, "static"),
    ("crane_gpme", "base.mass", 20000.0, "static"),  # flexible: 15 coordinates to be found
    ("mechanism_rpsup", "base.body.mass", 2000.0, "static"),  # with a loop
    ("tower_crane_in_storm", "undercarriage.mass", 20000.0, "static"),  # wind at each place
    ("templates/pendulum", "pin.initial.position", 0.3, "assemble"),
)


def least(work: Callable[[float], object], value: float, turns: int) -> float:
    """Seconds of the quickest turn; each has another number."""
    seconds = []
    for k in range(turns):
        began = time.thread_time()
        work(value * (1.0 + 1e-6 * k))
        seconds.append(time.thread_time() - began)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=40)
    turns = parser.parse_args().turns
    lines = ["# What a variant costs before its first step", ""]
    lines += ["`python -m luff.bench.starts` on " + machine_words(), ""]
    lines += ["| model | parameter | start | described anew | read again | | numbers alone | |"]
    lines += ["|---|---|---|--:|--:|--:|--:|--:|"]
    for name, path, value, solve in MODELS:
        diagram = luff.load(LIBRARY / f"{name}.yaml")
        base = {"initial.solve": solve}
        numbers, forms = Parameters(started(flatten(diagram, base))), Forms()
        whole = least(lambda x: started(flatten(diagram, {**base, path: x})), value, turns)  # noqa: B023
        again = least(lambda x: forms.started(flatten(diagram, {**base, path: x})), value, turns)  # noqa: B023
        short = least(lambda x: numbers.with_values(diagram, base, {path: x}), value, turns)  # noqa: B023
        words = [f"{1e3 * whole:.1f} ms", f"{1e3 * again:.1f} ms", f"{whole / again:.1f}"]
        words += [f"{1e3 * short:.1f} ms", f"{whole / short:.1f}"]
        lines.append(f"| {' | '.join([Path(name).name, path, solve, *words])} |")
    keep("starts.md", lines)


if __name__ == "__main__":
    main()

"""What it takes to change a live parameter in a run: by compiling anew, and straight to its places; the first change of
all elaborates the blocks once.

`python -m luff.bench.live` prints the table of bench/results/live.md; processor time, the
medians of 5 calls, and of 50.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import luff

FOLDER = Path(luff.__file__).resolve().parent
CASES = (
    ("library/crane_overhead", "drive.kp"),
    ("library/crane_overhead", "crane.load.mass"),
    ("library/crane_overhead", "kp"),  # of the netlist
    ("library/crane_demo", "column.mass"),
    ("library/crane_gpme", "column.mass"),
    ("library/crane_knuckle_boom", "king.post.mass"),
    ("library/crane_vessel", "king.mass"),
    ("docs/models/crane_stand", "boom.mass"),
    ("docs/models/crane_stand", "Hs"),  # of the netlist
)


def seconds(count: int, work: Callable[[int], object]) -> float:
    seconds = []
    for k in range(count):
        began = time.thread_time()
        work(k)
        seconds.append(time.thread_time() - began)
    return median(seconds)


def main() -> None:
    print("| model | parameter | compiled anew [ms] | first change [ms] | straight [ms] |")
    print("|---|---|--:|--:|--:|")
    for model, path in CASES:
        sim = luff.compile(FOLDER / f"{model}.yaml")
        session = sim.start()
        block, _, key = path.rpartition(".")
        value = (
            getattr(sim.program.flat.blocks[block], key)
            if block
            else sim.diagram.scope().parameter(key).value
        )

        def change(k: int, value: float = value, path: str = path, sim: luff.Simulation = sim) -> None:
            sim.set(path, value * (1.0 + 1e-9 * (k + 1)))

        def anew(k: int, value: float = value, path: str = path, diagram: luff.Diagram = sim.diagram) -> None:
            changes: dict[str, Any] = {path: value * (1.0 + 1e-9 * (k + 1))}
            luff.compile(diagram, **changes)

        first, straight, whole = seconds(1, change), seconds(50, change), seconds(5, anew)
        assert session.instance.program is sim._program, path  # it was taken
        print(
            f"| {model} | {path} | {' | '.join(f'{1e3 * spent:.3g}' for spent in (whole, first, straight))} |"
        )
        session.cancel()


if __name__ == "__main__":
    main()

"""What it takes to set a live parameter in a run: straight to its places, and by compiling anew.

`python -m luff.bench.live` prints the table of bench/results/live.md; processor time, the
medians of 50 calls, and of 5.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import luff

LIBRARY = Path(luff.__file__).resolve().parent / "library"
CASES = (
    ("crane_overhead", "drive.kp"),
    ("crane_overhead", "crane.load.mass"),
    ("crane_demo", "column.mass"),
    ("crane_gpme", "column.mass"),
    ("crane_knuckle_boom", "king.post.mass"),
    ("crane_vessel", "king.mass"),
)


def seconds(count: int, work: Callable[[int], object]) -> float:
    seconds = []
    for k in range(count):
        began = time.thread_time()
        work(k)
        seconds.append(time.thread_time() - began)
    return median(seconds)


def main() -> None:
    print("| model | parameter | straight [us] | compiled anew [ms] |")
    print("|---|---|---|---|")
    for model, path in CASES:
        sim = luff.compile(LIBRARY / f"{model}.yaml")
        session = sim.start()
        block, _, key = path.rpartition(".")
        value = getattr(sim.program.flat.blocks[block], key)

        def change(k: int, value: float = value, path: str = path, sim: luff.Simulation = sim) -> None:
            sim.set(path, value * (1.0 + 1e-9 * (k + 1)))

        def anew(k: int, sim: luff.Simulation = sim, change: Callable[[int], None] = change) -> None:
            sim._proved.clear()
            change(k)

        whole = seconds(5, anew)
        change(0)
        short = seconds(50, change)
        assert path in sim._proved, path
        print(f"| {model} | {path} | {1e6 * short:.0f} | {1e3 * whole:.0f} |")
        session.cancel()


if __name__ == "__main__":
    main()

"""How much faster than real time the library's cranes run, at their own steps, with the quality of each run.

`python -m luff.bench.cranes [MODEL ...] [--write]` prints a row for each; `--write` writes bench/results/cranes.md.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words

LIBRARY = Path(luff.__file__).resolve().parent / "library"
# model and the least that is asked of it
MODELS = {
    "crane_demo": 0.0,
    "crane_gpme": 10.0,
    "crane_knuckle_boom": 40.0,
    "crane_knuckle_boom_hydraulic": 5.0,
    "crane_offshore": 20.0,
    "crane_overhead": 0.0,
    "crane_vessel": 0.0,
}
TURNS = 3


def measure(name: str, goal: float) -> str:
    sim = luff.compile(LIBRARY / f"{name}.yaml")
    settings = sim.settings
    sim.run(stop=10 * settings.step)  # compiles and loads
    spent, result = float("inf"), None
    for _ in range(TURNS):
        began = time.process_time()
        result = sim.run()
        spent = min(spent, time.process_time() - began)
    assert result is not None
    stop = float(result.time[-1])
    off = result.quality.get("energy", {}).get("relative_residual", math.nan)
    wanted = f"{goal:g}" if goal else ""
    how = f"{settings.method} | {1e3 * settings.step:g}"
    return f"| {name} | {how} | {stop:g} | {stop / spent:.0f} | {wanted} | {off:.1e} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the table in bench/results/")
    parser.add_argument("models", nargs="*", help="of the library; all that are known if left out")
    options = parser.parse_args()
    names = options.models or list(MODELS)
    lines = [
        "| model | method | step [ms] | run [s] | times real time | asked | energy off by |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    lines += [measure(name, MODELS.get(name, 0.0)) for name in names]
    about = "Whole runs with all recorded signals, by processor time, best of three. Energy over its largest term."
    lines = ["# Cranes against real time", "", *lines, "", about, "", machine_words()]
    keep("cranes.md", lines, options.write)


if __name__ == "__main__":
    main()

"""Library models by another Python, such as one of another processor under QEMU, beside this one's.

`python -m luff.bench.processors NAME COMMAND ...` writes bench/results/processors.md. COMMAND runs a Python that has
luff, of a wheel if nothing shall be compiled: `qemu-aarch64 -L FOLDER FOLDER/usr/bin/python3.11`, say. Its cache begins
empty. NAME is what the table calls it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .answers import PARTS, RUNS, STEPS
from .report import keep

FLOOR = 1e-3  # of SI units: what rests is not compared with its rounding
ANSWERS = Path(__file__).with_name("answers.py")


def asked(command: list[str], out: Path, *rest: Path, cache: str = "") -> tuple[dict[str, np.ndarray], dict]:
    """What that Python answers, and what it compiled."""
    known = {**os.environ, "LUFF_CACHE_DIR": cache} if cache else None
    # remarks of models, as of any run of theirs, are not what is asked
    subprocess.run([*command, "-P", "-W", "ignore", ANSWERS, out, *rest], env=known, check=True)
    return dict(np.load(f"{out}.npz")), json.loads(Path(f"{out}.json").read_text(encoding="utf-8"))


def apart(own: np.ndarray, other: np.ndarray, kinds: np.ndarray) -> str:
    """Worst difference over the largest number of its kind, or FLOOR; `kinds` tells them along the last axes."""
    if np.array_equal(own, other, equal_nan=True):
        return "equal"
    worst = 0.0
    for kind in set(kinds.ravel().tolist()):
        where = kinds == kind
        largest = np.nanmax(abs(own[..., where]), initial=FLOOR)
        worst = max(worst, float(np.nanmax(abs(own - other)[..., where], initial=0.0) / largest))
    return f"{worst:.0e}"


def row(name: str, own: dict[str, np.ndarray], other: dict[str, np.ndarray], compiled: list[str]) -> str:
    states, units = own[f"{name} state units"], own[f"{name} units"]
    slopes = np.char.add(np.char.add(states[:, None], " by "), states)
    cells = []
    for part, rows, kinds in (
        ("rates", slice(None), states), ("slopes", slice(None), slopes), ("signals", slice(1), units),
        ("signals", slice(None), units),
    ):  # fmt: skip
        here, there = own[f"{name} {part}"][rows], other[f"{name} {part}"][rows]
        cells.append(apart(here, there, kinds))
    count, equal = other[f"{name} lanes"].tolist()
    cells.append(f"{count}, {'equal' if equal else 'DIFFERENT'}")
    return f"| {' | '.join([name, *cells])} | {len(compiled) or 'nothing'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        own, _ = asked([sys.executable], place / "own")
        other, compiled = asked(given.command, place / "other", place / "own.npz", cache=str(place / "cache"))
    names = sorted(key.removesuffix(" states") for key in own if key.endswith(" states"))
    keep("processors.md", [
        f"Library models by {given.name}, beside those of this processor: the worst difference over the largest",
        f"number of the same unit, or {FLOOR} of it. Rates and derivatives at {PARTS + 1} states of a run here; all",
        f"signals of a run of {STEPS} steps, first at its start, which each found by itself; how many of {RUNS}",
        f"runs went in lanes there, and whether all {RUNS} were as alone; how many functions were compiled. Starts",
        "are found by LAPACK, whose last digits depend on the processor, as do those of spectra of waves and gusts,",
        "which NumPy makes.",
        "",
        "| model | rates | derivatives | start | run | in lanes | compiled |",
        "|---|--:|--:|--:|--:|---|--:|",
        *(row(name, own, other, compiled[name]) for name in names),
        "",
        f"By `python -m luff.bench.processors {given.name} COMMAND ...`.",
    ])  # fmt: skip


if __name__ == "__main__":
    main()

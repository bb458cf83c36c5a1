"""From `import luff` to the first step of a small known model: `python -m luff.bench.first_step`.

Each turn is a fresh process, whose machine code and bytecode are kept from the first one. The least of each part, in
seconds of processor time, which others on the machine change little; the table goes to results/first_step.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words

MODEL = Path(luff.__file__).parent / "library" / "templates" / "pendulum.yaml"
PARTS = ("import luff", "luff.load", "luff.compile", "sim.start", "first step")
GOAL = 0.3  # s, of all
PROGRAM = f"""
import time
times = [time.process_time()]
import luff
times.append(time.process_time())
diagram = luff.load({str(MODEL)!r})
times.append(time.process_time())
sim = luff.compile(diagram)
times.append(time.process_time())
session = sim.start()
times.append(time.process_time())
session.advance(steps=1)
times.append(time.process_time())
print(*(after - before for before, after in zip(times, times[1:])))
"""


def turn(environment: dict[str, str]) -> list[float]:
    """Seconds of each part in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True
    )
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        turn(environment)
        rows = [turn(environment) for _ in range(turns)]
    least = [min(column) for column in zip(*rows, strict=True)]
    lines = ["# From `import luff` to the first step", "", "| part | processor time [s] |", "|---|--:|"]
    lines += [f"| `{part}` | {spent:.3f} |" for part, spent in zip(PARTS, least, strict=True)]
    lines += [f"| all, of the quickest process | {min(map(sum, rows)):.3f} (goal {GOAL}) |", ""]
    facts = machine_words()
    lines += [
        f"`python -m luff.bench.first_step`: the template pendulum, {turns} fresh processes.",
        "",
        facts,
    ]
    keep("first_step.md", lines)


if __name__ == "__main__":
    main()

"""Memory over a long streamed run: resident size after the first percent of the steps, and at the end.

python bench/memory.py [--steps 10000000] [--every 10] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

import luff
from luff.solver.simulation.recorder import Recorder

NETLIST = Path(__file__).resolve().parents[1] / "library" / "templates" / "pendulum.yaml"
STEP = 1e-3


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(steps: int, every: int, folder: Path) -> dict[str, object]:
    sim = luff.compile(NETLIST)
    session = sim.start(stop=steps * STEP, step=STEP, output_step=every * STEP)
    early, chunk = 0, max(1, steps // 100)
    path = folder / "memory.h5"
    with Recorder(sim, session, path) as recorder:
        while session.advance(steps=chunk) == "running":
            recorder.write(*session.take())
            early = early or resident()
        recorder.write(*session.take())
        recorder.close()
    return {
        "steps": session.done,
        "rows": session.done // every + 1,
        "file_megabytes": path.stat().st_size / 1e6,
        "start_megabytes": early / 1e6,
        "end_megabytes": resident() / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--every", type=int, default=10, help="steps between rows")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.steps, options.every, Path(folder))
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"{figures['steps']} steps, {figures['rows']} rows, {figures['file_megabytes']:.0f} MB written")
        print(
            f"resident: {figures['start_megabytes']:.1f} MB early, {figures['end_megabytes']:.1f} MB at the end"
        )


if __name__ == "__main__":
    main()

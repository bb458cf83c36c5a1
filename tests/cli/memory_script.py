"""Memory over a long streamed run: resident size after the first percent of the steps, and at the end, as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import luff
from luff.solver.simulation.recorder import Recorder

NETLIST = Path(luff.__file__).parent / "library" / "templates" / "pendulum.yaml"
STEP = 1e-3


def resident() -> int:
    """Bytes of this process in memory (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(steps: int) -> None:
    session = (sim := luff.compile(NETLIST)).start(stop=steps * STEP, step=STEP, output_step=STEP)
    path = Path("memory.h5")
    early = 0
    with Recorder(sim, session, path) as recorder:
        while session.advance(steps=max(1, steps // 100)) == "running":
            recorder.write(*session.take())
            early = early or resident()
        recorder.write(*session.take())
        recorder.close()
    figures = {
        "rows": session.done + 1,
        "file_megabytes": path.stat().st_size / 1e6,
        "start_megabytes": early / 1e6,
        "end_megabytes": resident() / 1e6,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]))

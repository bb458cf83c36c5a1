"""Time of predictive control on an overhead crane that an operator leads, on one core.

    python -m luff.bench.predictive

It runs the crane of docs/feedback_and_estimates.md for a minute and writes results/predictive.md and the page's table.
The first sample, which has no last plan, counts among those that are late. Wall clock is what a busy machine makes of
the processor's time.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path

import numpy as np

import luff
from luff.bench.report import keep, show
from luff.solver.estimation.mpc_partner import MpcPartner

PAGE = Path(luff.__file__).parent / "docs" / "feedback_and_estimates.md"
NAMES = ("overhead.yaml", "led_crane.yaml")
PERIOD, STOP = 0.02, 60.0  # s


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    blocks = dict(re.findall(r'```yaml title="([^"]+)"\n(.*?)```', PAGE.read_text(), re.DOTALL))
    wall, processor = [], []
    inputs = MpcPartner.inputs

    def timed(self: MpcPartner, t: float, values: list[float]) -> None:
        began = time.perf_counter(), time.thread_time()
        inputs(self, t, values)
        wall.append(time.perf_counter() - began[0])
        processor.append(time.thread_time() - began[1])

    with tempfile.TemporaryDirectory() as folder:
        for each in NAMES:
            (Path(folder) / each).write_text(blocks[each])
        sim = luff.compile(Path(folder) / NAMES[1])
        sim.run(stop=1.0)  # code is loaded
        MpcPartner.inputs = timed  # type: ignore[method-assign]
        sim.run(stop=STOP)
    lines = [
        "| clock | samples | median | 99.9 % within | longest | in 20 ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for clock, taken in (("wall", wall), ("processor", processor)):
        ms = 1e3 * np.array(taken)
        share = 100.0 * np.mean(ms <= 1e3 * PERIOD)
        figures = f"{np.median(ms):.1f} ms | {np.percentile(ms, 99.9):.1f} ms | {ms.max():.0f} ms"
        lines.append(f"| {clock} | {len(ms)} | {figures} | {share:.2f} % |")
    keep("predictive.md", lines)
    show("docs/feedback_and_estimates.md", lines)


if __name__ == "__main__":
    main()

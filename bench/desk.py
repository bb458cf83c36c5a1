"""How long assessments of five cranes take, with four combinations each and a report, and a load chart of 200 places.

    python -m luff.bench.desk [--write]

Each is a command, started as a user does; all results are new, compiled code is kept. Processor time beside the time on
the clock says what other programs took of this machine. Most of it are steps: an assessment that sets a longer step
than its model's is timed with both.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

import luff
from luff.bench.report import keep

LIBRARY = Path(luff.__file__).parent / "library"
CRANES = (
    "bridge_crane_hoist",
    "crane_on_outriggers",
    "tower_crane",
    "crane_offshore",
    "crane_knuckle_boom_vessel",
)
FACTORS = (1.1, 1.2, 1.25, 1.34)
LOADS = {"crane_offshore": "in_air"}
CHART = (
    "chart", str(LIBRARY / "crane_on_outriggers.yaml"), "--load", "load=0t:60t", "--margin", "1.33",
    "--over", "slewing.start_value=90deg:185deg:5deg", "--over", "reach=5m:14m:1m", "-o", "chart.csv",
)  # fmt: skip


def spent(folder: Path, *words: str) -> tuple[float, float, str]:
    """Seconds on the clock and of processors, and the last line that was said."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "luff", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 4):
        raise SystemExit(done.stderr)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = [
        line for line in done.stdout.splitlines() if " in " in line and ("runs" in line or "places" in line)
    ]
    return time.perf_counter() - began, used, said[-1].partition(" in ")[0] if said else ""


def with_four(name: str, folder: Path) -> list[Path]:
    """The library's assessment with four combinations in place of its own; and if it sets a step, with its model's."""
    raw = yaml.safe_load((LIBRARY / "assessments" / f"{name}.yaml").read_text(encoding="utf-8"))
    load = LOADS.get(name, "load")
    raw["combinations"] = {f"{factor:g} on the load": {"scale": {load: factor}} for factor in FACTORS}
    raw.pop("charts", None)
    paths = [folder / f"{name}.yaml"]
    paths[0].write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    if raw.get("set", {}).pop("simulation.step", None) is not None:
        paths.append(folder / f"{name} with its model's step.yaml")
        paths[1].write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    return paths


def assessed(path: Path, folder: Path) -> tuple[float, float, str]:
    return spent(folder, "assess", path.name, "-o", "desk.h5", "--fresh", "--report", "desk.html")


def report() -> list[str]:
    head = "| what | clock [s] | processors [s] | clock, model's step [s] | processors, model's step [s] | |"
    lines = [head, "|---|---:|---:|---:|---:|---|"]
    totals = np.zeros(4)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for name in CRANES:
            paths = with_four(name, folder)
            assessed(paths[0], folder)  # compiles
            times = [assessed(path, folder) for path in paths]
            (clock, used, said), (old_clock, old_used, _) = times[0], times[-1]
            totals += clock, used, old_clock, old_used
            old = f"{old_clock:.1f} | {old_used:.1f}" if len(times) > 1 else "|"
            lines.append(f"| {name} | {clock:.1f} | {used:.1f} | {old} | {said} |")
        lines.append("| five cranes | " + " | ".join(f"{total:.1f}" for total in totals) + " | |")
        clock, used, said = spent(folder, *CHART)
        lines.append(f"| load chart | {clock:.1f} | {used:.1f} | | | {said} |")
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return [*lines, "", f"Load of the machine meanwhile: {load} on {os.cpu_count()} processors."]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    lines = report()
    if parser.parse_args().write:
        keep("desk.md", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()

"""How long assessments of five cranes take, with four combinations each and a report, and a load chart of 200 places.

    python -m luff.bench.desk [--write]

Each is a command, started as a user does; all results are new, compiled code is kept. Processor time beside the time on
the clock says what other programs took of this machine.
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


def with_four(name: str, folder: Path) -> Path:
    """The library's assessment with four combinations in place of its own."""
    raw = yaml.safe_load((LIBRARY / "assessments" / f"{name}.yaml").read_text(encoding="utf-8"))
    load = LOADS.get(name, "load")
    raw["combinations"] = {f"{factor:g} on the load": {"scale": {load: factor}} for factor in FACTORS}
    raw.pop("charts", None)
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    return path


def report() -> list[str]:
    lines = ["| what | on the clock [s] | of processors [s] | |", "|---|---:|---:|---|"]
    totals = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        spent(folder, "assess", with_four(CRANES[0], folder).name, "--report", "a.html")  # compiles
        for name in CRANES:
            path = with_four(name, folder)
            clock, used, said = spent(
                folder, "assess", path.name, "-o", f"{name}-new.h5", "--report", f"{name}.html"
            )
            totals = [totals[0] + clock, totals[1] + used]
            lines.append(f"| {name} | {clock:.1f} | {used:.1f} | {said} |")
        lines.append(f"| five cranes | {totals[0]:.1f} | {totals[1]:.1f} | |")
        clock, used, said = spent(folder, *CHART)
        lines.append(f"| load chart | {clock:.1f} | {used:.1f} | {said} |")
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

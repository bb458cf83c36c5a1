"""The four tests of an overhead crane that must follow a path, by three ways of planning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import luff
from luff.solver.results.run_metrics import Errors, contour_error, tracking_error
from luff.solver.studies import load

LIBRARY = Path(luff.__file__).resolve().parent / "library"

# the paths and the plans of the study, by name
GRID: dict[str, dict[str, dict[str, Any]]] = (
    load(LIBRARY / "studies" / "crane_overhead.yaml").settings.variants.grid or {}
)
CASES, METHODS = GRID["path"], GRID["plan"]
START = 2.0  # of the motion [s]


def crane(case: str, method: str, **more: Any) -> luff.Simulation:
    return luff.compile(LIBRARY / "crane_overhead.yaml", **{**CASES[case], **METHODS[method], **more})


def errors(result: luff.Result) -> tuple[Errors, Errors]:
    """Tracking and contour errors from the start of the motion to the end of the run."""
    given = (result, "path.y", "load.position", START)
    return tracking_error(*given), contour_error(*given)


def numbers(case: str, method: str, **more: Any) -> list[float]:
    """RMS and greatest tracking errors in x and y, RMS and greatest contour error [mm]."""
    tracking, contour = errors(crane(case, method, **more).run(output_step=1e-3))
    rms, most = tracking.rms, tracking.maximum
    found = [rms[0], rms[1], most[0], most[1], contour.rms, contour.maximum]
    return [1e3 * float(value) for value in found]


def table(**more: Any) -> str:
    """All errors in mm, as a table in Markdown."""
    lines = [
        "| test | method | RMS x | RMS y | max x | max y | contour RMS | contour max |",
        "|" + "---|" * 8,
    ]
    for case in CASES:
        for method in METHODS:
            cells = " | ".join(f"{value:.3g}" for value in numbers(case, method, **more))
            lines.append(f"| {case} | {method} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    print()
    print("commanded every 16 ms, joined by lines:")
    print(table(**{"sampled.hold": "linear"}))

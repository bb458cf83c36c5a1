"""The four tests of an overhead crane that must follow a path, by three ways of planning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import luff
from luff.solver.metrics import Errors, contour_error, tracking_error

LIBRARY = Path(luff.__file__).resolve().parent / "library"

# circle, rhombus of equal sides of 0.3 m run through from rest to rest, spiral of two turns from 0.2 m to 0
CASES: dict[str, dict[str, Any]] = {
    "circle in 8 s": {},
    "circle in 4 s": {"duration": "4 s"},
    "rhombus in 6 s": {
        "path.shape": "rhombus",
        "hurried.shape": "rhombus",
        "path.size": ["0.36 m", "0.48 m"],
        "hurried.size": ["0.36 m", "0.48 m"],
        "duration": "6 s",
        "legs": 4,
        "start_x": "0.18 m",
    },
    "spiral in 6 s": {
        "path.shape": "spiral",
        "hurried.shape": "spiral",
        "path.turns": 2,
        "hurried.turns": 2,
        "duration": "6 s",
    },
}
METHODS: dict[str, dict[str, Any]] = {
    "stable inversion": {"inversion": 1},
    "zv shaping": {"inversion": 0, "shaping": 1},
    "unshaped": {"inversion": 0, "shaping": 0},
}
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

"""Time per evaluation of a flexible link against its number of divisions; it should grow linearly.

    python -m luff.bench.flexible [--divisions 2 5 10 20 50 100] [--json]

An evaluation is one of the four of an RK4 step. The exponent is the slope between the two largest numbers of divisions.
"""

from __future__ import annotations

import argparse
import json
import math
import time

import luff

MODEL = """
luff: 1
blocks:
  hinge: {{type: revolute, axis: y}}
  boom:
    type: rfem_link
    length: 8
    section: {{shape: box, width: 0.2, height: 0.3, thickness: 0.01}}
    damping: {{ratio: 0.02}}
    divisions: {divisions}
  load: {{type: rigid_link, mass: 500, inertia: [50, 50, 50]}}
connect:
  - world.frame -- hinge.frame_a
  - hinge.frame_b -- boom.frame_a
  - boom.frame_b -- load.frame_a
"""
STEP = 1e-9  # far inside the stable region of every division: time per step does not depend on it


def measure(divisions: int, seconds: float = 0.5, rounds: int = 5, model: str = MODEL) -> dict[str, float]:
    began = time.perf_counter()
    sim = luff.compile(luff.loads(model.format(divisions=divisions)))
    session = sim.start(stop=1.0, step=STEP, method="rk4", output_step=1.0)
    session.advance(steps=10)
    ready = time.perf_counter() - began
    steps = 100
    best = math.inf
    for _ in range(rounds):
        # processor time: what other processes take does not count
        began = time.thread_time()
        session.advance(steps=steps)
        spent = time.thread_time() - began
        best = min(best, spent / steps)
        steps = max(10, int(seconds / rounds / best))
    degrees = sim.summary["degrees_of_freedom"]
    return {
        "divisions": divisions,
        "degrees_of_freedom": degrees,
        "us": 1e6 * best / 4,
        "first_step_s": ready,
    }


def growth(rows: list[dict[str, float]]) -> float:
    """The exponent, between the two largest numbers of divisions."""
    if len(rows) < 2:
        return math.nan
    low, high = rows[-2:]
    return math.log(high["us"] / low["us"]) / math.log(high["divisions"] / low["divisions"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--divisions", type=int, nargs="+", default=[2, 5, 10, 20, 50, 100])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(divisions) for divisions in options.divisions]
    exponent = growth(rows)
    if options.json:
        print(json.dumps({"rows": rows, "exponent": exponent}))
        return
    print("divisions  freedoms  us per evaluation  us per division  compiled and begun in")
    for row in rows:
        print(
            f"{row['divisions']:9d}  {row['degrees_of_freedom']:8d}  {row['us']:17.2f}  "
            f"{row['us'] / row['divisions']:15.3f}  {row['first_step_s']:19.2f} s"
        )
    print(f"time grows with divisions to the power {exponent:.2f}")


if __name__ == "__main__":
    main()

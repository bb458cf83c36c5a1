"""What the place of the twist springs of a flexible link does: lateral buckling, stable step, time per evaluation.

    python -m luff.bench.twist [--divisions 4 6 12 24]

Errors of the end load at which a narrow cantilever tips over, against 4.0126 sqrt(E I_z G J) / l^2; the largest stable
step and the time per evaluation are those of the boom of `bench/flexible.py`, as ratios of `middle` to `papers`.
"""

from __future__ import annotations

import argparse

import luff
from luff.solver.analysis.step_advice import advise
from luff.tests.systems.test_lateral_buckling import buckling_load

from .flexible import MODEL, measure


def boom(twist: str) -> str:
    return MODEL.replace("type: rfem_link", f"type: rfem_link\n    twist: {twist}")


def step(divisions: int, twist: str) -> float:
    return advise(luff.compile(luff.loads(boom(twist).format(divisions=divisions)))).largest_step


def time(divisions: int, twist: str) -> float:
    return measure(divisions, model=boom(twist))["us"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--divisions", type=int, nargs="+", default=[4, 6, 12, 24])
    options = parser.parse_args()
    print("| divisions | load, `middle` | load, `papers` | stable step | time per evaluation |")
    print("|---|---|---|---|---|")
    for n in options.divisions:
        loads = [100.0 * (buckling_load(n, twist) - 1.0) for twist in ("middle", "papers")]
        steps, times = step(n, "middle") / step(n, "papers"), time(n, "middle") / time(n, "papers")
        print(f"| {n} | {loads[0]:+.1f} % | {loads[1]:+.1f} % | {steps:.2f} | {times:.2f} |")


if __name__ == "__main__":
    main()

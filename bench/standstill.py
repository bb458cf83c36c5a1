"""A closed brake under a swinging load: its drift by method and step, against LuGre's own.

    python -m luff.bench.standstill

A rotor of 0.01 kg m^2 and bristles of 1e5 N m/rad under 50 + 30 sin(2 pi 5 t) of the 100 N m that they carry: mrad in
the last of three cycles, with a damping of 5 N m s/rad and without. Slow cycles drift by 0.981 mrad.
"""

from __future__ import annotations

import warnings

from luff import LuffError
from luff.tests.solver.integrators.test_standstill import LUGRE, STEPS, drift


def cell(damping: float, step: float, method: str) -> str:
    try:
        return f"{1e3 * drift(LUGRE, 0.01, damping, step, method):.4g}"
    except LuffError:
        return "fails"


def main() -> None:
    warnings.simplefilter("ignore")
    print(
        "| step | " + " | ".join(f"{1e3 * step:g} ms" for step in STEPS) + " |\n|" + "---|" * (len(STEPS) + 1)
    )
    for method in ("implicit", "rk4"):
        for damping in (0.0, 5.0):
            row = [cell(damping, step, method) for step in STEPS]
            print(f"| `{method}`, c = {damping:g} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()

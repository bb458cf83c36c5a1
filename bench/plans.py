"""Best motion of a trolley with a pendulum: `luff.plan` beside CasADi with equations that are written by hand.

    python -m luff.bench.plans

Both have the Radau points, 40 intervals of constant acceleration and IPOPT, from guesses of their own; CasADi needs
`pip install casadi`. luff's figures include its second grid, which meets the switches, and the run that flies the plan.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

import luff
from luff.solver.planning.collocation import RADAU
from luff.tests.solver.planning.models import TROLLEY

INTERVALS = 40
WAY, ROPE, GRAVITY = 10.0, 5.0, 9.80665
MOVE = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": WAY, "at_rest": True},
    "limits": {"trolley.velocity": {"upper": 1.5}},
    "intervals": INTERVALS,
}


def by_casadi() -> tuple[float, int]:
    """Duration [s] and iterations: x = [way, rate, swing, its rate], rope a'' = -g sin a - cos a u."""
    ca: Any = import_module("casadi")  # no dependency of luff
    x, u = ca.SX.sym("x", 4), ca.SX.sym("u")
    rate = ca.vertcat(x[1], u, x[3], -(GRAVITY * ca.sin(x[2]) + u * ca.cos(x[2])) / ROPE)
    f = ca.Function("f", [x, u], [rate])
    opti = ca.Opti()
    T, X, U = opti.variable(), opti.variable(4, 3 * INTERVALS + 1), opti.variable(INTERVALS)
    opti.minimize(T)
    for k in range(INTERVALS):
        points = [X[:, 3 * k + 1 + i] for i in range(3)]
        rates = [f(point, U[k]) for point in points]
        for i in range(3):
            step = sum((RADAU[i, j] * rates[j] for j in range(3)), ca.DM.zeros(4))
            opti.subject_to(points[i] == X[:, 3 * k] + T / INTERVALS * step)
    opti.subject_to(X[:, 0] == 0)
    opti.subject_to(X[:, -1] == ca.DM([WAY, 0, 0, 0]))
    opti.subject_to(opti.bounded(-1, U, 1))
    opti.subject_to(X[1, 1:] <= 1.5)
    opti.subject_to(T >= 1e-3)
    share = np.linspace(0, 1, 3 * INTERVALS + 1)
    opti.set_initial(T, 9.0)
    opti.set_initial(X[0, :], WAY * share**2 * (3 - 2 * share))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9})
    solution = opti.solve()
    return float(solution.value(T)), int(opti.stats()["iter_count"])


def main() -> None:
    """Print duration, iterations and processor time of both, each the second time."""
    print("| | duration | iterations | processor time |\n|---|---|---|---|")
    for name in ("luff", "CasADi"):
        for again in (False, True):
            began = time.process_time()
            if name == "luff":
                made = luff.plan({"model": luff.loads(TROLLEY), "plan": MOVE})
                duration, iterations = made.duration, made.iterations
            else:
                duration, iterations = by_casadi()
            spent = time.process_time() - began
            if again:
                print(f"| {name} | {duration:.6f} s | {iterations} | {spent:.2f} s |")


if __name__ == "__main__":
    main()

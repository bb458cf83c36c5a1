"""Best motions by `luff.plan` beside CasADi with equations that are written by hand: a trolley, a container crane.

    python -m luff.bench.plans

Both have the Radau points, the same intervals and controls, and IPOPT, from guesses of their own; CasADi needs
`pip install casadi`. luff's figures include the run that flies the plan, and its second grid, which meets switches.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import luff
from luff.solver.planning.collocation import NODES, RADAU
from luff.tests.solver.planning.models import CONTAINER, CONTAINER_MOVE, TROLLEY

INTERVALS, CONTAINER_INTERVALS = 40, 60
WAY, ROPE, GRAVITY = 10.0, 5.0, 9.80665
MOVE = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": WAY, "at_rest": True},
    "limits": {"trolley.velocity": {"upper": 1.5}},
    "intervals": INTERVALS,
}
OPTIONS = ({"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9})


def collocate(ca: Any, opti: Any, f: Any, X: Any, control: Callable[[int, int], Any], h: Any) -> None:
    """Add the collocation equations of all intervals of length h [s]; control(k, i) is u at point i of interval k."""
    for k in range((X.shape[1] - 1) // 3):
        points = [X[:, 3 * k + 1 + i] for i in range(3)]
        rates = [f(point, control(k, i)) for i, point in enumerate(points)]
        for i in range(3):
            step = sum((RADAU[i, j] * rates[j] for j in range(3)), ca.DM.zeros(X.shape[0]))
            opti.subject_to(points[i] == X[:, 3 * k] + h * step)


def trolley() -> tuple[float, int]:
    """Duration [s] and iterations: x = [way, rate, swing, its rate], rope a'' = -g sin a - cos a u."""
    ca: Any = import_module("casadi")  # no dependency of luff
    x, u = ca.SX.sym("x", 4), ca.SX.sym("u")
    rate = ca.vertcat(x[1], u, x[3], -(GRAVITY * ca.sin(x[2]) + u * ca.cos(x[2])) / ROPE)
    f = ca.Function("f", [x, u], [rate])
    opti = ca.Opti()
    T, X, U = opti.variable(), opti.variable(4, 3 * INTERVALS + 1), opti.variable(INTERVALS)
    opti.minimize(T)
    collocate(ca, opti, f, X, lambda k, i: U[k], T / INTERVALS)
    opti.subject_to(X[:, 0] == 0)
    opti.subject_to(X[:, -1] == ca.DM([WAY, 0, 0, 0]))
    opti.subject_to(opti.bounded(-1, U, 1))
    opti.subject_to(X[1, 1:] <= 1.5)
    opti.subject_to(T >= 1e-3)
    share = np.linspace(0, 1, 3 * INTERVALS + 1)
    opti.set_initial(T, 9.0)
    opti.set_initial(X[0, :], WAY * share**2 * (3 - 2 * share))
    opti.solver("ipopt", *OPTIONS)
    solution = opti.solve()
    return float(solution.value(T)), int(opti.stats()["iter_count"])


def container() -> tuple[float, int]:
    """Cost and iterations of the container crane (Augustin and Maurer 2001), controls linear in each interval."""
    ca: Any = import_module("casadi")
    N, duration = CONTAINER_INTERVALS, 9.0
    x, u = ca.SX.sym("x", 6), ca.SX.sym("u", 2)
    swing = -(u[0] + 27.0756 * x[2] + 2 * x[4] * x[5]) / x[1]
    f = ca.Function("f", [x, u], [ca.vertcat(x[3], x[4], x[5], u[0] + 17.2656 * x[2], u[1], swing)])
    opti = ca.Opti()
    X, U = opti.variable(6, 3 * N + 1), opti.variable(2, N + 1)

    def control(k: int, i: int) -> Any:
        return (1.0 - NODES[i]) * U[:, k] + NODES[i] * U[:, k + 1]

    collocate(ca, opti, f, X, control, duration / N)
    cost = 0.0
    for k in range(N):
        for i in range(3):
            z, v = X[:, 3 * k + 1 + i], control(k, i)
            running = 0.5 * (z[2] ** 2 + z[5] ** 2 + 0.01 * (v[0] ** 2 + v[1] ** 2))
            cost += duration / N * RADAU[2, i] * running
    opti.minimize(cost)
    start, end = np.array([0, 22, 0, 0, -1, 0.0]), np.array([10, 14, 0, 2.5, 0, 0.0])
    opti.subject_to(X[:, 0] == start)
    opti.subject_to(X[:, -1] == end)
    opti.subject_to(opti.bounded(-2.83374, U[0, :], 2.83374))
    opti.subject_to(opti.bounded(-0.80865, U[1, :], 0.71265))
    opti.subject_to(opti.bounded(-2.5, X[3, 1:], 2.5))
    opti.subject_to(opti.bounded(-1, X[4, 1:], 1))
    share = np.linspace(0, 1, 3 * N + 1)
    opti.set_initial(X, start[:, None] + (end - start)[:, None] * share**2 * (3 - 2 * share))
    opti.solver("ipopt", *OPTIONS)
    solution = opti.solve()
    return float(solution.value(cost)), int(opti.stats()["iter_count"])


def by_luff(netlist: str, move: dict[str, Any]) -> tuple[float, int]:
    """Cost and iterations of a plan."""
    made = luff.plan({"model": luff.loads(netlist), "plan": move})
    return made.cost, made.iterations


def main() -> None:
    """Print cost, iterations and processor time of both, each the second time."""
    print("| | cost | iterations | processor time |\n|---|---|---|---|")
    rows: dict[str, Callable[[], tuple[float, int]]] = {
        "trolley, luff": lambda: by_luff(TROLLEY, MOVE),
        "trolley, CasADi": trolley,
        "container crane, luff": lambda: by_luff(CONTAINER, CONTAINER_MOVE),
        "container crane, CasADi": container,
    }
    for name, solved in rows.items():
        solved()
        began = time.process_time()
        cost, iterations = solved()
        print(f"| {name} | {cost:.7g} | {iterations} | {time.process_time() - began:.2f} s |")


if __name__ == "__main__":
    main()

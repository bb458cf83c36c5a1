"""Share of a load across that the friction of feet holds, by linear programming: the slow twin of `friction_bounds`."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

SIDES = 256


def share_held(feet: np.ndarray, limits: np.ndarray, load: np.ndarray) -> float:
    """Largest lambda at which forces |f_i| <= limits_i at the feet balance lambda (Fx, Fy, Mz).

    Circles are polygons within them, up to 8e-5 less.
    """
    n = len(feet)
    scale = max(float(limits.sum()), 1e-300)
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    inside = np.cos(np.pi / SIDES)
    most = np.zeros((SIDES * n, 2 * n + 1))
    for k in range(n):
        most[SIDES * k : SIDES * (k + 1), 2 * k : 2 * k + 2] = np.column_stack(
            (np.cos(angles), np.sin(angles))
        )
    balance = np.zeros((3, 2 * n + 1))
    balance[0, 0 : 2 * n : 2] = balance[1, 1 : 2 * n : 2] = 1.0
    balance[2, 0 : 2 * n : 2], balance[2, 1 : 2 * n : 2] = -feet[:, 1], feet[:, 0]
    balance[:, -1] = -load / scale
    found = linprog(
        [0.0] * 2 * n + [-1.0],
        A_ub=most,
        b_ub=np.repeat(limits / scale, SIDES) * inside,
        A_eq=balance,
        b_eq=np.zeros(3),
        bounds=[(None, None)] * 2 * n + [(0.0, 1e6)],
    )
    return float(found.x[-1])

"""Convex quadratic programs by a bounded number of interior-point steps (Mehrotra 1992)."""

from __future__ import annotations

import numpy as np

# mean complementarity over the cost at which steps end: the duality gap, which bounds what a feasible point is above
# the optimum, is as many times that as there are rows
ROUNDED = 1e-12
NEAR = 0.995  # share of the way to the nearest bound that a step takes


def solve_quadratic(H: np.ndarray, g: np.ndarray, G: np.ndarray, h: np.ndarray, count: int) -> np.ndarray:
    """Minimise x^T H x / 2 + g^T x with G x <= h, H positive definite, by `count` predictor-corrector steps at most.

    Variables are scaled by the diagonal of H, rows of G to length one. The iterates need not be feasible; the distance
    of the last one from the optimum falls with the count, mostly by a factor of ten or more a step.
    """
    scale = 1.0 / np.sqrt(np.diag(H))
    H, g, G = scale[:, None] * H * scale, scale * g, G * scale
    size = np.linalg.norm(G, axis=1)
    kept = size > 0.0
    G, h = G[kept] / size[kept, None], h[kept] / size[kept]
    x = np.linalg.solve(H, -g)
    if not len(h):
        return scale * x
    # Mehrotra's start: residuals of the constraints, moved until they are positive
    s = h - G @ x
    s += max(0.0, -1.5 * float(s.min())) + 1e-3
    z = np.full(len(h), 1.0)
    z *= max(1e-3, float(abs(x).max())) / np.sqrt(len(h))
    for _ in range(count):
        dual, primal = H @ x + g + G.T @ z, G @ x + s - h
        mean = s @ z / len(s)
        if mean <= ROUNDED * (1.0 + abs(g @ x)):
            break
        factor = np.linalg.inv(H + (G.T * (z / s)) @ G)
        residuals = dual, primal, factor
        _, ds, dz = newton_step(G, s, z, residuals, np.zeros(len(s)))
        way = min(longest_step(s, ds), longest_step(z, dz))
        after = (s + way * ds) @ (z + way * dz) / len(s)
        dx, ds, dz = newton_step(G, s, z, residuals, (after / mean) ** 3 * mean - ds * dz)
        way = NEAR * min(longest_step(s, ds), longest_step(z, dz))
        x, s, z = x + way * dx, s + way * ds, z + way * dz
    return scale * x


def newton_step(
    G: np.ndarray,
    s: np.ndarray,
    z: np.ndarray,
    residuals: tuple[np.ndarray, np.ndarray, np.ndarray],
    target: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton's step of x, s and z to s z = target; residuals: dual, primal, and the inverse of the matrix of x."""
    dual, primal, factor = residuals
    rest = (target - s * z + z * primal) / s
    dx = factor @ (-dual - G.T @ rest)
    ds = -primal - G @ dx
    return dx, ds, (target - s * z - z * ds) / s


def longest_step(value: np.ndarray, change: np.ndarray) -> float:
    """Longest step, at most 1 / NEAR, that keeps value + step change above zero."""
    falling = change < 0.0
    return float(min(1.0 / NEAR, (-value[falling] / change[falling]).min(initial=np.inf)))

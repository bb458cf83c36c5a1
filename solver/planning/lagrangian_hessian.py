"""Hessians of weighted sums of f and y at points: differences of exact first derivatives along few directions.

Directions that share no entry are taken together (Curtis, Powell and Reid 1974), and an entry is measured along one
of its two variables. Which entries there are is seen at sample points: a missed one slows the search, no more.
"""

from __future__ import annotations

import numpy as np

from .model_points import ModelPoints

STEP = 1e-6  # of a forward difference, over the size of a number
SEEN = 1e-7  # change of a slope, over the largest of its row, by which an entry shows


class PointHessian:
    """Hessians of sum_i omega_i (f, y)_i by z = [x, u] at many points."""

    def __init__(self, points: ModelPoints, scale: np.ndarray):
        self.points = points
        self.size = points.n + points.m
        self.scale = np.maximum(scale[: self.size], 1e-3)
        self._pattern = np.zeros((self.size, self.size), bool)
        self._groups: list[list[int]] | None = None

    def find_pattern(self, z: np.ndarray, signals: bool) -> None:
        """Find the pattern of second derivatives at these points."""
        draw = np.random.default_rng(0)
        z = z + 0.1 * self.scale * draw.uniform(-1.0, 1.0, z.shape)
        J = self.points.jacobians(z, signals)
        rough = SEEN * np.nanmax(abs(J), axis=(0, 2), initial=0.0)[None, :, None]
        for e in range(self.size):
            ahead = z.copy()
            ahead[:, e] += 0.05 * self.scale[e]
            change = abs(self.points.jacobians(ahead, signals) - J) > rough
            self._pattern[e] |= change.any(axis=(0, 1))
        self._pattern |= self._pattern.T
        self._groups = direction_groups(self._pattern)

    def along(self, z: np.ndarray, J: np.ndarray, omega: np.ndarray, signals: bool) -> np.ndarray:
        """Hessians at points z with Jacobians J and weights omega."""
        if self._groups is None:
            self.find_pattern(z[:: max(1, len(z) // 12)], signals)
        groups = self._groups or []
        H = np.zeros((len(z), self.size, self.size))
        seen = np.zeros(self.size, bool)
        for group in groups:
            ahead, steps = z.copy(), {}
            for e in group:
                steps[e] = STEP * np.maximum(self.scale[e], abs(z[:, e]))
                ahead[:, e] += steps[e]
            slopes = np.einsum("pi,piq->pq", omega, self.points.jacobians(ahead, signals) - J)
            for e in group:
                H[:, e, self._pattern[e]] = (slopes / steps[e][:, None])[:, self._pattern[e]]
                seen[e] = True
        both = seen[:, None] & seen[None, :]
        mirrored = H.transpose(0, 2, 1)
        return np.where(both, 0.5 * (H + mirrored), H + mirrored)


def direction_groups(pattern: np.ndarray) -> list[list[int]]:
    """Variables that cover all entries of a symmetric pattern, in groups whose rows are disjoint."""
    left, cover = pattern.copy(), []
    while left.any():
        # a variable with an entry of its own on the diagonal has to be taken
        score = left.sum(axis=1) + 1000 * np.diag(left)
        e = int(np.argmax(score))
        cover.append(e)
        left[e, :] = left[:, e] = False
    groups: list[list[int]] = []
    for e in cover:
        for group in groups:
            if not any((pattern[e] & pattern[other]).any() for other in group):
                group.append(e)
                break
        else:
            groups.append([e])
    return groups

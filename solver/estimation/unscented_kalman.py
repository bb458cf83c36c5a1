"""Unscented Kalman filter: the model is evaluated at points that have the estimate's mean and covariance.

The points of L directions of spread are the mean +- sqrt(L) times the columns of a square root of the covariance, all
of weight 1 / 2L, so that no covariance loses its sign (Julier and Uhlmann 2004, Unscented filtering and nonlinear
estimation, Proc. IEEE 92, with W_0 = 0).
"""

from __future__ import annotations

import math

import numpy as np

from .kalman_estimate import KalmanEstimate

EPS = float(np.finfo(float).eps)


class UnscentedFilter:
    """Filter without derivatives: means and covariances are those of points that the model moves."""

    def __init__(self, estimate: KalmanEstimate):
        self.at = estimate

    def expected(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signals with these inputs, and their standard deviations."""
        y = self._signals(self._points(upper_root(self.at.P)), u)
        return y.mean(axis=0), y.std(axis=0)

    def correct(self, measured: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, float]:
        """Correct by what is measured; the innovation, and its normalised square.

        K = P_zy S^-1 with S = P_yy + R; P is that of the points z - K y, and K R K^T.
        """
        at = self.at
        points = self._points(upper_root(at.P))
        y = self._signals(points, u)[:, at.seen]
        innovation = measured - y.mean(axis=0)
        seen = np.isfinite(innovation)
        if not seen.any():
            return innovation, np.nan
        dz, dy = points - points.mean(axis=0), (y - y.mean(axis=0))[:, seen]
        R, e = at.R[np.ix_(seen, seen)], innovation[seen]
        S = dy.T @ dy / len(dy) + R
        K = np.linalg.solve(S, dy.T @ dz / len(dy)).T
        rest = dz - dy @ K.T
        at.P = rest.T @ rest / len(rest) + K @ R @ K.T
        at.moved(K @ e)
        return innovation, float(e @ np.linalg.solve(S, e))

    def predict(self, u: np.ndarray) -> None:
        """Carry the points to the next sample, noise of the inputs among their directions."""
        at, n, size = self.at, self.at.n, len(self.at.z)
        wide = np.zeros((size + len(at.driven),) * 2)
        wide[:size, :size], wide[size:, size:] = upper_root(at.P), np.sqrt(at.W)
        points = self._points(wide)
        inputs = np.tile(u, (len(points), 1))
        inputs[:, at.driven] += points[:, size:]
        moved = points[:, :size].copy()
        for p, rows in groups(points[:, n:size]):
            at.model.take(p)
            moved[rows, :n] = at.model.moved(points[rows, :n], inputs[rows])
        at.model.take(at.z[n:])
        mean = moved.mean(axis=0)
        off = moved - mean
        at.z[:n] = mean[:n]
        P = off.T @ off / len(off) + at.Q
        at.P = 0.5 * (P + P.T)

    def _points(self, root: np.ndarray) -> np.ndarray:
        """Points about [z, 0] along the columns of a root that are not zero; parameters within their bounds."""
        at = self.at
        columns = root.T[root.any(axis=0)]
        centre = np.concatenate([at.z, np.zeros(len(root) - len(at.z))])
        ways = math.sqrt(len(columns)) * columns
        points = centre + np.vstack([ways, -ways]) if len(columns) else centre[None]
        own = slice(at.n, len(at.z))
        points[:, own] = np.clip(points[:, own], at.lower, at.upper)
        return points

    def _signals(self, points: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Signals at each point."""
        at, n = self.at, self.at.n
        y = np.zeros((len(points), at.model.signal_count))
        for p, rows in groups(points[:, n:]):
            at.model.take(p)
            y[rows] = at.model.shown(points[rows, :n], np.tile(u, (len(rows), 1)))
        at.model.take(at.z[n:])
        return y


def upper_root(P: np.ndarray) -> np.ndarray:
    """Upper triangular U with U U^T = P, for P without negative directions; columns of none are zero.

    Parameters stand last in z, so that only their own columns move them.
    """
    U, n = np.zeros_like(P), len(P)
    for j in range(n - 1, -1, -1):
        left = P[: j + 1, j] - U[: j + 1, j + 1 :] @ U[j, j + 1 :]
        if left[j] > n * EPS * P[j, j]:
            U[: j + 1, j] = left / math.sqrt(left[j])
    return U


def groups(rows: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Different rows, each with the places at which it stands."""
    if not rows.shape[1]:
        return [(np.zeros(0), np.arange(len(rows)))]
    different, which = np.unique(rows, axis=0, return_inverse=True)
    return [(row, np.flatnonzero(which.ravel() == k)) for k, row in enumerate(different)]

"""Extended Kalman filter: the model is linear over the spread of the estimate, at its mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .kalman_estimate import KalmanEstimate


class Correction(NamedTuple):
    """Step of z, covariance P after the correction, and normalised square e^T S^-1 e of the innovation e."""

    step: np.ndarray
    P: np.ndarray
    normalised: float


class ExtendedFilter:
    """Filter with derivatives of the model at the estimate."""

    def __init__(self, estimate: KalmanEstimate):
        self.at = estimate

    def expected(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signals with these inputs, and their standard deviations."""
        y, H = self._signals(u)
        return y, np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", H, self.at.P, H), 0.0))

    def correct(self, measured: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, float]:
        """Correct by what is measured; the innovation, and its normalised square."""
        at, (y, H) = self.at, self._signals(u)
        innovation = measured - y[at.seen]
        step, at.P, normalised = corrected(at.P, H[at.seen], at.R, innovation)
        at.moved(step)
        return innovation, normalised

    def predict(self, u: np.ndarray) -> None:
        """Carry the estimate and its covariance to the next sample."""
        at, n = self.at, self.at.n
        x, by_x, by_p, by_u = at.model.advance(at.z[:n], at.z[n:], u)
        F = np.eye(len(at.z))
        F[:n, :n], F[:n, n:] = by_x, by_p
        G = np.zeros((len(at.z), len(at.driven)))
        G[:n] = by_u[:, at.driven]
        at.z[:n] = x
        at.P = predicted(at.P, F, G, at.W, at.Q)

    def _signals(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signals at the estimate, and their derivatives by z."""
        y, by_x, by_p = self.at.model.signals(self.at.z[: self.at.n], self.at.z[self.at.n :], u)
        return y, np.hstack([by_x, by_p])


def corrected(P: np.ndarray, H: np.ndarray, R: np.ndarray, innovation: np.ndarray) -> Correction:
    """Correction of z and P by an innovation: K = P H^T S^-1, P = (I - K H) P (I - K H)^T + K R K^T (Joseph).

    Measured signals whose innovation is NaN are left out.
    """
    seen = np.isfinite(innovation)
    if not seen.any():
        return Correction(np.zeros(len(P)), P, np.nan)
    H, R, e = H[seen], R[np.ix_(seen, seen)], innovation[seen]
    S = H @ P @ H.T + R
    K = np.linalg.solve(S, H @ P).T
    rest = np.eye(len(P)) - K @ H
    P = rest @ P @ rest.T + K @ R @ K.T
    return Correction(K @ e, 0.5 * (P + P.T), float(e @ np.linalg.solve(S, e)))


def predicted(P: np.ndarray, F: np.ndarray, G: np.ndarray, W: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Covariance at the next sample: F P F^T + G W G^T + Q."""
    P = F @ P @ F.T + G @ W @ G.T + Q
    return 0.5 * (P + P.T)

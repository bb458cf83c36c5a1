"""Equations of a Kalman filter: correction in Joseph's form, and prediction of the covariance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Correction(NamedTuple):
    """Innovation e, its normalised square e^T S^-1 e, and how far x moves."""

    step: np.ndarray
    P: np.ndarray
    normalised: float


def corrected(P: np.ndarray, H: np.ndarray, R: np.ndarray, innovation: np.ndarray) -> Correction:
    """Correction of x and P by an innovation: K = P H^T S^-1, P = (I - K H) P (I - K H)^T + K R K^T (Joseph).

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

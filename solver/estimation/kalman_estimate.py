"""Estimate of a Kalman filter over a sampled model: z = [x, p], its covariance, and the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .sampled_model import SampledModel


@dataclass
class KalmanEstimate:
    """States and parameters z = [x, p] predicted for the present sample, with covariance P, over a model.

    Q is the covariance of the random walks over a sample, W that of noise at the inputs `driven`, R that of the signals
    `seen`, which are measured. Parameters stay between `lower` and `upper`.
    """

    model: SampledModel
    z: np.ndarray
    P: np.ndarray
    Q: np.ndarray
    W: np.ndarray
    R: np.ndarray
    driven: list[int]
    seen: list[int]
    lower: np.ndarray
    upper: np.ndarray

    @property
    def n(self) -> int:
        """Number of states."""
        return self.model.n

    def moved(self, step: np.ndarray) -> None:
        """Move the estimate, parameters within their bounds."""
        self.z = self.z + step
        self.z[self.n :] = np.clip(self.z[self.n :], self.lower, self.upper)


class KalmanFilter(Protocol):
    """A filter at an estimate: what it expects to see, its correction, and its prediction for the next sample."""

    def expected(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signals with these inputs, and their standard deviations."""
        ...

    def correct(self, measured: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, float]:
        """Correct by what is measured; the innovation e, and e^T S^-1 e (NaN where nothing is measured)."""
        ...

    def predict(self, u: np.ndarray) -> None:
        """Carry the estimate to the next sample with inputs held."""
        ...

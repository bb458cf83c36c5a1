"""Gusts that differ from place to place: the same spectrum everywhere, alike by Davenport's coherence.

Davenport (1961) has exp(-C n r / V) for the root coherence of two places at the distance r, with n in cycles a
second and V the mean speed; C is 8 to 16. Each harmonic of the wind is shared out among the places by the triangular
root of its matrix of coherences (Shinozuka and Jan, 1972), each column with phases of its own. The first place has the
gusts of the wind itself.
"""

from __future__ import annotations

import math

import numpy as np

from ..signals.signal_sources import hash_uniform
from .random_harmonics import AIR

COLUMN = 100  # salts of the phases of the second column and those that follow


def coherence_matrices(n: np.ndarray, places: np.ndarray, speed: float, decay: float) -> np.ndarray:
    """Coherence exp(-decay n d / U) of all pairs of places, a matrix for each frequency n [Hz]."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    return np.exp(-decay / speed * n[:, None, None] * apart)


def cholesky_factors(matrices: np.ndarray) -> np.ndarray:
    """Lower triangular H with H H' the matrix: Cholesky's, which goes on where places coincide."""
    H = np.zeros_like(matrices)
    for j in range(matrices.shape[1]):
        rest = matrices[:, :, j] - np.einsum("kil,kl->ki", H[:, :, :j], H[:, j, :j])
        # below rounding: the place is one of those before it
        sound = rest[:, j] > 1e-12
        H[sound, j:, j] = rest[sound, j:] / np.sqrt(rest[sound, j])[:, None]
    return H


def harmonics_at_places(
    w: np.ndarray, a: np.ndarray, phase: np.ndarray, places: np.ndarray, speed: float, decay: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Amplitudes and phases of the harmonics at each place."""
    H = cholesky_factors(coherence_matrices(w / (2.0 * math.pi), places, speed, decay))
    phases = np.empty((len(w), len(places)))
    phases[:, 0] = phase
    for column in range(1, len(places)):
        phases[:, column] = [
            2.0 * math.pi * hash_uniform(seed, k, AIR, COLUMN + column) for k in range(len(w))
        ]
    there = a[:, None] * np.einsum("kij,kj->ki", H, np.exp(1j * phases))
    return np.abs(there).T, np.angle(there).T

"""Eigenvalues and eigenvectors, complex throughout."""

from __future__ import annotations

from typing import Any

import numpy as np

Complex = np.ndarray[Any, np.dtype[np.complex128]]


def eigen(A: np.ndarray) -> tuple[Complex, Complex]:
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors.astype(complex)

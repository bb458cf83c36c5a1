"""Eigenvalues and eigenvectors, complex throughout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Complex = npt.NDArray[np.complex128]


def eigen(A: np.ndarray) -> tuple[Complex, Complex]:
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors.astype(complex)

"""Linear systems at multiples of a sample time: x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k], held between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..block import Equation
from ..text.generated_functions import function_from

DISCRETE = ("ad", "bd", "cd", "dd")
METHODS = ("zoh", "tustin", "none")
Matrix = Sequence[Sequence[float]]
Matrices = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # A, B, C, D


def discrete(A: Matrix, B: Matrix, C: Matrix, D: Matrix, period: float, method: str) -> Matrices:
    """The matrices of a continuous system sampled: exact for inputs that are held, or by the trapezoidal rule."""
    from scipy.linalg import expm

    a, b, c, d = (np.array(matrix, float) for matrix in (A, B, C, D))
    n, m = b.shape
    if method == "zoh":
        both = np.zeros((n + m, n + m))
        both[:n, :n], both[:n, n:] = a, b
        grown = expm(both * period)
        return grown[:n, :n], grown[:n, n:], c, d
    if method == "tustin":
        left = np.eye(n) - 0.5 * period * a
        ad = np.linalg.solve(left, np.eye(n) + 0.5 * period * a)
        bd = np.linalg.solve(left, b) * period
        cd = np.linalg.solve(left.T, c.T).T
        return ad, bd, cd, d + 0.5 * c @ bd
    return a, b, c, d


def flat_matrices(*matrices: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Matrices row by row, by the names that the functions use."""
    return {name: tuple(map(float, matrix.ravel())) for name, matrix in zip(DISCRETE, matrices, strict=True)}


def sampled_functions(outputs: int, direct: bool) -> dict[str, Equation]:
    """Functions that run at samples; where u does not reach y at once, y is known before anything reads it."""
    entries = ", ".join(f"held[{k}]" for k in range(outputs))
    made: dict[str, Equation] = {"out": function_from(f"def held_outputs(held):\n    return {entries}\n")}
    if direct:
        return made | {"update": take_sample}
    return made | {"shift": shift_states, "update": advance}


def row_of(matrix, k, values):
    """Row k of a flat matrix times a vector."""
    n = len(values)
    total = 0.0
    for j in range(n):
        total += matrix[n * k + j] * values[j]
    return total


def advance(inputs, ad, bd, now, later):
    """States at the next sample: later = A_d now + B_d u."""
    for k in range(len(now)):
        later[k] = row_of(ad, k, now) + row_of(bd, k, inputs)


def shift_states(cd, now, later, held):
    """A sample without direct feed-through: outputs follow from the states alone, before anything reads them."""
    for k in range(len(now)):
        now[k] = later[k]
    for k in range(len(held)):
        held[k] = row_of(cd, k, now)


def take_sample(inputs, ad, bd, cd, dd, now, later, held):
    """A sample whose outputs follow from states and inputs."""
    for k in range(len(now)):
        now[k] = later[k]
    for k in range(len(held)):
        held[k] = row_of(cd, k, now) + row_of(dd, k, inputs)
    advance(inputs, ad, bd, now, later)

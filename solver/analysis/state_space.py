"""A linear model as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class StateSpace:
    """Plain arrays, as SciPy and python-control take them: `scipy.signal.StateSpace(lin.A, lin.B, lin.C, lin.D)`.

    `error` estimates that of the largest entries, relative to them. States count from `x`, inputs from `u`, outputs
    from `y`, all at time `t`.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    state_names: list[str]
    input_names: list[str]
    output_names: list[str]
    x: np.ndarray
    u: np.ndarray
    y: np.ndarray
    t: float = 0.0
    error: float = 0.0
    notes: list[str] = field(default_factory=list)
    equilibrium: str = ""  # which one it is, where the model was linearised at one
    sticking: int = 0  # states of feet and contacts that stick: each lets the model rest beside where it does

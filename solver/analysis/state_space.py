"""A linear model as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .sampled_loops import SampledLoop

HIDDEN = ("loop", "step_size", "uncertainty", "errors", "quaternions", "roots", "open")


@dataclass
class StateSpace:
    """State-space matrices A, B, C, D as arrays: `scipy.signal.StateSpace(lin.A, lin.B, lin.C, lin.D)`.

    `error` estimates that of the largest entries, relative to them. States count from `x`, inputs from `u`, outputs
    from `y`, all at time `t`.

    With a `period` they are the map of states and memories from one time to that `period` later, with inputs held:
    x(t + period) = A x(t) + B u(t). `unjudged` says why nothing can be said of stability, where that is so.
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
    period: float = 0.0  # of the map; 0 where A, B, C, D are those of rates
    unjudged: str = ""
    loop: SampledLoop | None = field(default=None, repr=False)  # the model of rates, cut open at its memories
    step_size: float = 0.0  # of runs: what samplers and delays are rounded to
    derivatives: str = "exact"  # or "differences", and why
    uncertainty: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0)), repr=False
    )  # of each rate by each state
    errors: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0)), repr=False
    )  # of each entry of [A B; C D], where they are known
    quaternions: tuple[int, ...] = ()  # first state of each
    open: str = ""  # a loop that has no linear model, and why
    roots: object = field(default=None, repr=False)  # once somebody has asked for them (`bounded_roots.py`)
    # states of feet and contacts that stick: each lets the model rest beside where it does
    sticking: tuple[int, ...] = ()

    def fields(self) -> dict[str, object]:
        """Fields that files hold.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: value for name, value in vars(self).items() if name not in HIDDEN}

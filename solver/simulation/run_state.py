"""State of one run: time, states, work space."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..integrators.run_data import Run
from ..kernels.model_data import R_WB, R_WB_COLUMNS
from .compiled_model import Compiled
from .instance import Instance


def poses(row: np.ndarray) -> np.ndarray:
    """R_WB row by row, then p_WB, of all rows of `Data.row` (rows, 12); p_WB of a MODAL row is (eta, 0, 0)."""
    return row[:, R_WB : R_WB + R_WB_COLUMNS].copy()


class StateUnits:
    """Groups of states by unit."""

    def __init__(self, units: list[str]):
        self.places = {unit: np.flatnonzero([u == unit for u in units]) for unit in dict.fromkeys(units)}
        self._order = np.concatenate([*self.places.values(), np.zeros(0, np.int64)])
        counts = [*map(len, self.places.values())]
        self._first = np.cumsum([0, *counts])[:-1]
        self._unit = np.argsort(self._order, kind="stable").astype(np.int64)  # of each state in that order
        self._unit = np.repeat(np.arange(len(counts)), counts)[self._unit]

    def largest(self, values: np.ndarray) -> dict[str, float]:
        """Largest value of each unit; NaN if one of them is."""
        if not self.places:
            return {}
        sizes = np.maximum.reduceat(values[self._order], self._first)
        return dict(zip(self.places, sizes.tolist(), strict=True))

    def largest_of_unit(self, values: np.ndarray) -> np.ndarray:
        """Largest value among the states of the same unit, for each state."""
        if not self.places:
            return np.zeros(len(values))
        return np.maximum.reduceat(values[self._order], self._first)[self._unit]


class RunState:
    """Time, states and work space of one run."""

    sim: Compiled
    instance: Instance
    x: np.ndarray
    work: np.ndarray  # work vectors of the method
    stop: float
    steps: int
    step_size: float
    method: str
    events: str
    done: int  # steps
    energy_start: dict[str, float]

    @cached_property
    def scratch_run(self) -> Run:
        """Run arrays on the same state that record nothing and leave sampled blocks alone."""
        return self.instance.run(self.x, self.work, updates=False)

    @cached_property
    def state_units(self) -> StateUnits:
        """Units of the states, and of the energies behind them."""
        return StateUnits([*self.instance.program.state_units, *["J"] * self.instance.program.trailing])

    @property
    def time(self) -> float:
        """Time of the run [s]."""
        return self.done * self.step_size

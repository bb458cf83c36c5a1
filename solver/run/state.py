"""A state of a compiled model that steps are taken from."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..machine.run_arrays import Run
from .compiled import Compiled
from .instance import Instance


class RunState:
    """Time, states and the work space of one run."""

    sim: Compiled
    instance: Instance
    x: np.ndarray
    work: np.ndarray  # vectors of the method
    stop: float
    steps: int
    step_size: float
    method: str
    events: str
    done: int  # steps
    energy_start: dict[str, float]

    @cached_property
    def aside(self) -> Run:
        """A run of the same state that records nothing and leaves sampled blocks alone."""
        return self.instance.run(self.x, self.work, updates=False)

    @cached_property
    def states_by_unit(self) -> dict[str, np.ndarray]:
        """Places of the states of each unit; the energies behind them are in J."""
        units = [*self.instance.program.state_units, *["J"] * self.instance.program.trailing]
        return {unit: np.flatnonzero([u == unit for u in units]) for unit in dict.fromkeys(units)}

    @property
    def time(self) -> float:
        return self.done * self.step_size

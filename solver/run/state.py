"""A state of a compiled model that steps are taken from."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..diagram.settings import ADAPTIVE, steps_to
from ..integrators import step_of, work_rows
from ..machine.primitives import STEP_ADDRESS
from ..machine.run_arrays import Run
from .closed import restore
from .compiled import Compiled


class RunState:
    """Time, states and the work space of one run."""

    energy_start: dict[str, float]

    def __init__(self, sim: Compiled, stop: float, step: float, method: str):
        self.sim, self.stop, self.step, self.method = sim, stop, step, method
        self.steps = steps_to(stop, step)
        self.done = 0
        self.x = np.concatenate([sim.x0, np.zeros(sim.program.trailing)])
        self.work = np.zeros((work_rows(method, len(self.x)), len(self.x)))
        self.instance = sim.new_instance()
        if method not in ADAPTIVE:
            self.instance.choose(STEP_ADDRESS, step_of(method))
        restore(self.instance)

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
        return self.done * self.step

"""What a run needs of a compiled diagram: its program, names and units, and work spaces."""

from __future__ import annotations

from threading import RLock
from weakref import WeakSet

import numpy as np

from ...blocks.errors import Problem
from ..diagram.run_settings import SimulationSettings
from ..program.recorded_columns import unplottable
from ..program.started_program import Started
from .instance import Instance


class Compiled:
    """A program, and the work spaces of the runs that were made from it."""

    def __init__(self, program: Started):
        self.adopt(program)

    def adopt(self, program: Started) -> None:
        """Begin with a program, and no run."""
        self._program = program
        self.lock = RLock()  # held while something is set or begins: no start misses what another thread sets
        self._running: WeakSet[Instance] = WeakSet()
        self.beginnings: dict[
            tuple[float, str], object
        ] = {}  # by step and method: the program that was started, or a `StartSnapshot`

    @property
    def program(self) -> Started:
        return self._program

    @property
    def x0(self) -> np.ndarray:
        """The initial state."""
        return self.program.x0

    @property
    def notes(self) -> list[str]:
        """What is worth knowing about the model before it runs: redundant constraints, other starts, ..."""
        return self.program.notes

    @property
    def remarks(self) -> list[Problem]:
        """Warnings of all kinds, each with its place in the file."""
        flat = self.program.flat
        return [*flat.warnings, *unplottable(flat, self.program.columns), *map(flat.remark, self.notes)]

    def new_instance(self, like: Instance | None = None) -> Instance:
        """A work space for a run; parameters that are set reach it."""
        with self.lock:
            made = Instance(self.program) if like is None else like.twin()
            self._running.add(made)
            return made

    @property
    def state_names(self) -> list[str]:
        return self.program.state_names

    @property
    def signal_names(self) -> list[str]:
        return [column.name for column in self.program.columns]

    @property
    def units(self) -> dict[str, str]:
        return {column.name: column.unit for column in self.program.columns}

    @property
    def settings(self) -> SimulationSettings:
        return self.program.flat.simulation

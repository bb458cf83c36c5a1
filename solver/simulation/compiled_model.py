"""Compiled diagram: its program, names and units, and the work spaces made from it."""

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
    """Program, and the work spaces of the runs made from it."""

    def __init__(self, program: Started):
        self.adopt(program)

    def adopt(self, program: Started) -> None:
        """Take over a program; no run of it has begun.

        Parameters
        ----------
        program : Started
            A compiled program that stands at its start.
        """
        self._program = program
        # held while parameters are set and runs start: no start misses what another thread sets
        self.lock = RLock()
        self._running: WeakSet[Instance] = WeakSet()
        self.beginnings: dict[
            tuple[float, str], object
        ] = {}  # by step and method: the program that was started, or a `StartSnapshot`

    @property
    def program(self) -> Started:
        """The compiled program."""
        return self._program

    @property
    def x0(self) -> np.ndarray:
        """Initial state, in the order of `state_names` [SI]."""
        return self.program.x0

    @property
    def notes(self) -> list[str]:
        """Notes on the model before it runs: redundant constraints, a start other than the netlist's, ..."""
        return self.program.notes

    @property
    def remarks(self) -> list[Problem]:
        """Warnings and notes on the model, each with its place in the file."""
        flat = self.program.flat
        return [*flat.warnings, *unplottable(flat, self.program.columns), *map(flat.remark, self.notes)]

    def new_instance(self, like: Instance | None = None) -> Instance:
        """Make a work space for a run; parameters that are set later reach it.

        Parameters
        ----------
        like : Instance, optional
            A work space to copy.

        Returns
        -------
        Instance
            Arrays and kernels of one run.
        """
        with self.lock:
            made = Instance(self.program) if like is None else like.twin()
            self._running.add(made)
            return made

    @property
    def state_names(self) -> list[str]:
        """Names of the states, in the order of x."""
        return self.program.state_names

    @property
    def signal_names(self) -> list[str]:
        """Names of the recorded signals, a name for each element."""
        return [column.name for column in self.program.columns]

    @property
    def units(self) -> dict[str, str]:
        """Units of the recorded signals, by their names."""
        return {column.name: column.unit for column in self.program.columns}

    @property
    def settings(self) -> SimulationSettings:
        """Settings of `simulation:`: stop, step, method, output step, events."""
        return self.program.flat.simulation

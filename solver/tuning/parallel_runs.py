"""Parallel runs of one model at points of a space, which can be stopped."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import did_you_mean
from ..analysis.sensitivity import Sensitivity
from ..batch.batch import Batch
from ..results.recorded_run import signal_of
from ..simulation.simulation import Simulation
from .run_backends import RunBackend, RunRequest
from .tuning_file import Space

CARRYING = "it carried derivatives"


class SearchEnded(Exception):
    """The search was asked to end."""


@dataclass(frozen=True)
class BestSoFar:
    """Number of runs, and the best value that they have found, in `unit`."""

    runs: int
    value: float
    unit: str = ""


@dataclass
class RunCounter:
    """Counter of runs that calls `progress` and ends the search when it returns False.

    `improved` hears of each value that is less than all before it; `told` spells the best one behind the words.
    """

    progress: Callable[[int, str], object] | None = None
    runs: int = 0
    words: str = ""
    alone: Counter[str] = field(default_factory=Counter)  # how the runs went, see `Batch.alone`
    improved: Callable[[BestSoFar], object] | None = None
    least: float = math.inf
    unit: str = ""  # of the values, if they have one
    told: Callable[[float], str] = "best {:.4g}".format

    def report_progress(self, runs: int = 0, words: str = "", value: float = math.inf) -> None:
        self.runs += runs
        self.words = words or self.words
        if value < self.least:
            self.least = value
            if self.improved is not None:
                self.improved(BestSoFar(self.runs, value, self.unit))
        if self.progress is not None and self.progress(self.runs, self.line()) is False:
            raise SearchEnded

    def line(self) -> str:
        """Words on the search, and the best value so far."""
        return ", ".join(filter(None, [self.words, self.told(self.least) if self.least < math.inf else ""]))


@dataclass
class Evaluator:
    """A simulation, and the signals that are needed of it."""

    sim: Simulation
    space: Space
    signals: list[str]
    stop: float | None
    engine: RunBackend
    watch: RunCounter

    def at(self, points: np.ndarray) -> Batch:
        """Runs at points of the cube."""
        return self.runs_of(np.atleast_2d(self.space.values(points)))

    def runs_of(self, values: np.ndarray) -> Batch:
        """Runs with these values of the parameters [SI], a row a run."""
        named = {name: values[:, k] for k, name in enumerate(self.space.names)}
        made = self.engine.runs(
            RunRequest(self.sim, named, self.signals, self.stop), self.watch.report_progress
        )
        self.watch.alone.update(made.alone)
        return made

    def own_values(self) -> dict[str, float]:
        """Values that the parameters have in the model [SI]; those that have no number there are left out."""
        known: dict[str, float] = {}
        for name in self.space.names:
            with contextlib.suppress(LuffError):
                value = self.sim.get(name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    known[name] = float(value)
        return known

    def located(self) -> Evaluator:
        """Evaluator whose runs end steps at events (`events: locate`)."""
        if self.sim.settings.events == "locate":
            return self
        return replace(
            self, sim=Simulation(self.sim.diagram, {**self.sim.overrides, "simulation.events": "locate"})
        )

    def derivatives_at(self, values: np.ndarray) -> Sensitivity | str:
        """The run at these parameters [SI], with derivatives by all of them; or why it has none."""
        numbers = dict(zip(self.space.names, values[:, None], strict=True))
        made = self.engine.derivatives(
            RunRequest(self.sim, numbers, self.signals, self.stop), self.watch.report_progress
        )
        self.watch.alone.update({CARRYING: len(made)})
        return made.found


def columns_of(sim: Simulation, names: Sequence[str], path: str) -> list[str]:
    """The columns of signals, of vectors too."""
    columns: list[str] = []
    for name in names:
        hits = [column for column in sim.signal_names if name in (column, signal_of(column))]
        if not hits:
            known = [*dict.fromkeys(map(signal_of, sim.signal_names))]
            raise RunError(
                f'the model has no recorded signal "{name}"', path=path, fix=did_you_mean(name, known)
            )
        columns += [hit for hit in hits if hit not in columns]
    return columns

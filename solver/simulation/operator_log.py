"""Operator log of a run: inputs and parameters with the times from which they hold; saved and replayed.

A log is a table with a line for each step before which something changed. In a replay the same steps begin with the
same values, so that the same bits follow.
"""

from __future__ import annotations

import math
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.light_dataclass import mutable
from ...blocks.text.data_files import unit_of_head
from ...blocks.text.quantity import coherent, compatible, unit
from ...blocks.text.safe_read import shown
from ..results.file_columns import columns_with_units, in_si
from ..results.result import Result
from .inputs_outputs import io_signals

if TYPE_CHECKING:
    from .session import Session

TIME = "time"
SET = "parameters."  # prefix of parameter columns
ON_A_STEP = 1e-6  # share of a step within which a time counts as on it
MOST_STEPS = 1000  # most steps between looks at the clock


@mutable
class OperatorLog:
    """Values that hold from their times on; NaN is a parameter as in the netlist."""

    times: np.ndarray  # (N,), s
    names: list[str]
    values: np.ndarray  # (N, names), SI
    units: Mapping[str, str] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Save to a file in a format of results."""
        Result(self.times, self.names, self.values, self.units).save(Path(path))

    @classmethod
    def read(cls, path: str | Path) -> OperatorLog:
        """Read a saved log, or any table with a column of times and columns named like inputs."""
        table = columns_with_units(Path(path), "what an operator did")
        times = in_si(table, TIME, "s") if TIME in table else np.zeros(0)
        table.pop(TIME, None)
        names = [name for name, (column, _) in table.items() if len(column) == len(times)]
        if not len(times) or not (np.diff(times) > 0.0).all():
            mistake = f"{shown(str(path))}: expected a column {TIME} whose numbers rise"
            raise LuffError(Problem(mistake, fix="a file that luff run --keep wrote"))
        values = np.column_stack([in_si(table, name) for name in names] or [np.zeros((len(times), 0))])
        units = {name: table[name][1] for name in names if table[name][1]}
        known = {name: coherent(said, unit_of_head(said, name).dimension) for name, said in units.items()}
        return cls(times, names, values, known)


class OperatorRecorder:
    """Recorder of the inputs and parameters of a session."""

    def __init__(self, session: Session):
        self.session = session
        self._inputs = io_signals(session.instance.program).inputs
        self._steps: list[int] = []
        self._lines = array("d")  # values of all inputs, line after line: a thousand lines a second may come
        self._last: bytes | None = None
        self._set: dict[str, list[tuple[int, float]]] = {}

    def note(self) -> None:
        """Record the inputs that the next step will see."""
        now = self.session.inputs.tobytes()
        if now == self._last:
            return
        self._last = now
        if self._steps and self._steps[-1] == self.session.done:
            self._steps.pop()
            del self._lines[len(self._lines) - len(self._inputs) :]
        self._steps.append(self.session.done)
        self._lines.frombytes(now)

    def note_set(self, path: str, value: float) -> None:
        """Record a parameter in SI units that the next step will see."""
        self._set.setdefault(path, []).append((self.session.done, value))

    def drive(self, first: int = 0, end: int | None = None) -> OperatorLog:
        """Log of the steps `first` to `end` (exclusive), by default of all."""
        until, width = math.inf if end is None else end, len(self._inputs)
        a, b = bisect_left(self._steps, first), bisect_left(self._steps, until)
        sets = {path: _sets_until(each, first, until) for path, each in self._set.items()}
        changed = {step for each in sets.values() for step, _ in each if step >= first}
        steps = np.array(sorted({*self._steps[a:b], *changed}), int)
        last = max(a - 1, 0)  # the value at the first step was given before it
        lines = np.array(self._lines[last * width : b * width]).reshape(b - last, width)
        columns = [zero_order_hold(steps, np.array(self._steps[last:b], int), lines)]
        for each in sets.values():
            at, values = np.array(each).reshape(-1, 2).T
            columns.append(zero_order_hold(steps, at.astype(int), values[:, None]))
        units = {name: self.session.sim.units.get(name, "") for name in self._inputs}
        names = [*self._inputs, *(SET + path for path in self._set)]
        return OperatorLog(steps * self.session.step_size, names, np.hstack(columns), units)


def _sets_until(sets: list[tuple[int, float]], first: int, until: float) -> list[tuple[int, float]]:
    """Settings of the steps first to until, and the last one before them."""
    return sets[max(bisect_left(sets, (first,)) - 1, 0) : bisect_left(sets, (until,))]


def zero_order_hold(steps: np.ndarray, at: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Line that holds at each step: the last one written up to it; NaN before the first."""
    rows = np.searchsorted(at, steps, side="right") - 1
    empty = np.full((1, lines.shape[1]), np.nan)
    return np.vstack([lines, empty])[rows]


class OperatorReplay:
    """Replay of an operator log in a session."""

    def __init__(self, session: Session, drive: OperatorLog, set_parameter: Callable[[str, float], object]):
        self.session, self._set = session, set_parameter
        signals = io_signals(session.instance.program)
        known = {name: k for k, name in enumerate(drive.names) if name in signals.inputs}
        self._sets = {name[len(SET) :]: k for k, name in enumerate(drive.names) if name.startswith(SET)}
        if not known:
            fix = did_you_mean(drive.names[0] if drive.names else "", signals.inputs)
            fix = fix or f"the inputs are {', '.join(signals.inputs) or 'none'}"
            raise LuffError(Problem("no column of the drive has the name of an input", fix=fix))
        for name in known:
            wanted, said = session.sim.units.get(name, ""), drive.units.get(name, "")
            if wanted and said and not compatible(unit(said).dimension, unit(wanted).dimension):
                raise LuffError(Problem(f"the column {shown(name)} is in {said}, the input in {wanted}"))
        bad = ~np.isfinite(drive.values[:, [*known.values()]]).all(axis=1)
        if bad.any():
            raise LuffError(Problem(f"line {int(np.argmax(bad)) + 1} of the drive lacks a number"))
        self._slots = [signals.slots[name] for name in known]
        self._columns = [*known.values()]
        self._values = drive.values
        self._steps = [math.ceil(t / session.step_size - ON_A_STEP) for t in drive.times.tolist()]
        self._next = 0
        self._last: dict[str, float] = {}

    def give(self) -> None:
        """Set all values that hold from the next step on."""
        while self._next < len(self._steps) and self._steps[self._next] <= self.session.done:
            line = self._values[self._next]
            for slot, column in zip(self._slots, self._columns, strict=True):
                self.session.inputs[slot] = line[column]
            for path, column in self._sets.items():
                value = float(line[column])
                if not math.isnan(value) and self._last.get(path) != value:
                    self._set(path, value)
                    self._last[path] = value
            self._next += 1

    def due(self) -> int:
        """Steps to the next line, at most MOST_STEPS."""
        if self._next < len(self._steps):
            return max(1, min(self._steps[self._next] - self.session.done, MOST_STEPS))
        return MOST_STEPS

    def advance(self, seconds: float, note: Callable[[], object] | None = None) -> str:
        """Advance for about `seconds` of wall time; returns the status. `note` is called before each part."""
        until = time.perf_counter() + seconds
        while self.session.status == "running" and time.perf_counter() < until:
            self.give()
            if note is not None:
                note()
            self.session.advance(steps=self.due())
        return self.session.status

"""Input signals of a run: constants, time series, functions of time."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import did_you_mean
from ...blocks.netlist_inputs import NAME, Inputs
from ...blocks.text.raw_types import RawMap
from ..flatten.diagram import Diagram

if TYPE_CHECKING:
    from ..program.started_program import Started
    from .session import Session

Function = Callable[[float], float | Sequence[float] | np.ndarray]
# constant, pair of times and values, or function of time
Numbers = Sequence[float] | np.ndarray
Drive = float | Numbers | tuple[Numbers, Numbers] | Function


class InputSignals:
    """Inputs of one run: start values and tables, and functions evaluated at each step."""

    def __init__(self, program: Started, given: Mapping[str, Drive]):
        block = program.flat.blocks.get(NAME)
        entries = block.entries if isinstance(block, Inputs) else {}
        self.changes: dict[str, object] = {}
        self.feeds: dict[str, RawMap] = {}
        self.functions: dict[str, Function] = {}
        for name, drive in given.items():
            if name not in entries:
                fix = did_you_mean(name, entries) or "declare it in `inputs:`"
                raise RunError(f'there is no input "{name}"', fix=fix)
            width = entries[name].width
            if isinstance(drive, tuple) and len(drive) == 2 and all(map(np.ndim, drive)):
                self.feeds[name] = {
                    "data": time_series(name, *drive, width).tolist(),
                    "unit": entries[name].unit,
                }
                continue
            if callable(drive):
                self.functions[name] = drive
                drive = drive(0.0)
            self.changes[f"{NAME}.{name}.default"] = constant(name, drive, width).tolist()

    def fed(self, diagram: Diagram) -> Diagram:
        """Copy of the diagram that reads the time series."""
        made = copy.copy(diagram)
        made.feeds = diagram.feeds | self.feeds
        return made

    def advance(self, session: Session, seconds: float) -> str:
        """Advance for `seconds` of wall time, functions evaluated at the start of each step and held over it."""
        until = time.perf_counter() + seconds
        while session.status == "running" and time.perf_counter() < until:
            if session.done:
                session.give({name: function(session.time) for name, function in self.functions.items()})
            session.advance(steps=1)
        return session.status


def constant(name: str, value: object, width: int) -> np.ndarray:
    """Value of a constant input, checked against its width."""
    values = input_numbers(name, value)
    if values.shape not in ((), (width,)):
        fix = "(times, values) is a time series" if values.ndim else ""
        wanted = "one number" if width == 1 else f"one number, or one for each of {width} elements"
        raise RunError(f"found {values.size} numbers, expected {wanted}", path=name, fix=fix)
    return values


def time_series(name: str, times: object, values: object, width: int) -> np.ndarray:
    """Rows of a time series: time, and the value of each element."""
    t, y = input_numbers(name, times), input_numbers(name, values)
    y = y[:, None] if y.ndim == 1 else y
    if t.ndim != 1 or y.shape != (len(t), width):
        shape = f"({len(t)},)" if width == 1 else f"({len(t)}, {width})"
        raise RunError(
            f"found {t.shape} times and {y.shape} values, expected values of the shape {shape}", path=name
        )
    if len(t) < 2 or not (np.diff(t) > 0.0).all():
        raise RunError("expected two times or more, each later than the one before", path=name)
    return np.column_stack([t, y])


def input_numbers(name: str, value: object) -> np.ndarray:
    """Finite numbers of an input as an array; RunError otherwise."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.isfinite(array).all():
        fix = "a number, (times, values), or a function of the time; SI units"
        raise RunError(f"found {value!r:.60}, expected finite numbers", path=name, fix=fix)
    return array

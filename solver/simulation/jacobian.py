"""Exact Jacobians of an instance by forward differentiation: its entry points for dual numbers, in memory of its
own.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...blocks.errors import ModelWarning
from ...blocks.light_dataclass import mutable
from ..codegen.jit import ENABLED, EntryPoint, NoCode
from ..codegen.memory_arena import address, cache_line_aligned
from ..codegen.transforms.entry_point_variants import DIRECTIONS, Dual, dual
from ..integrators.run_data import NOW, WITHIN
from ..integrators.run_loop import evaluate_many
from ..program.loop_invariant import state_dependent_calls
from . import finite_differences
from .dual_memory import InterleavedMemory, address_of
from .external_blocks import BoundEvaluation
from .instance import Instance

NUMBERS = DIRECTIONS + 1  # a value and its tangents
OFF = "compiled code is off"
UNUSED = (
    "ends",
    "updates",
    "late_updates",
    "decisions",
    "crossings",
    "sides",
    "openings",
    "settles",
    "projections",
)


@mutable
class JacobianRows:
    """Arrays of evaluations in dual numbers: states, one a row, and room for rates and outputs."""

    tables: list[np.ndarray]  # of the first row, and of those after it
    states: np.ndarray  # (rows, states, numbers)
    answers: np.ndarray  # (rows, rates and outputs, numbers)


class ModelJacobian:
    """f(t, x, u) of an instance and its derivatives, with the recorded signals behind it if `outputs`.

    Raises NoCode, with the reasons, if some code cannot be differentiated.
    """

    def __init__(self, instance: Instance, outputs: bool = False):
        load(instance, outputs)
        self.instance, self.outputs = instance, outputs
        self.wide = InterleavedMemory([instance], NUMBERS, dual, {})
        self._whole = len(instance.program.x0) + instance.program.trailing
        asked: list[str] = ["rates", "outputs"] if outputs else ["rates"]
        again = state_dependent_calls(instance.program.tables[name] for name in asked)
        self._again = dict(zip(asked, again, strict=True))  # calls that the rows after the first take
        self._rows: dict[int, JacobianRows] = {}
        each = (
            array
            for _, _, data in instance.each
            for array in (data.touch_idle, data.touch_near, data.touch_gap)
        )
        self._idle = [self.wide.numbers(array) for array in each if array.size]

    def arguments_for(self, count: int) -> JacobianRows:
        """Arguments for `count` states in one call."""
        made = self._rows.get(count)
        if made is None:
            made = self._rows[count] = self._made(count)
        return made

    def _made(self, count: int) -> JacobianRows:
        """Arrays and run tables for the Jacobian at `count` states, interleaved as dual numbers."""
        run_of, whole = self.instance.run, self._whole
        width = whole + (len(self.instance.program.columns) if self.outputs else 0)
        states, answers = (np.zeros((count, size)) for size in (whole, width))
        wide = {
            name: cache_line_aligned(np.zeros(array.size * NUMBERS)).reshape(*array.shape, NUMBERS)
            for name, array in (("rows", states), ("film", answers))
        }
        none = np.zeros((0, 4), np.int64)
        left_out = (*UNUSED, *(() if self.outputs else ("outputs",)))
        tables = []
        for rows, taken in ((slice(0, 1), {}), (slice(1, None), self._again)):
            run: Any = run_of(np.zeros(whole), np.zeros((0, 0)), rows=states[rows], film=answers[rows])
            fewer = {name: getattr(run, name)[calls] for name, calls in taken.items()}
            run = run._replace(**dict.fromkeys(left_out, none), **fewer)
            parts = {name: array[rows] for name, array in wide.items()}
            if len(states[rows]):
                tables.append(self.wide.run_table([run], parts, taken))
        self._gather()  # arrays of the run, such as its time, are interleaved from now on
        return JacobianRows(tables, wide["rows"], wide["film"])

    def jacobians(
        self, t: float, points: np.ndarray, slots: Sequence[int] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives by the states and by the parameters at `slots` at each of the states `points`, and values."""
        count, n = points.shape
        self.set_time(t)
        passes = max(-(-n // DIRECTIONS), 1)
        rows = self._placed(points, passes)
        ways = np.arange(n)
        for first in range(0, count * passes, passes):
            rows.states[first + ways // DIRECTIONS, ways, 1 + ways % DIRECTIONS] = 1.0
        self.evaluate(rows)
        slopes = [self._tangents(rows, count)[:, :n]]
        values = self._kept(rows.answers[::passes, :, 0])
        for first in range(0, len(slots), DIRECTIONS):
            some = slots[first : first + DIRECTIONS]
            slopes.append(self._along(points, np.eye(n + len(some), len(some), -n), some))
        return np.concatenate(slopes, axis=1).transpose(0, 2, 1), values

    def set_time(self, t: float) -> None:
        """Set the time, and copy the instance's memory."""
        real = self.instance.real
        real[NOW] = real[WITHIN] = t
        self._gather()

    def _gather(self) -> None:
        """Copy the instance's memory: values, whose tangents every evaluation writes anew."""
        for wide in self.wide.memories:
            wide.gather([0])
        # outputs of pairs that are far stay, here with the tangents of an earlier state
        for idle in self._idle:
            idle[...] = 0.0

    def passes(self, x: np.ndarray) -> Iterator[np.ndarray]:
        """Derivatives of the rates by eight states at a time; each evaluation is left in memory."""
        rows, n = self._placed(x[None], 1), len(x)
        for first in range(0, n, DIRECTIONS):
            ways = np.arange(first, min(first + DIRECTIONS, n))
            rows.states[0, :, 1:] = 0.0
            rows.states[0, ways, 1 + ways - first] = 1.0
            self.evaluate(rows)
            yield self._tangents(rows, 1)[0, : len(ways)]

    def _placed(self, points: np.ndarray, passes: int) -> JacobianRows:
        """Arguments with `passes` rows for each of the points."""
        rows = self.arguments_for(len(points) * passes)
        rows.states[:] = 0.0
        rows.states[:, : points.shape[1], 0] = np.repeat(points, passes, axis=0)
        return rows

    def along(self, t: float, points: np.ndarray, ways: np.ndarray, slots: Sequence[int] = ()) -> np.ndarray:
        """Directional derivatives at each of the states along the columns of `ways`, at most DIRECTIONS.

        A column has an entry for each state, then one for each parameter at `slots`.
        """
        self.set_time(t)
        return self._along(points, ways, slots).transpose(0, 2, 1)

    def _along(self, points: np.ndarray, ways: np.ndarray, slots: Sequence[int]) -> np.ndarray:
        """Directional derivatives, memory being set."""
        params = self.wide.widened(self.instance.w, ()).table[self.instance.sections.first["p"] :]
        rows, (count, n), here = self._placed(points, 1), points.shape, list(slots)
        beside = slice(1, 1 + ways.shape[1])
        rows.states[:, :n, beside] = ways[:n]
        params[here, beside] = ways[n:]
        self.evaluate(rows)
        params[here, 1:] = 0.0
        return self._tangents(rows, count)[:, : ways.shape[1]]

    def _tangents(self, rows: JacobianRows, count: int) -> np.ndarray:
        """Tangents of the answers of each point, a direction a row."""
        made = rows.answers[:, :, 1:].transpose(0, 2, 1)
        return self._kept(made.reshape(count, -1, made.shape[-1]))

    def _kept(self, answers: np.ndarray) -> np.ndarray:
        """Answers without the energies."""
        n = len(self.instance.program.x0)
        return np.delete(answers, slice(n, self._whole), axis=-1) if self.outputs else answers[..., :n].copy()

    def evaluate(self, rows: JacobianRows) -> None:
        """Fill the answers; state-independent operations run in the first row only."""
        for table in rows.tables:
            call_dual(evaluate_many, table)


def jacobian_of(instance: Instance, outputs: bool = False) -> ModelJacobian:
    """ModelJacobian of an instance, cached."""
    made: dict[bool, ModelJacobian] = instance.__dict__.setdefault("_slopes", {})
    if outputs not in made:
        made[outputs] = ModelJacobian(instance, outputs)
    return made[outputs]


def jacobian(instance: Instance, t: float, x: np.ndarray) -> np.ndarray:
    """d(dx/dt)/dx at (t, x); by finite differences, with a warning, where there is no dual code."""
    try:
        return jacobian_of(instance).jacobians(t, x[None])[0][0]
    except NoCode as reason:
        if str(reason) != OFF:
            warnings.warn(ModelWarning(f"derivatives are differences, not exact: {reason}"), stacklevel=3)
    made, _ = finite_differences.jacobian(
        lambda state: instance.rates(t, state), x, many=lambda points: instance.many(t, points)
    )
    return made


def load(instance: Instance, outputs: bool) -> None:
    """Load the dual code of an instance, compiling what is missing."""
    from ..codegen import object_loader

    if not ENABLED:
        raise NoCode(OFF)
    codes = [
        code for name in ("rates", *(["outputs"] if outputs else [])) for code, *_ in instance.calls[name]
    ]
    entries: list[Dual] = []
    for code in codes:
        if isinstance(code, BoundEvaluation):  # knows its own
            continue
        if not isinstance(code, EntryPoint):
            raise NoCode("the model has blocks that work outside of it")
        entries.append(dual(code))
    object_loader.load([*entries, dual(evaluate_many)])


def call_dual(entry: EntryPoint, *tables: np.ndarray) -> None:
    """Call the dual variant of an entry point with address tables."""
    _code(entry, len(tables))(*(address(table) + 8 for table in tables))


@cache
def _code(entry: EntryPoint, count: int) -> Any:
    """ctypes function of the dual variant."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)(address_of(dual(entry)))

"""Operations of external blocks (`blocks/external_block.py`): the compiled loop calls Python for them.

Two operations a block, both due at communication points: one copies the outputs into memories, which are the output
ports; one hands over the inputs. Everything that the inputs depend on is computed between the two. In analyses
operations evaluate such a block at any state, for dual numbers too.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.external_block import ContinuousBlock, ExternalBlock, ExternalPartner, ModelBlock, ProgramBlock
from ..integrators.run_data import QUIT
from ..program.external_callbacks import ExternalEvaluation, ExternalExchange

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


class Communication:
    """Partner of one external block in one run, opened at the first communication point."""

    def __init__(self, block: ExternalBlock):
        self.block = block
        self._partner: ExternalPartner | None = None

    @property
    def partner(self) -> ExternalPartner:
        """Partner, opened on first use."""
        if self._partner is None:
            self._partner = open_partner(self.block)
            self._closing = weakref.finalize(self, self._partner.close)
        return self._partner

    def close(self) -> None:
        """Close the partner; the next communication point opens another one."""
        if self._partner is not None:
            self._closing()
            self._partner = None


def open_partner(block: ExternalBlock) -> ExternalPartner:
    """Partner of a block; one with a model of its own is opened by the room above that compiles models."""
    if isinstance(block, ModelBlock):
        room = import_module(f"..{block.partner}", __package__)  # as late as blocks are: few models have one
        return room.open_partner(block)
    assert isinstance(block, ProgramBlock)
    return block.open()


class BoundExchange:
    """Exchange operation bound to a run: callable by `address` or as plain Python."""

    def __init__(
        self,
        w: np.ndarray,
        fault: list[BaseException],
        number: np.ndarray,
        code: ExternalExchange,
        meeting: Communication,
        places: np.ndarray,
    ):
        work = partial(_exchange_with, meeting, code.giving, fault, number)
        self.function = work
        self._native = CALLBACK(lambda w, a, own=(w, places): work(*own))
        self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0


class PartnerAnswers:
    """Values and derivatives of a block with external states, cached for the last point."""

    def __init__(self, block: ContinuousBlock):
        self.block = block
        self._values: tuple[object, np.ndarray] | None = None
        self._slopes: tuple[object, np.ndarray] | None = None

    def values(self, t: float, given: np.ndarray) -> np.ndarray:
        """Answers at (t, given): rates and outputs."""
        if not np.isfinite(given).all():
            return np.full(len(self.block.states_outside) + len(self.block.direct), np.nan)
        key = (t, given.tobytes())
        if self._values is None or self._values[0] != key:
            self._values = key, np.array(self.block.evaluate(t, given.tolist()))
        return self._values[1]

    def slopes(self, t: float, given: np.ndarray) -> np.ndarray:
        """Derivatives of the answers by each given number, an answer a row."""
        key = (t, given.tobytes())
        if self._slopes is None or self._slopes[0] != key:
            self._slopes = key, self._made(t, given)
        return self._slopes[1]

    def _made(self, t: float, given: np.ndarray) -> np.ndarray:
        """Derivatives from the partner, or by finite differences."""
        here = self.values(t, given)
        if not len(given) or not np.isfinite(here).all():
            return np.full((len(here), len(given)), np.nan)
        if not self.block.inexact:
            return np.array(self.block.slopes(t, given.tolist())).T
        from . import finite_differences

        sizes = np.array(self.block.sizes)  # of which a difference takes shares
        made, _ = finite_differences.jacobian(lambda z: self.values(t, sizes * z), given / sizes)
        return made / sizes


class BoundEvaluation:
    """Evaluation operation bound to an instance, for floats and for dual numbers."""

    def __init__(
        self,
        w: np.ndarray,
        fault: list[BaseException],
        number: np.ndarray,
        code: ExternalEvaluation,
        answers: PartnerAnswers,
        places: np.ndarray,
    ):
        rows, made = list(code.rows), 4 + int(places[2])
        self.block = code.block
        self._heard, self._answers, self._rows = partial(_guarded_result, fault, number), answers, rows
        self._time, self._to, self._from = places[1], places[4:made], places[made : made + int(places[3])]
        self.function = lambda w, a: self._heard(w, self._to, self._values)
        self._native = CALLBACK(lambda *_: self.function(w, places))
        self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0

    def _values(self, w: np.ndarray) -> np.ndarray:
        """Answers for floats."""
        return self._answers.values(float(w[self._time]), w[self._from])[self._rows]

    def wide(self, table: np.ndarray) -> tuple[object, int]:
        """Callback for dual numbers on the interleaved work space: object to keep alive, and address."""
        native = CALLBACK(lambda *_: self._heard(table, self._to, self._tangents))
        return native, ctypes.cast(native, ctypes.c_void_p).value or 0

    def _tangents(self, table: np.ndarray) -> np.ndarray:
        """Answers with tangents."""
        t, given = float(table[self._time, 0]), table[self._from]
        values = self._answers.values(t, given[:, 0].copy())[self._rows]
        slopes = self._answers.slopes(t, given[:, 0].copy())[self._rows]
        return np.hstack([values[:, None], slopes @ given[:, 1:]])


def _guarded_result(
    fault: list[BaseException],
    number: np.ndarray,
    w: np.ndarray,
    to: np.ndarray,
    work: Callable[[np.ndarray], np.ndarray],
) -> None:
    """Write the result of `work`; an exception is recorded in `fault`, writes NaN and stops the run."""
    try:
        w[to] = np.nan if fault else work(w)
    except BaseException as error:
        fault.append(error)
        number[QUIT] = 1
        w[to] = np.nan


def _exchange_with(
    meeting: Communication,
    giving: bool,
    fault: list[BaseException],
    number: np.ndarray,
    w: np.ndarray,
    a: np.ndarray,
) -> None:
    """Exchange with the partner; an exception cannot pass compiled code: it is recorded and stops the run."""
    if fault:
        return
    try:
        t, places = float(w[a[1]]), a[3 : 3 + a[2]]
        if giving:
            meeting.partner.inputs(t, w[places].tolist())
        else:
            w[places] = meeting.partner.outputs(t)
    except BaseException as error:
        fault.append(error)
        number[QUIT] = 1


def partner_problem(fault: BaseException) -> Problem:
    """Problem of an exception in an external block."""
    if isinstance(fault, LuffError):
        return fault.problems[0]
    return Problem(f"{type(fault).__name__}: {fault}")

"""Operations of blocks that are outside of the model (`blocks/external.py`): the compiled loop calls Python for them.

Two operations each, both due at communication points: one takes the outputs into memories, which are the output ports;
one hands over the inputs. Between the two all that the inputs depend on is computed.
"""

from __future__ import annotations

import ctypes
import weakref
from functools import partial

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.external import ExternalBlock, Partner
from ..machine.run_arrays import QUIT
from ..table.exchange import Exchange

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


class Meeting:
    """The partner of one block in one run, opened at the first communication point."""

    def __init__(self, block: ExternalBlock):
        self.block = block
        self._partner: Partner | None = None

    @property
    def partner(self) -> Partner:
        if self._partner is None:
            self._partner = self.block.open()
            weakref.finalize(self, self._partner.close)
        return self._partner


class BoundExchange:
    """An operation in one run: what the loop calls, by `address` or as plain Python."""

    def __init__(
        self,
        w: np.ndarray,
        fault: list[BaseException],
        number: np.ndarray,
        code: Exchange,
        meeting: Meeting,
        places: np.ndarray,
    ):
        work = partial(_exchange_with, meeting, code.giving, fault, number)
        self.function = work
        self._native = CALLBACK(lambda w, a, own=(w, places): work(*own))
        self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0


def _exchange_with(
    meeting: Meeting,
    giving: bool,
    fault: list[BaseException],
    number: np.ndarray,
    w: np.ndarray,
    a: np.ndarray,
) -> None:
    """Nothing may be raised through compiled code: what goes wrong stops the run, which then tells."""
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


def told(fault: BaseException) -> Problem:
    """What went wrong outside."""
    if isinstance(fault, LuffError):
        return fault.problems[0]
    return Problem(f"{type(fault).__name__}: {fault}")

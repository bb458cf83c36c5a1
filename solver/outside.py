"""Operations of blocks that are outside of the model (`blocks/outside.py`): the compiled loop calls Python for them.

Two operations each, both due at communication points: one takes the outputs into memories, which are the output ports;
one hands over the inputs. Between the two all that the inputs depend on is computed.
"""

from __future__ import annotations

import ctypes
import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..blocks.errors import LuffError, Problem
from ..blocks.outside import Outside, Partner
from .machine.functions import Function
from .machine.running import QUIT
from .operations import COPY, Operation
from .places import TIME, Place

if TYPE_CHECKING:
    from .instance import Instance
    from .signals import Emitter

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


class Exchange(Function):
    """One of the two operations of a block; equal for equal blocks, so that a live parameter changes no structure."""

    def __init__(self, block: Outside, giving: bool):
        self.block, self.giving = block, giving
        self.label = f"{block.type_name} {'inputs' if giving else 'outputs'}"
        self.symbol = f"outside {block.name} {giving}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exchange) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self.symbol)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.symbol, type(self.block), self.block.values


class Meeting:
    """The partner of one block in one run, opened at the first communication point."""

    def __init__(self, block: Outside):
        self.block = block
        self._partner: Partner | None = None

    @property
    def partner(self) -> Partner:
        if self._partner is None:
            self._partner = self.block.open()
            weakref.finalize(self, self._partner.close)
        return self._partner


class Bound:
    """An operation in one run: what the loop calls, by `address` or as plain Python."""

    def __init__(self, instance: Instance, code: Exchange, meeting: Meeting, places: np.ndarray):
        work = partial(_meet, meeting, code.giving, instance.fault, instance.number)
        self.function = work
        self._native = CALLBACK(lambda w, a, own=(instance.w, places): work(*own))
        self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0


def _meet(
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


def exchange(emitter: Emitter, block: Outside) -> None:
    """Operations of a block, and the memories that are its outputs."""
    name, scalars = block.name, emitter.scalars
    due = emitter.sample(name, float(block.step))
    ports = scalars.ports[name]
    outputs, inputs = (
        [(port, k) for port, kind in ports.items() if kind.direction == way for k in range(kind.width)]
        for way in ("out", "in")
    )
    taken = (name, "@outputs", 0, 0)
    held: list[Place] = []
    for port, k in outputs:
        place = ("mem", emitter.memory.add(f"{name}.{port}", [0.0]))
        held.append(place)
        key = (name, port, k, 0)
        if key in scalars.place:  # somebody has asked for the place before
            copied = Operation((key,), (), COPY, (scalars.at(key), place), (taken,), name)
        else:
            copied = Operation((key,), (), wants=(taken,), label=name)
        scalars.place.setdefault(key, place)
        emitter.operations.append(copied)
    read = [scalars.read(name, port, k) for port, k in inputs]
    needs = tuple(need for _, need in read if need is not None)
    for makes, wanted, giving, places in (
        (taken, (), False, held),
        ((name, "@update", 0, 0), (taken, *needs), True, [place for place, _ in read]),
    ):
        entries: tuple[int | Place, ...] = (TIME, len(places), *places)
        emitter.updates.append(
            Operation((makes,), wanted, Exchange(block, giving), entries, label=name, due=due, writes=0)
        )


def told(fault: BaseException) -> Problem:
    """What went wrong outside."""
    if isinstance(fault, LuffError):
        return fault.problems[0]
    return Problem(f"{type(fault).__name__}: {fault}")

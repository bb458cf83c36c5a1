"""Runs side by side: the memory of several instances interleaved, and the same code for a register of them.

Floats of all lanes lie next to each other; integers are those of the first. A step that lanes do not take alike (a
condition ends one of them, a closed one needs other coordinates, an event is located) is not taken by the group:
memory is what it was before, and each run takes this step by itself. Then those that can go on together again do.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..integrators.loop import advance
from ..machine import fields as f
from ..machine.blocks import address, on_a_line
from ..machine.jit import EntryPoint
from ..machine.numbers.forms import LANES, InLanes, in_lanes
from ..machine.run_arrays import (
    AT_ENDS,
    COUNT,
    ENDS,
    EVERY,
    FILM,
    FIRST,
    NOW,
    START,
    STEP,
    TAKEN,
    Run,
)
from .instance import Instance
from .widened import Widened, address_of

PART = "part"  # integers that each run has for itself


@dataclass
class Member:
    """A run that is ready to take steps: its instance and what its loop is given."""

    instance: Instance
    run: Run


def called(instance: Instance) -> list[InLanes]:
    """Entry points of a run's steps."""
    entries: list[EntryPoint] = [
        code for calls in instance.calls.values() for code, *_ in calls if isinstance(code, EntryPoint)
    ]
    return [in_lanes(entry) for entry in (*entries, *instance.called_by_number.values(), advance)]


class Group(Widened):
    """Members with memory in common. `rows` is what the last call has recorded, lanes last; `room` of them may be."""

    def __init__(self, members: Sequence[Member], room: int):
        first = members[0]
        by_number = first.instance.called_by_number
        super().__init__([each.instance for each in members], LANES, in_lanes, by_number, (PART,))
        self.members = members
        shapes = {"rows": (room, first.run.rows.shape[1], LANES), "times": (room, LANES)}
        self._results = {
            name: on_a_line(np.zeros(math.prod(shape))).reshape(shape) for name, shape in shapes.items()
        }
        self.rows = self._results["rows"]
        self._run = self.run_table([each.run for each in members], self._results)
        self.real = self.widened(first.run.real, ()).table
        self.x = self.widened(first.run.x, ()).table if first.run.x.size else np.zeros((0, LANES))
        self._copies = [(wide.memory.copy(), wide.memory) for wide in self.memories]
        self._arguments = [address(table) + 8 for table in (self._run, self.model, self.data)]
        w, at = self.widened(first.instance.w, ()).table, first.instance.sections.first["scalar"]
        ends, count = int(self.number[AT_ENDS]), int(self.number[ENDS])
        self._ends = w[ends : ends + count]
        self._coupling = w[at + f.COUPLING_MAX], w[at + f.COUPLING_LIMIT]
        self._closed = len(first.instance.model.constraint) > 0

    # --- steps ------------------------------------------------------------------------------------------------------

    def alike(self, members: Sequence[int]) -> list[int]:
        """Those whose integers are those of the first of them, and of the group."""
        first = self._integers(members[0])
        if members[0] and not np.array_equal(first, self._integers(0)):
            return []
        return [k for k in members if np.array_equal(first, self._integers(k))]

    def _integers(self, k: int) -> np.ndarray:
        return common_integers(self.members[k].instance)

    def gather(self, lanes: Sequence[int]) -> None:
        """Memory of these members; lanes that are left over do the same as the last."""
        places = [*lanes, *[lanes[-1]] * (LANES - len(lanes))]
        for wide in self.memories:
            wide.gather(places)

    def scatter(self, lanes: Sequence[int]) -> None:
        """Back to the members."""
        for lane, member in enumerate(lanes):
            self.leave(lane, member)

    def enter(self, lane: int, member: int) -> None:
        """Memory of one member."""
        for wide in self.memories:
            wide.table[:, lane] = wide.arrays[member].ravel()

    def leave(self, lane: int, member: int) -> None:
        """Back to one member."""
        for wide in self.memories:
            wide.scatter(lane, member)

    def fill(self, lanes: Iterable[int], like: int) -> None:
        """Have lanes do the same as another."""
        for wide in self.memories:
            for lane in lanes:
                wide.table[:, lane] = wide.table[:, like]

    def keep(self) -> None:
        for kept, memory in self._copies:
            np.copyto(kept, memory)

    def restore(self) -> None:
        for kept, memory in self._copies:
            np.copyto(memory, kept)

    def advance(self, first: int, count: int, every: int, step: float) -> int:
        """Take steps; how many all lanes have taken alike. If they are fewer, memory is as it was before."""
        self.keep()
        self.left[0] = 0
        number = self.number
        number[FIRST], number[COUNT], number[EVERY], number[FILM] = first, count, every, 0
        self.real[START], self.real[STEP] = 0.0, step
        _advance()(*self._arguments)
        if not self.left[0] and self.number[TAKEN] == count and self._sound():
            return count
        begun = int(self.real[NOW, 0] / step + 1e-6)  # the step in which they parted
        self.restore()
        return min(max(begun - first, 0), count - 1)

    def _sound(self) -> bool:
        """Whether nothing is to be looked at in any lane."""
        if not np.isfinite(self.x).all() or (self._ends.size and self._ends.any()):
            return False
        coupling, limit = self._coupling
        return not self._closed or not ((coupling > limit) & (limit > 0.0)).any()


def common_integers(instance: Instance) -> np.ndarray:
    """All integers but the choice of coordinates, of which each run has its own."""
    (block,) = (each for each in instance.memories if each.dtype == np.int64)
    part, common = instance.data.part, block.copy()
    at = (address(part) - address(block)) // block.itemsize
    if part.size and 0 <= at < block.size:
        common.ravel()[at : at + part.size] = 0
    return common


@cache
def _advance() -> Any:
    words = [ctypes.c_int64] * 3
    return ctypes.CFUNCTYPE(None, *words)(address_of(in_lanes(advance)))

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
        self._parts = [own_integers(each.instance) for each in members]
        self._copies = [wide.memory.copy() for wide in self.memories]
        self.real = self.widened(first.run.real, ()).table
        self.x = self.widened(first.run.x, ()).table if first.run.x.size else np.zeros((0, LANES))

    # --- steps ------------------------------------------------------------------------------------------------------

    def alike(self, members: Sequence[int]) -> list[int]:
        """Those whose integers are those of the first of them, and of the group."""
        first = self._integers(members[0])
        if members[0] and not _equal(first, self._integers(0)):
            return []
        return [k for k in members if _equal(first, self._integers(k))]

    def _integers(self, k: int) -> list[np.ndarray]:
        """All but the choice of coordinates, of which each run has its own."""
        own = self._parts[k]
        return [
            np.where(own, 0, block) for block in self.members[k].instance.memories if block.dtype == np.int64
        ]

    def gather(self, lanes: Sequence[int]) -> None:
        """Memory of these members; lanes that are left over do the same as the last."""
        places = [*lanes, *[lanes[-1]] * (LANES - len(lanes))]
        for wide in self.memories:
            wide.gather(places)

    def scatter(self, lanes: Sequence[int]) -> None:
        """Back to the members."""
        for wide in self.memories:
            for lane, member in enumerate(lanes):
                wide.scatter(lane, member)

    def keep(self) -> None:
        for wide, kept in zip(self.memories, self._copies, strict=True):
            kept[:] = wide.memory

    def restore(self) -> None:
        for wide, kept in zip(self.memories, self._copies, strict=True):
            wide.memory[:] = kept

    def advance(self, first: int, count: int, every: int, step: float) -> int:
        """Take steps; how many all lanes have taken alike. If they are fewer, memory is as it was before."""
        self.keep()
        self.left[0] = 0
        number = self.number
        number[FIRST], number[COUNT], number[EVERY], number[FILM] = first, count, every, 0
        self.real[START], self.real[STEP] = 0.0, step
        _advance()(*(address(table) + 8 for table in (self._run, self.model, self.data)))
        if not self.left[0] and self.number[TAKEN] == count and self._sound():
            return count
        begun = int(self.real[NOW, 0] / step + 1e-6)  # the step in which they parted
        self.restore()
        return min(max(begun - first, 0), count - 1)

    def _sound(self) -> bool:
        """Whether nothing is to be looked at in any lane."""
        ends, count = int(self.number[AT_ENDS]), int(self.number[ENDS])
        w = self.widened(self.instance.w, ()).table
        at = self.instance.sections.first["scalar"]
        coupling, limit = w[at + f.COUPLING_MAX], w[at + f.COUPLING_LIMIT]
        return bool(
            np.isfinite(self.x).all()
            and not w[ends : ends + count].any()
            and not ((coupling > limit) & (limit > 0.0)).any()
        )


def own_integers(instance: Instance) -> np.ndarray:
    """Where in the memory of integers that stands which each run has for itself."""
    (block,) = (each for each in instance.memories if each.dtype == np.int64)
    part = instance.data.part
    mask = np.zeros(block.shape, bool)
    at = (address(part) - address(block)) // block.itemsize
    if part.size and 0 <= at < block.size:
        mask[at : at + part.size] = True
    return mask


def _equal(ours: Iterable[np.ndarray], theirs: Iterable[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


@cache
def _advance() -> Any:
    words = [ctypes.c_int64] * 3
    return ctypes.CFUNCTYPE(None, *words)(address_of(in_lanes(advance)))

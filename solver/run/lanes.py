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
from ..machine.bundles import fields_of
from ..machine.functions import Function
from ..machine.jit import Unit
from ..machine.numbers.units import LANES, InLanes, in_lanes
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
from .instance import Instance, bundle

PART = "part"  # integers that each run has for itself


@dataclass
class Member:
    """A run that is ready to take steps: its instance and what its loop is given."""

    instance: Instance
    run: Run


def called(instance: Instance) -> list[InLanes]:
    """Entry points of a run's steps."""
    units: list[Unit] = [
        code for calls in instance.calls.values() for code, *_ in calls if isinstance(code, Unit)
    ]
    return [in_lanes(unit) for unit in (*units, *instance.called_by_number.values(), advance)]


class Wide:
    """Arrays of the members, the same of each, beside each other."""

    def __init__(self, arrays: Sequence[np.ndarray]):
        self.arrays = arrays
        first = arrays[0]
        self.memory = on_a_line(np.zeros(first.size * LANES, first.dtype))
        self.table = self.memory.reshape(first.size, LANES)
        self.kept = self.memory.copy()

    def gather(self, lanes: Sequence[int]) -> None:
        for k, member in enumerate(lanes):
            self.table[:, k] = self.arrays[member].ravel()

    def scatter(self, lane: int, member: int) -> None:
        array = self.arrays[member]
        array[...] = self.table[:, lane].reshape(array.shape)


class Group:
    """Members with memory in common. `rows` is what the last call has recorded, lanes last; `room` of them may be."""

    def __init__(self, members: Sequence[Member], room: int):
        first = members[0]
        self.members, self.instance = members, first.instance
        self.left = np.zeros(1, np.int64)  # not 0 where lanes could not go on together
        self._wide: dict[int, Wide] = {}  # by the address of the first member's array
        self._blocks = [  # memory of floats: of many arrays in one piece
            (
                address(block),
                block.nbytes,
                self._widened(block, [each.instance.memories[k] for each in members]),
            )
            for k, block in enumerate(first.instance.memories)
            if block.dtype == np.float64
        ]
        self._tables: dict[int, np.ndarray] = {}
        self._bundles = {bundle(each).address: k for k, each in enumerate(bundles(first.instance))}
        self.number = first.instance.number.copy()
        for place, unit in first.instance.called_by_number.items():
            self.number[place] = _address_of(in_lanes(unit))
        shapes = {"rows": (room, first.run.rows.shape[1], LANES), "times": (room, LANES)}
        self._results = {
            name: on_a_line(np.zeros(math.prod(shape))).reshape(shape) for name, shape in shapes.items()
        }
        self.rows = self._results["rows"]
        self._run = self._run_table()
        self._parts = [own_integers(each.instance) for each in members]
        self._model = self._table_of(bundle(first.instance.model).address)
        self._data = self._table_of(bundle(first.instance.data).address)
        self.real = self._wide[address(first.run.real)].table
        self.x = self._wide[address(first.run.x)].table

    # --- places -----------------------------------------------------------------------------------------------------

    def _widened(self, array: np.ndarray, arrays: Sequence[np.ndarray]) -> Wide:
        key = address(array)
        if key not in self._wide:
            self._wide[key] = Wide(arrays)
        return self._wide[key]

    def _moved(self, array: np.ndarray, arrays: Sequence[np.ndarray]) -> int:
        """Where the floats of an array are now, on their own or in a larger piece."""
        old = address(array)
        for first, size, wide in self._blocks:
            if first <= old < first + size:
                return address(wide.memory) + LANES * (old - first)
        return address(self._widened(array, arrays).memory)

    def _table_of(self, old: int) -> np.ndarray:
        """The table of a bundle, by its address."""
        if old not in self._tables:
            k = self._bundles[old]
            each = [bundles(member.instance)[k] for member in self.members]
            self._tables[old] = self._rewritten(each, {})
        return self._tables[old]

    def _rewritten(self, each: Sequence[Any], instead: dict[str, np.ndarray]) -> np.ndarray:
        """A bundle's table that leads to what is wide; before it the address of the word that says who has left."""
        table = np.concatenate([[address(self.left)], each[0].table])
        at = 1
        for name, kind in fields_of(type(each[0])):
            array = getattr(each[0], name)
            if name in instead:
                table[at] = address(instead[name])
            elif array.size and (kind[0] == "f" or name == PART):
                table[at] = self._moved(array, [getattr(one, name) for one in each])
            at += 2 + 2 * int(kind[1])
        return table

    def _run_table(self) -> np.ndarray:
        first = self.members[0]
        instead = {**self._results, "number": self.number}
        for name in first.instance.calls:
            if getattr(first.run, name).size:
                instead[name] = self._calls(name)
        self._kept = instead
        return self._rewritten([member.run for member in self.members], instead)

    def _calls(self, name: str) -> np.ndarray:
        """A table of operations: code in lanes, its arguments where they are now."""
        rows = []
        old = getattr(self.members[0].run, name)
        for (code, *_), (_, first, second, due) in zip(self.instance.calls[name], old.tolist(), strict=True):
            if isinstance(code, Function):
                first = self._moved(self.instance.w, [member.instance.w for member in self.members])
            else:
                first, second = (address(self._table_of(each)) + 8 for each in (first, second))
            rows.append((_address_of(in_lanes(code)), first, second, due))
        return np.array(rows, np.int64)

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
        for wide in self._wide.values():
            wide.gather(places)

    def scatter(self, lanes: Sequence[int]) -> None:
        """Back to the members."""
        for wide in self._wide.values():
            for lane, member in enumerate(lanes):
                wide.scatter(lane, member)

    def keep(self) -> None:
        for wide in self._wide.values():
            wide.kept[:] = wide.memory

    def restore(self) -> None:
        for wide in self._wide.values():
            wide.memory[:] = wide.kept

    def advance(self, first: int, count: int, every: int, step: float) -> int:
        """Take steps; how many all lanes have taken alike. If they are fewer, memory is as it was before."""
        self.keep()
        self.left[0] = 0
        number = self.number
        number[FIRST], number[COUNT], number[EVERY], number[FILM] = first, count, every, 0
        self.real[START], self.real[STEP] = 0.0, step
        _advance()(*(address(table) + 8 for table in (self._run, self._model, self._data)))
        if not self.left[0] and self.number[TAKEN] == count and self._sound():
            return count
        begun = int(self.real[NOW, 0] / step + 1e-6)  # the step in which they parted
        self.restore()
        return min(max(begun - first, 0), count - 1)

    def _sound(self) -> bool:
        """Whether nothing is to be looked at in any lane."""
        ends, count = int(self.number[AT_ENDS]), int(self.number[ENDS])
        w = self._wide[address(self.instance.w)].table
        at = self.instance.sections.first["scalar"]
        coupling, limit = w[at + f.COUPLING_MAX], w[at + f.COUPLING_LIMIT]
        return bool(
            np.isfinite(self.x).all()
            and not w[ends : ends + count].any()
            and not ((coupling > limit) & (limit > 0.0)).any()
        )


def bundles(instance: Instance) -> list[Any]:
    return [instance.model, instance.data, *instance.controllers]


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


def _address_of(unit: Unit) -> int:
    from ..machine.objects import address_of

    return address_of(unit)


@cache
def _advance() -> Any:
    words = [ctypes.c_int64] * 3
    return ctypes.CFUNCTYPE(None, *words)(_address_of(in_lanes(advance)))

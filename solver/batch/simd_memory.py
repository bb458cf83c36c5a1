"""SIMD memory: the memory of several instances interleaved, and the same code for a register of them.

Floats of all lanes lie next to each other; integers are those of the first. The group does not take a step that lanes
do not take alike (a condition ends one, a mechanism needs other coordinates, an event is located): memory is restored,
and each run takes this step by itself. Afterwards runs that can go together rejoin.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..codegen.jit import EntryPoint
from ..codegen.memory_arena import address, cache_line_aligned
from ..codegen.transforms.entry_point_variants import LANES, InLanes, in_lanes
from ..integrators.group_stepping import advance_groups
from ..integrators.run_data import (
    AT_ENDS,
    COUNT,
    ENDS,
    EVERY,
    FILM,
    FIRST,
    NOW,
    NUMBERS,
    START,
    STEP,
    TAKEN,
    UNHELD,
    Run,
)
from ..integrators.run_loop import advance
from ..kernels import model_data as f
from ..simulation.dual_memory import InterleavedMemory, address_of
from ..simulation.instance import Instance

PART = "part"  # integer array of each run
SHARE = 4  # groups that each of several threads takes at once


@dataclass
class LaneMember:
    """Run ready to take steps: its instance and its `Run`."""

    instance: Instance
    run: Run


def step_entry_points(instance: Instance) -> list[InLanes]:
    """SIMD variants of the entry points of a run's steps."""
    entries: list[EntryPoint] = [
        code for calls in instance.calls.values() for code, *_ in calls if isinstance(code, EntryPoint)
    ]
    return [in_lanes(entry) for entry in (*entries, *instance.called_by_number.values(), advance)]


class MemoryGroup(InterleavedMemory):
    """Members with interleaved memory: `size` numbers of `memory`, if given, and of `words`."""

    def __init__(
        self,
        members: Sequence[LaneMember],
        results: dict[str, np.ndarray],
        words: np.ndarray,
        memory: np.ndarray | None,
    ):
        first = members[0]
        self.size, self._memory, self._free = 0, memory, words
        by_number = first.instance.called_by_number
        super().__init__([each.instance for each in members], LANES, in_lanes, by_number, (PART,))
        self.members = members
        self._run = self.run_table([each.run for each in members], results)
        self.arguments = [address(table) + 8 for table in (self._run, self.model, self.data)]

    def _room(self, array: np.ndarray) -> np.ndarray:
        """Memory for an interleaved array, from the groups' common memory."""
        first, self.size = self.size, self.size + LANES * array.size
        if self._memory is None:
            return super()._room(array)
        return self._memory[first : self.size].view(array.dtype)

    def _words(self, array: np.ndarray) -> np.ndarray:
        """Common integers, from `words`: `left` first, then `number`."""
        taken, self._free = self._free[: array.size], self._free[array.size :]
        taken[:] = array
        return taken

    @property
    def fixed(self) -> int:
        """Count of numbers at the beginning of `memory` that belong to the model: no step writes them."""
        floats = [array for array in self.instance.model if array.size and array.dtype == np.float64]
        whole = next(block for block in self.instance.blocks.whole if block.dtype == np.float64)
        return LANES * ((address(floats[-1]) - address(whole)) // 8 + floats[-1].size) if floats else 0

    def alike(self, members: Sequence[int]) -> list[int]:
        """Members whose common integers are those of the first of them, and of the group."""
        first = self._integers(members[0])
        if members[0] and not np.array_equal(first, self._integers(0)):
            return []
        return [k for k in members if np.array_equal(first, self._integers(k))]

    def _integers(self, k: int) -> np.ndarray:
        """Common integers of member k."""
        return shared_integers(self.members[k].instance)

    def gather(self, lanes: Sequence[int]) -> None:
        """Copy the memory of these members in; unused lanes repeat the last."""
        places = [*lanes, *[lanes[-1]] * (LANES - len(lanes))]
        for wide in self.memories:
            wide.gather(places)

    def scatter(self, lanes: Sequence[int]) -> None:
        """Copy the lanes back to these members."""
        for lane, member in enumerate(lanes):
            self.leave(lane, member)

    def enter(self, lane: int, member: int) -> None:
        """Copy the memory of one member into a lane."""
        for wide in self.memories:
            wide.table[:, lane] = wide.arrays[member].ravel()

    def leave(self, lane: int, member: int) -> None:
        """Copy a lane back to its member."""
        for wide in self.memories:
            wide.scatter(lane, member)

    def fill(self, lanes: Iterable[int], like: int) -> None:
        """Fill lanes with the memory of another lane."""
        for wide in self.memories:
            for lane in lanes:
                wide.table[:, lane] = wide.table[:, like]


class MemoryGroups:
    """Groups of one program with contiguous memory, so that checks cover all groups at once.

    `rows` holds the rows recorded by the last call, (groups, rows, signals, lanes), at most `room` of them. The threads
    of a `pool` share the groups.
    """

    def __init__(self, members: Sequence[Sequence[LaneMember]], room: int, pool: Executor | None = None):
        first = members[0][0]
        self._map, self._share = (pool.map, SHARE) if pool else (map, len(members))
        shape = (len(members), room, first.run.rows.shape[1], LANES)
        results = {
            name: cache_line_aligned(np.zeros(math.prod(each))).reshape(each)
            for name, each in (("rows", shape), ("times", (*shape[:2], LANES)))
        }
        each = [{name: array[k] for name, array in results.items()} for k in range(len(members))]
        words = np.zeros((len(members), 1 + NUMBERS), np.int64)
        tried = MemoryGroup(members[0], each[0], words[0], None)
        self._fixed = tried.fixed
        self.memory, self._kept = (
            cache_line_aligned(np.zeros(len(members) * size)).reshape(-1, size)
            for size in (tried.size, tried.size - self._fixed)
        )
        self.rows = results["rows"]
        self.each = [MemoryGroup(*about) for about in zip(members, each, words, self.memory, strict=True)]
        w, at = self.wide(first.instance.w), first.instance.sections.first["scalar"]
        self._left, self._number = words[:, 0], words[:, 1:]
        self._number[:, FILM] = 0
        ends = int(self._number[0, AT_ENDS])
        self._ends = w[:, ends : ends + int(self._number[0, ENDS])]
        last = at + len(first.instance.scalars) * f.SCALARS
        self._coupling, self._limit, self._singular = (
            w[:, at + column : last : f.SCALARS] for column in (f.COUPLING_MAX, f.COUPLING_LIMIT, f.SINGULAR)
        )
        self._closed = len(first.instance.model.constraint) > 0
        self._real = self.wide(first.run.real)
        code = address_of(in_lanes(advance))
        self._calls = np.array([(k, code, *group.arguments) for k, group in enumerate(self.each)], np.int64)
        self._words = [word for array in (self.memory, self._kept) for word in (address(array), *array.shape)]

    def wide(self, array: np.ndarray) -> np.ndarray:
        """View of an array of the members in each group: (groups, numbers, lanes)."""
        first = self.each[0]
        memory = first.widened(array, ()).memory if array.size else self.memory[0, :0]
        at = (address(memory) - address(self.memory)) // memory.itemsize
        return self.memory[:, at : at + memory.size].reshape(len(self.each), array.size, LANES)

    def advance(
        self, of: Sequence[int], firsts: np.ndarray, count: int, every: int, step: float
    ) -> dict[int, int]:
        """Advance the groups `of` by `count` steps, each from its entry of `firsts`.

        Returns the groups that diverged with the number of steps their lanes took alike; their memory is restored.
        """
        self._real[:, START], self._real[:, STEP] = 0.0, step
        number = self._number
        number[:, FIRST], number[:, COUNT], number[:, EVERY], number[:, UNHELD] = firsts, count, every, 0
        self._left[:] = 0
        self._advance_groups(of)
        # runs with unresolved steps, which each counts itself, do not step together
        alike = (self._left == 0) & (number[:, TAKEN] == count) & (number[:, UNHELD] == 0)
        # a condition that ends a run, or a mechanism that needs other coordinates, needs the run by itself
        if self._ends.size:
            alike &= ~self._ends.any(axis=(1, 2))
        if self._closed:
            alike &= ~((self._coupling > self._limit) & (self._limit > 0.0)).any(axis=(1, 2))
            alike &= ~(self._singular > 0.0).any(axis=(1, 2))
        together, short = alike.tolist(), {}
        for k in of:
            if not together[k]:
                begun = int(self._real[k, NOW, 0] / step + 1e-6)  # step in which they diverged
                short[k] = min(max(begun - int(firsts[k]), 0), count - 1)
                self.memory[k, self._fixed :] = self._kept[k]
        return short

    def _advance_groups(self, of: Sequence[int]) -> None:
        """Advance some groups, their memory saved before."""
        calls = self._calls if len(of) == len(self._calls) else self._calls[[*of]]
        shares = [calls[k : k + self._share] for k in range(0, len(calls), self._share)]
        _ = [*self._map(lambda share: _advance()(*self._words, address(share), *share.shape), shares)]


def shared_integers(instance: Instance) -> np.ndarray:
    """Integers of an instance without the partition, of which each run has its own."""
    (block,) = (each for each in instance.memories if each.dtype == np.int64)
    common = block.copy()
    for _, data in instance.mechanisms:
        at = (address(data.part) - address(block)) // block.itemsize
        if data.part.size and 0 <= at < block.size:
            common.ravel()[at : at + data.part.size] = 0
    return common


@cache
def _advance() -> Any:
    """ctypes function of `advance_groups`."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 9)(address_of(advance_groups))

"""Interleaved memory of instances for variants of entry points (duals, SIMD lanes), with relocated address tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.array_structs import fields_of
from ..codegen.jit import EntryPoint
from ..codegen.memory_arena import address, cache_line_aligned
from ..codegen.source_functions import Function
from ..codegen.transforms.entry_point_variants import Variant
from .external_blocks import BoundEvaluation
from .instance import Instance, bundle


class InterleavedArrays:
    """Array of several instances, interleaved: entry i of all instances is contiguous."""

    def __init__(self, arrays: Sequence[np.ndarray], memory: np.ndarray, times: int):
        self.arrays, self.memory = arrays, memory
        self.table = memory.reshape(memory.size // times, times)  # an array without entries too

    def gather(self, places: Sequence[int]) -> None:
        """Copy the arrays of some instances in, in this order."""
        for k, member in enumerate(places):
            self.table[:, k] = self.arrays[member].ravel()

    def scatter(self, place: int, member: int) -> None:
        """Copy one place back to the array of an instance."""
        array = self.arrays[member]
        array[...] = self.table[:, place].reshape(array.shape)


class InterleavedMemory:
    """Interleaved memory of instances of one program, each float `times` as wide.

    `form` makes the variant of an entry point for it, also of those `called` by number. `own` names integer arrays that
    are interleaved too; all others are those of the first instance. The word before each table holds the address of
    `left`.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        times: int,
        form: Callable[[EntryPoint], Variant],
        called: Mapping[int, EntryPoint],
        own: tuple[str, ...] = (),
    ):
        first = instances[0]
        self.instances, self.instance = instances, first
        self.times, self.form, self._own = times, form, own
        self.left, self.number = self._words(np.zeros(1, np.int64)), self._words(first.number)
        self._wide: dict[int, InterleavedArrays] = {}  # by the address of the first instance's array
        # memory of floats, of many arrays in one piece; numbers of the model, which no step writes, come first
        self._blocks = [
            (address(block), block.nbytes, self.widened(block, [each.memories[k] for each in instances]))
            for k, block in reversed([*enumerate(first.memories)])
            if block.dtype == np.float64
        ]
        self._tables: dict[int, np.ndarray] = {}
        self._kept: list[object] = []  # what addresses lead to
        self._bundles = {bundle(each).address: k for k, each in enumerate(first.bundles)}
        for place, entry in called.items():
            self.number[place] = address_of(form(entry))
        self.model = self.table_of(bundle(first.model).address)
        self.data = self.table_of(bundle(first.data).address)

    @property
    def memories(self) -> list[InterleavedArrays]:
        """All interleaved arrays."""
        return [*self._wide.values()]

    def widened(self, array: np.ndarray, arrays: Sequence[np.ndarray]) -> InterleavedArrays:
        """Interleaved memory of an array."""
        key = address(array)
        if key not in self._wide:
            self._wide[key] = InterleavedArrays(arrays, self._room(array), self.times)
        return self._wide[key]

    def _room(self, array: np.ndarray) -> np.ndarray:
        """Memory for an interleaved array."""
        return cache_line_aligned(np.zeros(array.size * self.times, array.dtype))

    def _words(self, array: np.ndarray) -> np.ndarray:
        """Copy of integers common to all instances."""
        return array.copy()

    def numbers(self, array: np.ndarray) -> np.ndarray:
        """View of an interleaved float array of the instances' memory, with `times` along the last axis."""
        old = address(array)
        wide, at = next(
            (wide, (old - first) // 8) for first, size, wide in self._blocks if first <= old < first + size
        )
        return wide.table[at : at + array.size].reshape(*array.shape, self.times)

    def _moved(self, array: np.ndarray, arrays: Sequence[np.ndarray]) -> int:
        """Address of an interleaved array."""
        old = address(array)
        for first, size, wide in self._blocks:
            if first <= old < first + size:
                return address(wide.memory) + self.times * (old - first)
        return address(self.widened(array, arrays).memory)

    def table_of(self, old: int) -> np.ndarray:
        """Address table of an interleaved bundle, by the address of the original."""
        if old not in self._tables:
            k = self._bundles[old]
            each = [instance.bundles[k] for instance in self.instances]
            self._tables[old] = self.rewritten(each, {})
        return self._tables[old]

    def rewritten(self, each: Sequence[Any], instead: dict[str, np.ndarray]) -> np.ndarray:
        """Address table of a bundle on interleaved arrays; before it the address of `left`."""
        table = np.concatenate([[address(self.left)], each[0].table])
        at = 1
        for name, kind in fields_of(type(each[0])):
            array = getattr(each[0], name)
            if name in instead:
                table[at] = address(instead[name])
            elif array.size and (kind[0] == "f" or name in self._own):
                table[at] = self._moved(array, [getattr(one, name) for one in each])
            at += 2 + 2 * int(kind[1])
        return table

    def run_table(
        self,
        runs: Sequence[Any],
        results: dict[str, np.ndarray],
        taken: Mapping[str, list[int]] | None = None,
    ) -> np.ndarray:
        """Address table of a `Run`; `results` are arrays of its own. `taken` selects operations of some tables."""
        instead = {**results, "number": self.number}
        for name in self.instance.calls:
            if getattr(runs[0], name).size:
                instead[name] = self._calls(name, getattr(runs[0], name), (taken or {}).get(name))
        self._kept += [runs, instead]
        return self.rewritten(runs, instead)

    def _calls(self, name: str, old: np.ndarray, taken: list[int] | None) -> np.ndarray:
        """Table of operations: addresses of variants and of interleaved arguments."""
        rows, calls = [], self.instance.calls[name]
        calls = calls if taken is None else [calls[k] for k in taken]
        for (code, *_), (_, first, second, due) in zip(calls, old.tolist(), strict=True):
            if isinstance(code, BoundEvaluation):
                kept, at = code.wide(self.widened(self.instance.w, [each.w for each in self.instances]).table)
                self._kept.append(kept)
                rows.append((at, first, second, due))
                continue
            assert isinstance(code, EntryPoint)
            if isinstance(code, Function):
                first = self._moved(self.instance.w, [each.w for each in self.instances])
            else:
                first, second = (address(self.table_of(each)) + 8 for each in (first, second))
            rows.append((address_of(self.form(code)), first, second, due))
        return np.array(rows, np.int64)


def address_of(entry: EntryPoint) -> int:
    """Address of an entry point's code."""
    from ..codegen.object_loader import address_of

    return address_of(entry)

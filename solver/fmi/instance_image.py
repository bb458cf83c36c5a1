"""The numbers of one run as one array of words, with what has to be put in once it is known where it lies.

Words from `state` on never change once they are placed: tables of operations and of addresses.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..codegen.array_structs import fields_of
from ..codegen.jit import EntryPoint
from ..integrators.run_data import Run
from ..kernels.model_data import Data, Model
from ..program.work_space import LINE
from ..simulation.instance import Call, Instance
from ..simulation.instance import bundle as pointer

HEAD = 8  # words that the FMU keeps its own bookkeeping in: see runtime.c
WORD = 8  # bytes


class Image:
    """Words, places of addresses within them (at, to), and of functions (at, number in `functions`)."""

    def __init__(self, instance: Instance, run: Run, extra: np.ndarray):
        self.words: list[np.ndarray] = [np.zeros(HEAD, np.int64)]
        self.size = HEAD
        self.addresses: list[tuple[int, int]] = []
        self.codes: list[tuple[int, int]] = []
        self.functions: list[EntryPoint] = []
        self._regions: list[
            tuple[int, int, int, np.ndarray]
        ] = []  # address, its end, place, what keeps it alive
        self._bundles: dict[int, int] = {}  # address of a bundle's table -> its place

        bundles = instance.bundles
        self.w, self.extra = self.put(instance.w), self.put(extra)
        for bundle in (*bundles, run):
            self.put_all(bundle, but=set(instance.calls) if bundle is run else set())
        for number, code in instance.called_by_number.items():
            self.codes.append((self.put(instance.number) + number, self.number_of(code)))
        self.state = self.size
        for bundle in bundles:
            self.bundle(bundle)
        tables = {name: self.table(instance.calls[name]) for name in instance.calls}
        self.model, self.data = (self._bundles[pointer(bundle).address] for bundle in bundles[:2])
        self.run = self.bundle(run, tables)
        self.x, self.before, self.rows, self.number, self.real = map(
            self.put, (run.x, run.before, run.rows, run.number, run.real)
        )

    @property
    def numbers(self) -> np.ndarray:
        return np.concatenate(self.words)

    @property
    def plain(self) -> np.ndarray:
        """Numbers of the image with 0 in place of addresses."""
        numbers = self.numbers
        numbers[[at for at, _ in (*self.addresses, *self.codes)]] = 0
        return numbers

    def fits(self, other: Image) -> bool:
        """True if another image has the same layout."""
        kept = ("size", "state", "addresses", "codes", "x", "before", "rows", "number", "real", "extra")
        return all(getattr(self, name) == getattr(other, name) for name in kept) and [
            code.symbol for code in self.functions
        ] == [code.symbol for code in other.functions]

    def append(self, words: np.ndarray) -> int:
        """The place of further words, which begin where a cache line does."""
        room = -len(words) % LINE
        place, self.size = self.size, self.size + len(words) + room
        self.words.append(np.concatenate([words, np.zeros(room, np.int64)]))
        return place

    def put(self, array: np.ndarray) -> int:
        """The place of an array, which may be part of one that is there."""
        if array.size == 0:
            return 0
        here = array.ctypes.data
        for first, end, place, _ in self._regions:
            if first <= here < end:
                return place + (here - first) // WORD
        place = self.append(np.ascontiguousarray(array).reshape(-1).view(np.int64))
        self._regions.append((here, here + array.nbytes, place, array))
        return place

    def put_all(self, bundle: Model | Data | Run, but: Iterable[str] = ()) -> None:
        for (name, _), array in zip(fields_of(type(bundle)), bundle, strict=True):
            if name not in but:
                self.put(array)

    def number_of(self, code: EntryPoint) -> int:
        if code not in self.functions:
            self.functions.append(code)
        return self.functions.index(code)

    def bundle(self, bundle: Model | Data | Run, tables: dict[str, tuple[int, int]] | None = None) -> int:
        """The table of a bundle's addresses; tables of operations have places of their own."""
        words = pointer(bundle).table.copy()
        at, pieces = 0, []
        for (name, kind), array in zip(fields_of(type(bundle)), bundle, strict=True):
            if tables is not None and name in tables:
                to, rows = tables[name]
                words[at + 1 : at + 6] = 4 * rows, rows, 4, 4 * WORD, WORD  # size, shape, strides
            else:
                to = self.put(array)
            pieces.append((at, to))
            at += 2 + 2 * int(kind[1])
        place = self.append(words)
        self.addresses += [(place + at, to) for at, to in pieces]
        self._bundles[pointer(bundle).address] = place
        return place

    def table(self, calls: list[Call]) -> tuple[int, int]:
        """Operations as the loop calls them: place, and number."""
        places = [self._given(second) for _, _, second, _ in calls]
        rows = np.zeros((len(calls), 4), np.int64)
        rows[:, 3] = [due for *_, due in calls]
        at = self.append(rows.reshape(-1))
        for k, (code, first, _, _) in enumerate(calls):
            here = at + 4 * k
            assert isinstance(code, EntryPoint)  # blocks that talk to what is outside were refused
            self.codes.append((here, self.number_of(code)))
            self.addresses += [(here + 1, self._given(first)), (here + 2, places[k])]
        return at, len(calls)

    def _given(self, arrays: np.ndarray | Model | Data) -> int:
        """The place of what a call is given: an array for what blocks compute, a bundle for kernels."""
        return self.put(arrays) if isinstance(arrays, np.ndarray) else self._bundles[pointer(arrays).address]

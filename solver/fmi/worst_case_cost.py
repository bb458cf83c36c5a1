"""Worst-case cost of compiled code: abstract interpretation with only constants known.

LLVM's text of each kernel is followed from its entry, with the words that no run and no user changes: sizes, tables,
topology, parameters that are not offered. All else is unknown. Where a branch hangs on that, both ways are gone up to
the first block that all of them pass; the dearer one counts, and what they leave differently is unknown from there on.
So a loop over bodies goes round as often as there are bodies, and one that is left once it is near enough as often as
its limit says.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from .ir_functions import Function, functions_of
from .ir_interpreter import SIZES, Registers, Value, size_of

STACK = 1 << 60  # addresses of what a function keeps for itself
DEEPEST = 3000  # branches that hang on each other; more belong to a loop that has no limit
PATIENCE = 200_000  # blocks in one call of a kernel
Word = int | tuple[str, int, Value]  # eight bytes, or some of them: kind, place, value


class _Endless(Exception):
    """A loop without a limit that is known."""


class _Again(Exception):
    """A way leads back to where it began, with all as it was, and has cost nothing."""


@dataclass
class Cost:
    """Operations in all, and by kernels calls, operations and functions of mathematics; but for the calls nothing of
    what is `endless`: a loop there has no limit that is known."""

    total: int = 0
    kernels: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    endless: set[str] = field(default_factory=set)

    def add(self, other: Cost) -> None:
        self.total += other.total
        self.endless |= other.endless
        for name, more in other.kernels.items():
            a, b, c = self.kernels.get(name, (0, 0, 0))
            self.kernels[name] = a + more[0], b + more[1], c + more[2]

    def count(self, name: str, calls: int, operations: int, functions: int) -> None:
        self.add(Cost(operations, {name: (calls, operations, functions)}))

    def widen(self, other: Cost) -> None:
        """Raise each count to at least the other's."""
        self.total = max(self.total, other.total)
        self.endless |= other.endless
        for name, (a, b, c) in other.kernels.items():
            d, e, g = self.kernels.get(name, (0, 0, 0))
            self.kernels[name] = max(a, d), max(b, e), max(c, g)


class Worst:
    """Follows code. `fixed` gives the words that are known, by address, and `codes` the kernels that addresses stand
    for."""

    def __init__(self, texts: Mapping[str, str], fixed: Mapping[int, int], codes: Mapping[int, str]):
        self._functions = {
            symbol: {one.name: one for one in functions_of(text)} for symbol, text in texts.items()
        }
        self._fixed, self._codes = fixed, codes
        self._known: dict[tuple[str, tuple[Value, ...]], Cost] = {}
        self._kernel, self._cost = "", Cost()
        self._words: dict[int, Word] = {}  # that were written, and are known
        self._log: list[tuple[int, Word | None]] = []
        self._top, self._left = STACK, PATIENCE
        self._spent = 0  # by all ways together
        self._open: list[tuple[Function, str, Registers, int, int]] = []  # branches under way

    def of(self, symbol: str, *given: int) -> Cost:
        """Bound of one call."""
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, 10 * DEEPEST))
        try:
            return self._of_kernel(symbol, given)
        finally:
            sys.setrecursionlimit(before)

    def _of_kernel(self, symbol: str, given: tuple[Value, ...]) -> Cost:
        """A kernel finds nothing in memory but what never changes, so that its calls cost the same."""
        key = symbol, given
        if key not in self._known:
            outside = self._kernel, self._cost, self._words, self._log, self._left, self._top, self._open
            self._kernel, self._cost, self._words, self._log = symbol, Cost(), {}, []
            self._left, self._open = PATIENCE, []
            self._cost.count(symbol, 1, 0, 0)
            try:
                self._run(self._functions[symbol][symbol], [*given])
                self._known[key] = self._cost
            except (_Endless, _Again):
                self._known[key] = Cost(0, {symbol: (1, 0, 0)}, {symbol})
            self._kernel, self._cost, self._words, self._log, self._left, self._top, self._open = outside
        return self._known[key]

    # --- what code asks of its machine ---------------------------------------------------------------------------

    def room(self, size: int) -> int:
        self._top += -(-size // 8) * 8
        return self._top - -(-size // 8) * 8

    def load(self, kind: str, place: Value) -> Value:
        if not isinstance(place, int) or kind not in SIZES:
            return None
        at = place - place % 8
        word = self._words.get(at, self._fixed.get(at))
        if isinstance(word, tuple):  # a shorter one
            return word[2] if word[:2] == (kind, place) else None
        if word is None or SIZES[kind] != 8 or at != place:
            return None
        return struct.unpack("<d", struct.pack("<q", word))[0] if kind == "double" else word

    def store(self, kind: str, place: Value, value: Value) -> None:
        if not isinstance(place, int):  # somewhere in what runs change
            for at in [*self._words]:
                self._put(at, None)
            return
        at = place - place % 8
        for other in range(at, place + size_of(kind), 8):
            self._put(other, None)
        if value is not None and kind in SIZES and kind != "float" and (SIZES[kind] < 8 or at == place):
            wide = SIZES[kind] == 8
            word = struct.unpack("<q", struct.pack("<d", value))[0] if kind == "double" else int(value)
            self._put(at, word if wide else (kind, place, word))

    def _put(self, at: int, word: Word | None) -> None:
        old = self._words.get(at)
        if old != word:
            self._log.append((at, old))
            if word is None:
                del self._words[at]
            else:
                self._words[at] = word

    def call(self, name: Value | str, given: list[Value]) -> Value:
        if not isinstance(name, str):
            symbol = self._codes.get(int(name)) if name is not None else None
            if symbol is None:
                raise _Endless
            name = symbol
        if name in self._functions:
            self._spent += 1
            self._cost.add(self._of_kernel(name, tuple(given)))
            self.store("", None, None)
            return None
        if own := self._functions[self._kernel].get(name):
            return self._run(own, given)
        if name.startswith("llvm.mem"):
            self.store("", None, None)
        return None

    # --- control -------------------------------------------------------------------------------------------------

    def _run(self, function: Function, given: list[Value]) -> Value:
        top, r = self._top, Registers(function.constants)
        r |= dict(zip(function.parameters, given, strict=True))
        self._walk(function, function.entry, "", r, "")
        self._top = top
        return r.get(GIVEN)

    def _walk(self, function: Function, label: str, before: str, r: Registers, stop: str) -> None:
        """Walk from a block, entered from another, to one at which the walk stops after its phi values."""
        while label:
            block = function.blocks[label]
            if before and block.phis:
                r |= {to: r.get(values[before]) for to, values in block.phis}
            if label == stop:
                return
            self._left -= 1
            if self._left < 0:
                raise _Endless
            for act in block.actions:
                act(r, self)
            if block.operations or block.functions:
                self._spent += 1
                self._cost.count(self._kernel, 0, block.operations, block.functions)
            if not block.cases:
                r[GIVEN] = r.get(block.gives)
                return
            on = r.get(block.on) if block.on else 0
            if on is not None or len({*block.cases.values()}) == 1:
                before, label = label, block.cases.get(int(on or 0), block.cases[None])
                continue
            join = function.joins[label]
            self._both(function, label, r, join)
            before, label = "", join

    def _both(self, function: Function, label: str, r: Registers, join: str) -> None:
        """Walk all ways from a block to their join."""
        self._refuse_circles(function, label, r)
        cost, mark, dearest = self._cost, len(self._log), Cost()
        self._open.append((function, label, Registers(r), mark, self._spent))
        left: list[tuple[Registers, dict[int, Word | None]]] = []
        for way in dict.fromkeys(function.blocks[label].cases.values()):
            own, depth = Registers(r), len(self._open)
            self._cost = Cost()
            try:
                self._walk(function, way, label, own, join)
                dearest.widen(self._cost)
                left.append((own, {at: self._words.get(at) for at, _ in self._log[mark:]}))
            except _Again:
                del self._open[depth:]
            self._undo(mark)
        self._cost = cost
        self._open.pop()
        if not left:
            raise _Again
        cost.add(dearest)
        first = left[0][0]
        r.clear()
        r |= {
            name: value if all(same(own.get(name), value) for own, _ in left[1:]) else None
            for name, value in first.items()
        }
        for at in {at for _, words in left for at in words}:
            now = {words.get(at, self._words.get(at)) for _, words in left}
            self._put(at, now.pop() if len(now) == 1 else None)

    def _refuse_circles(self, function: Function, label: str, r: Registers) -> None:
        """Raise _Endless for a loop without a known end; one that costs nothing need not be repeated."""
        if len(self._open) > DEEPEST:
            raise _Endless
        for other, place, before, mark, spent in reversed(self._open):
            if other is function and place == label:
                if before == r and mark == len(self._log):
                    raise _Again if spent == self._spent else _Endless
                return

    def _undo(self, mark: int) -> None:
        while len(self._log) > mark:
            at, old = self._log.pop()
            if old is None:
                self._words.pop(at, None)
            else:
                self._words[at] = old


GIVEN = "given"  # the register of what a function gives back


def same(a: Value, b: Value) -> bool:
    return a is b or (a == b and type(a) is type(b))

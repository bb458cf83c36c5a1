"""Tables beside an image by which its code for numbers with tangents runs: each of its words has nine in memory of its
own, of which those of integers are not used.

A table's words are lengths and strides, and addresses, which are put in where it lies: of the words of the image
(NARROW), of those with tangents (WIDE), of other tables (OWN), or of functions (CODE).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..codegen.array_structs import fields_of
from ..codegen.jit import EntryPoint
from ..codegen.source_functions import Function
from ..codegen.transforms.entry_point_variants import DIRECTIONS, Dual, dual
from ..integrators.run_data import Run
from ..kernels.model_data import Data, Model
from ..simulation.instance import Instance
from ..simulation.instance import bundle as pointer
from .instance_image import WORD, Image

NUMBERS = DIRECTIONS + 1
EVALUATED = ("rates", "outputs", "updates")  # tables of operations that derivatives are made of


class TangentTables:
    """Tables of a model, its data and a run; `run` is the place of the last."""

    def __init__(self, image: Image, instance: Instance, run: Run, calls: Sequence[EntryPoint]):
        self._image = image
        self.evaluations = [dual(one) for one in calls]
        self.words: list[int] = []
        self.leads: list[tuple[str, int, int]] = []  # to what, from which word, to which
        self.functions: list[Dual] = []
        bundles = instance.bundles
        self._bundles = {pointer(one).address: self._bundle(one, {}) for one in bundles}
        tables = {
            name: self._operations(instance, name) if name in EVALUATED else (0, 0) for name in instance.calls
        }
        self.run = self._bundle(run, tables)

    def _bundle(self, bundle: Model | Data | Run, tables: dict[str, tuple[int, int]]) -> int:
        place = len(self.words)
        self.words += pointer(bundle).table.tolist()
        at = place
        for (name, kind), array in zip(fields_of(type(bundle)), bundle, strict=True):
            if name in tables:
                to, rows = tables[name]
                self.words[at : at + 6] = 0, 4 * rows, rows, 4, 4 * WORD, WORD
                self.leads.append(("OWN", at, to))
            else:
                self.words[at] = 0
                self.leads.append(("WIDE" if kind[0] == "f" else "NARROW", at, self._image.put(array)))
            at += 2 + 2 * int(kind[1])
        return place

    def _operations(self, instance: Instance, name: str) -> tuple[int, int]:
        """Place, and number."""
        place, calls = len(self.words), instance.calls[name]
        self.words += [0] * (4 * len(calls))
        for at, (code, first, second, due) in zip(range(place, len(self.words), 4), calls, strict=True):
            assert isinstance(code, EntryPoint)
            self.leads.append(("CODE", at, self._number_of(dual(code))))
            if isinstance(code, Function):
                self.leads.append(("WIDE", at + 1, self._image.put(np.asarray(first))))
                self.leads.append(("NARROW", at + 2, self._image.put(np.asarray(second))))
            else:
                self.leads += [
                    ("OWN", at + 1, self._place_of(first)),
                    ("OWN", at + 2, self._place_of(second)),
                ]
            self.words[at + 3] = due
        return place, len(calls)

    def _place_of(self, bundle: np.ndarray | Model | Data) -> int:
        assert not isinstance(bundle, np.ndarray)
        return self._bundles[pointer(bundle).address]

    def _number_of(self, code: Dual) -> int:
        if code not in self.functions:
            self.functions.append(code)
        return self.functions.index(code)

    def lines(self, array: Callable[[str, list[str]], list[str]]) -> list[str]:
        """Lines of C with all tables."""
        names, calls = ([one.symbol for one in each] for each in (self.functions, self.evaluations))
        given = zip((name.upper() for name in EVALUATED), calls, strict=True)
        return [
            *(f"extern void {symbol}(Word, Word);" for symbol in names),
            *(f"extern void {symbol}(Word);" for symbol in calls),
            "#define DERIVATIVES",
            f"#define NUMBERS {NUMBERS}",
            f"#define DUAL_WORDS {len(self.words)}",
            f"#define AT_DUAL_RUN {self.run}",
            *(f"#define DUAL_{name} {symbol}" for name, symbol in given),
            *array("const Code dual_functions", [f"(Code){symbol}" for symbol in names]),
            *array("const Word dual_words", list(map(str, self.words))),
            "enum { NARROW, WIDE, OWN, CODE };",
            "typedef struct { int kind; Word at, to; } Lead;",
            *array("const Lead leads", [f"{{{kind}, {at}, {to}}}" for kind, at, to in self.leads]),
        ]

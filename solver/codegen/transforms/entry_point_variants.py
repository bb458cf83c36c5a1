"""Variants of entry points: the same source compiled for several runs (SIMD lanes) or for dual numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from ..jit import ENABLED, Elementary, EntryPoint, _digest
from ..target_cpu import lanes

LANES = lanes()  # runs in a SIMD group
DIRECTIONS = 8  # derivatives of one evaluation
HERE = Path(__file__).parent
READ = (
    "ir_parser.py",
    "array_scalars.py",
    "pointer_kinds.py",
    "ir_writer.py",
    "simd_rewrite.py",
    "vectorise.py",
    "variant_compile.py",
    "entry_point_variants.py",
)
LANES_BY = (*READ, "dataflow.py", "scalar_lane.py")
DUALS_BY = (*READ, "dual_rewrite.py", "derivative_rules.py")


def lanes_symbol(symbol: str, lanes: int) -> str:
    """Symbol of the variant for SIMD lanes."""
    return f"{symbol}_lanes{lanes}"


def single_lane_symbol(symbol: str, lanes: int) -> str:
    """Symbol of the copy for one lane."""
    return f"{symbol}_lane_of{lanes}"


def dual_symbol(symbol: str) -> str:
    """Symbol of the variant for dual numbers."""
    return f"{symbol}_dual"


def values_symbol(symbol: str) -> str:
    """Symbol of the variant on values alone in the memory of dual numbers."""
    return f"{symbol}_values"


class Variant(EntryPoint):
    """`entry` for another kind of number."""

    numbers = ""  # kind of number, in compile jobs
    words = ""  # kind of number, in messages
    written_by: tuple[str, ...] = ()

    def __init__(self, entry: EntryPoint, symbol: str):
        super().__init__(entry.function, entry.kinds, symbol)
        self.entry = entry

    @property
    def source(self) -> EntryPoint:
        """Entry point whose LLVM text is rewritten."""
        return self.entry

    @property
    def digest(self) -> str:  # type: ignore[override]
        return _digest(self.source.digest.encode(), self.symbol.encode(), _sources_of(self.written_by))


class InLanes(Variant):
    """`entry` for SIMD lanes; its object code holds the copy for one lane as well."""

    words = "in lanes"
    pack = "lanes.pack"
    written_by = LANES_BY

    def __init__(self, entry: EntryPoint, lanes: int):
        super().__init__(entry, lanes_symbol(entry.symbol, lanes))
        self.lanes, self.numbers = lanes, str(lanes)

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """Entry points that its code calls, in either copy."""
        ways = lanes_symbol("", self.lanes), single_lane_symbol("", self.lanes)
        names = {symbol.removesuffix(ways[0]).removesuffix(ways[1]) for symbol in symbols}
        called = self.entry.called(sorted(names))
        # elementary functions stay scalar: each lane calls them
        return [one if isinstance(one, Elementary) else in_lanes(one, self.lanes) for one in called]


class Dual(Variant):
    """`entry` for dual numbers with `DIRECTIONS` tangents."""

    numbers = "dual"
    words = "with derivatives"
    pack = "dual.pack"
    written_by = DUALS_BY

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, dual_symbol(entry.symbol))

    @property
    def source(self) -> EntryPoint:
        """Entry point whose LLVM text is rewritten: the replacement in duals, if there is one."""
        return self.entry.dual_replacement or self.entry

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """Entry points that its code calls: dual, values-only and elementary ones."""
        found: list[EntryPoint] = []
        for suffix, way in ((dual_symbol(""), dual), (values_symbol(""), ValuesOnly)):
            names = sorted(symbol.removesuffix(suffix) for symbol in symbols if symbol.endswith(suffix))
            found += [way(entry) for entry in self.entry.called(names)]
        names = sorted(symbols)
        return found + [entry for entry in self.entry.called(names) if isinstance(entry, Elementary)]


class ValuesOnly(Variant):
    """`entry` on the values of dual numbers; tangents are neither read nor written."""

    numbers = "values"
    words = "without derivatives"
    pack = Dual.pack
    written_by = DUALS_BY

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, values_symbol(entry.symbol))

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """Entry points that its code calls: on values alone as well, and elementary ones."""
        suffix = values_symbol("")
        names = sorted(symbol.removesuffix(suffix) for symbol in symbols if symbol.endswith(suffix))
        found: list[EntryPoint] = [ValuesOnly(entry) for entry in self.entry.called(names)]
        return found + [
            entry for entry in self.entry.called(sorted(symbols)) if isinstance(entry, Elementary)
        ]


def values_only(entry: EntryPoint) -> EntryPoint:
    """Values-only variant for a replacement in duals to call; in plain Python the entry itself."""
    return ValuesOnly(entry) if ENABLED else entry


def replaces_in_duals(entry: EntryPoint) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Decorator: function with the values of `entry` and its tangents at less cost; dual code is made of it.

    `value_of` and `carried` (`codegen/intrinsics.py`) say where tangents end and where they enter.
    """

    def decorate(function: Callable[..., object]) -> Callable[..., object]:
        if not ENABLED:
            return function
        entry.dual_replacement = EntryPoint(function, entry.kinds, f"{entry.symbol}_in_slopes")
        return entry.dual_replacement

    return decorate


def variant_class(entry: EntryPoint, numbers: str) -> Variant:
    """Variant of an entry point by the word of a compile job."""
    for form in (Dual, ValuesOnly):
        if numbers == form.numbers:
            return form(entry)
    return InLanes(entry, int(numbers))


@cache
def in_lanes(entry: EntryPoint, lanes: int = LANES) -> InLanes:
    """SIMD variant of an entry point."""
    return InLanes(entry, lanes)


@cache
def dual(entry: EntryPoint) -> Dual:
    """Dual variant of an entry point."""
    return Dual(entry)


@cache
def _sources_of(names: tuple[str, ...]) -> bytes:
    """Texts of the modules that make a variant's code: rewriters and compiler."""
    files = [*(HERE / name for name in names), HERE.parent / "numba_compile.py", HERE.parent / "lowering.py"]
    return b"\0".join(path.read_bytes() for path in files)

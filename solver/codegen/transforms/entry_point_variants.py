"""Entry points for other numbers: the same source, as code that works on several runs, or that knows derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from ..jit import ENABLED, Elementary, EntryPoint, _digest
from ..target_cpu import lanes

LANES = lanes()  # runs side by side
DIRECTIONS = 8  # of the derivatives that one evaluation gives
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
    return f"{symbol}_lanes{lanes}"


def single_lane_symbol(symbol: str, lanes: int) -> str:
    """The copy that works for one lane."""
    return f"{symbol}_lane_of{lanes}"


def dual_symbol(symbol: str) -> str:
    return f"{symbol}_dual"


def values_symbol(symbol: str) -> str:
    """The copy that works on values alone, in memory of numbers with tangents."""
    return f"{symbol}_values"


class Variant(EntryPoint):
    """`entry` for another kind of number."""

    numbers = ""  # the kind, for a process that compiles
    words = ""  # the same, for people
    written_by: tuple[str, ...] = ()

    def __init__(self, entry: EntryPoint, symbol: str):
        super().__init__(entry.function, entry.kinds, symbol)
        self.entry = entry

    @property
    def source(self) -> EntryPoint:
        """Of which its code is made."""
        return self.entry

    @property
    def digest(self) -> str:  # type: ignore[override]
        return _digest(self.source.digest.encode(), self.symbol.encode(), _sources_of(self.written_by))


class InLanes(Variant):
    """`entry` for so many lanes; its object code holds the copy for one lane as well."""

    words = "in lanes"
    pack = "lanes.pack"
    written_by = LANES_BY

    def __init__(self, entry: EntryPoint, lanes: int):
        super().__init__(entry, lanes_symbol(entry.symbol, lanes))
        self.lanes, self.numbers = lanes, str(lanes)

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """The entry points that it calls, by any of their copies."""
        ways = lanes_symbol("", self.lanes), single_lane_symbol("", self.lanes)
        names = {symbol.removesuffix(ways[0]).removesuffix(ways[1]) for symbol in symbols}
        called = self.entry.called(sorted(names))
        # functions of mathematics stay what they are: each lane calls them
        return [one if isinstance(one, Elementary) else in_lanes(one, self.lanes) for one in called]


class Dual(Variant):
    """`entry` for numbers with their derivatives in `DIRECTIONS` directions."""

    numbers = "dual"
    words = "with derivatives"
    pack = "dual.pack"
    written_by = DUALS_BY

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, dual_symbol(entry.symbol))

    @property
    def source(self) -> EntryPoint:
        return self.entry.in_slopes or self.entry

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        found: list[EntryPoint] = []
        for suffix, way in ((dual_symbol(""), dual), (values_symbol(""), ValuesOnly)):
            names = sorted(symbol.removesuffix(suffix) for symbol in symbols if symbol.endswith(suffix))
            found += [way(entry) for entry in self.entry.called(names)]
        names = sorted(symbols)
        return found + [entry for entry in self.entry.called(names) if isinstance(entry, Elementary)]


class ValuesOnly(Variant):
    """`entry` for numbers with tangents, which it neither reads nor writes."""

    numbers = "values"
    words = "without derivatives"
    pack = Dual.pack
    written_by = DUALS_BY

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, values_symbol(entry.symbol))

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """Functions of mathematics; it calls no kernels."""
        return [entry for entry in self.entry.called(sorted(symbols)) if isinstance(entry, Elementary)]


def values_only(entry: EntryPoint) -> EntryPoint:
    """What a kernel calls that takes another's place in slopes; as plain Python the entry itself."""
    return ValuesOnly(entry) if ENABLED else entry


def replaces_in_duals(entry: EntryPoint) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Decorates what gives the same values as `entry`, and the same tangents at less cost: their code is made of it.

    By hand: `value_of` and `carried` (`codegen/intrinsics.py`) say where tangents end, and where they come from.
    """

    def decorate(function: Callable[..., object]) -> Callable[..., object]:
        if not ENABLED:
            return function
        entry.in_slopes = EntryPoint(function, entry.kinds, f"{entry.symbol}_in_slopes")
        return entry.in_slopes

    return decorate


def variant_class(entry: EntryPoint, numbers: str) -> Variant:
    """By the word for the kind of number."""
    for form in (Dual, ValuesOnly):
        if numbers == form.numbers:
            return form(entry)
    return InLanes(entry, int(numbers))


@cache
def in_lanes(entry: EntryPoint, lanes: int = LANES) -> InLanes:
    return InLanes(entry, lanes)


@cache
def dual(entry: EntryPoint) -> Dual:
    return Dual(entry)


@cache
def _sources_of(names: tuple[str, ...]) -> bytes:
    """What writes the code, and what compiled the entry point before."""
    files = [*(HERE / name for name in names), HERE.parent / "numba_compile.py", HERE.parent / "lowering.py"]
    return b"\0".join(path.read_bytes() for path in files)

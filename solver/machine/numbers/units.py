"""An entry point in lanes: the same source, as code that works on several runs side by side."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..jit import Unit, _digest

LANES = 8  # doubles in a register of AVX-512, or in two or four of smaller ones
HERE = Path(__file__).parent


def symbol_of(symbol: str, lanes: int) -> str:
    return f"{symbol}_lanes{lanes}"


def single_of(symbol: str, lanes: int) -> str:
    """The copy that works for one lane."""
    return f"{symbol}_lane_of{lanes}"


class InLanes(Unit):
    """`unit` for so many lanes; its object code holds the copy for one lane as well."""

    def __init__(self, unit: Unit, lanes: int):
        super().__init__(unit.function, unit.kinds, symbol_of(unit.symbol, lanes))
        self.unit, self.lanes = unit, lanes

    @property
    def digest(self) -> str:  # type: ignore[override]
        return _digest(self.unit.digest.encode(), str(self.lanes).encode(), _own_sources())

    def called(self, symbols: Iterable[str]) -> list[Unit]:
        """The entry points that it calls, by any of their copies."""
        ways = symbol_of("", self.lanes), single_of("", self.lanes)
        names = {symbol.removesuffix(ways[0]).removesuffix(ways[1]) for symbol in symbols}
        return [in_lanes(unit, self.lanes) for unit in self.unit.called(sorted(names))]


@cache
def in_lanes(unit: Unit, lanes: int = LANES) -> InLanes:
    return InLanes(unit, lanes)


@cache
def _own_sources() -> bytes:
    """What writes the code, and what compiled the entry point before."""
    return b"\0".join(path.read_bytes() for path in [*sorted(HERE.glob("*.py")), HERE.parent / "build.py"])

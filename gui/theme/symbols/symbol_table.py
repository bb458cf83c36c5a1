"""Symbol of each block type."""

from __future__ import annotations

from ....blocks.registry import registered
from ....blocks.text.symbol_text import is_symbol
from . import (
    drive_symbols,
    environment_symbols,
    hydraulic_symbols,
    mechanics_symbols,
    planning_symbols,
    signal_symbols,
)
from .symbol import Symbol

TABLES = (
    drive_symbols,
    environment_symbols,
    hydraulic_symbols,
    mechanics_symbols,
    planning_symbols,
    signal_symbols,
)
SYMBOLS: dict[str, Symbol] = {name: symbol for table in TABLES for name, symbol in table.SYMBOLS.items()}
COMPOSITE = Symbol(
    "R -20 -12 40 24 M -14 -4 L -4 -4 M -4 -8 L 6 -8 L 6 0 L -4 0 Z M 6 -4 L 14 -4 L 14 6 L 4 6"
)
UNKNOWN = Symbol("R -16 -11 32 22", "", "M -16 -11 L 16 11 M -16 11 L 16 -11")


def symbol_of(type_name: str, family: str) -> Symbol:
    if family == "composites":
        return COMPOSITE
    return SYMBOLS.get(type_name) or _declared(type_name)


def own_symbol(icon: str) -> Symbol | None:
    """Symbol that a netlist names: that of a block type, or a symbol text; None without one."""
    known = symbol_of(icon, "")
    return known if icon and known is not UNKNOWN else _parsed(icon)


def _parsed(text: object) -> Symbol | None:
    return Symbol(text) if isinstance(text, str) and is_symbol(text) else None


def _declared(type_name: str) -> Symbol:
    """Icon declared by a third-party block."""
    return _parsed(getattr(registered().get(type_name), "icon", "")) or UNKNOWN

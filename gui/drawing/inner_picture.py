"""Picture on a composite's card: its netlist's own symbol, or its diagram in small. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from ...blocks.errors import LuffError
from ...solver.diagram.composite_types import CompositeType, type_in_words
from ...solver.flatten.diagram import Diagram
from ..theme.symbols.symbol import Symbol
from ..theme.symbols.symbol_table import own_symbol
from .diagram_sheet import Sheet
from .polylines import Point, Rect

LARGEST = 0.45  # scale of a diagram of few blocks


@dataclass(frozen=True)
class InnerCard:
    rect: Rect
    type_name: str
    family: str  # empty for an unknown type


@dataclass(frozen=True, eq=False)
class InnerPicture:
    """Cards and wires about the middle of the diagram, in its own px; or a symbol in their place."""

    width: float = 48.0
    height: float = 32.0
    cards: tuple[InnerCard, ...] = ()
    wires: dict[str, tuple[tuple[Point, ...], ...]] = field(default_factory=dict)  # by kind
    symbol: Symbol | None = None

    def scale(self, width: float, height: float) -> float:
        """Scale at which it fits a room."""
        most = 1.6 if self.symbol else LARGEST
        return min(width / self.width, height / self.height, most)


def inner_picture(cls: object) -> InnerPicture | None:
    """Picture of a composite; None for other blocks, and for a diagram that cannot be laid out."""
    if not isinstance(cls, CompositeType) or not isinstance(cls.diagram, Diagram):
        return None
    symbol = own_symbol(cls.diagram.icon)
    if symbol is not None:
        return InnerPicture(symbol=symbol)
    try:
        sheet = Sheet(cls.diagram)
        routes = sheet.routes(sheet.laid())
    except LuffError:
        return None  # half written
    cards = {name: sheet.card(name, sheet.places[name]) for name in sheet.names}
    if not cards:
        return None
    points = [point for way in routes.values() for point in way]
    points += [corner for card in cards.values() for corner in (card[:2], card[2:])]
    x, y = zip(*points, strict=True)
    middle = (min(x) + max(x)) / 2, (min(y) + max(y)) / 2
    wires: dict[str, list[tuple[Point, ...]]] = {}
    drawn: set[Hashable] = set()
    for text, way in routes.items():
        line = tuple((px - middle[0], py - middle[1]) for px, py in way)
        if line and line not in drawn:
            drawn.add(line)
            wires.setdefault(sheet.kind(text), []).append(line)
    made = [
        InnerCard(
            (left - middle[0], top - middle[1], right - middle[0], bottom - middle[1]),
            type_in_words(cls.diagram.blocks.get(name)) or name,
            getattr(cls.diagram.block_class(name), "family", "") or "",
        )
        for name, (left, top, right, bottom) in cards.items()
    ]
    lines = {kind: tuple(group) for kind, group in wires.items()}
    return InnerPicture(max(x) - min(x), max(y) - min(y), tuple(made), lines)

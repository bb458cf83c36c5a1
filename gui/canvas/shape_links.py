"""Lines from blocks that name shapes, `touch` and `clearance`, to the blocks that bear them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ...blocks.text.raw_types import RawMap
from ..theme.active_theme import theme
from .block_item import BlockItem

NAMING = {"touch": "forces", "clearance": "sensors"}  # types of blocks that name shapes, with their families
ROLES = ("of", "against", "among")
WIDTH, DOT = 1.4, 3.0  # px


def shape_links(entries: Mapping[str, RawMap]) -> Iterator[tuple[str, str]]:
    """Pairs (block that names shapes, block that bears them) of a diagram.

    Parameters
    ----------
    entries : mapping of str to dict
        Blocks as the netlist has them.

    Yields
    ------
    tuple of str
        Each pair once.
    """
    bearers = [name for name, raw in entries.items() if "shape" in raw or "shapes" in raw]
    for block, raw in entries.items():
        if str(raw.get("type")) not in NAMING:
            continue
        words = [word for role in ROLES for word in (raw.get(role) or ()) if isinstance(word, str)]
        for name in bearers:
            # a shape of a block is block.shape
            if any(
                fnmatch.fnmatchcase(name, part) for word in words for part in (word, word.partition(".")[0])
            ):
                yield block, name


class ShapeLinks(QGraphicsItem):
    """All these lines of a scene, behind its blocks; they follow the blocks and take no press."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(-2.0)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.pairs: list[tuple[str, str]] = []
        self.lines: list[tuple[QLineF, str]] = []

    def follow(self, blocks: Mapping[str, BlockItem]) -> None:
        """Take the places of the blocks."""
        lines = []
        for pair in self.pairs:
            if all(name in blocks for name in pair):
                cards = [blocks[name].card().translated(blocks[name].pos()) for name in pair]
                line = QLineF(cards[0].center(), cards[1].center())
                line = QLineF(on_border(cards[0], line.p2()), on_border(cards[1], line.p1()))
                lines.append((line, blocks[pair[0]].type_name))
        if lines != self.lines:
            self.prepareGeometryChange()
            self.lines = lines
            self.update()

    def boundingRect(self) -> QRectF:
        around = QRectF()
        for line, _ in self.lines:
            around |= QRectF(line.p1(), line.p2()).normalized().adjusted(-DOT, -DOT, DOT, DOT)
        return around

    def contains(self, point: QPointF) -> bool:
        return False

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, kind in self.lines:
            colour = theme().family(NAMING.get(kind, "forces"))
            pen = QPen(colour, WIDTH, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(line)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(line.p2(), DOT, DOT)


def on_border(card: QRectF, towards: QPointF) -> QPointF:
    """Point of a card's border on the way from its centre."""
    line = QLineF(card.center(), towards)
    corners = (card.topLeft(), card.topRight(), card.bottomRight(), card.bottomLeft(), card.topLeft())
    for a, b in pairwise(corners):
        kind, at = QLineF(a, b).intersects(line)
        if kind == QLineF.IntersectionType.BoundedIntersection:
            return at
    return card.center()

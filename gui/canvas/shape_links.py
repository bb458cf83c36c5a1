"""Lines from blocks that name shapes, `touch` and `clearance`, to the blocks that bear them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from shiboken6 import isValid

from ...blocks.mechanics.shape_pairs import is_meant
from ...blocks.text.raw_types import RawMap
from ..theme.active_theme import theme
from .block_item import BlockItem

NAMING = {"touch": "forces", "clearance": "sensors"}  # types of blocks that name shapes, with their families
ROLES = ("of", "against", "among")
BEARING = ("rigid_link", "base_support", "fixture")  # types of blocks whose shapes can be named
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
    shapes = {name: shape_names(name, raw) for name, raw in entries.items()}
    for block, raw in entries.items():
        if str(raw.get("type")) not in NAMING:
            continue
        lists = [own for role in ROLES if isinstance(own := raw.get(role), list)]
        words = [word for own in lists for word in own if isinstance(word, str)]
        for name, own in shapes.items():
            if any(is_meant(word, name, shape) for word in words for shape in own):
                yield block, name


def shape_names(name: str, raw: RawMap) -> list[str]:
    """Names of a block's shapes: that of the block, or block.shape."""
    if str(raw.get("type")) not in BEARING:
        return []
    further = raw.get("shapes")
    own = [name] if "shape" in raw else []
    return own + [f"{name}.{key}" for key in further] if isinstance(further, dict) else own


class ShapeLinks(QGraphicsItem):
    """These lines of the selected blocks of a scene, behind its blocks; they follow the blocks and take no press. Lines
    of all blocks would run across cards and wires."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(-2.0)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.pairs: list[tuple[str, str]] = []
        self.lines: list[tuple[QLineF, str]] = []

    def follow(self, blocks: Mapping[str, BlockItem]) -> None:
        """Take the places of the blocks, and which of them are selected; a scene that ends deselects what is gone."""
        if not isValid(self):
            return
        lines = []
        for pair in self.pairs:
            known = [blocks[name] for name in pair if name in blocks and isValid(blocks[name])]
            if len(known) == 2 and any(block.isSelected() for block in known):
                cards = [block.area for block in known]
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

    def contains(self, point: QPointF | QPoint | QPainterPath.Element) -> bool:
        return False

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, kind in self.lines:
            colour = theme().family(NAMING[kind])
            painter.setPen(QPen(colour, WIDTH, Qt.PenStyle.DashLine))
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

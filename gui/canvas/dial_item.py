"""Dashboard items on the canvas, above blocks and wires."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, QSizeF
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QStyleOptionGraphicsItem, QWidget

from ...solver.diagram.dashboard_section import HANDS, Dial
from ..document.document import Document
from ..run.dashboard_state import DashboardState
from ..run.dial_gestures import DialGestures
from ..theme.dial_painting import HEAD, paint, size_of
from ..theme.number_format import unit_words


class DialItem(QGraphicsItem):
    def __init__(self, board: DashboardState, k: int):
        super().__init__()
        self.board, self.k, self.hand = board, k, DialGestures(board, k)
        self.dial = board.dials[k]
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(20)

    def show_dial(self, dial: Dial) -> None:
        self.prepareGeometryChange()
        if (dial.kind, dial.of) != (self.dial.kind, self.dial.of):
            self.setSelected(False)  # another one, which has taken its place in the list
        self.dial = dial
        self.setPos(*dial.at)
        self.update()

    def size(self) -> QSizeF:
        return QSizeF(*size_of(self.dial))

    def boundingRect(self) -> QRectF:
        return QRectF(QPointF(), self.size())

    def words(self) -> str:
        unit = f" [{unit_words(self.dial.unit)}]" if self.dial.unit else ""
        return f"<b>{self.dial.title or self.dial.of}</b> {self.dial.kind} of {self.dial.of}{unit}".replace(
            "_moment", " moment"
        )

    def operates_at(self, point: QPointF) -> bool:
        """True if a press at a scene point operates the dial: below its title, during a run. Elsewhere a press moves
        the card."""
        moved = self.board.runner.active and self.dial.kind in HANDS
        return moved and (point - self.pos()).y() > HEAD

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.save()
        paint(painter, self.boundingRect(), self.dial, self.board.shown(self.k, self.isSelected()))
        painter.restore()


class Dials(QObject):
    """Dial items of a scene; a scene without a dashboard has none."""

    def __init__(self, scene: QGraphicsScene, document: Document, changed: Callable[[], None]):
        super().__init__(scene)
        self._scene, self._document, self._changed = scene, document, changed
        self.board: DashboardState | None = None
        self.items: dict[int, DialItem] = {}

    def follow(self, board: DashboardState) -> None:
        self.board = board
        board.changed.connect(self._sync)
        board.moved.connect(self._repaint)
        self._sync()

    def _sync(self) -> None:
        board = self.board
        if board is None or board.document is not self._document:
            return
        known = {k: dial for k, dial in enumerate(board.dials) if dial.at is not None}
        for k in [k for k in self.items if k not in known]:
            self._scene.removeItem(self.items.pop(k))
        for k, dial in known.items():
            if k not in self.items:
                self.items[k] = DialItem(board, k)
                self._scene.addItem(self.items[k])
            self.items[k].show_dial(dial)
        self._changed()

    def _repaint(self) -> None:
        for item in self.items.values():
            item.update()

    def at(self, point: QPointF) -> DialItem | None:
        found = (item for item in reversed(self.items.values()) if item.sceneBoundingRect().contains(point))
        return next(found, None)

    def selected(self) -> list[int]:
        return [k for k, item in self.items.items() if item.isSelected()]

    # --- keys, once one of them was clicked while a run is on ----------------------------------------------------

    def press(self, event: QKeyEvent) -> bool:
        """Offer a key to the selected dials, then to all dials that declare it; True if one took it."""
        own, all_ = self._hands()
        return any(hand.press(event) for hand in own) or any(hand.press(event, own=False) for hand in all_)

    def let_go(self, event: QKeyEvent) -> bool:
        own, all_ = self._hands()
        return any(hand.let_go(event) for hand in own) or any(hand.let_go(event, own=False) for hand in all_)

    def _hands(self) -> tuple[list[DialGestures], list[DialGestures]]:
        own = [self.items[k].hand for k in self.selected()]
        if self.board is None or not own or not self.board.runner.active:
            return [], []
        return own, [DialGestures(self.board, k) for k in range(len(self.board.dials))]

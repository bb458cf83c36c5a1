"""Minimap: the whole diagram small in a corner of the canvas, with the part that is seen; a drag moves this part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from ..theme.active_theme import holder, theme
from .block_item import BlockItem
from .canvas_protocol import CanvasSurface

SIZE = QSize(180, 120)  # px at most
APART = 10  # px from the edges of the canvas
LEAST = 3 * SIZE.width()  # px of a canvas on which there is room for it


Corner = tuple[bool, bool]  # whether at the right, and at the bottom
CORNERS: tuple[Corner, ...] = ((True, True), (True, False), (False, True), (False, False))


def _in_corner(corner: Corner, size: QSize, area: QRect) -> QRect:
    right, bottom = corner
    x = area.right() - size.width() - APART if right else area.left() + APART
    y = area.bottom() - size.height() - APART if bottom else area.top() + APART
    return QRect(QPoint(x, y), size)


class Minimap(QWidget):
    """Overview of a canvas, shown while the diagram does not fit it."""

    def __init__(self, view: CanvasSurface):
        super().__init__(view.viewport())
        self.view = view
        self.wanted = self._held = False
        self._corner = CORNERS[0]
        # what it depends on, and the cards that stand still
        self._cards: tuple[Hashable, QPixmap] | None = None
        self.setAccessibleName("Minimap")
        self.setToolTip("The whole diagram: drag the frame to move the part that is seen")
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        view.canvas.synced.connect(self._forget)
        view.canvas.synced.connect(self.follow)
        view.canvas.selectionChanged.connect(self._forget)
        view.zoomed.connect(lambda _: self.follow())
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.valueChanged.connect(lambda _: self.follow())
        holder.changed.connect(self._forget)
        self.hide()

    def _forget(self) -> None:
        self._cards = None
        self.update()

    def set_wanted(self, on: bool) -> None:
        """Show the map where it is of use, or never."""
        self.wanted = on
        self.follow()

    def seen(self) -> QRectF:
        """Part of the scene that the canvas shows."""
        return self.view.mapToScene(self.view.viewport().rect()).boundingRect()

    def follow(self) -> None:
        """Place and size the map for the diagram, and hide it where the canvas shows everything."""
        content, area = self.view.canvas.content, self.view.viewport().rect()
        whole = not content.isValid() or self.seen().contains(content)
        self.setVisible(self.wanted and not whole and area.width() >= LEAST)
        if self.isHidden():
            return
        extent = content.united(self.seen())
        size = extent.size().toSize().scaled(SIZE, Qt.AspectRatioMode.KeepAspectRatio)
        size = size.expandedTo(QSize(40, 30))
        if not self._held:
            self._corner = self._least_covering(size, area)
        self.setGeometry(_in_corner(self._corner, size, area))
        self.update()

    def _least_covering(self, size: QSize, area: QRect) -> Corner:
        """Corner in which the map lies over the fewest blocks: where it is, or the first one, if that is no worse."""

        def covered(corner: Corner) -> int:
            below = self.view.mapToScene(_in_corner(corner, size, area)).boundingRect()
            return sum(isinstance(item, BlockItem) for item in self.view.canvas.items(below))

        if covered(self._corner) == 0:
            return self._corner
        return min((self._corner, *CORNERS), key=covered)

    def _scale(self) -> tuple[float, QPointF]:
        """Pixels of the map to a unit of the scene, and the scene's point at its upper left corner."""
        extent = self.view.canvas.content.united(self.seen())
        scale = min(self.width() / max(extent.width(), 1.0), self.height() / max(extent.height(), 1.0))
        middle, half = extent.center(), QPointF(self.width() / 2, self.height() / 2) / scale
        return scale, middle - half

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        painter = QPainter(self)
        painter.setPen(QPen(t.colour("border")))
        painter.setBrush(t.colour("panel"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        scale, corner = self._scale()
        painter.drawPixmap(0, 0, self._still(scale, corner))
        chosen = [item for item in self.view.canvas.selectedItems() if isinstance(item, BlockItem)]
        _paint_cards(painter, chosen, "selection", scale, corner)
        seen = self.seen().translated(-corner)
        frame, wash = t.colour("accent"), QColor(t.colour("accent"))
        wash.setAlpha(30)
        painter.setPen(QPen(frame))
        painter.setBrush(wash)
        painter.drawRect(QRectF(seen.topLeft() * scale, seen.size() * scale))
        painter.end()

    def _still(self, scale: float, corner: QPointF) -> QPixmap:
        """Picture of the blocks that are not selected, which stand still while others are dragged."""
        ratio = self.devicePixelRatioF()
        key = (scale, corner.x(), corner.y(), self.size().toTuple(), ratio)
        if self._cards is None or self._cards[0] != key:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            chosen = set(self.view.canvas.selectedItems())
            still = [item for item in self.view.canvas.blocks.values() if item not in chosen]
            _paint_cards(painter, still, "muted", scale, corner)
            painter.end()
            self._cards = key, picture
        return self._cards[1]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = True  # it stays under the pointer
        scale, corner = self._scale()
        self.view.look_at(corner + event.position() / scale)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = False
        self.follow()
        event.accept()


def _paint_cards(
    painter: QPainter, blocks: Iterable[BlockItem], colour: str, scale: float, corner: QPointF
) -> None:
    painter.save()
    painter.scale(scale, scale)
    painter.translate(-corner)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(colour))
    painter.drawRects([block.area for block in blocks])
    painter.restore()

"""View interface that gestures and the search box use: coordinates, zoom, hints, insertion of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPen,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QLabel, QMenu

from ..document.block_cards import WORLD
from ..document.document import Document
from ..document.wire_splice import splice, stand_on_world
from ..drawing.block_spacing import Room
from ..drawing.exposed_ports import MORE
from ..drawing.polylines import Point
from ..drawing.snap_guides import Guide, to_grid
from ..theme.active_theme import GRID, holder, theme
from ..theme.dial_painting import area_of
from .scene import CanvasScene
from .wire_item import NEAR_WIRE, WireItem

NEAREST, FARTHEST = 4.0, 0.04
AROUND = 10  # px of the diagram that are seen around it when it fits the window
LEGIBLE = 0.5  # least zoom at which a diagram opens
READABLE = 0.7  # zoom from which names and values can be read
OFF, FAR, WIDEST = 10, 60, 320  # px from a port to the hint at it, or beyond its card, and of a hint
BLOCK_MIME = "application/x-luff-block"


class SearchBox(Protocol):
    def open(self, place: QPointF, text: str = "", reference: str = "") -> None: ...
    def hide(self) -> None: ...
    def dismiss(self) -> None: ...


class ActiveGesture(Protocol):
    """Gesture that receives the mouse events of the view until it ends."""

    def press(self, event: QMouseEvent) -> None: ...
    def move(self, event: QMouseEvent) -> None: ...
    def release(self, event: QMouseEvent) -> None: ...
    def cancel(self) -> None: ...
    def holds(self) -> bool: ...


class CanvasSurface(QGraphicsView):
    """View with zoom, pan, coordinates and hints; the derived view adds mouse and key handling."""

    port_dropped = Signal(str, QPoint)  # an output, let go outside the canvas
    block_clicked = Signal(str)
    message = Signal(str)
    zoomed = Signal(float)

    quick_insert: SearchBox

    def __init__(self, document: Document):
        self.document = document
        super().__init__()
        self.canvas = CanvasScene(document, self)  # they end together, in the window's thread
        self.setScene(self.canvas)
        self.gesture: ActiveGesture | None = None  # the one under way
        self.guides: list[Guide] = []
        self.band: QRectF | None = None
        self._fit_first = True  # fit at opening and after each resize, until the user zooms or pans
        self._fitted: QTransform | None = None  # transform of the last fit
        self._whole = False  # that one was of everything, as the user had asked
        self.cursor_place = QPointF(0, 0)  # place of the next block
        self.pointed = False  # the pointer is over the canvas
        self.held: QPointF | None = None  # place of the context menu while it is open
        self.hint = QLabel(self.viewport())
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.hide()
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.SmartViewportUpdate)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Canvas")
        self.canvas.selectionChanged.connect(self.viewport().update)
        self.canvas.synced.connect(self.viewport().update)
        self.canvas.synced.connect(self._let_go)
        self.canvas.synced.connect(self._show_detail)
        holder.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        t = theme()
        self.setBackgroundBrush(t.colour("canvas"))
        self.hint.setStyleSheet(
            f"background: {t.card}; color: {t.text}; border: 1px solid {t.border};"
            "border-radius: 3px; padding: 3px 6px;"
        )
        self.viewport().update()

    def zoom(self) -> float:
        return self.transform().m11()

    def pixels(self) -> float:
        """Device pixels per diagram unit: zoom times the screen's device pixel ratio."""
        return self.zoom() * self.devicePixelRatioF()

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a viewport point, by default its centre."""
        factor = max(FARTHEST, min(NEAREST, self.zoom() * factor)) / self.zoom()
        point = at or QPointF(self.viewport().rect().center())
        before = self.mapToScene(point.toPoint())
        self.scale(factor, factor)
        after = self.mapToScene(point.toPoint())
        self.translate(after.x() - before.x(), after.y() - before.y())
        self.after_zoom()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.scroll_by(event.angleDelta().y() or event.angleDelta().x(), 0)
        elif event.pixelDelta().isNull() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
        else:
            # a touchpad scrolls in two directions
            self.scroll_by(event.pixelDelta().x(), event.pixelDelta().y())
        event.accept()

    def _show_detail(self) -> None:
        """Paint with the detail that fits the zoom and the size of the diagram."""
        self.canvas.show_detail(self.pixels())

    def after_zoom(self) -> None:
        self._show_detail()
        self.zoomed.emit(self.zoom())

    def fit(self, rect: QRectF | None = None, most: float = 1.25) -> None:
        """Fit everything, or a rectangle, into the view; zoom at most `most`."""
        content = rect or self.canvas.content_rect()
        if not content.isValid():
            self.resetTransform()
            self.centerOn(0, 0)
        else:
            room = 80 if self.document.diagram.ports and rect is None else AROUND  # for the names of ports
            self.fitInView(content.adjusted(-room, -room, room, room), Qt.AspectRatioMode.KeepAspectRatio)
            if self.zoom() > most:
                self.resetTransform()
                self.scale(most, most)
                self.centerOn(content.center())
        if rect is None and content.isValid():
            self._fit_first, self._fitted, self._whole = True, self.transform(), True
        self.after_zoom()

    def fit_legible(self) -> None:
        """Fit everything, but at no zoom at which names cannot be read: then the diagram begins at the upper left."""
        self.fit()
        content, area = self.canvas.content_rect(), QRectF(self.viewport().rect())
        if content.isValid() and self.zoom() < LEGIBLE:
            seen = area.size() / LEGIBLE
            content.adjust(-AROUND, -AROUND, AROUND, AROUND)
            # the middle of what is seen: that of the diagram in a direction in which it has room
            middle = content.center()
            if content.width() > seen.width():
                middle.setX(content.left() + 0.5 * seen.width())
            if content.height() > seen.height():
                middle.setY(content.top() + 0.5 * seen.height())
            self.resetTransform()
            self.scale(LEGIBLE, LEGIBLE)
            self.centerOn(middle)
            self._fitted = self.transform()
            self.after_zoom()
        self._whole = False

    def show_block(self, name: str, near: bool = False) -> None:
        """Scroll to a block and select it; with `near`, zoom in until it is readable."""
        self.canvas.sync()
        item = self.canvas.blocks.get(name)
        if item is None:
            return
        self.canvas.select([name])
        box = item.mapRectToScene(item.boundingRect())
        if near and self.zoom() < READABLE:
            self.zoom_by(1.0 / self.zoom())
            self.look_at(box.center())
        if not self.mapToScene(self.viewport().rect()).boundingRect().contains(box):
            self.look_at(box.center())

    def show_selected(self) -> None:
        """Scroll as little as shows all that is selected; its upper left part where it is larger than the view."""
        box = QRectF()
        for item in self.canvas.selectedItems():
            box |= item.mapRectToScene(item.boundingRect())
        if box.isNull():
            return
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        box.setSize(box.size().boundedTo(seen.size() * 0.9))
        if not seen.contains(box):
            self.ensureVisible(box, 0, 0)

    def show_wire(self, text: str) -> None:
        wire = self.canvas.wires.get(text)
        if wire:
            self.canvas.select([], [text])
            self.ensureVisible(wire.boundingRect(), 60, 60)

    def look_at(self, place: QPointF) -> None:
        """Scroll until a place of the diagram is in the middle."""
        self._fit_first = False
        self.centerOn(place)

    def scroll_by(self, dx: float, dy: float) -> None:
        self._fit_first = False
        self.horizontalScrollBar().setValue(round(self.horizontalScrollBar().value() - dx))
        self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() - dy))

    def place_of(self, event: QMouseEvent) -> QPointF:
        return self.mapToScene(event.position().toPoint())

    def paste_target(self) -> QPointF:
        """Target of a paste in scene coordinates: the pointer, or the centre of the view when the pointer is
        elsewhere."""
        if self.held is not None:
            return self.held
        area = self.viewport().rect()
        if self.pointed and area.contains(self.mapFromScene(self.cursor_place)):
            return self.cursor_place
        return self.mapToScene(area.center())

    def _let_go(self) -> None:
        """Cancel the gesture if an edit by key or menu has removed the item that it works on."""
        if self.gesture and not self.gesture.holds():
            self.cancel_gesture()

    def cancel_gesture(self) -> None:
        if self.gesture:
            gesture, self.gesture = self.gesture, None
            gesture.cancel()
        self.show_hint("")

    def offer_more(self, block: str, names: Iterable[str], take: Callable[[str], None]) -> None:
        """Show a menu of the block's folded ports; a port that gets a wire stays visible."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in names:
            port = self.document.ports(block)[name]
            menu.addAction(name, lambda name=name: take(name)).setToolTip(port.doc)
        menu.setToolTipsVisible(True)
        end = self.canvas.blocks[block].end(MORE)
        at = self.mapFromScene(QPointF(end.x, end.y)) if end else self.viewport().rect().center()
        menu.popup(self.viewport().mapToGlobal(at + QPoint(6, 6)))

    def wire_for_block(self, place: QPointF) -> WireItem | None:
        """Wire into which a new block at a place is meant to go; None on another block."""
        return None if self.canvas.block_at(place) else self.canvas.wire_at(place, NEAR_WIRE)

    def insert(self, type_name: str, place: QPointF, into_wire: bool = True, begins: bool = True) -> str:
        """Add a block centred near a place; dropped on a wire that it fits, it is spliced into the wire. A first joint
        stands on the world if it `begins` a mechanism."""
        if type_name == WORLD and WORLD in self.canvas.blocks:
            self.canvas.select([WORLD])
            self.ensureVisible(self.canvas.blocks[WORLD])
            self.message.emit("A diagram has one world: it is selected")
            return WORLD
        wire = self.wire_for_block(place) if into_wire else None
        at = (place.x(), place.y())
        name = splice(self.document, wire.connection, wire.kind, wire.points, type_name, at) if wire else ""
        if not name:
            with self.document.step(f"add {Path(type_name).stem}"):
                name = self.document.add_block(type_name, to_grid(place.x() - 50), to_grid(place.y() - 30))
                if begins:
                    stand_on_world(self.document, name)
        self.canvas.sync()
        self.canvas.select([name])
        if self._fitted is None:  # a diagram that grows from nothing keeps its scale
            self._fit_first = False
        return name

    def room_for(self, size: QSizeF) -> Point:
        """Upper left corner of a free place for a card, nearest to the centre of the view."""
        canvas, room = self.canvas, Room()
        for name, block in canvas.blocks.items():
            room.put(name, block.rect())
        for k, dial in canvas.dials.items.items():
            room.put(k, area_of(dial.dial))
        for text, wire in canvas.wires.items():
            for j, ((x1, y1), (x2, y2)) in enumerate(zip(wire.points, wire.points[1:], strict=False)):
                room.put((text, j), (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)))
        middle = self.mapToScene(self.viewport().rect().center())
        left, top = to_grid(middle.x() - size.width() / 2), to_grid(middle.y() - size.height() / 2)
        dx, dy = room.nearest([(left, top, left + size.width(), top + size.height())])
        return left + dx, top + dy

    def show_hint(self, text: str, at: QPointF | None = None, side: str = "") -> None:
        """Show a hint during a gesture beside the cursor, or at a port off the `side` of the card that it is on."""
        self.hint.setVisible(bool(text))
        if text:
            self.hint.setWordWrap(False)
            self.hint.setText(text)
            self.hint.adjustSize()
            if self.hint.width() > WIDEST:
                self.hint.setWordWrap(True)
                self.hint.resize(WIDEST, self.hint.heightForWidth(WIDEST))
            wide, high = self.hint.width(), self.hint.height()
            away = {"left": QPoint(-wide - OFF, -high - OFF), "right": QPoint(OFF, -high - OFF)}
            away |= {"top": QPoint(OFF, -high - OFF), "bottom": QPoint(OFF, OFF)}
            point = self.mapFromScene(at if at is not None else self.cursor_place)
            first = away.pop(side, QPoint(16, 18))
            beside = [
                first,
                *away.values(),
                QPoint(OFF, FAR),
                QPoint(-wide - OFF, FAR),
                QPoint(OFF, -high - FAR),
            ]
            self.hint.move(self._least_covering(point, beside))

    def _least_covering(self, point: QPoint, beside: list[QPoint]) -> QPoint:
        """The first of the hint's places beside a point, moved into the view, that covers least of the blocks."""
        area, size = self.viewport().rect(), self.hint.size()
        cards = []
        for block in self.canvas.blocks.values():
            left, top, right, bottom = block.rect()
            card = QRectF(left, top, right - left, bottom - top)
            cards.append(self.mapFromScene(card).boundingRect())

        def covered(corner: QPoint) -> int:
            hint = QRect(corner, size)
            hidden = [card & hint for card in cards]
            parts = sum(part.width() * part.height() for part in hidden if not part.isEmpty())
            return parts + hint.width() * hint.height() * hint.contains(point)

        places = [point + offset for offset in beside]
        for place in places:
            place.setX(max(0, min(place.x(), area.width() - size.width() - 4)))
            place.setY(max(0, min(place.y(), area.height() - size.height() - 4)))
        return min(places, key=covered)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:  # the window is on another screen
            self.after_zoom()
        return super().event(event)

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override]
        paint_grid(painter, rect, self.zoom(), self.devicePixelRatioF())


def dropped_type(data: QMimeData) -> str:
    return bytes(data.data(BLOCK_MIME).data()).decode() if data.hasFormat(BLOCK_MIME) else ""


def dropped_file(data: QMimeData) -> str:
    paths = [url.toLocalFile() for url in data.urls()]
    return next((path for path in paths if path.lower().endswith((".yaml", ".yml"))), "")


def paint_grid(painter: QPainter, rect: QRectF, zoom: float, pixel_ratio: float) -> None:
    painter.fillRect(rect, theme().colour("canvas"))
    step = GRID * 2 if zoom >= 0.8 else GRID * 10 if zoom >= 0.2 else 0
    if not step:
        return
    pen = QPen(theme().colour("grid"))
    pen.setCosmetic(True)
    pen.setWidthF(1.6 * pixel_ratio)
    painter.setPen(pen)
    left, top = int(rect.left() // step) * step, int(rect.top() // step) * step
    columns, rows = (int(rect.right()) - left) // step + 2, (int(rect.bottom()) - top) // step + 2
    painter.translate(left, top)
    painter.drawPoints(_grid_points(columns, rows, step))
    painter.translate(-left, -top)


@lru_cache(maxsize=8)
def _grid_points(columns: int, rows: int, step: int) -> list[QPointF]:
    """Points of a grid; those of one view differ by a row or a column while it is panned."""
    return [QPointF(step * i, step * j) for i in range(columns) for j in range(rows)]


def paint_guides(painter: QPainter, guides: Iterable[Guide]) -> None:
    pen = QPen(theme().colour("accent"), 1, Qt.PenStyle.DashLine)
    pen.setCosmetic(True)
    painter.setPen(pen)
    for g in guides:
        ends = (QPointF(g.at, g.low - 12), QPointF(g.at, g.high + 12))
        if not g.upright:
            ends = (QPointF(g.low - 12, g.at), QPointF(g.high + 12, g.at))
        painter.drawLine(*ends)


def paint_band(painter: QPainter, band: QRectF) -> None:
    wash = QColor(theme().colour("selection"))
    wash.setAlpha(30)
    pen = QPen(theme().colour("selection"))
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setBrush(wash)
    painter.drawRect(band)

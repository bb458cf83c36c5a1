"""The canvas widget: zoom at the cursor, pan, keys; each mouse gesture is an object of its own (interactions.py)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QLabel, QMenu, QToolTip

from ..document.document import Document
from ..document.splice import splice
from ..drawing.exposed import exposed
from ..drawing.folding import MORE
from ..drawing.guides import Guide, to_grid
from ..look.theme import GRID, holder, theme
from .dropping import dropped_file, dropped_type
from .gesture import Gesture
from .interactions import Pan, begin
from .labels import paint_port_names
from .paper import paint_band, paint_grid, paint_guides
from .quick_insert import QuickInsert
from .scene import OVERVIEW_BELOW, CanvasScene
from .surface import Surface
from .tooltips import tooltip_of
from .wiring import DrawWire

NEAREST, FARTHEST = 4.0, 0.04
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
NUDGES = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
NUDGE_MERGE = 1


class CanvasView(Surface):
    opened = Signal(str)  # a block was double-clicked
    renaming = Signal(str)
    menu_wanted = Signal(QPoint)
    port_menu_wanted = Signal(str, QPoint)
    file_dropped = Signal(str)
    zoomed = Signal(float)

    def __init__(self, document: Document):
        self.document = document
        super().__init__()
        self.canvas = CanvasScene(document, self)  # they end together, in the window's thread
        self.setScene(self.canvas)
        self.gesture: Gesture | None = None
        self.guides: list[Guide] = []
        self.band: QRectF | None = None
        self._space = self._space_used = False
        self._fit_first = True
        self.cursor_place = QPointF(0, 0)  # where the next block goes
        self.pointed = False  # the pointer is over the canvas
        self.pointed_at = ""  # the block under it
        self.hint = QLabel(self.viewport())
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.hide()
        self.quick_insert = QuickInsert(self)
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

    # ------------------------------------------------------------------ zoom and pan

    def zoom(self) -> float:
        return self.transform().m11()

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a point of the viewport (its middle when none is given)."""
        factor = max(FARTHEST, min(NEAREST, self.zoom() * factor)) / self.zoom()
        point = at or QPointF(self.viewport().rect().center())
        before = self.mapToScene(point.toPoint())
        self.scale(factor, factor)
        after = self.mapToScene(point.toPoint())
        self.translate(after.x() - before.x(), after.y() - before.y())
        self._after_zoom()

    def _after_zoom(self) -> None:
        self.canvas.set_overview(self.zoom() < OVERVIEW_BELOW)
        self.zoomed.emit(self.zoom())

    def fit(self, rect: QRectF | None = None, most: float = 1.25) -> None:
        """Show everything, or a rectangle, no larger than `most`."""
        content = rect or self.canvas.content_rect()
        if not content.isValid():
            self.resetTransform()
            self.centerOn(0, 0)
        else:
            room = 80 if self.document.diagram.ports and rect is None else 30  # for the names of ports
            self.fitInView(content.adjusted(-room, -room, room, room), Qt.AspectRatioMode.KeepAspectRatio)
            if self.zoom() > most:
                self.resetTransform()
                self.scale(most, most)
                self.centerOn(content.center())
        self._after_zoom()

    def show_block(self, name: str) -> None:
        """Bring a block into view and select it."""
        self.canvas.sync()
        item = self.canvas.blocks.get(name)
        if item is None:
            return
        self.canvas.select([name])
        box = item.mapRectToScene(item.boundingRect())
        if not self.mapToScene(self.viewport().rect()).boundingRect().contains(box):
            self.centerOn(item)

    def show_wire(self, text: str) -> None:
        wire = self.canvas.wires.get(text)
        if wire:
            self.canvas.select([], [text])
            self.ensureVisible(wire.boundingRect(), 60, 60)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self._fit_first and self.canvas.blocks:
            self._fit_first = False
            QTimer.singleShot(0, self.fit)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & SHIFT:
            self.scroll_by(event.angleDelta().y() or event.angleDelta().x(), 0)
        elif event.pixelDelta().isNull() or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
        else:
            # a touchpad scrolls in two directions
            self.scroll_by(event.pixelDelta().x(), event.pixelDelta().y())
        event.accept()

    def scroll_by(self, dx: float, dy: float) -> None:
        self.horizontalScrollBar().setValue(round(self.horizontalScrollBar().value() - dx))
        self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() - dy))

    # ------------------------------------------------------------------ mouse

    def place_of(self, event: QMouseEvent) -> QPointF:
        return self.mapToScene(event.position().toPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.quick_insert.hide()
        if self.gesture is None:
            if self._space:
                self._space_used = True
                self.gesture = Pan(self, event)
            else:
                self.gesture = begin(self, event)
        else:
            self.gesture.press(event)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed = False
        super().leaveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed = True
        self.cursor_place = self.place_of(event)
        if self.gesture:
            self.gesture.move(event)
        else:
            self._hover(self.cursor_place)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.gesture:
            self.gesture.release(event)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.cancel_gesture()
        place = self.place_of(event)
        item, wire = self.canvas.block_at(place), self.canvas.wire_at(place)
        if self.canvas.port_at(place):
            self.mousePressEvent(event)
        elif item:
            self.opened.emit(item.name)
        elif wire and wire.data(0):
            self.document.drag_wire(wire.connection, [])
        elif not wire:
            self.quick_insert.open(place)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.gesture:
            self.cancel_gesture()
            return
        place = self.mapToScene(event.pos())
        self.cursor_place = place
        port = self.canvas.port_at(place)
        if port:
            self.port_menu_wanted.emit(".".join(port), event.globalPos())
            return
        item, wire = self.canvas.block_at(place), self.canvas.wire_at(place)
        if item and not item.isSelected():
            self.canvas.select([item.name])
        elif wire and not item and not wire.isSelected():
            self.canvas.select([], [wire.connection])
        elif not item and not wire:
            self.canvas.clearSelection()  # the menu is the canvas's own
        self.menu_wanted.emit(event.globalPos())

    def _let_go(self) -> None:
        """A gesture ends with what it holds: an edit by key or menu may have taken that away."""
        if self.gesture and not self.gesture.holds():
            self.cancel_gesture()

    def cancel_gesture(self) -> None:
        if self.gesture:
            gesture, self.gesture = self.gesture, None
            gesture.cancel()
        self.show_hint("")

    def _hover(self, place: QPointF) -> None:
        port = self.canvas.port_at(place)
        block = self.canvas.block_at(place)
        wire = None if block or port else self.canvas.wire_at(place)
        self.pointed_at = port[0] if port else block.name if block else ""
        for item in self.canvas.blocks.values():
            active = port[1] if port and port[0] == item.name else ""
            hovered = item is block
            if item.hovered != hovered or item.active_port != active:
                self.viewport().update()  # names of ports stand outside the card
                item.hovered, item.active_port = hovered, active
                item.update()
        for item in self.canvas.wires.values():
            if item.hovered != (item is wire):
                item.hovered = item is wire
                item.update()
        self.viewport().setCursor(Qt.CursorShape.CrossCursor if port else Qt.CursorShape.ArrowCursor)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.tooltip_at(self.mapToScene(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def tooltip_at(self, place: QPointF) -> str:
        return tooltip_of(self.canvas, place)

    def offer_more(self, block: str, take: Callable[[str], None]) -> None:
        """The outputs that a block does not show; one that is wired stays shown."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in self.document.folded_ports(block):
            port = self.document.ports(block)[name]
            menu.addAction(name, lambda name=name: take(name)).setToolTip(port.doc)
        menu.setToolTipsVisible(True)
        end = self.canvas.blocks[block].end(MORE)
        at = self.mapFromScene(QPointF(end.x, end.y)) if end else self.viewport().rect().center()
        menu.popup(self.viewport().mapToGlobal(at + QPoint(6, 6)))

    def draw_from(self, block: str, port: str) -> None:
        """Begin a wire at a port by its name; the next click ends it."""
        end = self.canvas.blocks[block].end(port) or self.canvas.blocks[block].end(MORE)
        if end is None:
            return
        at, left = QPointF(self.mapFromScene(QPointF(end.x, end.y))), Qt.MouseButton.LeftButton
        globally = self.viewport().mapToGlobal(at)
        kind = QEvent.Type.MouseButtonPress
        event = QMouseEvent(kind, at, globally, left, left, Qt.KeyboardModifier.NoModifier)
        wire = DrawWire(self, event, (block, port))
        wire.clicking = True
        self.gesture = wire

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, mods = event.key(), event.modifiers()
        if key == Qt.Key.Key_Escape:
            if self.gesture:
                self.cancel_gesture()
            elif self.canvas.selectedItems():
                self.canvas.clearSelection()
            else:
                event.ignore()  # the window goes up one level
            return
        if key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space, self._space_used = True, False
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
            return
        if key in NUDGES and self.canvas.selected_blocks():
            self._nudge(key, mods)
            return
        plain = not mods & (
            Qt.KeyboardModifier.ControlModifier
            | Qt.KeyboardModifier.AltModifier
            | Qt.KeyboardModifier.MetaModifier
        )
        text = event.text()
        if plain and key == Qt.Key.Key_R and self.canvas.selected_blocks():
            self.document.rotate(self.canvas.selected_blocks())
        elif plain and key == Qt.Key.Key_F2 and len(self.canvas.selected_blocks()) == 1:
            self.renaming.emit(self.canvas.selected_blocks()[0])
        elif (
            plain and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and len(self.canvas.selected_blocks()) == 1
        ):
            self.opened.emit(self.canvas.selected_blocks()[0])
        elif plain and text and (text.isalpha() or text == "/"):
            self.quick_insert.open(self.cursor_place, "" if text == "/" else text)
        else:
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat() and self._space:
            self._space = False
            self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
            if not self._space_used:
                self.fit()
            return
        super().keyReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        """Tab walks over the blocks; Ctrl+Tab leaves the canvas."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.canvas.blocks:
            steps = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
            if event.key() in steps and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._select_next(steps[Qt.Key(event.key())])
                return True
        return super().event(event)

    def _select_next(self, step: int) -> None:
        names = list(self.canvas.blocks)
        chosen = self.canvas.selected_blocks()
        if names:
            here = names.index(chosen[-1]) if chosen else -1 if step > 0 else 0
            self.show_block(names[(here + step) % len(names)])

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False
        super().focusOutEvent(event)

    def _nudge(self, key: int, mods: Qt.KeyboardModifier) -> None:
        size = 1 if mods & ALT else 50 if mods & SHIFT else GRID
        dx, dy = NUDGES[Qt.Key(key)]
        offsets = dict.fromkeys(self.canvas.selected_blocks(), (dx * size, dy * size))
        self.document.move(offsets, merge=NUDGE_MERGE)

    # ------------------------------------------------------------------ dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_type(event.mimeData()) or dropped_file(event.mimeData()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing was shown; the view of Qt would complain of an entry that it has not seen."""
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        type_name, file = dropped_type(event.mimeData()), dropped_file(event.mimeData())
        if type_name:
            self.insert(type_name, self.mapToScene(event.position().toPoint()))
            self.setFocus()
        elif file:
            self.file_dropped.emit(file)
        event.acceptProposedAction()

    def aim(self) -> QPointF:
        """Where a paste goes: the pointer, or the middle while it is not over the canvas."""
        area = self.viewport().rect()
        if self.pointed and area.contains(self.mapFromScene(self.cursor_place)):
            return self.cursor_place
        return self.mapToScene(area.center())

    def insert(self, type_name: str, place: QPointF, into_wire: bool = True, alone: bool = True) -> str:
        """Add a block with its middle near a place; on a wire that fits it becomes a part of that."""
        wire = self.canvas.wire_at(place, 10.0) if into_wire and not self.canvas.block_at(place) else None
        at = (place.x(), place.y())
        name = splice(self.document, wire.connection, wire.kind, wire.points, type_name, at) if wire else ""
        if not name:
            name = self.document.add_block(type_name, to_grid(place.x() - 50), to_grid(place.y() - 30))
        self.canvas.sync()
        if alone:
            self.canvas.select([name])
        self._fit_first = False
        return name

    # ------------------------------------------------------------------ painting

    def show_hint(self, text: str, at: QPointF | None = None, wrong: bool = False) -> None:
        """A short sentence beside the cursor while a gesture runs."""
        self.hint.setVisible(bool(text))
        if text:
            self.hint.setText(text)
            self.hint.setProperty("wrong", wrong)
            self.hint.adjustSize()
            point = self.mapFromScene(at if at is not None else self.cursor_place) + QPoint(16, 18)
            area = self.viewport().rect()
            self.hint.move(
                max(0, min(point.x(), area.width() - self.hint.width() - 4)),
                max(0, min(point.y(), area.height() - self.hint.height() - 4)),
            )

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override]
        paint_grid(painter, rect, self.zoom(), self.devicePixelRatioF())

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override]
        super().drawForeground(painter, rect)
        outside = exposed(self.document.diagram)
        named = self.canvas.selected_blocks()
        named = named if len(named) == 1 else []
        if self.pointed_at in self.canvas.blocks:
            named.append(self.pointed_at)
        paint_port_names(painter, self.canvas.blocks, outside, dict.fromkeys(named), self.zoom())
        paint_guides(painter, self.guides)
        if self.band is not None:
            paint_band(painter, self.band)

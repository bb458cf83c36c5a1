"""Canvas view: zoom at the cursor, pan, keys; mouse gestures are objects (mouse_gestures.py)."""

from __future__ import annotations

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
from PySide6.QtWidgets import QGraphicsItem, QToolTip

from ..document import note_edits
from ..document.document import Document
from ..document.labelled_wires import show_as_labels
from ..document.wire_splice import outgoing_port
from ..drawing.exposed_ports import exposed
from ..drawing.net_labels import SHOWN
from ..theme.active_theme import GRID
from ..theme.small_widgets import stale_banner
from ..theme.window_words import in_window
from .block_item import BlockItem
from .canvas_protocol import AROUND, CanvasSurface, dropped_file, dropped_type, paint_band, paint_guides
from .dial_item import DialItem
from .minimap import Minimap
from .mouse_gestures import Pan, begin
from .note_editor import NoteEditor
from .note_item import NoteItem
from .port_item import describe
from .port_labels import paint_port_names
from .quick_insert import QuickInsert
from .scene import CanvasScene
from .wire_item import WireItem
from .wire_values import ValueTags, card_with_ports

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
NUDGES = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
NUDGE_MERGE = 1
BEHIND, BEFORE = 130.0, 150.0  # px from a card to the middle of one that is inserted behind it, or before it
EDIT_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CanvasView(CanvasSurface):
    opened = Signal(str)  # a block was double-clicked
    renaming = Signal(str)
    dial_opened = Signal(int)
    menu_wanted = Signal(QPoint)
    port_menu_wanted = Signal(str, QPoint)
    file_dropped = Signal(str)

    def __init__(self, document: Document):
        super().__init__(document)
        self._space = self._space_used = False
        self.tags = ValueTags()
        self.age, self._older = stale_banner(self, "Values on wires are of an older model"), False
        self.values: dict[str, str] = {}  # value texts of wires while a run is paused
        self.pointed_at = ""  # the block under it
        self.quick_insert = QuickInsert(self)
        self.minimap = Minimap(self)
        self.note_editor = NoteEditor(self)

    # ------------------------------------------------------------------ zoom and pan

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._show_age()
        self.minimap.follow()
        if self._fit_first and self.canvas.blocks:
            QTimer.singleShot(0, self._fit_again)

    def _fit_again(self) -> None:
        """Fit the diagram at opening and after a resize, unless the user has zoomed or panned, or holds something."""
        if self._fit_first and self._fitted in (None, self.transform()) and self.gesture is None:
            if self._whole:
                self.fit()
            else:
                self.fit_legible()

    def show_values(self, values: dict[str, str]) -> None:
        if values != self.values:
            self.values = values
            self.viewport().update()
        self._show_age()

    def show_age(self, older: bool) -> None:
        """Mark the values on the wires as results of an older model: grey, with a label."""
        self._older = older
        self._show_age()
        self.viewport().update()

    def _show_age(self) -> None:
        """Place the label "older model" in a viewport corner that covers no block, else at the upper left."""
        room, place = self.viewport().rect().adjusted(8, 8, -8, -8), self.age.rect()
        lefts, tops = (
            (room.left(), room.right() - place.width()),
            (room.top(), room.bottom() - place.height()),
        )
        corners = [place.translated(left, top) for top in tops for left in lefts]
        free = (c for c in corners if not any(isinstance(item, BlockItem) for item in self.items(c)))
        self.age.move(next(free, corners[0]).topLeft())
        self.age.setVisible(self._older and not self.values.keys().isdisjoint(self.canvas.wires))

    # ------------------------------------------------------------------ mouse

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
        self._hover(None)
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
            if self.gesture is None:
                self._hover(self.place_of(event))
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        place = self.mapToScene(event.position().toPoint())
        dial = self.canvas.dials.at(place)
        if not (dial and dial.operates_at(place) and dial.hand.turn(event.angleDelta().y() / 120)):
            super().wheelEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.cancel_gesture()
        place = self.place_of(event)
        dial = self.canvas.dials.at(place)
        if dial:
            self.mousePressEvent(event) if dial.operates_at(place) else self.dial_opened.emit(dial.k)
            event.accept()
            return
        item, wire = self.canvas.block_at(place), self.canvas.wire_at(place)
        if self.canvas.port_at(place):
            self.mousePressEvent(event)
        elif item:
            self.opened.emit(item.name)
        elif wire and wire.data(0) == SHOWN:
            show_as_labels(self.document, [wire.connection], False)
        elif wire and wire.data(0):
            self.document.drag_wire(wire.connection, [])
        elif not wire and (note := self.canvas.note_at(place)):
            self.note_editor.open(note.index)
        elif not wire:
            self.quick_insert.open(place)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.gesture:
            self.cancel_gesture()
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_wanted.emit(self.viewport().mapToGlobal(self._chosen_place()))
            return
        place = self.mapToScene(event.pos())
        self.cursor_place = place
        dial = self.canvas.dials.at(place)
        if dial:
            self.canvas.select([], dials=[dial.k])
            self.menu_wanted.emit(event.globalPos())
            return
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
            note = self.canvas.note_at(place)  # without one the menu is the canvas's own
            self.canvas.select([], notes=[note.index] if note else [])
        self.menu_wanted.emit(event.globalPos())

    def _chosen_place(self) -> QPoint:
        """Position of a context menu opened by key: the selected item, or the centre of the view."""
        area = self.viewport().rect()
        chosen = self.canvas.selectedItems()
        place = self.mapFromScene(chosen[0].sceneBoundingRect().center()) if chosen else area.center()
        return place if area.contains(place) else area.center()

    def _hover(self, place: QPointF | None) -> None:
        """Mark the block, port or wire at a place; none where the pointer is elsewhere."""
        canvas = self.canvas
        port = block = wire = None
        if place is not None and not canvas.dials.at(place):
            port, block = canvas.port_at(place), canvas.block_at(place)
            wire = None if block or port else canvas.wire_at(place)
        self.pointed_at = port[0] if port else block.name if block else ""
        for item in canvas.blocks.values():
            active = port[1] if port and port[0] == item.name else ""
            hovered = item is block
            if item.hovered != hovered or item.active_port != active:
                self.viewport().update()  # names of ports stand outside the card
                item.hovered, item.active_port = hovered, active
                item.update()
        for item in canvas.wires.values():
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

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, mods = event.key(), event.modifiers()
        if self.canvas.dials.press(event):
            return
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
        chosen = self.canvas.selected_blocks() or self.canvas.selected_notes() or self.canvas.dials.selected()
        if key in NUDGES and chosen:
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
        elif plain and key in EDIT_KEYS and len(self.canvas.selectedItems()) == 1:
            self._edit(self.canvas.selectedItems()[0])
        elif plain and text and (text.isalpha() or text == "/"):
            self._ask_for_block("" if text == "/" else text)
        else:
            event.ignore()

    def _edit(self, item: QGraphicsItem) -> None:
        if isinstance(item, NoteItem):
            self.note_editor.open(item.index)
        elif isinstance(item, DialItem):
            self.dial_opened.emit(item.k)
        elif isinstance(item, BlockItem):
            self.opened.emit(item.name)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if self.canvas.dials.let_go(event):
            return
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat() and self._space:
            self._space = False
            self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
            if not self._space_used:
                self.fit()
            return
        super().keyReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        """Handle the keys that step through blocks, notes and wires, and Tab behind a block, which inserts the next;
        Ctrl+Tab leaves the canvas."""
        steps = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1, Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in steps:
            step, tab = steps[Qt.Key(event.key())], event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                return self.focusNextPrevChild(step > 0) if tab else super().event(event)
            if event.key() == Qt.Key.Key_Tab and self._insert_behind():
                return True
            if self.canvas.blocks or self.canvas.notes:
                self._select_next(step)
                return True
        return super().event(event)

    def _ask_for_block(self, text: str) -> None:
        """Ask for a block at the pointer; over the selected block, or with the pointer elsewhere, for one behind it."""
        place, names = self.paste_target(), self.canvas.selected_blocks()
        under = self.canvas.block_at(place)
        behind = len(names) == 1 and (
            place != self.cursor_place or (under is not None and under.name in names)
        )
        if not (behind and outgoing_port(self.document, names[0]) and self._insert_behind(text)):
            self.quick_insert.open(place, text)

    def _insert_behind(self, text: str = "") -> bool:
        """Ask for a block behind the selected one, to which it is wired; False unless one block alone is selected."""
        names = self.canvas.selected_blocks()
        if len(names) != 1 or len(self.canvas.selectedItems()) != 1:
            return False
        port = outgoing_port(self.document, names[0])
        if not port:
            self.message.emit(f"{names[0]} has no port from which a wire goes on")
            return True
        left, top, right, bottom = self.document.card(names[0])
        feeds = self.document.ports(names[0])[port.rpartition(".")[2]].direction == "in"
        place = QPointF(left - BEFORE if feeds else right + BEHIND, (top + bottom) / 2)
        self.ensureVisible(QRectF(place, place).adjusted(-20, -20, 20, 20), 0, 0)
        self.quick_insert.open(place, text, port)
        return True

    def _select_next(self, step: int) -> None:
        canvas = self.canvas
        things: list[QGraphicsItem] = [*canvas.blocks.values(), *canvas.notes.values()]
        things += canvas.dials.items.values()
        things += [wire for wire in canvas.wires.values() if wire.isVisible()]
        chosen = [k for k, item in enumerate(things) if item.isSelected()]
        here = chosen[-1] if chosen else -1 if step > 0 else 0
        next_thing = things[(here + step) % len(things)]
        if isinstance(next_thing, BlockItem):
            self.show_block(next_thing.name)
        elif isinstance(next_thing, WireItem):
            self.show_wire(next_thing.connection)
        elif isinstance(next_thing, NoteItem):
            canvas.select([], notes=[next_thing.index])
            self.ensureVisible(next_thing)
        elif isinstance(next_thing, DialItem):
            canvas.select([], dials=[next_thing.k])
            self.ensureVisible(next_thing)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False
        super().focusOutEvent(event)

    def _nudge(self, key: int, mods: Qt.KeyboardModifier) -> None:
        size = 1 if mods & ALT else 50 if mods & SHIFT else GRID
        dx, dy = NUDGES[Qt.Key(key)]
        names, chosen = self.canvas.selected_blocks(), self.canvas.selected_notes()
        moved = self.canvas.dials.selected()
        if chosen or moved:
            note_edits.move(self.document, chosen, names, (dx * size, dy * size), moved)
        else:
            self.document.move(dict.fromkeys(names, (dx * size, dy * size)), merge=NUDGE_MERGE)

    # ------------------------------------------------------------------ dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_type(event.mimeData()) or dropped_file(event.mimeData()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Accept without Qt's own handler, which warns about a drag whose entry it did not see."""
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        type_name, file = dropped_type(event.mimeData()), dropped_file(event.mimeData())
        if type_name:
            self.insert(type_name, self.mapToScene(event.position().toPoint()))
            self.setFocus()
        elif file:
            self.file_dropped.emit(file)
        event.acceptProposedAction()

    # ------------------------------------------------------------------ painting

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override]
        super().drawForeground(painter, rect)
        outside = exposed(self.document.diagram)
        named = self.canvas.selected_blocks()
        named = named if len(named) == 1 else []
        if self.pointed_at in self.canvas.blocks:
            named.append(self.pointed_at)
        if self.values:
            blocks = (card_with_ports(item) for item in self.canvas.blocks.values())
            ratio = self.devicePixelRatioF()
            around = self.canvas.content.adjusted(-AROUND, -AROUND, AROUND, AROUND)
            area = (around.left(), around.top(), around.right(), around.bottom())
            if self.tags.place(blocks, self.canvas.wires, self.values, self.zoom(), ratio, area):
                self.viewport().update()  # the current picture may show only a part
        blocks, wires, values = self.canvas.blocks, self.canvas.wires.values(), self.tags.taken(self.values)
        paint_port_names(painter, blocks, outside, dict.fromkeys(named), self.zoom(), wires, values)
        if self.values:
            self.tags.paint(painter, self.canvas.wires, self.values, self.zoom(), self._older)
        paint_guides(painter, self.guides)
        if self.band is not None:
            paint_band(painter, self.band)


def tooltip_of(canvas: CanvasScene, place: QPointF) -> str:
    """Tooltip text of the item under the cursor."""
    dial = canvas.dials.at(place)
    if dial:
        return dial.words()
    port = canvas.port_at(place)
    if port:
        return describe(canvas.blocks[port[0]].block_ports[port[1]])
    block, wire = canvas.block_at(place), canvas.wire_at(place)
    subject = block.name if block else wire.connection if wire else ""
    if not subject:
        return ""
    lines = [
        in_window(str(p))
        for p in [*canvas.document.problems, *canvas.run_problems]
        if subject in (p.path, *p.path.replace("[", ".").split("."))
    ]
    head = f"<b>{block.name}</b> {block.type_name}" if block else subject
    return "<br>".join([head, *lines])

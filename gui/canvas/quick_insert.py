"""Search box on the canvas: type a name to insert a block at the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout

from ..document.block_cards import WORLD
from ..document.element_assignment import connect_ports, refusal_reason
from ..document.following_blocks import following
from ..document.wire_splice import wire_new
from ..theme.active_theme import holder, theme
from ..theme.block_catalog import Entry, builtin, composites, elsewhere, named, search
from ..theme.icons import symbol_icon

if TYPE_CHECKING:
    from .canvas_protocol import CanvasSurface

ROWS, LISTED = 8, 40
EDGE = 4  # px from a new block to the edge of the view, at least: it scrolls no further

STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Backtab: -1}  # rows of the list


class QuickInsert(QFrame):
    def __init__(self, view: CanvasSurface):
        super().__init__(view.viewport())
        self.view = view
        self.place = QPointF()
        self.reference = ""  # the port that a wire was drawn from
        self.field = QLineEdit(self, placeholderText="Block name")
        self.field.setAccessibleName("Insert a block")
        self.list = QListWidget(self)
        self.list.setAccessibleName("Blocks")
        self.list.setIconSize(QSize(30, 20))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        box = QVBoxLayout(self)
        box.setContentsMargins(6, 6, 6, 6)
        box.setSpacing(4)
        box.addWidget(self.field)
        box.addWidget(self.list)
        self.setFixedWidth(320)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._search)
        self.list.itemClicked.connect(lambda _: self.accept())
        holder.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        t = theme()
        self.setStyleSheet(
            f"QuickInsert {{ background: {t.panel}; border: 1px solid {t.accent}; border-radius: 6px; }}"
        )

    def open(self, place: QPointF, text: str = "", reference: str = "") -> None:
        self.place, self.reference = place, reference
        document = self.view.document
        self.entries: list[Entry] = [*builtin(), *composites(document.diagram.base, document.path)]
        self.fitting = following(document, self.entries, reference) if reference else self.entries
        self.field.setText(text)
        self._search(text)
        at = self.view.mapFromScene(place)
        area = self.view.viewport().rect()
        self.adjustSize()
        self.move(
            max(4, min(at.x() - 12, area.width() - self.width() - 4)),
            max(4, min(at.y() - 18, area.height() - self.height() - 4)),
        )
        self.show()
        self.raise_()
        self.field.setFocus()

    def _search(self, text: str) -> None:
        self.list.clear()
        told = elsewhere(text)
        found = [] if told else search(self.fitting, text, ordered=bool(self.reference))
        if text and not told and not named(found, text):
            # what is asked for by name is found, though it does not fit; at the world it would stand loose
            meant = named([entry for entry in self.entries if entry not in found], text)
            if meant and self.view.document.split(self.reference)[0] == WORLD:
                found, told = [], f"{meant[0].words} does not fit {self.reference}"
            else:
                found = [*meant, *found]
        for entry in found[:LISTED]:
            name = entry.type_name
            words = entry.words if entry.words.lower() == name else f"{entry.words}   {name}"
            item = QListWidgetItem(symbol_icon(entry.type_name, entry.family), words)
            item.setData(Qt.ItemDataRole.UserRole, entry.type_name)
            item.setToolTip(entry.doc)
            self.list.addItem(item)
        if not self.list.count():
            item = QListWidgetItem(told or "No block of this name")
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.setFixedHeight(min(ROWS, self.list.count()) * 26 + 4)
        self.adjustSize()

    def accept(self) -> None:
        item = self.list.currentItem()
        type_name = item.data(Qt.ItemDataRole.UserRole) if item else None
        self.dismiss()
        if not type_name:
            return
        document = self.view.document
        if type_name == WORLD and WORLD in self.view.canvas.blocks and self.reference:
            self._wire_to_world()
            return
        wire = None if self.reference else self.view.wire_for_block(self.place)
        with document.step(f"add {type_name}"):
            name = self.view.insert(type_name, self.place, not self.reference, begins=not self.reference)
            fits, others = wire_new(document, self.reference, name) if self.reference else (True, [])
        if others:
            self.view.message.emit(f"{name} is wired to {' and '.join(others)}{' too' if fits else ''}")
        elif not fits:
            self.view.message.emit(f"{name} has no port that fits {self.reference}: it is not wired")
        if wire is not None and wire.connection in document.diagram.connections:
            self.view.message.emit(f"{name} does not fit into {wire.connection}: it stands beside it")
        self.view.canvas.sync()
        self.view.canvas.select([name])
        self.view.ensureVisible(self.view.canvas.blocks[name], EDGE, EDGE)

    def _wire_to_world(self) -> None:
        """Wire the port to the world that is there, which stays where it is."""
        document, frame = self.view.document, f"{WORLD}.frame"
        why_not = refusal_reason(document, self.reference, frame)
        if not why_not:
            connect_ports(document, self.reference, frame)
        self.view.message.emit(why_not or f"Wired to the world of the diagram: {self.reference} -- {frame}")
        self.view.canvas.sync()
        self.view.canvas.select([WORLD])
        self.view.ensureVisible(self.view.canvas.blocks[WORLD], EDGE, EDGE)

    def dismiss(self) -> None:
        self.hide()
        self.view.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key == Qt.Key.Key_Escape:
                self.dismiss()
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.accept()
            elif key in STEPS:
                step = STEPS[Qt.Key(key)]
                self.list.setCurrentRow((self.list.currentRow() + step) % max(1, self.list.count()))
            else:
                return super().eventFilter(watched, event)
            return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible() and not self.list.underMouse():
            self.hide()
        return super().eventFilter(watched, event)

"""Items of a scene: blocks, wires, notes and dials, hit tests, selection and the scene rectangle."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from ..document.document import Document
from .block_item import BlockItem
from .dial_item import Dials
from .note_item import NoteItem
from .port_item import HIT
from .wire_item import WireItem

BY_BOX = Qt.ItemSelectionMode.IntersectsItemBoundingRect
AROUND = (1500.0, 1000.0)  # px of the diagram, sideways and upright, by which one can scroll past it


class CanvasItems(QGraphicsScene):
    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent)
        self.blocks: dict[str, BlockItem] = {}
        self.wires: dict[str, WireItem] = {}
        self.notes: dict[int, NoteItem] = {}
        self.dials = Dials(self, document, self.show_room)
        self.content = QRectF()  # around all of them

    # ------------------------------------------------------------------ where

    def item_of(self, subject: str) -> BlockItem | WireItem | None:
        """Item of a block by its name, or of a wire by its connection text."""
        return self.blocks.get(subject) or self.wires.get(subject)

    def block_at(self, point: QPointF) -> BlockItem | None:
        for item in self.items(QRectF(point.x() - 1, point.y() - 1, 2, 2), BY_BOX):
            if isinstance(item, BlockItem) and item.area.contains(point):
                return item
        return None

    def port_at(self, point: QPointF, reach: float = HIT) -> tuple[str, str] | None:
        box = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        for item in self.items(box, BY_BOX):
            if isinstance(item, BlockItem):
                port = item.port_near(point, reach)
                if port:
                    return item.name, port
        return None

    def wire_at(self, point: QPointF, reach: float = 5.0) -> WireItem | None:
        """Nearest wire within reach of a point; of several as near the topmost."""
        area = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        wires = [item for item in self.items(area, BY_BOX) if isinstance(item, WireItem)]
        nearest = min(wires, key=lambda wire: wire.distance(point), default=None)
        return nearest if nearest is not None and nearest.distance(point) <= reach else None

    def note_at(self, point: QPointF) -> NoteItem | None:
        """Topmost note whose text or border contains a point."""
        return next((item for item in reversed(self.notes.values()) if item.accepts_press(point)), None)

    # ------------------------------------------------------------------ chosen

    def selected_notes(self) -> list[int]:
        return [index for index, item in self.notes.items() if item.isSelected()]

    def selected_blocks(self) -> list[str]:
        chosen = set(self.selectedItems())
        return [name for name, item in self.blocks.items() if item in chosen] if chosen else []

    def selected_wires(self) -> list[str]:
        return [text for text, item in self.wires.items() if item.isSelected()]

    def select(
        self,
        names: Iterable[str],
        wires: Iterable[str] = (),
        notes: Iterable[int] = (),
        dials: Iterable[int] = (),
    ) -> None:
        """Select exactly these items; `selectionChanged` is emitted at most once."""
        wanted: list[QGraphicsItem] = [self.notes[index] for index in notes if index in self.notes]
        wanted += [self.dials.items[k] for k in dials if k in self.dials.items]
        wanted += [self.blocks[name] for name in names if name in self.blocks]
        wanted += [self.wires[text] for text in wires if text in self.wires]
        before = set(self.selectedItems())
        self.blockSignals(True)
        self.clearSelection()
        for item in wanted:
            item.setSelected(True)
        self.blockSignals(False)
        if before != set(wanted):
            self.selectionChanged.emit()

    def content_rect(self) -> QRectF:
        rect = QRectF()
        for item in self.blocks.values():
            rect |= item.boundingRect().translated(item.area.topLeft())
        for wire in self.wires.values():
            rect |= wire.boundingRect()
        for item in (*self.notes.values(), *self.dials.items.values()):
            rect |= item.sceneBoundingRect()
        return rect

    def show_room(self) -> None:
        """Set the scene rectangle: the content with room to scroll around it."""
        self.content = self.content_rect()
        wide, high = AROUND
        self.setSceneRect(self.content.adjusted(-wide, -high, wide, high))

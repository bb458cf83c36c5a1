"""Note item below blocks and wires; its text and border take the mouse, its interior does not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ..document.note_edits import Note
from ..theme.active_theme import canvas_font, theme

PIXELS, PADDING = 12, 8.0
EDGE, CORNER, STRIP = 6.0, 14.0, 24.0
FAMILIES = {
    "blue": "joints",
    "green": "planning",
    "orange": "forces",
    "violet": "constraints",
    "teal": "sensors",
    "grey": "signals",
}
FLAGS = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


def text_colour(colour: str) -> QColor:
    return theme().family(FAMILIES[colour]) if colour in FAMILIES else theme().colour("outline")


class NoteItem(QGraphicsItem):
    def __init__(self, index: int, note: Note):
        super().__init__()
        self.index, self.note = index, note
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(-10)
        self.show_note(note)

    def show_note(self, note: Note) -> None:
        self.prepareGeometryChange()
        self.note = note
        self.setPos(note.x, note.y)
        self.update()

    def area(self) -> QRectF:
        return QRectF(0, 0, self.note.width, self.note.height)

    def boundingRect(self) -> QRectF:
        return self.area().adjusted(-4, -4, 4, 4)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self.area())
        return path

    def words(self) -> QRectF:
        """Bounding rectangle of the text in item coordinates."""
        room = QRectF(PADDING, PADDING - 2, self.note.width - 2 * PADDING, 10_000.0)
        text = self.note.text or " "
        return QFontMetricsF(canvas_font(PIXELS)).boundingRect(room, int(FLAGS), text)

    def accepts_press(self, point: QPointF) -> bool:
        """True if a press at a scene point belongs to the note: on its text, border or corner, not in its interior."""
        local = point - self.pos()
        if not self.area().contains(local):
            return False
        strip = max(STRIP, self.words().bottom() + 2)
        inner = self.area().adjusted(EDGE, min(strip, self.note.height), -EDGE, -EDGE)
        return not inner.contains(local) or self.at_corner(point)

    def at_corner(self, point: QPointF) -> bool:
        """True if a scene point lies on the corner that resizes the note."""
        local = point - self.pos()
        far = QPointF(self.note.width, self.note.height) - local
        return 0 <= far.x() <= CORNER and 0 <= far.y() <= CORNER

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t, edge = theme(), text_colour(self.note.colour)
        fill = QColor(edge) if self.note.colour else t.colour("card")
        fill.setAlpha(34 if self.note.colour else 150)
        style = Qt.PenStyle.SolidLine if self.note.colour else Qt.PenStyle.DashLine
        painter.setPen(QPen(t.colour("selection"), 1.5) if self.isSelected() else QPen(edge, 1, style))
        painter.setBrush(fill)
        painter.drawRoundedRect(self.area(), 6, 6)
        painter.setFont(canvas_font(PIXELS, bold=bool(self.note.colour)))
        painter.setPen(t.colour("text"))
        room = self.area().adjusted(PADDING, PADDING - 2, -PADDING, -2)
        painter.drawText(room, int(FLAGS), self.note.text)
        if self.isSelected():
            painter.setPen(QPen(t.colour("selection"), 1))
            right, bottom = self.note.width - 3, self.note.height - 3
            for step in (4, 8):
                painter.drawLine(QPointF(right - step, bottom), QPointF(right, bottom - step))

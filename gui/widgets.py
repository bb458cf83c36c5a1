"""Two small widgets that the style of the platform draws badly: names that may be long, and boxes to tick."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QLabel

from .theme import theme

BOX = 14


class ElidedLabel(QLabel):
    """Shows the two ends of a text that has no room, and all of it in its tooltip."""

    def minimumSizeHint(self) -> QSize:
        return QSize(80, super().minimumSizeHint().height())

    def shown(self) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown()
        )


class CheckBox(QCheckBox):
    """A box whose outline shows on dark panels too."""

    def sizeHint(self) -> QSize:
        return QSize(BOX + 4, BOX + 4)

    def hitButton(self, pos) -> bool:  # type: ignore[no-untyped-def]
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, (self.height() - BOX) / 2 + 0.5, BOX - 1, BOX - 1)
        edge = "accent" if self.hasFocus() or self.isChecked() else "muted"
        painter.setPen(QPen(t.colour(edge), 1.6 if self.hasFocus() else 1))
        painter.setBrush(t.colour("accent" if self.isChecked() else "field"))
        painter.drawRoundedRect(box, 3, 3)
        if self.isChecked():
            painter.setPen(QPen(t.colour("accent_text"), 1.8))
            corners = ((3.2, 6.8), (5.6, 9.4), (10.0, 4.0))
            painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x, y) for x, y in corners]))

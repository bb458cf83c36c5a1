"""Widget of one dashboard item in the panel, operated by mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from ...solver.diagram.dashboard_section import HANDS
from ..run.dashboard_state import DashboardState
from ..run.dial_gestures import DialGestures
from ..theme.dial_painting import paint, size_of


class DialWidget(QWidget):
    def __init__(self, board: DashboardState, k: int):
        super().__init__()
        self.board, self.k, self.hand = board, k, DialGestures(board, k)
        dial = board.dials[k]
        self.setFixedSize(self.size_at(1.0, 1.0))
        self.setAccessibleName(f"{dial.kind} {dial.title or dial.of}".replace("_", " "))
        self.setToolTip(f"{dial.of}" + (f" [{dial.unit}]" if dial.unit else ""))
        if dial.kind in HANDS:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        board.moved.connect(self.update)

    def size_at(self, wide: float, high: float) -> QSize:
        """Size at the given shares of the item's usual width and height; text keeps its height."""
        width, height = size_of(self.board.dials[self.k])
        return QSize(int(wide * width), int(high * height))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = self.board.shown(self.k, self.hasFocus())
        paint(painter, QRectF(self.rect()), self.board.dials[self.k], shown)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.hand.grip(event.position()):
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.hand.pull(event.position(), QSizeF(self.size()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.hand.loosen()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.setAccepted(self.hand.turn(event.angleDelta().y() / 120))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.hand.press(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self.hand.let_go(event):
            super().keyReleaseEvent(event)

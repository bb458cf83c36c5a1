"""One item of the dashboard in its panel: mouse and keys move what can be moved."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from ...solver.diagram.dashboard import HANDS
from ..look.dials import paint, size_of
from ..run.board import Board

FINE = 0.02  # of the range, a press of an arrow key on a knob
KEY = Qt.Key
LOWER, UPPER = (KEY.Key_Left, KEY.Key_Down), (KEY.Key_Right, KEY.Key_Up)


class DialWidget(QWidget):
    def __init__(self, board: Board, k: int):
        super().__init__()
        self.board, self.k = board, k
        dial = board.dials[k]
        self.setFixedSize(QSize(*size_of(dial)))
        self.setAccessibleName(f"{dial.kind} {dial.title or dial.of}".replace("_", " "))
        self.setToolTip(f"{dial.of}" + (f" [{dial.unit}]" if dial.unit else ""))
        if dial.kind in HANDS:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        board.moved.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint(
            painter, QRectF(self.rect()), self.board.dials[self.k], self.board.shown(self.k, self.hasFocus())
        )

    # --- the mouse -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        kind = self.board.dials[self.k].kind
        if kind not in HANDS or event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
        elif kind == "switch":
            self.board.toggle(self.k)
        elif kind == "button":
            self.board.move(self.k, self.board.dials[self.k].ends[1])
        else:
            self._begun = (event.position(), self.board.position(self.k))
            self.board.move(self.k, self._begun[1])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        dial = self.board.dials[self.k]
        if dial.kind not in ("lever", "knob") or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        place, value = self._begun
        way = event.position() - place
        upright = dial.upright or dial.kind == "knob"
        length = (self.height() if dial.kind == "lever" and upright else self.width()) - 36
        part = (-way.y() if upright else way.x()) / length
        least, most = dial.ends
        self.board.move(self.k, value + part * (most - least))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.board.dials[self.k].kind in HANDS:
            self.board.release(self.k)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.board.dials[self.k].kind != "knob":
            event.ignore()
            return
        self._turn(event.angleDelta().y() / 120)
        event.accept()

    # --- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.press(event):
            super().keyPressEvent(event)

    def press(self, event: QKeyEvent, own: bool = True) -> bool:
        """Whether a key moves this one: `own` ones do while it has the focus, those that it declares always."""
        dial, pressed = self.board.dials[self.k], event.key()
        keys = self._keys()
        least, most = dial.ends
        if dial.kind == "lever":
            lower, upper = (LOWER, UPPER) if own else ((), ())
            if pressed in (*lower, *keys[:1]) or pressed in (*upper, *keys[1:2]):
                self.board.move(self.k, least if pressed in (*lower, *keys[:1]) else most)
                return True
        elif dial.kind == "knob" and own and pressed in (*LOWER, *UPPER):
            self._turn(1 if pressed in UPPER else -1)
            return True
        elif dial.kind in ("switch", "button") and (pressed in keys or (own and pressed == KEY.Key_Space)):
            if event.isAutoRepeat():
                return True
            if dial.kind == "switch":
                self.board.toggle(self.k)
            else:
                self.board.move(self.k, most)
            return True
        return False

    def _turn(self, steps: float) -> None:
        least, most = self.board.dials[self.k].ends
        self.board.move(self.k, self.board.position(self.k) + steps * FINE * (most - least))
        self.board.release(self.k)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self.let_go(event):
            super().keyReleaseEvent(event)

    def let_go(self, event: QKeyEvent, own: bool = True) -> bool:
        """Whether a key that is let go held this one."""
        dial = self.board.dials[self.k]
        arrows = (*LOWER, *UPPER) if dial.kind == "lever" else (KEY.Key_Space,)
        held = event.key() in self._keys() or (own and event.key() in arrows)
        if dial.kind not in ("lever", "button") or not held:
            return False
        if not event.isAutoRepeat():
            self.board.release(self.k)
        return True

    def _keys(self) -> list[int]:
        """Those that the dashboard declares for it."""
        sequences = [QKeySequence(name) for name in self.board.dials[self.k].keys]
        return [sequence[0].key() for sequence in sequences if sequence.count()]

"""Mouse and key handling of one dashboard item, wherever it is drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSizeF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from ...solver.diagram.dashboard_section import HANDS, Dial
from .dashboard_state import DashboardState

FINE = 0.02  # share of the range for one arrow key press on a knob
KEY = Qt.Key
LOWER, UPPER = (KEY.Key_Left, KEY.Key_Down), (KEY.Key_Right, KEY.Key_Up)
MARGIN = 36.0  # px of a lever's card beyond its way


class DialGestures:
    def __init__(self, board: DashboardState, k: int):
        self.board, self.k = board, k
        self._begun = QPointF(), 0.0  # start of a drag: place, and value of the item

    @property
    def dial(self) -> Dial:
        return self.board.dials[self.k]

    # --- the mouse -----------------------------------------------------------------------------------------------

    def grip(self, place: QPointF) -> bool:
        """Grab the item; True if it can be moved."""
        kind = self.dial.kind
        if kind == "switch":
            self.board.toggle(self.k)
        elif kind == "button":
            self.board.move(self.k, self.dial.ends[1])
        elif kind in HANDS:
            self._begun = (place, self.board.position(self.k))
            self.board.move(self.k, self._begun[1])
        return kind in HANDS

    def pull(self, place: QPointF, size: QSizeF) -> None:
        dial = self.dial
        if dial.kind not in ("lever", "knob"):
            return
        begun, value = self._begun
        way = place - begun
        upright = dial.upright or dial.kind == "knob"
        length = (size.height() if dial.kind == "lever" and upright else size.width()) - MARGIN
        least, most = dial.ends
        self.board.move(self.k, value + (-way.y() if upright else way.x()) / length * (most - least))

    def release_dial(self) -> None:
        if self.dial.kind in HANDS:
            self.board.release(self.k)

    def turn(self, steps: float) -> bool:
        """Turn a knob by wheel steps; False for other items."""
        if self.dial.kind != "knob":
            return False
        least, most = self.dial.ends
        self.board.move(self.k, self.board.position(self.k) + steps * FINE * (most - least))
        self.board.release(self.k)
        return True

    # --- keys ----------------------------------------------------------------------------------------------------

    def press(self, event: QKeyEvent, own: bool = True) -> bool:
        """Handle a key press; True if it moved the item. `own` keys count while it has the focus, declared keys
        always."""
        dial, pressed = self.dial, event.key()
        keys = self._keys()
        least, most = dial.ends
        if dial.kind == "lever":
            lower, upper = (LOWER, UPPER) if own else ((), ())
            if pressed in (*lower, *keys[:1]) or pressed in (*upper, *keys[1:2]):
                self.board.move(self.k, least if pressed in (*lower, *keys[:1]) else most)
                return True
        elif dial.kind == "knob" and own and pressed in (*LOWER, *UPPER):
            return self.turn(1 if pressed in UPPER else -1)
        elif dial.kind in ("switch", "button") and (pressed in keys or (own and pressed == KEY.Key_Space)):
            if event.isAutoRepeat():
                return True
            if dial.kind == "switch":
                self.board.toggle(self.k)
            else:
                self.board.move(self.k, most)
            return True
        return False

    def let_go(self, event: QKeyEvent, own: bool = True) -> bool:
        """Handle a key release; True if the key held this item."""
        dial = self.dial
        arrows = (*LOWER, *UPPER) if dial.kind == "lever" else (KEY.Key_Space,)
        held = event.key() in self._keys() or (own and event.key() in arrows)
        if dial.kind not in ("lever", "button") or not held:
            return False
        if not event.isAutoRepeat():
            self.board.release(self.k)
        return True

    def _keys(self) -> list[int]:
        """Key codes that the dashboard declares for the item."""
        sequences = [QKeySequence(name) for name in self.dial.keys]
        return [sequence[0].key() for sequence in sequences if sequence.count()]

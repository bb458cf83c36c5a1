"""View boxes of a plot: what the wheel and a drag move, over the curves and over an axis."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseDragEvent
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

ACROSS = 0  # the horizontal axis
CTRL = Qt.KeyboardModifier.ControlModifier


class GestureBox(pg.ViewBox):
    """Box in which Ctrl moves both axes, also where the vertical one follows what is seen of the curves."""

    moved = Signal(bool)  # by hand; True if the vertical axis was

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        # does the vertical axis follow the curves after the wheel, or if it is True after a drag?
        self.follows: Callable[[bool], bool] = lambda dragged: False

    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        axis = ACROSS if axis is None and self.follows(False) and not ev.modifiers() & CTRL else axis
        super().wheelEvent(ev, axis)
        self.moved.emit(axis != ACROSS)

    def mouseDragEvent(self, ev: MouseDragEvent, axis: int | None = None) -> None:
        axis = ACROSS if axis is None and self.follows(True) and not ev.modifiers() & CTRL else axis
        super().mouseDragEvent(ev, axis)
        self.moved.emit(axis != ACROSS)


class AxisBox(pg.ViewBox):
    """Box of a second axis over that of a plot, to which it leaves all gestures but those over its axis."""

    moved = Signal()  # by hand

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=False, y=True)
        self.disableAutoRange()

    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        if axis is None:
            ev.ignore()
            return
        super().wheelEvent(ev, axis)
        self.moved.emit()

    def mouseDragEvent(self, ev: MouseDragEvent, axis: int | None = None) -> None:
        if axis is None:
            ev.ignore()
            return
        super().mouseDragEvent(ev, axis)
        self.moved.emit()

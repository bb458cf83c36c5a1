"""The canvas as gestures and its search box see it: what they may ask of the view that they belong to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGraphicsView

from ..document.document import Document
from ..drawing.guides import Guide
from .scene import CanvasScene


class Surface(QGraphicsView):
    """What the view fills in."""

    port_dropped = Signal(str, QPoint)  # an output, let go outside the canvas
    message = Signal(str)

    document: Document
    canvas: CanvasScene
    gesture: Any  # the one under way, or None
    guides: list[Guide]
    band: QRectF | None
    quick_insert: Any

    def place_of(self, event: QMouseEvent) -> QPointF:
        raise NotImplementedError

    def scroll_by(self, dx: float, dy: float) -> None:
        raise NotImplementedError

    def cancel_gesture(self) -> None:
        raise NotImplementedError

    def draw_from(self, block: str, port: str) -> None:
        raise NotImplementedError

    def offer_more(self, block: str, take: Callable[[str], None]) -> None:
        raise NotImplementedError

    def insert(self, type_name: str, place: QPointF, into_wire: bool = True, alone: bool = True) -> str:
        raise NotImplementedError

    def show_hint(self, text: str, at: QPointF | None = None, wrong: bool = False) -> None:
        raise NotImplementedError

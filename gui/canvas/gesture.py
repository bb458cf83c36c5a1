"""Base class of the mouse gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QMouseEvent

if TYPE_CHECKING:
    from .canvas_protocol import CanvasSurface

THRESHOLD = 4  # pixels of the screen before a press becomes a drag


class Gesture:
    """Mouse gesture: the view passes every mouse event to it until `finish` or `cancel`."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent):
        self.view, self.canvas, self.document = view, view.canvas, view.document
        self.start = view.place_of(event)
        self.start_pixel = event.position()
        self.dragging = False

    def past_threshold(self, event: QMouseEvent) -> bool:
        if not self.dragging:
            self.dragging = (event.position() - self.start_pixel).manhattanLength() >= THRESHOLD
        return self.dragging

    def press(self, event: QMouseEvent) -> None:
        """Cancel the gesture on a second mouse button."""
        self.view.cancel_gesture()

    def move(self, event: QMouseEvent) -> None: ...

    def release(self, event: QMouseEvent) -> None:
        self.finish()

    def holds(self) -> bool:
        """True while the item that the gesture started on still exists."""
        return True

    def cancel(self) -> None: ...

    def finish(self) -> None:
        self.view.gesture = None

"""Read-only canvas with pan, zoom and click selection, and a pair of them that shows the same part of two diagrams."""

from __future__ import annotations

from statistics import median

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent, QTransform
from PySide6.QtWidgets import QToolTip

from ..document.document import Document
from .canvas_protocol import READABLE, CanvasSurface
from .mouse_gestures import Pan
from .view import tooltip_of

CLICK = 4.0  # px that the pointer may move in a click


class ReadOnlyView(CanvasSurface):
    pointed_out = Signal(str)  # a block, a wire's text, or nothing
    fit_wanted = Signal()
    resized = Signal()

    def __init__(self, document: Document):
        super().__init__(document)
        self.setAcceptDrops(False)
        self._pressed = QPointF()

    def middle(self) -> QPointF:
        """Scene point at the centre of the view."""
        return self.mapToScene(self.viewport().rect()).boundingRect().center()

    def sees(self, place: QPointF) -> bool:
        """True if a scene point lies in the view, with room for a card around it."""
        room = self.mapToScene(self.viewport().rect()).boundingRect().adjusted(60, 40, -60, -40)
        return room.contains(place)

    def place(self, subject: str) -> QPointF | None:
        """Centre of a block or of a wire in scene coordinates."""
        item = self.canvas.item_of(subject)
        return item.mapRectToScene(item.boundingRect()).center() if item else None

    def choose(self, subject: str) -> None:
        self.canvas.select([subject], [subject])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._pressed = event.position()
        self.gesture = Pan(self, event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.gesture:
            self.gesture.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.gesture:
            self.gesture.release(event)
        if (event.position() - self._pressed).manhattanLength() < CLICK:
            place = self.place_of(event)
            item = self.canvas.block_at(place) or self.canvas.wire_at(place)
            subject = next((n for n, other in self.canvas.blocks.items() if other is item), "")
            self.pointed_out.emit(subject or next((t for t, w in self.canvas.wires.items() if w is item), ""))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.fit_wanted.emit()
        else:
            event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tooltip_of(self.canvas, self.mapToScene(event.pos())), self)
            return True
        return super().viewportEvent(event)


class LinkedViews(QObject):
    """Synchronised pair of views: pan and zoom of one apply to the other."""

    def __init__(self, a: ReadOnlyView, b: ReadOnlyView, names: dict[str, str]):
        """Link two views; `names` maps blocks of a to the corresponding blocks of b."""
        super().__init__(a)
        self.a, self.b = a, b
        # from a place on a's scene to that place on b's
        self.usual = self.apart = self._median_displacement(names)
        self.touched = self._busy = False
        for view in (a, b):
            view.zoomed.connect(lambda _, view=view: self._follow(view))
            view.horizontalScrollBar().valueChanged.connect(lambda _, view=view: self._follow(view))
            view.verticalScrollBar().valueChanged.connect(lambda _, view=view: self._follow(view))
            view.fit_wanted.connect(self.fit)
            view.resized.connect(self._fit_both)

    def _median_displacement(self, names: dict[str, str]) -> QPointF:
        """Median displacement of the blocks that both diagrams have; one may be placed by its file, the other
        automatically."""
        here, there = self.a.canvas.blocks, self.b.canvas.blocks
        pairs = [(here[old], there[new]) for old, new in names.items() if old in here and new in there]
        if not pairs:
            return QPointF()
        return QPointF(median(b.x() - a.x() for a, b in pairs), median(b.y() - a.y() for a, b in pairs))

    def _follow(self, view: ReadOnlyView) -> None:
        if self._busy:
            return
        self.touched = True
        middle = view.middle()
        self._show(middle if view is self.a else middle - self.apart, view.zoom(), view)

    def _show(self, middle: QPointF, zoom: float, but: ReadOnlyView | None = None) -> None:
        """Centre both views on a place of a and the corresponding place of b, except the view `but` that has moved
        already."""
        self._busy = True
        for view, place in ((self.a, middle), (self.b, middle + self.apart)):
            if view is not but:
                view.setTransform(QTransform.fromScale(zoom, zoom))
                view.centerOn(place)
                view.after_zoom()
        self._busy = False

    def fit(self) -> None:
        """Fit both diagrams into their views."""
        self.apart = self.usual
        content = self.a.canvas.content_rect() | self.b.canvas.content_rect().translated(-self.apart)
        self._busy = True
        zooms = []
        for view, rect in ((self.a, content), (self.b, content.translated(self.apart))):
            view.fit(QRectF(rect))
            zooms.append(view.zoom())
        self._busy = False
        self._show(content.center(), min(zooms))
        self.touched = False

    def _fit_both(self) -> None:
        if not self.touched:
            self.fit()

    def show(self, first: str, second: str) -> None:
        """Centre each view on its block or wire unless it is in sight; on the corresponding place where one diagram
        lacks it."""
        places = self.a.place(first), self.b.place(second)
        for view, subject in ((self.a, first), (self.b, second)):
            view.choose(subject)
        if places == (None, None):
            return
        here, there = places
        before = self.apart
        self.apart = there - here if here is not None and there is not None else self.usual
        self.touched = True
        middle = here if here is not None else there - self.apart  # type: ignore[operator]
        zoom = self.a.zoom()
        if (
            zoom >= READABLE
            and self.apart == before
            and self.a.sees(middle)
            and self.b.sees(middle + self.apart)
        ):
            return
        self._show(middle, zoom if zoom >= READABLE else 1.0)

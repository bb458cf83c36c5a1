"""Drag of a panel out of a row of tabs: it floats below the pointer and docks where it is dropped.

Qt drags tabs only with `GroupedDragging`, which also lets floating panels share a window; that ends in a double free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QTabBar
from shiboken6 import getCppPointer

LEFT = Qt.MouseButton.LeftButton
GRIP = QPoint(40, 8)  # px of the title bar by which a panel hangs at the pointer


class TabDrag(QObject):
    """Event filter of the tab bars of a window's panels."""

    def __init__(self, parent: QObject, docks: Callable[[], Iterable[QDockWidget]]):
        super().__init__(parent)
        self.docks = docks
        self.pressed: QDockWidget | None = None

    def watch(self, tabs: QTabBar) -> None:
        tabs.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or not isinstance(watched, QTabBar):
            return False
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == LEFT:
            self.pressed = dock_of(self.docks(), watched, watched.tabAt(event.position().toPoint()))
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self.pressed = None
        elif event.type() == QEvent.Type.MouseMove and event.buttons() == LEFT and self.pressed:
            far = 3 * QApplication.startDragDistance()
            if not watched.rect().adjusted(-far, -far, far, far).contains(event.position().toPoint()):
                dock, self.pressed = self.pressed, None
                _drag(dock, event.globalPosition())
                return True
        return False


def dock_of(docks: Iterable[QDockWidget], tabs: QTabBar, k: int) -> QDockWidget | None:
    """Panel of a tab, which holds the address of its dock."""
    return next((dock for dock in docks if getCppPointer(dock)[0] == tabs.tabData(k)), None)


def _drag(dock: QDockWidget, pointer: QPointF) -> None:
    """Let a panel float below the pointer and hang at it, as if its title bar had been pressed there."""
    bar = dock.titleBarWidget()
    dock.setTitleBarWidget(None)  # pyright: ignore[reportArgumentType]
    if bar is not None:
        bar.deleteLater()
    dock.setFloating(True)
    dock.move(pointer.toPoint() - GRIP)
    way = QPointF(0.0, 2.0 * QApplication.startDragDistance())
    for kind, button, at in (
        (QEvent.Type.MouseButtonPress, LEFT, QPointF(GRIP)),
        (QEvent.Type.MouseMove, Qt.MouseButton.NoButton, QPointF(GRIP) + way),
    ):
        event = QMouseEvent(
            kind, at, QPointF(dock.mapToGlobal(at)), button, LEFT, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(dock, event)

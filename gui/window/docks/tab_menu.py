"""Context menu of a row of tabs of panels: closes analyses, and lists all panels where tabs are out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMenu, QTabBar

from .closable_dock import ClosableDock
from .tab_drag import dock_of


class TabMenu(QObject):
    """Event filter of the tab bars of a window's panels; the middle button closes an analysis, too."""

    def __init__(self, parent: QObject, docks: Callable[[], Iterable[QDockWidget]]):
        super().__init__(parent)
        self.docks = docks

    def watch(self, tabs: QTabBar) -> None:
        tabs.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, QTabBar):
            return False
        if isinstance(event, QContextMenuEvent):
            menu = self.menu(watched, watched.tabAt(event.pos()))
            menu.exec(event.globalPos())
            menu.deleteLater()
            return True
        if not isinstance(event, QMouseEvent) or event.button() != Qt.MouseButton.MiddleButton:
            return False
        dock = dock_of(self.docks(), watched, watched.tabAt(event.position().toPoint()))
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(dock, ClosableDock):
            dock.close()
        return True

    def menu(self, tabs: QTabBar, k: int) -> QMenu:
        """Menu of tab `k` of a row: closing it, the others and all analyses, and all panels of the row."""
        docks = [*self.docks()]
        own = [dock_of(docks, tabs, j) for j in range(tabs.count())]
        closable = [dock for dock in own if isinstance(dock, ClosableDock) and not dock.isHidden()]
        pressed = own[k] if 0 <= k < len(own) else None
        menu = QMenu(tabs)
        if pressed in closable:
            menu.addAction(f"Close {pressed.windowTitle()}", pressed.close)
            others = [dock for dock in closable if dock is not pressed]
            menu.addAction("Close Other Analyses", lambda: _close(others)).setEnabled(bool(others))
        menu.addAction("Close All Analyses", lambda: _close(closable)).setEnabled(bool(closable))
        menu.addSeparator()
        for j, dock in enumerate(own):
            if dock is not None:
                action = menu.addAction(dock.windowTitle(), dock.raise_)
                action.setCheckable(True)
                action.setChecked(j == tabs.currentIndex())
        return menu


def _close(docks: Iterable[QDockWidget]) -> None:
    for dock in docks:
        dock.close()

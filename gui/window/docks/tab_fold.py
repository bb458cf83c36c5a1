"""Tabs of analyses that have no room fold into a menu: those of the panels before them keep their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMenu, QTabBar, QToolButton
from shiboken6 import isValid

from .closable_dock import ClosableDock
from .tab_drag import dock_of

ROOM, APART = 44, 2  # px of the button, and before it


class TabFold(QObject):
    """Event filter of the tab bars of a window's panels. The analyses that were in front last keep their tabs."""

    def __init__(self, parent: QObject, docks: Callable[[], Iterable[QDockWidget]]):
        super().__init__(parent)
        self.docks = docks
        self._recent: list[QDockWidget] = []  # analyses that were in front, the last one first
        self._buttons: dict[QTabBar, QToolButton] = {}

    def watch(self, tabs: QTabBar) -> None:
        if tabs not in self._buttons:
            self._buttons[tabs] = self._button(tabs)
            tabs.installEventFilter(self)
            tabs.currentChanged.connect(lambda _: self.fold(tabs))
            tabs.destroyed.connect(lambda: self._buttons.pop(tabs, None))
        self.fold(tabs)

    def _button(self, tabs: QTabBar) -> QToolButton:
        made = QToolButton(tabs)
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.setToolTip("Analyses whose tabs have no room")
        made.setAccessibleName("More analyses")
        menu = QMenu(made)
        menu.aboutToShow.connect(lambda: self._fill(menu, tabs))
        made.setMenu(menu)
        made.hide()
        return made

    def _fill(self, menu: QMenu, tabs: QTabBar) -> None:
        menu.clear()
        for k, dock in enumerate(self._own(tabs)):
            if dock is not None and not tabs.isTabVisible(k):
                menu.addAction(dock.windowTitle(), dock.raise_)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QTabBar):
            self.fold(watched)
        return False

    def _own(self, tabs: QTabBar) -> list[QDockWidget | None]:
        docks = [*self.docks()]
        return [dock_of(docks, tabs, k) for k in range(tabs.count())]

    def fold(self, tabs: QTabBar) -> None:
        """Show the tabs that have room, of analyses those that were in front last; a bar that ends has none."""
        if not isValid(tabs):
            return
        own = self._own(tabs)
        places = {dock: k for k, dock in enumerate(own) if isinstance(dock, ClosableDock)}
        front = own[tabs.currentIndex()] if own else None
        if isinstance(front, ClosableDock):
            self._recent = [front, *(dock for dock in self._recent if dock is not front)]
        wide = self._widths(tabs)
        room, shown = tabs.width() - (sum(wide) - sum(wide[k] for k in places.values())), {*places.values()}
        if sum(wide) > tabs.width() and room > ROOM:
            room, shown = room - ROOM, set()
            for dock in sorted(places, key=self._age):
                if wide[places[dock]] > room and dock is not front:
                    break
                room -= wide[places[dock]]
                shown.add(places[dock])
        for k in places.values():
            tabs.setTabVisible(k, k in shown)
        self._show_button(
            tabs, len(places) - len(shown), sum(w for k, w in enumerate(wide) if tabs.isTabVisible(k))
        )

    def _age(self, dock: QDockWidget) -> int:
        return self._recent.index(dock) if dock in self._recent else len(self._recent)

    def _widths(self, tabs: QTabBar) -> list[int]:
        """Widths of the tabs, also of those that are folded [px]."""
        words = [tabs.fontMetrics().horizontalAdvance(tabs.tabText(k)) for k in range(tabs.count())]
        beside = max(
            (tabs.tabRect(k).width() - w for k, w in enumerate(words) if tabs.isTabVisible(k)), default=0
        )
        return [word + beside for word in words]

    def _show_button(self, tabs: QTabBar, folded: int, x: int) -> None:
        button = self._buttons[tabs]
        button.setText(f"+{folded}")
        button.setVisible(folded > 0)
        button.setGeometry(x + APART, 0, ROOM - 2 * APART, tabs.height())
        button.raise_()

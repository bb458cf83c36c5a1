"""Strip at the left of a narrow window: it stands for the folded panels of the sides and opens them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar

from ...theme.icons import icon


class SideStrip(QToolBar):
    """Tool bar with a button for each folded panel.

    `changed` is called when the user opens or closes one of them, with True if they were folded.

    Attributes
    ----------
    folded : bool
        True while the program has folded the panels. What the user opens or closes is not folded.
    kept : bool
        True once the user has opened the panels: the program folds them no more.
    """

    def __init__(self, window: QMainWindow, changed: Callable[[bool], object]):
        super().__init__("Folded Panels", window)
        self.setObjectName("Folded Panels")
        self.setMovable(False)
        self.setIconSize(QSize(18, 18))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self)
        self.hide()
        self.folded = self.kept = False
        self._changed, self._busy = changed, False
        self._docks: list[QDockWidget] = []

    def add(self, dock: QDockWidget, picture: str) -> None:
        """Give a panel a button with the icon of name `picture`."""
        title = dock.windowTitle()
        self._docks.append(dock)
        action = self.addAction(icon(picture), title, lambda: self._open(dock))
        action.setToolTip(f"Open the panel {title}")
        dock.toggleViewAction().toggled.connect(self._on_toggled)

    @contextmanager
    def by_program(self) -> Iterator[None]:
        """Panels that are shown or hidden in here are not the user's doing."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before

    def fold(self, yes: bool) -> None:
        """Fold the panels, or open them as they were."""
        self.folded = yes
        with self.by_program():
            for dock in self._docks:
                dock.setVisible(not yes)

    def stand_in(self, narrow: bool) -> None:
        """Show the strip in a narrow window without panels at its sides."""
        self.setVisible(narrow and all(dock.isHidden() for dock in self._docks))

    def _open(self, dock: QDockWidget) -> None:
        dock.show()
        dock.raise_()

    def _on_toggled(self, shown: bool) -> None:
        if self._busy:
            return
        unfolded = shown and self.folded
        if unfolded:
            self.fold(False)
            self.kept = True
        self._changed(unfolded)

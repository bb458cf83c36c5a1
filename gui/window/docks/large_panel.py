"""One panel in the place of all others and of the canvas, until it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget
from shiboken6 import isValid

from .side_strip import SideStrip

if TYPE_CHECKING:
    from ..shell import Shell


class LargePanel:
    def __init__(self, window: Shell):
        self.window = window
        self.panel: QDockWidget | None = None
        self._before = QByteArray()  # layout of the window
        self._ended: Callable[[], object] = lambda: None
        self._focus: QWidget | None = None  # what had the focus before, and gets it back

    def begin(
        self,
        panel: QDockWidget,
        begun: Callable[[], object] = lambda: None,
        ended: Callable[[], object] = lambda: None,
    ) -> None:
        """Hide all that shares the window with a docked panel; `ended` is called when it gives the place back."""
        if panel.isFloating():
            large = panel.isMaximized()
            panel.showNormal() if large else panel.showMaximized()
            ended() if large else begun()
            return
        self.panel, self._before, self._ended = panel, self.window.saveState(), ended
        self._focus = QApplication.focusWidget()
        begun()
        self.window.setAnimated(False)
        for dock in self.window.findChildren(QDockWidget):
            if dock is not panel and not dock.isFloating():
                dock.hide()
        for strip in self.window.findChildren(SideStrip):
            strip.hide()
        self._show_canvas(False)
        panel.show()
        panel.raise_()

    def _show_canvas(self, on: bool) -> None:
        centre = self.window.centralWidget()
        if centre is not None:
            centre.setVisible(on)

    def end(self) -> bool:
        """Give canvas and panels their places back; False if no panel is large."""
        if self.panel is None:
            return False
        self._show_canvas(True)
        self.window.restoreState(self._before)  # the strip of the sides, too
        self.panel = None
        self.window.setAnimated(True)
        self._ended()
        focus, self._focus = self._focus, None
        if focus is not None and isValid(focus):
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

"""Files of open diagrams that other programs change: followed at once, or Reload, Compare and Keep Mine."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout

from ...blocks import LuffError
from ..theme.small_widgets import ElidedLabel, laid, push_button
from .open_level import OpenLevel
from .shell import Shell


class ChangeBar(QFrame):
    """One line above the canvas: which file has changed, and the three answers."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Changed by another program")
        self.setProperty("role", "notice")
        self.label = ElidedLabel()
        self.reload = push_button(
            "Reload", "Show the file; Undo brings back what this window shows now", lambda: None
        )
        self.compare = push_button("Compare", "The file and this window side by side", lambda: None)
        self.keep = push_button("Keep Mine", "Go on here; saving replaces the file", lambda: None)
        buttons = (self.reload, self.compare, self.keep)
        laid(QHBoxLayout(self), (self.label, 1), *buttons, margins=(10, 4, 8, 4), spacing=6)
        self.hide()


class OutsideChanges:
    """An unmodified diagram follows its file; a modified one asks."""

    def __init__(self, window: Shell):
        self.window = window
        self.bar = ChangeBar()
        self._level: OpenLevel | None = None  # of the question
        self.bar.reload.clicked.connect(lambda: self._level and self.reload(self._level))
        self.bar.compare.clicked.connect(self._compare)
        self.bar.keep.clicked.connect(self._keep)

    def watch(self, level: OpenLevel) -> None:
        if level.watch:
            level.watch.changed.connect(lambda: self.follow(level))

    def follow(self, level: OpenLevel) -> None:
        """Reload an unmodified level whose file has changed; ask about a modified one."""
        if level not in self.window.levels:
            return
        if level.document.modified:
            self._ask(level, "")
        else:
            self.reload(level)

    def _ask(self, level: OpenLevel, trouble: str) -> None:
        self._level = level
        told = f" and does not open now: {trouble}" if trouble else ""
        self.bar.label.setText(f"{level.document.title} was changed by another program{told}")
        self.bar.compare.setEnabled(not trouble)
        self.bar.show()

    def reload(self, level: OpenLevel) -> None:
        """Show the file as it is now: one step of undo; runs and plots stay."""
        try:
            level.document.reread()
        except LuffError as error:
            self._ask(level, str(error.problems[0]))
            return
        self.done()
        self.window.say(f"{level.document.title} was changed by another program, and is shown as it is now")

    def _compare(self) -> None:
        if self._level is not None:
            self.window.comparing.with_earlier(self._level.document, None)

    def _keep(self) -> None:
        if self._level is not None:
            self._level.document.accept_disk()
        self.done()

    def done(self) -> None:
        """End the question, answered or of a level that is gone."""
        if self._level is not None:
            self._level = None
            self.bar.hide()
            self.window.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def level_closed(self, level: OpenLevel) -> None:
        if level is self._level:
            self._level = None
            self.bar.hide()

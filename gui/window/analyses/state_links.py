"""Names of states in an answer as links, each of which selects its block on the canvas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

MOST = 8  # names that are shown
TIP = "Select the block on the canvas"


class StateLinks(QLabel):
    """Line of names; a click on one, or Return, calls `go` with it."""

    def __init__(self, go: Callable[[str], None]) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setToolTip(TIP)
        self.setTextFormat(Qt.TextFormat.RichText)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard)
        self.names: list[str] = []
        self.linkActivated.connect(go)
        self.show_names([])

    def changeEvent(self, event: QEvent) -> None:
        """Show links in the colour of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.show_names(self.names)

    def show_names(self, names: Sequence[str]) -> None:
        """Show other names; none hide the line."""
        self.names = list(names[:MOST])
        links = [f'<a href="{escape(name)}">{escape(name)}</a>' for name in self.names]
        self.setText("Show " + ", ".join(links) if links else "")
        self.setVisible(bool(links))

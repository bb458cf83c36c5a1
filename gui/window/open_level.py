"""Open levels of the nesting: document and canvas of each, and the breadcrumbs that lead back to them."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from ..canvas.view import CanvasView
from ..document.document import Document
from ..document.file_watch import FileWatch
from ..recovery.autosave import Autosave
from ..theme.small_widgets import text_label

MINIMAP = "minimap"  # setting: the map is shown where it is of use


def minimap_wanted() -> bool:
    return bool(QSettings().value(MINIMAP, True, bool))


class OpenLevel:
    """Document and canvas of one level; autosave and watched file of one that is a file."""

    def __init__(self, document: Document, label: str):
        self.document, self.label = document, label
        self.view = CanvasView(document)
        self.view.minimap.set_wanted(minimap_wanted())
        self.autosave = Autosave(document) if document.is_root else None
        self.watch = FileWatch(document) if document.is_root else None

    def close(self) -> None:
        """Close the level and discard its autosave; the document was saved or discarded before."""
        self.view.cancel_gesture()
        self.view.canvas.blockSignals(True)
        if self.autosave and self.watch:
            self.autosave.discard()
            self.watch.end()
        self.document.close()


class Breadcrumbs(QFrame):
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(8, 3, 8, 3)
        self.row.setSpacing(2)
        self.setAccessibleName("Levels")
        self._shown: list[str] = []

    def show_path(self, labels: list[str]) -> None:
        if labels == self._shown:
            return
        self._shown = list(labels)
        while self.row.count():
            item = self.row.takeAt(0)
            widget = item.widget() if item else None
            if widget:
                widget.deleteLater()
        for k, label in enumerate(labels):
            if k:
                step = text_label("›", "muted")
                step.setContentsMargins(0, 0, 4, 0)  # px to the next word, equal to a link's own margin
                self.row.addWidget(step)
            if k < len(labels) - 1:
                button = QPushButton(label)
                button.setProperty("link", True)
                button.setToolTip(f"Back to {label}")
                button.clicked.connect(lambda _=False, k=k: self.chosen.emit(k))
                self.row.addWidget(button)
            else:
                here = text_label(label, "title")
                self.row.addWidget(here)
        self.row.addStretch(1)
        self.setVisible(len(labels) > 1)

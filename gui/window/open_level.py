"""One diagram of the nesting that is open."""

from __future__ import annotations

from ..canvas.view import CanvasView
from ..document.document import Document
from ..recovery.autosave import Autosave


class OpenLevel:
    """Its document, its canvas, its autosave."""

    def __init__(self, document: Document, label: str):
        self.document, self.label = document, label
        self.view = CanvasView(document)
        self.autosave = Autosave(document)

    def close(self) -> None:
        """The document may go: what it showed is saved or given up."""
        self.view.cancel_gesture()
        self.view.canvas.blockSignals(True)
        self.autosave.discard()
        self.document.close()

"""Open level of the nesting: one diagram."""

from __future__ import annotations

from ..canvas.view import CanvasView
from ..document.document import Document
from ..recovery.autosave import Autosave


class OpenLevel:
    """Document, canvas and autosave of one level."""

    def __init__(self, document: Document, label: str):
        self.document, self.label = document, label
        self.view = CanvasView(document)
        self.autosave = Autosave(document)

    def close(self) -> None:
        """Close the level and discard its autosave; the document was saved or discarded before."""
        self.view.cancel_gesture()
        self.view.canvas.blockSignals(True)
        self.autosave.discard()
        self.document.close()

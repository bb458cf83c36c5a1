"""The window as its parts see it: the widgets that it holds, and what they may ask of it."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtWidgets import (
    QMainWindow,
    QPlainTextEdit,
)

from ..canvas.view import CanvasView
from ..document.document import Document
from ..kept.autosave import Autosave
from ..plots.deck import PlotDeck
from ..properties.panel import PropertyPanel
from ..run.orders import Runner
from ..view3d.panel import View3D
from .actions import Actions
from .controls import Controls
from .palette import Palette
from .problems import ProblemList
from .signals_dock import SignalTree
from .welcome import Welcome


class Level:
    """One diagram of the nesting that is open: its document, its canvas, its autosave."""

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


class Shell(QMainWindow):
    """What the window fills in. Its parts know each other by name alone."""

    open_windows: ClassVar[list[Shell]] = []

    def __init__(self, document: Document | None = None):
        super().__init__()

    levels: list[Level]
    runner: Runner
    files: Any
    editing: Any
    views: Any
    running: Any
    recording: Any
    leave: Any
    panels: Any
    actions_: Actions
    palette_: Palette
    properties: PropertyPanel
    deck: PlotDeck
    problems: ProblemList
    signal_tree: SignalTree
    controls: Controls
    view3d: View3D
    log: QPlainTextEdit
    welcome: Welcome

    @property
    def level(self) -> Level:
        return self.levels[-1]

    @property
    def document(self) -> Document:
        return self.levels[-1].document

    @property
    def view(self) -> CanvasView:
        return self.levels[-1].view

    @property
    def top(self) -> Document:
        """The diagram that runs."""
        return self.levels[0].document

    def say(self, text: str) -> None:
        raise NotImplementedError

    def push_level(self, document: Document, label: str) -> None:
        raise NotImplementedError

    def pop_to(self, depth: int) -> bool:
        raise NotImplementedError

    def replace(self, document: Document) -> None:
        raise NotImplementedError

    def show_problems(self) -> None:
        raise NotImplementedError

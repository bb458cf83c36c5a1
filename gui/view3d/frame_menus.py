"""Menus of frames: first that of what is selected, then those of bodies, those of joints and others one level down."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QCursor, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu

from ..theme.icons import swatch
from .canvas3d import Canvas3D
from .scene_model import Scene
from .scene_shapes import trail_colour

OTHERS = "Joints and Others"


class StayingMenu(QMenu):
    """Menu that stays open while its entries are switched.

    Where it opens over the mouse, the release of the click that has opened it switches nothing.
    """

    _opened_at: QPoint | None = None  # until the mouse moves or is pressed

    def showEvent(self, event: QShowEvent) -> None:
        self._opened_at = QCursor.pos()
        super().showEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._opened_at = None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, self._opened_at = self._opened_at, None
        at = event.globalPosition().toPoint()
        if start is not None and (at - start).manhattanLength() < QApplication.startDragDistance():
            event.accept()
            return
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable() and action.isEnabled():
            action.trigger()
            event.accept()
        else:
            super().mouseReleaseEvent(event)


def frame_of_selected(scene: Scene, selected: Collection[str]) -> str:
    """Frame that stands for what is selected, the outer one of a block with two; empty where nothing with frames is."""
    own = [name for name in scene.frames if name.rpartition(".")[0] in selected]
    return next((name for name in own if name.endswith(".frame_b")), next(iter(own), ""))


def add_frames(menu: QMenu, canvas: Canvas3D, add: Callable[[QMenu, str, str], object]) -> None:
    """Offer the frames of the mechanism: `add` puts a frame, with its text, into a menu."""
    scene = canvas.scene
    if scene is None:
        return
    if chosen := frame_of_selected(scene, canvas.look.selected):
        add(menu, chosen, f"Selected: {chosen}")
        menu.addSeparator()
    bodies, others = scene.frames_by_kind()
    for name in bodies:
        add(menu, name, name)
    if bodies and others:
        inner = type(menu)(OTHERS, menu)
        menu.addMenu(inner)
        menu = inner
    for name in others:
        add(menu, name, name)


class TraceMenu(StayingMenu):
    """Menu of the frames whose ways are drawn, with their colours."""

    chosen = Signal(list)  # names of frames

    def __init__(self, title: str = "", parent: QMenu | Canvas3D | None = None) -> None:
        super().__init__(title, parent)
        self.names: list[str] = []

    def offer(self, canvas: Canvas3D, names: list[str]) -> None:
        """Fill the menu anew."""
        self.clear()
        self.names = names
        actions: dict[QAction, str] = {}
        self.addAction("No Trace", lambda: self.chosen.emit([]))
        self.addSeparator()

        def add(menu: QMenu, name: str, text: str) -> None:
            action = menu.addAction(text)
            action.setCheckable(True)
            actions[action] = name
            action.triggered.connect(lambda _: switch(name))

        def switch(name: str) -> None:
            others = [other for other in self.names if other != name]
            self.names = others if name in self.names else [*self.names, name]
            self.chosen.emit(self.names)
            tell()

        def tell() -> None:
            for action, name in actions.items():
                on = name in self.names
                action.setChecked(on)
                action.setIcon(swatch(trail_colour(self.names.index(name))) if on else swatch("#00000000"))

        add_frames(self, canvas, add)
        tell()

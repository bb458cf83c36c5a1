"""Moving picture beside a table, where the 3-D view is a tab that the table's panel hides."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ...theme.small_widgets import laid, text_label
from ...view3d.canvas3d import Canvas3D
from ...view3d.mode_animation import ModeAnimation
from ...view3d.scene_model import Scene

LEAST = (120, 80)  # px of the picture


class SwingView(QWidget):
    """Poses of an answer with the words for their time."""

    def __init__(self) -> None:
        super().__init__()
        self.canvas = Canvas3D()
        self.canvas.setMinimumSize(*LEAST)
        self.canvas.look.corner = False  # its axes would lie over a picture that small
        self.canvas.setAccessibleName("Picture of the answer")
        self.swing = ModeAnimation(self.canvas)
        self.words = text_label("", "muted")
        self.words.setContentsMargins(8, 2, 8, 2)
        laid(QVBoxLayout(self), (self.canvas, 1), self.words, margins=(0, 0, 0, 0), spacing=0)
        self.hide()

    def show_swing(self, scene: Scene, frames: np.ndarray, words: str) -> None:
        if self.canvas.scene is not scene:
            self.canvas.show_scene(scene)
        self.words.setText(words)
        self.show()
        self.swing.begin(frames)

    def end(self) -> None:
        self.swing.end()
        self.hide()

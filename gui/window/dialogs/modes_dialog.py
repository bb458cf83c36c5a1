"""Analyse > Modes: frequencies, damping and shapes; the selected mode is animated in the 3-D view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from ....solver.analysis.bounded_roots import GROWS
from ....solver.analysis.natural_modes import (
    Modes,
    damping_words,
    modes,
    motion_words,
    shape_words,
    verdict_words,
)
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...view3d.mode_animation import swing_of_mode
from ...view3d.scene_model import Scene, scene_of
from .linear_dialogs import AboutState

SHOWN = 60  # modes that can be looked at: of the lowest
Answer = tuple[Modes, Scene, list[np.ndarray]]  # and the poses of each
HEADS = ["Mode", "Frequency [rad/s]", "[Hz]", "Damping ratio", "Shape"]


class ModesDialog(AboutState):
    title = "Modes"
    purpose = "With which frequencies and how much damping does the model swing about its equilibrium?"

    def build(self) -> None:
        self.state_lines()
        self.table = QTreeWidget()
        self.table.setAccessibleName("Modes")
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setHeaderLabels(HEADS)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.setMinimumSize(600, 240)
        self.table.hide()
        self.table.currentItemChanged.connect(lambda *_: self._swing())
        self.box.addWidget(self.table)
        self.frames: list[np.ndarray] = []
        self.scene: Scene | None = None

    def work(self, snapshot: DiagramSnapshot) -> Work:
        t, about = self.time.value(), self.about.currentText()

        def work(tell: Callable[[object], None]) -> Answer:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising" if about == "initial" else "Looking for the equilibrium")
            answer, scene = modes(sim, t, about), scene_of(sim)
            frames = []
            for number in range(1, min(len(answer.eigenvalues), SHOWN) + 1 if not scene.empty else 1):
                tell(f"Drawing mode {number} of {len(answer.eigenvalues)}")
                frames.append(swing_of_mode(sim, answer, number, scene.size))
            return answer, scene, frames

        return work

    def clear(self) -> None:
        self.frames, self.scene = [], None
        self.table.clear()
        self.table.hide()
        self.window_.view3d.swing.end()

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        modes, self.scene, frames = answer
        self.frames = frames if current else []
        for number in range(1, len(modes.eigenvalues) + 1):
            self.table.addTopLevelItem(row(modes, number))
        self.table.show()
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)
        some = [*filter(None, [modes.equilibrium]), *modes.notes, *verdict_words(modes)]
        if not len(modes.eigenvalues):
            some.insert(0, "This model has no states: nothing can swing")
        elif self.frames:
            some.append("The mode that is chosen swings in the 3-D view.")
        return "\n".join(some)

    def _swing(self) -> None:
        window, item = self.window_, self.table.currentItem()
        number = self.table.indexOfTopLevelItem(item) if item is not None else -1
        if self.scene is None or not 0 <= number < len(self.frames) or window.runner.active:
            return
        window.panels.show("3-D View")
        window.view3d.show_swing(self.scene, self.frames[number])


def row(modes: Modes, number: int) -> QTreeWidgetItem:
    k = number - 1
    frequency = modes.frequencies[k]
    if modes.oscillating[k]:
        words = [f"{frequency:.6g}", f"{frequency / (2 * np.pi):.4g}", damping_words(modes, number)]
    else:
        words = ["", "", motion_words(modes, number)]
    item = QTreeWidgetItem([str(number), *words, shape_words(modes, number)])
    for column in range(4):
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setToolTip(
        4, "\n".join(f"{name} {z.real:.4g}{z.imag:+.4g}j" for name, z in modes.shape(number).items())
    )
    if modes.signs[k] == GROWS:
        item.setText(3, f"{item.text(3)}, unstable")
    return item

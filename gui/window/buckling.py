"""Run > Buckling: what `luff buckling` tells, with its mode in the 3-D view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QDoubleSpinBox, QFormLayout, QLabel, QVBoxLayout

from ...blocks.errors import Problem
from ...solver.analysis.buckling import Buckling, buckling, described, loads_of
from ..run.beside import Beside
from ..run.orders import Snapshot, compile_diagram
from ..study.ask import listed
from ..view3d.model import Scene, scene_of
from ..view3d.swing import swing_of

if TYPE_CHECKING:
    from .shell import Shell

CHANGED = "The model has changed since; this was found for what it was before"
Answer = tuple[Buckling, Scene, np.ndarray]  # and the poses of the mode


class Stability:
    def __init__(self, window: Shell):
        self.window = window
        self.beside = Beside(window)

    def on_buckling(self) -> None:
        shown = [dialog for dialog in self.window.findChildren(BucklingDialog) if dialog.isVisible()]
        dialog = shown[0] if shown else BucklingDialog(self.window, self.beside)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def close(self) -> None:
        self.beside.close()


class BucklingDialog(QDialog):
    """Beside the window, so that the mode can be looked at from all sides; it ends with the dialog."""

    def __init__(self, window: Shell, beside: Beside):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Buckling")
        self.setMinimumWidth(460)
        self.window_, self.beside = window, beside
        model = window.view3d.model
        offered = loads_of(model) if model is not None else []
        self.load = listed(offered, offered[0] if offered else "")
        self.load.setAccessibleName("Load that grows")
        self.load.setToolTip("Forces, torques, masses and gravity; any number of a block may be typed")
        self.time = QDoubleSpinBox(decimals=3, minimum=-1e9, maximum=1e9, suffix=" s")
        self.time.setAccessibleName("At time")
        self.time.setToolTip("Time at which sources and plans are taken")
        self.said = QLabel("At which multiple of this load does the equilibrium lose its stability?")
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        form = QFormLayout()
        form.addRow("Load that grows", self.load)
        form.addRow("At time", self.time)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Close)
        roles = QDialogButtonBox.ButtonRole
        self.search = self.buttons.addButton("Find", roles.ActionRole)
        self.cancel = self.buttons.addButton("Cancel", roles.ActionRole)
        self.search.setDefault(True)
        self.search.clicked.connect(self.start)
        self.cancel.clicked.connect(self.call_off)
        self.buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addLayout(form)
        box.addWidget(self.said)
        box.addWidget(self.buttons)
        beside.told.connect(self._told)
        beside.done.connect(self._done)
        beside.failed.connect(self._failed)
        self._asked: Snapshot | None = None
        self._set_busy(False)

    def start(self) -> None:
        snapshot = self._asked = Snapshot.of(self.window_.top.diagram)
        load, t = self.load.currentText().strip(), self.time.value()

        def work(tell: Callable[[object], None]) -> Answer:
            sim = compile_diagram(snapshot.diagram())
            answer = buckling(sim, load, t, looked=tell)
            scene = scene_of(sim)
            return answer, scene, swing_of(sim, answer, scene.size)

        self.window_.view3d.swing.end()
        self._say("Looking for the equilibrium without load")
        self._set_busy(True)
        self.beside.start(work)

    def call_off(self) -> None:
        self.beside.stop()
        self._set_busy(False)
        self._say("The search was called off")

    def done(self, result: int) -> None:
        """However it is closed, nothing is left behind."""
        self.beside.stop()
        self.window_.view3d.swing.end()
        super().done(result)

    def _set_busy(self, on: bool) -> None:
        self.search.setEnabled(not on)
        self.cancel.setEnabled(on)

    def _say(self, text: str, role: str = "") -> None:
        self.said.setText(text)
        self.said.setProperty("role", role)
        self.said.style().unpolish(self.said)
        self.said.style().polish(self.said)
        self.adjustSize()

    def _told(self, factor: float) -> None:
        self._say(f"Looking at {factor:.6g} times this load")

    def _done(self, answer: Answer) -> None:
        mode, scene, frames = answer
        self._set_busy(False)
        window = self.window_
        told = [*described(mode), *mode.notes]
        if Snapshot.of(window.top.diagram) != self._asked:
            self._say("\n".join([*told, CHANGED]))
            return
        self._say("\n".join(told))
        if window.runner.active or scene.empty:
            return  # the view belongs to the run
        window.panels.show("3-D View")
        window.view3d.show_swing(scene, frames)

    def _failed(self, problems: list[Problem]) -> None:
        self._set_busy(False)
        self._say("\n".join(str(problem) for problem in problems), "error")

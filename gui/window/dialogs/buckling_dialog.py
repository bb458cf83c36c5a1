"""Analyse > Buckling: the output of `luff buckling`, with the mode in the 3-D view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.buckling import buckling, describe_buckling, loads_of
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...study.study_questions import listed
from ...view3d.mode_animation import swing_under_load
from ...view3d.scene_model import Scene, scene_of
from .work_dialog import AT_TIME, WorkDialog, at_time

Answer = tuple[list[str], Scene, np.ndarray]  # its words, and the poses of the mode


class BucklingDialog(WorkDialog):
    """Buckling dialog; the animated mode ends with the dialog."""

    title = "Buckling"
    purpose = "At which multiple of this load does the equilibrium lose its stability?"

    def build(self) -> None:
        model = self.window_.view3d.model
        offered = loads_of(model) if model is not None else []
        self.load = listed(offered, offered[0] if offered else "")
        tip = "Forces, torques, masses and gravity; any number of a block may be typed"
        self.line("Load that grows", self.load, tip)
        self.time = at_time()
        self.line("At time", self.time, AT_TIME)

    def beginning(self) -> str:
        return "Looking for the equilibrium without load"

    def progress(self, told: object) -> str:
        return f"Looking at {told:.6g} times this load"

    def work(self, snapshot: DiagramSnapshot) -> Work:
        load, t = self.load.currentText().strip(), self.time.value()

        def work(tell: Callable[[object], None]) -> Answer:
            sim = compile_diagram(snapshot.diagram())
            mode, scene = buckling(sim, load, t, looked=tell), scene_of(sim)
            lines = [*describe_buckling(mode, display_unit_of(sim)), *mode.notes]
            return lines, scene, swing_under_load(sim, mode, scene.size)

        return work

    def clear(self) -> None:
        self.window_.view3d.swing.end()

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        lines, scene, frames = answer
        window = self.window_
        if current and not window.runner.active and not scene.empty:  # else the view belongs to the run
            window.panels.show("3-D View")
            window.view3d.show_swing(scene, frames)
        return "\n".join(lines)

"""Analyse > Buckling: the output of `luff buckling`, with the mode in the 3-D view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.buckling import (
    RATE,
    Buckling,
    StillStable,
    buckling,
    buckling_rows,
    buckling_verdict,
    load_parameters,
)
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...study.study_questions import listed
from ...theme.small_widgets import text_label
from ...view3d.mode_animation import swing_under_load
from ...view3d.scene_model import Scene, scene_of
from ..work_form import AT_TIME, at_time
from .analysis_panel import AnalysisPanel
from .findings_table import FindingsTable

DIGITS = 4
Answer = tuple[list[tuple[str, str]], Buckling, Scene, np.ndarray]  # figures, the mode, poses of a period


class BucklingPanel(AnalysisPanel):
    """Critical load and buckling mode; the mode swings in the 3-D view."""

    title = "Buckling"
    purpose = "At which multiple of a load does the equilibrium lose its stability?"

    def build(self) -> None:
        model = self.window_.view3d.model
        offered = load_parameters(model) if model is not None else []
        self.load = listed(offered, offered[0] if offered else "")
        tip = "The load that grows: a force, torque, mass or gravity; any number of a block may be typed"
        self.line("Scaled load", self.load, tip)
        self.others = text_label("", "muted", wraps=True)
        self.form.addRow(self.others)
        self.load.currentTextChanged.connect(self.say_others)
        self.say_others(self.load.currentText())
        self.time = at_time()
        self.line("Time", self.time, AT_TIME)

    def say_others(self, load: str) -> None:
        """Say which load is scaled, and which are held."""
        offered = [self.load.itemText(k) for k in range(self.load.count())]
        held = [name for name in offered if name != load.strip()]
        words = (
            f"; {', '.join(held)} stay as they are"
            if len(held) > 1
            else f"; {held[0]} stays as it is"
            if held
            else ""
        )
        self.others.setText(f"{load.strip()} grows{words}." if load.strip() else "")

    def beginning(self) -> str:
        return "Looking for the equilibrium without load"

    def progress(self, told: object) -> str:
        return f"Looking at {told:.6g} times this load"

    def work(self, snapshot: DiagramSnapshot) -> Work:
        load, t = self.load.currentText().strip(), self.time.value()

        def work(tell: Callable[[object], None]) -> Answer | StillStable:
            sim = compile_diagram(snapshot.diagram())
            try:
                mode = buckling(sim, load, t, looked=tell)
            except StillStable as found:  # an answer, and no mistake
                return found
            scene = scene_of(sim)
            return (
                buckling_rows(mode, display_unit_of(sim), DIGITS),
                mode,
                scene,
                swing_under_load(sim, mode, scene.size),
            )

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        if isinstance(answer, StillStable):
            return self.verdict("open", str(answer))
        assert isinstance(answer, tuple)
        figures, mode, scene, frames = answer
        self.figures.show_rows(figures)
        moving = {name: z for name, z in mode.shape.items() if not RATE.search(name)}
        shape = sorted(moving.items(), key=lambda entry: -abs(entry[1]))
        rows = [[name, f"{z.real:.{DIGITS}g}", f"{abs(z):.{DIGITS}g}"] for name, z in shape]
        rows = [["coordinate", "mode", "magnitude"], *rows]
        if mode.kind != "flutter":  # a real mode: a magnitude would be the same number again
            rows = [row[:2] for row in rows]
        self.show_pages({"Mode": FindingsTable("Buckling mode", rows)})
        self.notes.show_notes(mode.notes)
        if current:
            self.swing(scene, frames, "Buckling mode")
        return self.verdict("open", buckling_verdict(mode))

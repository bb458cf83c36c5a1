"""Analyse > Static: equilibrium of the model, its reactions, and what prevents it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.static_tables import describe_static
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...view3d.scene_model import Scene, scene_of
from ..model_names import ModelNames
from .work_dialog import WorkDialog, names_line, words_of

Answer = tuple[str, Scene]


class StaticDialog(WorkDialog):
    """Static equilibrium dialog; the 3-D view shows the equilibrium until the dialog closes."""

    title = "Static Equilibrium"
    purpose = (
        "Where does the model rest under gravity, springs and supports? Joints keep their values where this list or "
        "`initial: {hold: ...}` says so."
    )

    def build(self) -> None:
        self.hold = names_line(ModelNames(self.window_).coordinates, "slew, luff")
        self.line(
            "Held joints", self.hold, "Joints or coordinates that keep their values, with commas between them"
        )
        self.table = output_field("What rests where")
        self.box.addWidget(self.table)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        hold = words_of(self.hold.text())

        def work(tell: Callable[[object], None]) -> Answer:
            from ....solver.simulation.simulation import Simulation

            changes: dict[str, object] = {"initial.solve": "static"}
            if hold:
                changes["initial.hold"] = hold
            sim = Simulation(snapshot.diagram(), changes)
            tell("Looking for the equilibrium")
            lines = [*map(str, sim.remarks), *describe_static(sim.static(), display_unit_of(sim))]
            return "\n".join(lines), scene_of(sim)

        return work

    def clear(self) -> None:
        self.table.hide()
        self.window_.view3d.swing.end()

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        text, scene = answer
        window = self.window_
        self.table.setPlainText(text)
        self.table.show()
        if current and not window.runner.active and not scene.empty:
            window.panels.show("3-D View")
            window.view3d.show_swing(scene, scene.start[None])
            return "The 3-D view shows the equilibrium until this dialog is closed."
        return ""


def output_field(name: str) -> QPlainTextEdit:
    """Read-only text field in a fixed-width font for command output."""
    field = QPlainTextEdit(readOnly=True)
    field.setAccessibleName(name)
    field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    field.setMinimumSize(460, 240)
    field.hide()
    return field

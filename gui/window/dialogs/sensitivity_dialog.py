"""Analyse > Sensitivity: derivatives of a run's numbers by parameters and initial states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QTabWidget

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.metric_derivatives import (
    NUMBERS,
    derivative_targets,
    draw_sensitivities,
    sensitivity_rows,
)
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ..model_names import ModelNames
from .assess_dialog import ROOMY
from .assess_table import FindingsTable
from .linear_dialogs import Drawn
from .work_dialog import names_line, wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = tuple["Figure", list[list[str]], list[str]]


class SensitivityDialog(Drawn):
    """Sensitivity dialog: one run whose numbers carry their derivatives (forward mode)."""

    title = "Sensitivity"
    purpose = (
        "How do numbers of a run change with parameters and first states? Exact derivatives, from one run."
    )
    verb = "Start"

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.by = names_line(names.derivable, "load.mass, rope.position")
        self.line("By", self.by, "Numbers of the diagram and of its blocks, and states at the start")
        self.outputs = names_line(names.signals, "load.position[2]")
        self.line("Of", self.outputs, "Signals, or globs")
        self.number = QComboBox()
        self.number.addItems(list(NUMBERS))
        self.line("Number", self.number, "What is taken of each signal over the run")
        self.picture_below()
        self.tabs = QTabWidget()
        self.tabs.addTab(self.view, "Over Time")
        self.tabs.hide()
        self.box.addWidget(self.tabs, 1)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        by, of = wanted(self.by, "parameter"), wanted(self.outputs, "signal")
        number = self.number.currentText()

        def work(tell: Callable[[object], None]) -> Answer:
            from ....solver.analysis.sensitivity import sensitivity

            diagram = snapshot.diagram()
            sim = compile_diagram(diagram)
            at = derivative_targets(sim, diagram.scope(), by)
            tell("Running with derivatives")
            table = sensitivity(sim, at, of)
            shown = display_unit_of(sim)
            return (
                draw_sensitivities(table, at, shown),
                sensitivity_rows(table, at, number, shown),
                table.remarks,
            )

        return work

    def clear(self) -> None:
        super().clear()
        self.tabs.hide()
        while self.tabs.count() > 1:
            self.tabs.removeTab(0)

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        figure, found, remarks = answer
        self.tabs.insertTab(0, FindingsTable("Derivatives", found), "Table")
        self.tabs.setCurrentIndex(0)
        self.tabs.show()
        self.setMinimumSize(*ROOMY)
        return super().show_answer((figure, remarks), current)

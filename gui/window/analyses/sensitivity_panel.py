"""Analyse > Sensitivity: derivatives of a run's numbers by parameters and initial states."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.metric_derivatives import (
    NUMBERS,
    derivative_targets,
    draw_sensitivities,
    sensitivity_rows,
)
from ...plots.analysis_pictures import sensitivity_pictures
from ...plots.graph import GraphStack
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...theme.quiet_boxes import QuietCombo
from ..model_names import ModelNames
from ..work_form import names_line, wanted
from .findings_table import FindingsTable
from .linear_panels import DrawnPanel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ....solver.analysis.analysis_units import Shown
    from ....solver.analysis.sensitivity import Sensitivity

Answer = tuple["Sensitivity", dict[str, float], "Shown", list[list[str]]]


class SensitivityPanel(DrawnPanel):
    """Derivatives of one run whose numbers carry them (forward mode)."""

    title = "Sensitivity"
    purpose = (
        "How do metrics of a run change with parameters and initial states? Exact derivatives, from one run."
    )
    verb = "Compute"
    follows = False

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.by = names_line(names.derivable, "load.mass, reach")
        self.line("Parameters", self.by, "Numbers of the diagram and of its blocks, and initial states")
        self.outputs = names_line(names.signals, "load.position[2]")
        self.line("Signals", self.outputs, "Signals whose metric is differentiated, or globs")
        self.number = QuietCombo()
        self.number.addItems(list(NUMBERS))
        self.line("Metric", self.number, "Number that is taken of each signal over the run")
        self.picture_button()
        self.found: Answer | None = None

    @cached_property
    def view(self) -> GraphStack:
        return GraphStack("Derivatives over time", "t", "s")

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
            return table, at, shown, sensitivity_rows(table, at, number, shown)

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.found = answer
        table, at, shown, rows = answer
        self.view.show_pictures(sensitivity_pictures(table, at, shown))
        self.show_pages({"Table": FindingsTable("Derivatives", rows), "Over Time": self.view})
        self.save.setEnabled(True)
        self.notes.show_notes(table.remarks)
        return ""

    def figure(self) -> Figure:
        assert self.found is not None
        table, at, shown, _ = self.found
        return draw_sensitivities(table, at, shown)

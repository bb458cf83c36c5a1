"""Analyse > Static: equilibrium of the model, its reactions, and what prevents it."""

from __future__ import annotations

from collections.abc import Callable

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.confirmation import Confirmation
from ....solver.analysis.perturbed_rest import confirm_rest
from ....solver.analysis.static_tables import (
    CARRIED,
    HELD,
    Figures,
    static_doubts,
    static_numbers,
    static_residual,
    static_scope,
    static_verdict,
    values_text,
)
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...theme.number_format import prefixed
from ...view3d.scene_model import Scene, scene_of
from ..model_names import ModelNames
from ..work_form import names_line, words_of
from .analysis_panel import CONFIRMING, AnalysisPanel
from .findings_table import FindingsTable, without_empty

HEADS = ["coordinate", "quantity", "value", "unit", "remark"]
TITLES = {"": "position", HELD: "effort", CARRIED: "force"}
DIGITS = 4
Rows = list[list[str]]
# verdict, remarks, rows, scene, runs
Answer = tuple[tuple[str, str], list[str], Rows, Scene, list[Confirmation] | None]


class StaticPanel(AnalysisPanel):
    """Static equilibrium; the 3-D view shows it until the panel closes or the model changes."""

    title = "Static"
    purpose = "Where does the model rest under gravity, springs and supports, and what do the supports carry?"
    follows = True

    def build(self) -> None:
        self.hold = names_line(ModelNames(self.window_).coordinates, "slew, luff")
        self.line(
            "Held joints", self.hold, "Joints or coordinates that keep their values, with commas between them"
        )
        self.confirm_line()
        self.table = FindingsTable("Static equilibrium", [HEADS])

    def work(self, snapshot: DiagramSnapshot) -> Work:
        hold, confirmed = words_of(self.hold.text()), self.wants_confirmation()

        def work(tell: Callable[[object], None]) -> Answer:
            from ....solver.simulation.simulation import Simulation

            changes: dict[str, object] = {"initial.solve": "static"}
            if hold:
                changes["initial.hold"] = hold
            sim = Simulation(snapshot.diagram(), changes)
            tell("Looking for the equilibrium")
            rest = sim.static()
            doubts = {name: words for words, names in static_doubts(rest).items() for name in names}
            rows = [
                [
                    name,
                    TITLES[heading],
                    values_text(values, DIGITS),
                    unit,
                    "" if heading else doubts.pop(name, ""),
                ]
                for heading, numbers in static_numbers(rest, display_unit_of(sim)).items()
                for name, values, unit in prefixed_figures(numbers)
            ]
            if confirmed:
                tell(CONFIRMING)
            left = [f"{words}: {name}" for name, words in doubts.items()]  # of what has no row
            remarks = [*left, *static_scope(rest), *map(str, sim.remarks), static_residual(rest)]
            runs = confirm_rest(sim) if confirmed else None
            stability = "unstable" if rest["unstable"] else "open" if rest["undecided"] else "stable"
            return (stability, static_verdict(rest)), remarks, rows, scene_of(sim), runs

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        verdict, remarks, rows, scene, runs = answer
        heads, *rows = without_empty([HEADS, *rows])
        self.table = FindingsTable("Static equilibrium", [heads, *rows])
        self.show_pages({"Equilibrium": self.table})
        self.notes.show_notes(remarks)
        words = [self.verdict(*verdict), *self.show_runs(runs)]
        if current:
            self.swing(scene, scene.start[None], "Equilibrium")
        return "\n".join(words)


def prefixed_figures(numbers: list[Figures]) -> list[Figures]:
    """Numbers with the prefixes that wires show, one for all of a unit: 78.249 kN and 663.607 kN."""
    peaks: dict[str, float] = {}
    for _, values, unit in numbers:
        peaks[unit] = max(peaks.get(unit, 0.0), *map(abs, values))
    prefixes = {unit: prefixed(unit, peak) for unit, peak in peaks.items()}
    return [
        (name, [prefixes[unit][1] * value for value in values], prefixes[unit][0])
        for name, values, unit in numbers
    ]

"""Analyse > Static: equilibrium of the model, its reactions, and what prevents it."""

from __future__ import annotations

from collections.abc import Callable

from ....solver.analysis.analysis_units import display_unit_of
from ....solver.analysis.confirmation import Confirmation
from ....solver.analysis.perturbed_rest import confirm_rest
from ....solver.analysis.static_tables import describe_static
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...view3d.scene_model import Scene, scene_of
from ..model_names import ModelNames
from ..work_form import names_line, output_field, words_of
from .analysis_panel import CONFIRMING, LEAST, AnalysisPanel

Answer = tuple[list[str], list[str], Scene, list[Confirmation] | None]  # remarks, lines, scene, runs


class StaticPanel(AnalysisPanel):
    """Static equilibrium; the 3-D view shows it until the panel closes or the model changes."""

    title = "Static"
    purpose = (
        "Where does the model rest under gravity, springs and supports? Joints keep their values where this list or "
        "`initial: {hold: ...}` says so."
    )
    follows = True

    def build(self) -> None:
        self.hold = names_line(ModelNames(self.window_).coordinates, "slew, luff")
        self.line(
            "Held joints", self.hold, "Joints or coordinates that keep their values, with commas between them"
        )
        self.confirm_line()
        self.table = output_field("Static equilibrium", LEAST)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        hold, confirmed = words_of(self.hold.text()), self.wants_confirmation()

        def work(tell: Callable[[object], None]) -> Answer:
            from ....solver.simulation.simulation import Simulation

            changes: dict[str, object] = {"initial.solve": "static"}
            if hold:
                changes["initial.hold"] = hold
            sim = Simulation(snapshot.diagram(), changes)
            tell("Looking for the equilibrium")
            lines = [*describe_static(sim.static(), display_unit_of(sim))]
            if confirmed:
                tell(CONFIRMING)
            return [*map(str, sim.remarks)], lines, scene_of(sim), confirm_rest(sim) if confirmed else None

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        remarks, lines, scene, runs = answer
        self.table.setPlainText("\n".join(lines))
        self.show_pages({"Equilibrium": self.table})
        self.notes.show_notes(remarks)
        words = self.show_runs(runs)
        if current and self.swing(scene, scene.start[None]):
            words.append("The 3-D view shows the equilibrium.")
        return "\n".join(words)

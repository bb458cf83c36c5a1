"""Study > Plan: the best motion within limits, found as `luff plan` finds it, and played in the diagram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from ....blocks.errors import LuffError
from ....solver.planning import Plan, plan
from ....solver.planning.active_limits import spans_in_words
from ....solver.planning.motion_plan import costs_more_than_time, spread_lines
from ....solver.planning.plan_file import load
from ....solver.planning.plan_settings import COSTS, INTERVALS
from ...document import undo_commands
from ...plots.graph import GraphStack
from ...plots.plan_pictures import plan_pictures
from ...run.background_job import Work, goes_on
from ...run.run_control import DiagramSnapshot
from ...study.field_checks import unknown, wrong_quantity
from ...study.plan_draft import PlanDraft
from ...study.task_draft import TaskDraft
from ...theme.quiet_boxes import QuietCombo, QuietSpin
from ...theme.small_widgets import CheckBox
from ..model_names import ModelNames
from .findings_table import FindingsTable, without_empty
from .settings_table import SettingsTable
from .task_panel import TaskPanel

TASK = "Plan file (*.yaml)"
MOTION = "Motion (*.json);;Table that plays it (*.csv);;PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
NO_INPUTS = (
    "This diagram has no inputs, which are what a plan controls: add a Joystick and wire it to what is to be "
    "controlled, or declare inputs in the file of the diagram"
)
CHANGED = "The model has changed since: plan again before it is played"


class PlanPanel(TaskPanel):
    """Best motion of the model in the window: its task as a form, the motion, its active limits, and its simulation."""

    title = "Plan"
    purpose = (
        "Which motion reaches a target in the least time, within limits? Name the controls, which are inputs of "
        "the diagram, with their bounds, and the target."
    )
    verb = "Plan"
    section, folder, drafts = "plan", "plans", PlanDraft

    def build(self) -> None:
        self.form_lines()
        self.play = self.button("Apply")
        self.play.setToolTip(
            "Put tables in the place of the inputs, as one edit, so that Run plays the motion"
        )
        self.play.clicked.connect(self.play_in_diagram)
        self.show_run = self.button("Show Simulation")
        self.show_run.setToolTip("Show the simulation of the motion, in the plots and the 3-D view")
        self.show_run.clicked.connect(self.show_flight)
        self.save = self.button("Save...")
        self.save.setToolTip(
            "This form as a plan file; the motion as data, as a table that plays it, or as a picture"
        )
        self.save.clicked.connect(self.ask_file)
        self.other_model: Path | None = None  # of the plan file, where the window shows another one
        self.opener = self.button("Open Model")
        self.opener.clicked.connect(self.open_other)
        self.made: Plan | None = None
        self._enable()

    @cached_property
    def view(self) -> GraphStack:
        return GraphStack("Planned motion", "t", "s")

    # ------------------------------------------------------------------ its task

    def task_lines(self) -> None:
        names = ModelNames(self.window_)
        self.controls = SettingsTable(
            ["Control", "Lower", "Upper"],
            lambda: self.window_.top.diagram.all_inputs,
            check=lambda row: self.control_mistake(row[0]),
        )
        self.table_line("Controls", self.controls, "Inputs of the netlist that are chosen, with their bounds")
        self.end = SettingsTable(["Signal", "Value"], names.signals, check=self.watched_mistake)
        self.table_line("Target", self.end, "Signals or states, and their values at the end")
        self.rest = CheckBox()
        self.rest.setChecked(True)
        self.line("At rest", self.rest, "All rates are zero at the end, and stay so")
        self.limits = SettingsTable(["Signal", "Lower", "Upper"], names.signals, check=self.watched_mistake)
        self.table_line("Limits", self.limits, "Signals or states that stay within bounds all the way")
        self.least = QuietCombo()
        self.least.addItems(COSTS)
        self.line(
            "Minimise", self.least, "Objective: the duration, the drives' work, or the controls' effort"
        )
        self.duration = QLineEdit(placeholderText="free")
        self.line("Duration", self.duration, "A fixed duration, 12 s; free if left out")
        self.check_line(self.duration, lambda text: wrong_quantity(text, "s"))
        self.intervals = QuietSpin(minimum=2, maximum=1000, value=INTERVALS)
        self.line("Intervals", self.intervals, "Intervals of the grid on which the controls are chosen")

    def control_mistake(self, name: str) -> str:
        """Mistake of the name of a control."""
        inputs = self.window_.top.diagram.all_inputs
        bare = name.partition("[")[0]
        return unknown(name, inputs, "input") if self.is_of_window() and bare not in inputs else ""

    def watched_mistake(self, row: list[str]) -> str:
        """Mistake of a signal or state, or of its numbers; controls count as signals."""
        model, inputs = self.window_.view3d.model, self.window_.top.diagram.all_inputs
        states = model.state_names if model is not None else []
        name, *numbers = row
        if name.removeprefix("inputs.").partition("[")[0] in inputs:
            return ""
        return self.signal_mistake(name, *numbers, known=states)

    def new_draft(self) -> PlanDraft:
        return PlanDraft.of_inputs([*self.window_.top.diagram.all_inputs])

    def is_empty(self) -> bool:
        return not self.end.rows()

    def show_draft(self, draft: TaskDraft) -> None:
        assert isinstance(draft, PlanDraft)
        rows, rest = draft.end()
        self.controls.show_rows(draft.bounds("controls"))
        self.end.show_rows(rows)
        self.rest.setChecked(rest or draft.path is None)
        self.limits.show_rows(draft.bounds("limits"))
        simple = not isinstance(draft.task.get("least"), dict)
        self.least.setEnabled(simple)
        self.least.setCurrentText(draft.entry("least") or COSTS[0])
        self.duration.setText(draft.entry("duration"))
        self.intervals.setValue(int(draft.entry("intervals") or INTERVALS))

    def collect(self) -> PlanDraft:
        draft = self.draft
        assert isinstance(draft, PlanDraft)
        draft.set_bounds("controls", self.controls.rows())
        draft.set_end(self.end.rows(), self.rest.isChecked())
        draft.set_bounds("limits", self.limits.rows())
        if self.least.isEnabled() and self.least.currentText() != (draft.entry("least") or COSTS[0]):
            draft.set_entry("least", self.least.currentText())
        draft.set_entry("duration", self.duration.text())
        if self.intervals.value() != int(draft.entry("intervals") or INTERVALS):
            draft.set_entry("intervals", str(self.intervals.value()))
        return draft

    # ------------------------------------------------------------------ its work

    def work(self, snapshot: DiagramSnapshot) -> Work:
        draft, diagram = self.collect(), snapshot.diagram()
        model, own = draft.model(diagram.files), self.window_.top.path
        if model is not None and (own is None or own.resolve() != model.resolve()):
            self.other_model = model
            self._enable()
            raise LuffError(f"The plan is of another model, {model.name}", fix="open it with Open Model")
        if not self.controls.rows():
            raise self._without_controls()
        task = load(
            {**draft.data, "name": draft.name, "model": diagram, "plan": with_absolute_paths(draft)},
            {},
            diagram.allow_code,
            diagram.files,
        )

        def work(tell: Callable[[object], None]) -> Plan:
            return plan(task, progress=lambda count, words: goes_on(tell, f"{count} iterations, {words}"))

        return work

    def _without_controls(self) -> LuffError:
        """Error of a form that names no control, which marks its table."""
        inputs = [*self.window_.top.diagram.all_inputs]
        words = f"found none, expected inputs of the diagram, such as {inputs[0]}" if inputs else NO_INPUTS
        self.controls.mistake.tell(words)
        return LuffError(words, path="Controls" if inputs else "")

    def clear(self) -> None:
        super().clear()
        self.made = self.other_model = None
        self._enable()

    def _enable(self) -> None:
        flown = self.made is not None and self.made.result is not None
        for button, on in ((self.play, self.made is not None), (self.show_run, flown)):
            button.setEnabled(on)
            button.setVisible(on)
        self.opener.setVisible(self.other_model is not None)
        if self.other_model is not None:
            self.opener.setToolTip(f"Open {self.other_model.name} in a tab of its own")

    def open_other(self) -> None:
        """Open the model of the plan file, with the plan in front."""
        model, window = self.other_model, self.window_
        if model is None or not window.files.open_path(model):
            return
        own = model.resolve()
        opened = next(one for one in window.open_windows if one.top.path and one.top.path.resolve() == own)
        panel = opened.analyses.open(PlanPanel)
        assert isinstance(panel, PlanPanel)
        panel.file.setText(self.file.text())

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, Plan)
        self.made = made = answer
        self.view.show_pictures(plan_pictures(made))
        self.show_pages(
            {
                "Motion": self.view,
                "Limits": FindingsTable("Active limits", limit_rows(made)),
                "Simulation": FindingsTable("Planned and simulated", flight_rows(made)),
            }
        )
        self._enable()
        self.notes.show_notes([*made.remarks, *spread_lines(made)])
        self.figures.show_rows(plan_figures(made))
        return self.verdict(*plan_verdict(made))

    # ------------------------------------------------------------------ its motion

    def play_in_diagram(self) -> None:
        """Replace the inputs by tables of the motion, as one edit."""
        document, made = self.window_.top, self.made
        if made is None:
            return
        if not self.is_current():
            self.say(CHANGED, "error")
            return
        try:
            played = replace(made, diagram=DiagramSnapshot.of(document.diagram).diagram()).to_netlist()
        except LuffError as error:
            self.say(str(error), "error")
            return
        with document.step("play the plan"):
            document.settle()
            played.set_section("layout", document.diagram.snapshot().get("layout"))
            document.push(
                undo_commands.Snapshot(
                    document.diagram, "play the plan", lambda diagram: diagram.restore(played.snapshot())
                )
            )
        self.accept_model()
        self.window_.say("Tables play the planned motion: Run shows it")

    def show_flight(self) -> None:
        if self.made is not None and self.made.result is not None:
            self.window_.results.show_run_of(self.made.result, f"{self.made.name}, simulated")
            self.window_.panels.show("Plots")

    def ask_file(self) -> None:
        """Save the plan file or, once it is found, the motion."""
        made = self.made
        path = self.ask_name(f"{TASK};;{MOTION}" if made is not None else TASK)
        if path is None:
            return
        try:
            if path.suffix.lower() in (".yaml", ".yml"):
                self.save_task(path)
            elif made is None:
                raise LuffError("There is no motion yet", fix="press Plan first")
            elif path.suffix.lower() in (".png", ".svg", ".pdf"):
                made.plot().savefig(path, dpi=120)
            else:
                made.save(path)
        except (LuffError, OSError) as error:
            self.say(str(error), "error")
            return
        self.window_.say(f"Saved {path}")


def with_absolute_paths(draft: PlanDraft) -> dict[str, object]:
    """Section `plan:` with the path of an earlier plan or run made whole: it counts from the plan's folder."""
    section: dict[str, object] = dict(draft.task)
    earlier = section.get("warm_start")
    if draft.path is None:
        return section
    folder = draft.path.resolve().parent
    if isinstance(earlier, str) and earlier:
        section["warm_start"] = str(folder / earlier)
    elif isinstance(earlier, dict) and (folder / str(earlier.get("run"))).is_file():
        section["warm_start"] = {**earlier, "run": str(folder / str(earlier["run"]))}
    return section


def plan_verdict(made: Plan) -> tuple[str, str]:
    """Verdict on a search, and its sentence."""
    why = "could not be made" if any(one.problem for one in made.flown) else "misses the plan"
    return {
        "finished": ("stable", "Finished"),
        "acceptable": ("open", "Found, within a looser tolerance"),
        "unconfirmed": ("unstable", f"Unconfirmed: its simulation {why}"),
        "interrupted": ("open", "Interrupted: the best motion so far"),
    }.get(made.status, ("unstable", made.status))


def plan_figures(made: Plan) -> list[tuple[str, str]]:
    """Duration, cost, free parameters, the foremost limit, and the simulation; the pages have the rest."""
    rows = [("duration", f"{made.duration:.6f} s")]
    if costs_more_than_time(made):
        rows.append(("cost", f"{made.cost:.9g} {made.cost_unit}".rstrip()))
    for name, value in made.parameters.items():
        rows.append((name, f"{value:.6g} {made.units.get(name.partition('[')[0], '')}".rstrip()))
    if made.limits:
        first = made.limits[0]
        rows.append(("limited by", f"{first.name}, {first.side} {first.bound:.5g} {first.unit}".rstrip()))
    for one in (*made.flown, *made.flights):
        head = f"simulated, {one.case}" if one.case else "simulated"
        if one.problem:
            rows.append((head, f"could not be simulated: {one.problem}"))
        elif one.state:
            unit = made.units.get(one.state, "")
            miss = f"{one.deviation:.2g} {unit}".rstrip()
            rows.append((head, f"{miss} from the plan, {one.state}"))
    return [*rows, ("iterations", str(made.iterations))]


def limit_rows(made: Plan) -> list[list[str]]:
    """Limits that hold a motion back: when, and what 1 % more would save."""
    heads = ["signal", "side", "bound", "when", "1 % more saves", "case"]
    rows = [
        [
            one.name,
            one.side,
            f"{one.bound:.5g} {one.unit}".rstrip(),
            spans_in_words(one.spans),
            f"{one.gain:.3g} {made.cost_unit}".rstrip(),
            one.case,
        ]
        for one in made.limits
    ]
    return without_empty([heads, *rows])


def flight_rows(made: Plan) -> list[list[str]]:
    """Planned and flown ends, and the range of each limited signal in the run beside its bounds."""
    heads = ["signal", "planned", "simulated", "difference", "case"]
    rows = []
    for one in (*made.flown, *made.flights):
        for name, (wanted, flown) in one.end.items():
            unit = made.units.get(name, "")
            words = [f"{value:.6g} {unit}".rstrip() for value in (wanted, flown)]
            rows.append([f"{name} at the end", *words, f"{flown - wanted:.2g} {unit}".rstrip(), one.case])
        for name, (low, high) in one.peaks.items():
            unit = made.units.get(name, "")
            lower, upper = made.bounds[name]
            over = one.over.get(name, 0.0)
            beyond = f"{over:.2g} {unit} beyond" if over > 0.0 else "within"
            rows.append(
                [f"range of {name}", _range(lower, upper, unit), _range(low, high, unit), beyond, one.case]
            )
    return without_empty([heads, *rows])


def _range(low: float, high: float, unit: str) -> str:
    return f"{low:.5g} to {high:.5g} {unit}".rstrip()

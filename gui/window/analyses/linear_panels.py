"""Analyse > Frequency Response, Margins and Root Locus: linear models, drawn with cursors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QLineEdit, QWidget

from ....blocks.errors import LuffError
from ....blocks.text.quantity import quantity
from ....solver.analysis.confirmation import Confirmation
from ....solver.analysis.frequency_response import (
    FrequencyResponse,
    StepResponse,
    Transfer,
    frequency_grid,
    peak_rows,
)
from ....solver.analysis.linearise import linearise
from ....solver.analysis.margin_figures import WHOLE, Span
from ....solver.analysis.perturbed_runs import confirm_locus, confirm_margins
from ....solver.analysis.root_locus import Locus, locus, locus_scope, stability_rows
from ....solver.analysis.stability_margins import Margins, margin_rows, margin_verdict, margins
from ...plots.analysis_pictures import (
    FREQUENCY_SYMBOL,
    bode_pictures,
    locus_picture,
    margin_pictures,
    margin_plane,
    nyquist_picture,
    step_picture,
)
from ...plots.graph import GraphStack, Plane
from ...properties.value_text import sentence_of, split
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...run.wired_units import units_of_names
from ...theme.quiet_boxes import QuietCombo, QuietSpin
from ...theme.small_widgets import CheckBox
from ..model_names import ModelNames
from ..study_actions import value_mistake, value_of
from ..work_form import EXAMPLE, missing, names_line, wanted
from .analysis_panel import AnalysisPanel, counted
from .frequency_range import FrequencyRange

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIGITS = 4
FAR = 4.0  # half the width of a Nyquist plot at most: far from -1 nothing is to be seen
Tell = Callable[[object], None]


def at_places(rows: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Rows whose last cell is a frequency, with the word before it."""
    for name, value, at in rows:
        yield name, value, f"at {at}" if at else ""


class DrawnPanel(AnalysisPanel):
    """Panel with plots; pictures in files are those of the command."""

    verb = "Plot"
    follows = True

    def picture_button(self) -> None:
        self.save = self.button("Save Picture...")
        self.save.setEnabled(False)
        self.save.clicked.connect(lambda: self.save_picture(self.figure()))

    def figure(self) -> Figure:
        """Figure of the answer, as the command draws it."""
        raise NotImplementedError

    def clear(self) -> None:
        super().clear()
        self.save.setEnabled(False)

    def draw(self, page: str, view: QWidget) -> None:
        """Show a view of the answer."""
        self.show_pages({page: view})
        self.save.setEnabled(True)


def silent(response: FrequencyResponse) -> list[str]:
    """Sentences on outputs that do not respond to an input at any frequency."""
    pairs = np.ndindex(response.values.shape[1:])
    return [
        f"{response.output_names[i]} does not respond to {response.input_names[j]}"
        for i, j in pairs
        if not response.values[:, i, j].any()
    ]


def locus_verdict(told: Locus) -> tuple[str, str]:
    """Verdict over all values, and its sentence."""
    if told.limits:
        count = len(told.limits)
        return "open", f"Stability changes at {count} value{'s' if count > 1 else ''} of {told.parameter}"
    kinds = list(dict.fromkeys(told.verdicts))
    if len(kinds) == 1:
        return told.stability[
            0
        ], f"{kinds[0]}{', ' if ',' in kinds[0] else ' '}at all values that were looked at"
    return "open", "; ".join(kinds)


class ResponsePanel(DrawnPanel):
    title = "Frequency Response"
    purpose = "How do outputs respond to inputs? Bode or Nyquist diagram, or step response."

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.inputs = names_line(names.ports, "slew.effort", first=names.inputs)
        self.line("Inputs", self.inputs, "Signals that are excited")
        self.outputs = names_line(names.signals, "slew.position")
        self.line("Outputs", self.outputs, "Signals that are observed, or globs")
        self.kind = QuietCombo()
        self.kind.addItems(["Bode", "Nyquist", "Step"])
        self.line("Plot", self.kind, "Bode diagram, Nyquist diagram, or the response to a unit step")
        self.frequencies = FrequencyRange()
        self.line("Frequencies", self.frequencies)
        self.frequencies.unit_changed.connect(lambda _: self._draw() if self.answered else None)
        self.state_lines()
        self.picture_button()
        self.response: FrequencyResponse | StepResponse | None = None
        self.units: dict[str, str] = {}

    @cached_property
    def bode(self) -> GraphStack:
        return GraphStack("Bode diagram", "w", "rad/s")

    @cached_property
    def nyquist(self) -> Plane:
        return Plane("Nyquist diagram", square=True)

    @cached_property
    def step(self) -> GraphStack:
        return GraphStack("Step response", "t", "s")

    def work(self, snapshot: DiagramSnapshot) -> Work:
        into, out = wanted(self.inputs, "input"), wanted(self.outputs, "output")
        t, about, kind = self.time.value(), self.about.currentText(), self.kind.currentText()
        span = self.frequencies.span()

        def work(tell: Tell) -> tuple[object, ...]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            linear = linearise(sim, t, about, into, out)
            if kind == "Step":
                return linear.step(), kind, linear, {}
            grid = frequency_grid(Transfer(linear), *span)
            response, unit = linear.bode(grid), units_of_names(sim)
            names = (*response.output_names, *response.input_names)
            return response, kind, linear, {name: unit(name) for name in names}

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.response, self.drawn, linear, self.units = answer
        unmoved = silent(self.response) if isinstance(self.response, FrequencyResponse) else []
        self._draw()
        return self.of_linear(linear, [*unmoved, *linear.notes])

    def _draw(self) -> None:
        """Draw the answer, over frequencies in their unit."""
        assert self.response is not None
        if isinstance(self.response, StepResponse):
            self.step.show_pictures([step_picture(self.response)])
            self.draw("Step", self.step)
            return
        unit = self.frequencies.unit
        if self.drawn == "Nyquist":
            self.nyquist.show_plane(*nyquist_picture(self.response, self.units, unit))
            self.draw("Nyquist", self.nyquist)
        else:
            pictures = bode_pictures(self.response, self.units, unit)
            self.bode.show_over(FREQUENCY_SYMBOL[unit], unit, pictures)
            self.draw("Bode", self.bode)
        peaks = peak_rows(self.response, self.units, unit)
        self.figures.show_rows(at_places((pair, f"greatest gain {gain}", at) for pair, gain, at in peaks))

    def figure(self) -> Figure:
        assert self.response is not None
        if isinstance(self.response, FrequencyResponse) and self.drawn == "Nyquist":
            return self.response.plot_nyquist()
        if isinstance(self.response, FrequencyResponse):
            return self.response.plot(self.frequencies.unit)
        return self.response.plot()


class MarginsPanel(DrawnPanel):
    title = "Margins"
    purpose = (
        "How far is a loop from instability, in gain, phase and delay? Name the signal at which it is opened."
    )

    def build(self) -> None:
        self.cut = names_line(ModelNames(self.window_).ports, "slew.effort", several=False)
        self.line("Loop opening", self.cut, "Signal at which the loop is opened")
        self.kind = QuietCombo()
        self.kind.addItems(["Bode", "Nyquist"])
        self.line("Plot", self.kind, "Bode or Nyquist diagram of the open loop")
        self.kind.currentTextChanged.connect(lambda _: self._draw() if self.answered else None)
        self.frequencies = FrequencyRange()
        self.line("Frequencies", self.frequencies)
        self.frequencies.unit_changed.connect(lambda _: self._draw() if self.answered else None)
        self.state_lines()
        self.confirm_line()
        self.picture_button()
        self.margins: Margins | None = None
        self.span: Span = WHOLE  # of the frequencies that are drawn
        self.runs: list[Confirmation] | None = None

    @cached_property
    def bode(self) -> GraphStack:
        return GraphStack("Bode diagram", "w", "rad/s")

    @cached_property
    def nyquist(self) -> Plane:
        return Plane("Nyquist diagram", square=True, reach=FAR)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        cut, confirmed = wanted(self.cut, "signal")[0], self.wants_confirmation()
        self.span = self.frequencies.span()
        t, about = self.time.value(), self.about.currentText()

        def work(tell: Tell) -> tuple[Margins, list[Confirmation] | None]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            told = margins(sim, cut, t, about)
            return told, counted(confirm_margins(sim, told), tell) if confirmed else None

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.margins, self.runs = answer
        assert self.margins is not None
        self.notes.show_notes(self.margins.notes)
        sentence = self.verdict(self.margins.stability, margin_verdict(self.margins))
        return "\n".join([sentence, *self._draw()])

    def _draw(self) -> list[str]:
        assert self.margins is not None
        unit = self.frequencies.unit
        self.figures.show_rows(at_places(margin_rows(self.margins, unit, DIGITS)))
        if self.kind.currentText() == "Nyquist":
            self.nyquist.show_plane(*margin_plane(self.margins, unit, self.span))
            self.draw("Nyquist", self.nyquist)
        else:
            self.bode.show_over(FREQUENCY_SYMBOL[unit], unit, margin_pictures(self.margins, unit, self.span))
            self.draw("Bode", self.bode)
        return self.show_runs(self.runs)

    def figure(self) -> Figure:
        assert self.margins is not None
        nyquist = self.kind.currentText() == "Nyquist"
        made, unit = self.margins, self.frequencies.unit
        return made.plot_nyquist(self.span) if nyquist else made.plot(unit, self.span)


class LocusPanel(DrawnPanel):
    title = "Root Locus"
    purpose = "How do the roots of the linear model move with a parameter, and where does it become unstable?"

    def build(self) -> None:
        self.parameter = names_line(ModelNames(self.window_).parameters, "drive.kp", several=False)
        self.line("Parameter", self.parameter, "A number of a block or of the diagram")
        self.low, self.high = QLineEdit(), QLineEdit()
        self.parameter.textChanged.connect(self._show_range)
        self._show_range("")
        self.line("From", self.low, "A number, with its unit: 1 t")
        self.line("To", self.high, "A number, with its unit: 9 t")
        self.points = QuietSpin(minimum=2, maximum=10_000, value=101)
        self.line("Points", self.points, "Number of values of the parameter")
        self.log = CheckBox()
        self.line("Logarithmic", self.log, "Each value the same multiple of the one before")
        self.state_lines()
        self.confirm_line()
        self.picture_button()
        self.locus: Locus | None = None

    def _show_range(self, name: str) -> None:
        """Show as examples half and twice the value of the parameter."""
        raw, unit = value_of(self.window_.top, name.strip())
        number, own = split(raw) or (0.0, "")
        for field, factor, else_ in ((self.low, 0.5, "1"), (self.high, 2.0, "100")):
            example = f"{factor * number:.6g} {own or unit}".strip() if number > 0.0 else else_
            field.setPlaceholderText(f"{EXAMPLE}{example}")

    @cached_property
    def view(self) -> Plane:
        return Plane("Root locus")

    def values(self) -> np.ndarray:
        low, high = self._end(self.low, "first value"), self._end(self.high, "last value")
        if not low < high:
            raise missing(self.high, f"found {self.high.text()}, expected more than {self.low.text()}")
        if self.log.isChecked() and low <= 0.0:
            raise missing(self.low, f"found {self.low.text()}, expected more than zero for logarithmic steps")
        return (np.geomspace if self.log.isChecked() else np.linspace)(low, high, self.points.value())

    def _end(self, field: QLineEdit, what: str) -> float:
        """End of the range [SI]; LuffError at the field for none, or one that the parameter does not take."""
        wanted(field, what)
        name, text = self.parameter.text().strip(), field.text().strip()
        wrong = value_mistake(self.window_.top, name, text) if name else ""
        if wrong:
            raise missing(field, wrong)
        try:
            return quantity(text).value
        except LuffError as error:
            raise missing(field, sentence_of(error.problems[0])) from None

    def work(self, snapshot: DiagramSnapshot) -> Work:
        parameter, values = wanted(self.parameter, "parameter")[0], self.values()
        t, about, confirmed = self.time.value(), self.about.currentText(), self.wants_confirmation()

        def work(tell: Tell) -> tuple[Locus, list[Confirmation] | None]:
            from ....solver.simulation.simulation import Simulation

            sim = Simulation(snapshot.diagram(), {parameter: float(values[0])})
            tell(f"Looking at {len(values)} values")
            told = locus(sim, parameter, values, t, about, refine=True)
            return told, counted(confirm_locus(sim, told), tell) if confirmed else None

        return work

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        self.locus, runs = answer
        assert self.locus is not None
        self.view.show_plane(*locus_picture(self.locus))
        self.draw("Locus", self.view)
        self.figures.show_rows(stability_rows(self.locus))
        self.notes.show_notes([*self.locus.notes, locus_scope(self.locus)])
        return "\n".join([self.verdict(*locus_verdict(self.locus)), *self.show_runs(runs)])

    def figure(self) -> Figure:
        assert self.locus is not None
        return self.locus.plot()

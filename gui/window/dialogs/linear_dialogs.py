"""Analyse > Linearise, Frequency Response, Margins and Root Locus: linear models and their figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QSpinBox

from ....blocks.errors import LuffError
from ....blocks.text.quantity import quantity
from ....solver.analysis.analysis_units import unit_of
from ....solver.analysis.frequency_response import resonance_peaks
from ....solver.analysis.linearise import FORMATS, Linear, linearise
from ....solver.analysis.root_locus import describe_locus as locus_words
from ....solver.analysis.root_locus import locus
from ....solver.analysis.stability_margins import describe_margins as margin_words
from ....solver.analysis.stability_margins import margins
from ...plots.matplotlib_figure import FigureView
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...theme.small_widgets import CheckBox
from ..model_names import ModelNames
from .static_dialog import output_field
from .work_dialog import ABOUT, AT_TIME, WorkDialog, at_state, at_time, names_line, wanted, words_of

PICTURES = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
FILES = ";;".join(f"{name} (*{suffix})" for suffix, name in FORMATS.items())


class AboutState(WorkDialog):
    """Dialog of an analysis about a state and time."""

    def state_lines(self) -> None:
        self.about = at_state()
        self.line("About", self.about, ABOUT)
        self.time = at_time()
        self.line("At time", self.time, AT_TIME)

    def saved(self, name: str, title: str, kinds: str, suffix: str) -> Path | None:
        stem = Path(self.window_.top.diagram.path or "model").stem
        chosen, _ = QFileDialog.getSaveFileName(self, title, f"{stem}-{name}{suffix}", kinds)
        return self.window_.files.with_suffix(Path(chosen), suffix) if chosen else None


class LinearDialog(AboutState):
    title = "Linearise"
    purpose = "The model as dx/dt = A x + B u, y = C x + D u."
    verb = "Linearise"

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.inputs = names_line(names.ports, "slew.effort")
        self.line("Inputs", self.inputs, "Signals to which something is added")
        self.outputs = names_line(names.signals, "slew.position")
        self.line("Outputs", self.outputs, "Signals that are watched, or globs; the states if left empty")
        self.state_lines()
        self.text = output_field("The linear model")
        self.box.addWidget(self.text)
        self.save = self.button("Save...")
        self.save.clicked.connect(self.ask_file)
        self.linear: Linear | None = None
        self.save.setEnabled(False)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        into, out = words_of(self.inputs.text()), words_of(self.outputs.text())
        t, about = self.time.value(), self.about.currentText()

        def work(tell: Callable[[object], None]) -> tuple[Linear, str]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            linear, scope = linearise(sim, t, about, into, out), sim.diagram.scope()
            return linear, linear_text(linear, lambda name: unit_of(sim, scope, name))

        return work

    def clear(self) -> None:
        self.linear = None
        self.text.hide()
        self.save.setEnabled(False)

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        linear, text = answer
        self.linear = linear
        self.text.setPlainText(text)
        self.text.show()
        self.save.setEnabled(True)
        return "\n".join([*filter(None, [linear.equilibrium]), *linear.notes])

    def ask_file(self) -> None:
        path = self.saved("linear", "Save the Linear Model", FILES, ".npz")
        if path is None or self.linear is None:
            return
        try:
            self.linear.save(path)
        except (LuffError, OSError) as error:
            self.say(str(error), "error")
            return
        self.say(f"Saved {path}")


def linear_text(linear: Linear, unit_of: Callable[[str], str]) -> str:
    """Text of a linear model: names and units of states, inputs and outputs, and the matrices."""
    kinds = {"states": linear.state_names, "inputs": linear.input_names, "outputs": linear.output_names}
    lines = []
    for kind, names in kinds.items():
        words = [f"{name} [{unit_of(name)}]" if unit_of(name) else name for name in names]
        lines.append(f"{kind}: {', '.join(words) or 'none'}")
    with np.printoptions(precision=6, suppress=False, linewidth=110, threshold=2000):
        lines += [f"{letter} =\n{getattr(linear, letter)}" for letter in "ABCD"]
    return "\n".join(lines)


class Drawn(AboutState):
    """Dialog with a figure that can be saved."""

    verb = "Draw"

    def picture_below(self) -> None:
        self.view = FigureView(f"{self.title}: the figure")
        self.view.hide()
        self.box.addWidget(self.view, 1)
        self.save = self.button("Save Picture...")
        self.save.setEnabled(False)
        self.save.clicked.connect(self.ask_picture)

    def clear(self) -> None:
        self.view.show_figure(None)
        self.view.hide()
        self.save.setEnabled(False)

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        figure, words = answer
        self.view.show_figure(figure)
        self.view.show()
        self.save.setEnabled(True)
        return "\n".join(words)

    def ask_picture(self) -> None:
        path = self.saved(self.title.lower().replace(" ", "-"), "Save Picture", PICTURES, ".png")
        if path is None or self.view.figure is None:
            return
        try:
            self.view.figure.savefig(path, dpi=120)
        except (OSError, ValueError) as error:
            self.say(str(error), "error")
            return
        self.window_.say(f"Saved {path}")


class ResponseDialog(Drawn):
    title = "Frequency Response"
    purpose = "How do outputs answer to inputs? Bode's diagram, Nyquist's, or the response to a step."

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.inputs = names_line(names.ports, "slew.effort")
        self.line("From", self.inputs, "Signals that are excited")
        self.outputs = names_line(names.signals, "slew.position")
        self.line("To", self.outputs, "Signals that are watched, or globs")
        self.kind = QComboBox()
        self.kind.addItems(["Bode", "Nyquist", "Step"])
        self.line("Drawn as", self.kind, "Bode's diagram, Nyquist's, or the response to a step of one")
        self.state_lines()
        self.picture_below()

    def work(self, snapshot: DiagramSnapshot) -> Work:
        into, out = wanted(self.inputs, "input"), wanted(self.outputs, "output")
        t, about, kind = self.time.value(), self.about.currentText(), self.kind.currentText()

        def work(tell: Callable[[object], None]) -> tuple[object, list[str]]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            linear = linearise(sim, t, about, into, out)
            words = [*filter(None, [linear.equilibrium]), *linear.notes]
            if kind == "Step":
                return linear.step().plot(), words
            response = linear.bode()
            figure, scope = (
                response.plot_nyquist() if kind == "Nyquist" else response.plot(),
                sim.diagram.scope(),
            )
            units = {
                name: unit_of(sim, scope, name) for name in (*response.output_names, *response.input_names)
            }
            return figure, [*words, *resonance_peaks(response, units)]

        return work


class MarginsDialog(Drawn):
    title = "Margins"
    purpose = (
        "How far is a loop from instability, in gain, phase and delay? Name the signal at which it is cut."
    )

    def build(self) -> None:
        self.cut = names_line(ModelNames(self.window_).ports, "slew.effort", several=False)
        self.line("Cut at", self.cut, "A signal of the loop")
        self.kind = QComboBox()
        self.kind.addItems(["Bode", "Nyquist"])
        self.line("Drawn as", self.kind, "Bode's diagram of the loop, or Nyquist's")
        self.state_lines()
        self.picture_below()

    def work(self, snapshot: DiagramSnapshot) -> Work:
        cut = wanted(self.cut, "signal")[0]
        t, about, nyquist = self.time.value(), self.about.currentText(), self.kind.currentText() == "Nyquist"

        def work(tell: Callable[[object], None]) -> tuple[object, list[str]]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            told = margins(sim, cut, t, about)
            return told.plot_nyquist() if nyquist else told.plot(), [*told.notes, *margin_words(told)]

        return work


class LocusDialog(Drawn):
    title = "Root Locus"
    purpose = "How do the roots of the linear model move with a parameter, and where does it become unstable?"

    def build(self) -> None:
        self.parameter = names_line(ModelNames(self.window_).parameters, "drive.kp", several=False)
        self.line("Parameter", self.parameter, "A number of a block or of the diagram")
        self.low, self.high = QLineEdit(placeholderText="1"), QLineEdit(placeholderText="100")
        self.line("From", self.low, "A number, with its unit: 1 t")
        self.line("To", self.high, "A number, with its unit: 9 t")
        self.points = QSpinBox(minimum=2, maximum=10_000, value=101)
        self.line("Values", self.points, "How many values are looked at")
        self.log = CheckBox()
        self.line("Logarithmic", self.log, "Each value the same multiple of the one before")
        self.state_lines()
        self.picture_below()

    def values(self) -> np.ndarray:
        ends = []
        for field, what in ((self.low, "first"), (self.high, "last")):
            if not field.text().strip():
                raise LuffError(f"found no {what} value, expected one such as {field.placeholderText()}")
            ends.append(quantity(field.text().strip()).value)
        low, high = ends
        if not low < high:
            raise LuffError("found a range that does not rise, expected its lower end first")
        if self.log.isChecked() and low <= 0.0:
            raise LuffError(
                "found a range from zero or below, expected one from above zero for logarithmic steps"
            )
        return (np.geomspace if self.log.isChecked() else np.linspace)(low, high, self.points.value())

    def work(self, snapshot: DiagramSnapshot) -> Work:
        parameter, values = wanted(self.parameter, "parameter")[0], self.values()
        t, about = self.time.value(), self.about.currentText()

        def work(tell: Callable[[object], None]) -> tuple[object, list[str]]:
            from ....solver.simulation.simulation import Simulation

            sim = Simulation(snapshot.diagram(), {parameter: float(values[0])})
            tell(f"Looking at {len(values)} values")
            told = locus(sim, parameter, values, t, about)
            return told.plot(), [*told.notes, *locus_words(told)]

        return work

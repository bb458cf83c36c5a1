"""Analyse > Linear Model: matrices, poles and zeros in tables, and a file of them."""

from __future__ import annotations

from collections.abc import Callable

from ....blocks.errors import LuffError
from ....solver.analysis.linear_tables import (
    POLE_HEADS,
    ROUNDED,
    ZERO_HEADS,
    certain_matrices,
    is_rounded,
    pole_rows,
    zero_rows,
)
from ....solver.analysis.linearise import FORMATS, Linear, linearise
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...run.wired_units import units_of_names
from ..model_names import ModelNames
from ..work_form import names_line, words_of
from .analysis_panel import AnalysisPanel
from .findings_table import FindingsTable

FILES = ";;".join(f"{name} (*{suffix})" for suffix, name in FORMATS.items())
Tell = Callable[[object], None]
Rows = list[list[str]]
MOST_CELLS = 10_000  # of a matrix that is shown


class LinearPanel(AnalysisPanel):
    title = "Linear Model"
    purpose = "The model as dx/dt = A x + B u, y = C x + D u, linearised about its operating point."
    verb = "Linearise"
    follows = True

    def build(self) -> None:
        names = ModelNames(self.window_)
        self.inputs = names_line(names.ports, "slew.effort", first=names.inputs)
        self.line("Inputs", self.inputs, "Signals to which something is added")
        self.outputs = names_line(names.signals, "slew.position")
        self.line("Outputs", self.outputs, "Signals that are observed, or globs; the states if left empty")
        self.state_lines()
        self.save = self.button("Save...")
        self.save.clicked.connect(self.ask_file)
        self.linear: Linear | None = None
        self.save.setEnabled(False)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        into, out = words_of(self.inputs.text()), words_of(self.outputs.text())
        t, about = self.time.value(), self.about.currentText()

        def work(tell: Tell) -> tuple[Linear, dict[str, Rows]]:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising")
            linear = linearise(sim, t, about, into, out, errors=True)
            tables = matrix_tables(linear, units_of_names(sim))
            return linear, tables | root_tables(linear)

        return work

    def clear(self) -> None:
        super().clear()
        self.linear = None
        self.save.setEnabled(False)

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        linear, tables = answer
        self.linear = linear
        roots = {title: tables.pop(title) for title in ("Poles", "Zeros") if title in tables}
        self.show_pages(
            {letter: FindingsTable(letter, rows, range(len(rows[0]))) for letter, rows in tables.items()}
            | {title: FindingsTable(title, rows) for title, rows in roots.items()}
        )
        sizes = [
            ("states", linear.state_names),
            ("inputs", linear.input_names),
            ("outputs", linear.output_names),
        ]
        self.figures.show_rows([(kind, str(len(names))) for kind, names in sizes])
        self.save.setEnabled(True)
        large = [letter for letter in "ABCD" if getattr(linear, letter).size > MOST_CELLS]
        unseen = [f"too large to show, in the file that Save writes: {', '.join(large)}"] * bool(large)
        rounded = [ROUNDED] * is_rounded(linear)
        return self.of_linear(linear, [*unseen, *linear.notes, *rounded])

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


def root_tables(linear: Linear) -> dict[str, Rows]:
    """Poles, and zeros from the one input to the one output."""
    tables = {"Poles": [POLE_HEADS, *pole_rows(linear)], "Zeros": [ZERO_HEADS, *zero_rows(linear)]}
    return {title: rows for title, rows in tables.items() if len(rows) > 1}


def matrix_tables(linear: Linear, unit_of: Callable[[str], str]) -> dict[str, Rows]:
    """Matrices A to D of a linear model, with names and units of their rows and columns."""
    named = lambda name: f"{name} [{unit}]" if (unit := unit_of(name)) else name  # noqa: E731
    states, inputs, outputs = (
        [named(name) for name in names]
        for names in (linear.state_names, linear.input_names, linear.output_names)
    )
    matrices = certain_matrices(linear)
    sides = {
        "A": ("dx/dt", states, states), "B": ("dx/dt", states, inputs),
        "C": ("y", outputs, states), "D": ("y", outputs, inputs),
    }  # fmt: skip
    return {
        letter: [
            [corner, *columns],
            *(
                [name, *(f"{value:.6g}" for value in line)]
                for name, line in zip(lines, matrices[letter], strict=True)
            ),
        ]
        for letter, (corner, lines, columns) in sides.items()
        if lines and columns and len(lines) * len(columns) <= MOST_CELLS
    }

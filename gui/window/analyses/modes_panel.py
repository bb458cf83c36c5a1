"""Analyse > Modes: frequencies, damping and shapes; the selected mode is animated in the 3-D view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QTreeWidgetItem

from ....solver.analysis.bounded_roots import GROWS, OPEN
from ....solver.analysis.confirmation import Confirmation
from ....solver.analysis.natural_modes import (
    Modes,
    damping_words,
    modes,
    motion_words,
    phase_words,
    shape_words,
    verdict_words,
)
from ....solver.analysis.perturbed_runs import confirm_modes
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot, compile_diagram
from ...theme.active_theme import theme
from ...view3d.mode_animation import swing_of_mode
from ...view3d.scene_model import Scene, scene_of
from .analysis_panel import AnalysisPanel, counted
from .findings_table import FindingsTable
from .folded_notes import split_place

ZERO = "zero within its error"  # motion of a mode of which no more is known
SHOWN = 60  # modes that can be looked at: of the lowest
HEADS = [
    "Mode",
    "Frequency [Hz]",
    "Damping ratio",
    "Motion",
    "Time constant [s]",
    "Shape",
    "Frequency [rad/s]",
]  # those that are needed most stand first: where room is short the others are scrolled to
NUMBER, HERTZ, DAMPING, MOTION, CONSTANT, SHAPE, RATE = range(len(HEADS))


@dataclass
class Answer:
    """Modes, the scene, poses over a period of each mode, and confirmation runs."""

    modes: Modes
    scene: Scene
    frames: list[np.ndarray]
    runs: list[Confirmation] | None


class ModesPanel(AnalysisPanel):
    title = "Modes"
    purpose = "With which frequencies and how much damping does the model swing about its equilibrium?"
    follows = True

    def build(self) -> None:
        self.state_lines()
        self.confirm_line()
        self.table = FindingsTable("Modes", [HEADS])
        self.frames: list[np.ndarray] = []
        self.scene: Scene | None = None

    def work(self, snapshot: DiagramSnapshot) -> Work:
        t, about, confirmed = self.time.value(), self.about.currentText(), self.wants_confirmation()

        def work(tell: Callable[[object], None]) -> Answer:
            sim = compile_diagram(snapshot.diagram())
            tell("Linearising" if about == "initial" else "Looking for the equilibrium")
            answer, scene = modes(sim, t, about), scene_of(sim)
            frames = []
            for number in range(1, min(len(answer.eigenvalues), SHOWN) + 1 if not scene.empty else 1):
                tell(f"Drawing mode {number} of {len(answer.eigenvalues)}")
                frames.append(swing_of_mode(sim, answer, number, scene.size))
            runs = counted(confirm_modes(sim, answer), tell) if confirmed else None
            return Answer(answer, scene, frames, runs)

        return work

    def clear(self) -> None:
        super().clear()
        self.frames, self.scene = [], None
        self.table = FindingsTable("Modes", [HEADS])

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, Answer)
        modes, self.scene = answer.modes, answer.scene
        self.frames = answer.frames if current else []
        numbers = range(1, len(modes.eigenvalues) + 1)
        self.table = FindingsTable("Modes", [HEADS, *(row(modes, number) for number in numbers)])
        for number in numbers:
            item = self.table.topLevelItem(number - 1)
            assert item is not None
            mark(item, modes, number)
        self.table.itemSelectionChanged.connect(self._swing)
        self.show_pages({"Modes": self.table})
        first = self.table.topLevelItem(0)
        if first is not None:
            self.table.setCurrentItem(first)
        verdict, where = split_place(modes.equilibrium)
        self.notes.show_notes(modes.notes, where)
        sentence = self.of_equilibrium(modes.stability, verdict, modes.indifferent)
        some = [*filter(None, [sentence]), *verdict_words(modes)]
        if not len(modes.eigenvalues):
            some.insert(0, "This model has no states: nothing can swing")
        return "\n".join([*(words[:1].upper() + words[1:] for words in some), *self.show_runs(answer.runs)])

    def _swing(self) -> None:
        items = self.table.selectedItems()
        number = self.table.indexOfTopLevelItem(items[0]) if items else -1
        if 0 <= number < len(self.frames):
            self.swing(self.scene, self.frames[number], caption(items[0]))
        else:
            self.end_swing()


def caption(item: QTreeWidgetItem) -> str:
    """Mode and its frequency, for the 3-D view."""
    return f"Mode {item.text(NUMBER)}" + (f", {item.text(HERTZ)} Hz" if item.text(HERTZ) else "")


def row(modes: Modes, number: int) -> list[str]:
    """Table row of a mode."""
    k = number - 1
    frequency, rate, sign = modes.frequencies[k], float(modes.eigenvalues[k].real), modes.signs[k]
    cells = dict.fromkeys(range(len(HEADS)), "")
    cells[NUMBER], cells[SHAPE] = str(number), shape_words(modes, number)
    cells[CONSTANT] = f"{abs(1 / rate):.4g}" if rate and sign != OPEN else ""
    if modes.oscillating[k]:
        cells[MOTION] = "swings, grows" if sign == GROWS else "swings"
        cells[HERTZ], cells[RATE] = f"{frequency / (2 * np.pi):.4g}", f"{frequency:.4g}"
        cells[DAMPING] = damping_words(modes, number)
    else:
        cells[MOTION] = ZERO if sign == OPEN else motion_words(modes, number).partition(",")[0]
    return list(cells.values())


def mark(item: QTreeWidgetItem, modes: Modes, number: int) -> None:
    """Tips with the whole shape, more digits and error bounds, and the colour of a mode that grows."""
    shape, k = modes.shape(number), number - 1
    lines = [f"{name} {abs(z):.4g}{phase_words(z)}" for name, z in shape.items() if z]
    item.setToolTip(SHAPE, "\n".join(lines))
    if modes.oscillating[k]:
        item.setToolTip(HERTZ, f"{modes.frequencies[k] / (2 * np.pi):.8g} Hz")
        item.setToolTip(RATE, f"{modes.frequencies[k]:.8g} rad/s")
    elif modes.signs[k] == OPEN:
        item.setToolTip(MOTION, motion_words(modes, number))
    if modes.signs[k] == GROWS:
        for column in (NUMBER, HERTZ, DAMPING, MOTION):
            item.setForeground(column, theme().colour("error"))

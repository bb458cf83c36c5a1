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

SHOWN = 60  # modes that can be looked at: of the lowest
HEADS = [
    "Mode",
    "Motion",
    "Frequency [Hz]",
    "Frequency [rad/s]",
    "Damping ratio",
    "Time constant [s]",
    "Shape",
]


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
        return "\n".join([*some, *self.show_runs(answer.runs)])

    def _swing(self) -> None:
        items = self.table.selectedItems()
        number = self.table.indexOfTopLevelItem(items[0]) if items else -1
        if 0 <= number < len(self.frames):
            self.swing(self.scene, self.frames[number], caption(items[0]))
        else:
            self.end_swing()


def caption(item: QTreeWidgetItem) -> str:
    """Mode and its frequency, for the 3-D view."""
    return f"Mode {item.text(0)}" + (f", {item.text(2)} Hz" if item.text(2) else "")


def row(modes: Modes, number: int) -> list[str]:
    """Table row of a mode."""
    k = number - 1
    frequency, rate, sign = modes.frequencies[k], float(modes.eigenvalues[k].real), modes.signs[k]
    constant = f"{abs(1 / rate):.4g}" if rate and sign != OPEN else ""
    if modes.oscillating[k]:
        motion = "swings, grows" if sign == GROWS else "swings"
        numbers = [f"{frequency / (2 * np.pi):.6g}", f"{frequency:.6g}", damping_words(modes, number)]
    else:
        motion = motion_words(modes, number).partition(",")[0]
        numbers = ["", "", ""]
    return [str(number), motion, *numbers, constant, shape_words(modes, number)]


def mark(item: QTreeWidgetItem, modes: Modes, number: int) -> None:
    """Tip with the whole shape, and the colour of a mode that grows."""
    shape = modes.shape(number)
    lines = [f"{name} {abs(z):.4g}{phase_words(z)}" for name, z in shape.items() if z]
    item.setToolTip(len(HEADS) - 1, "\n".join(lines))
    if modes.signs[number - 1] == GROWS:
        item.setForeground(1, theme().colour("error"))

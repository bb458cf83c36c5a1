"""Random draws of a study: count, seed, distributions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.studies.study_settings import SAMPLINGS
from ..theme.quiet_boxes import QuietCombo, QuietSpin
from .typed_values import shown

GREATEST = 2**31 - 1  # seed of a spin box


class RandomLine(QWidget):
    """Settings of random draws, shown if a parameter is drawn at random."""

    changed = Signal(str, object)  # a key of `random:`, and its value

    def __init__(self) -> None:
        super().__init__()
        self.count = QuietSpin(minimum=1, maximum=100_000)
        self.seed = QuietSpin(maximum=GREATEST)
        self.sampling = QuietCombo()
        self.sampling.addItems([name.replace("_", " ") for name in SAMPLINGS])
        lines = QGridLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        for k, (words, tip, field) in enumerate(
            (
                ("Draws", "How many variants are drawn; of saltelli, how many points", self.count),
                ("Seed", "The same seed draws the same numbers", self.seed),
                ("Sampling", "Independent, stratified or Sobol draws; saltelli for indices", self.sampling),
            )
        ):
            field.setAccessibleName(words)
            field.setToolTip(tip)
            lines.addWidget(QLabel(words), k // 2, 2 * (k % 2))
            lines.addWidget(field, k // 2, 2 * (k % 2) + 1, 1, 3 if k == 2 else 1)
        self.count.valueChanged.connect(lambda value: self.changed.emit("count", value))
        self.seed.valueChanged.connect(lambda value: self.changed.emit("seed", value))
        self.sampling.activated.connect(lambda k: self.changed.emit("sampling", SAMPLINGS[k]))

    def show_random(self, random: RawMap) -> None:
        self.setVisible(bool(random))
        self.blockSignals(True)
        for field, key, usual in ((self.count, "count", 1), (self.seed, "seed", 0)):
            value = random.get(key, usual)
            field.setValue(value if isinstance(value, int) else usual)
        sampling = random.get("sampling")
        self.sampling.setCurrentIndex(SAMPLINGS.index(sampling) if sampling in SAMPLINGS else 0)
        self.blockSignals(False)


def law_of(raw: Raw) -> tuple[str, list[Raw]]:
    """Name and numbers of a distribution such as `{normal: [1 kg, 0.1 kg]}`; an empty name if it is none."""
    if not isinstance(raw, dict) or len(raw) != 1:
        return "", []
    ((name, values),) = raw.items()
    return (name, values) if isinstance(values, list) else ("", [])


def drawn_words(raw: Raw) -> str:
    name, values = law_of(raw)
    return f"{name.replace('_', ' ')}: {shown(values)}" if name else str(raw)

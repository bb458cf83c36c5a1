"""Range and unit of frequencies of a diagram, the same in all panels and kept for the next session."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from ....blocks.errors import LuffError
from ....solver.analysis.frequency_response import FREQUENCY_UNITS
from ...theme.quiet_boxes import QuietCombo
from ...theme.small_widgets import laid, text_label
from ..work_form import missing

TIP = "First and last frequency; those at which every mode shows if left empty"
KEY = "analyses/frequencies/"  # of the settings


class Kept(QObject):
    """Tells all panels that another range or unit is kept."""

    changed = Signal()


KEPT = Kept()


class FrequencyRange(QWidget):
    """Two frequencies, each of which may be empty, and their unit."""

    unit_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.low, self.high = QLineEdit(placeholderText="lowest"), QLineEdit(placeholderText="highest")
        self.units = QuietCombo()
        self.units.addItems(list(FREQUENCY_UNITS))
        for field, name in ((self.low, "Lowest frequency"), (self.high, "Highest frequency")):
            field.setAccessibleName(name)
            field.setToolTip(TIP)
            field.setMinimumWidth(44)
            field.editingFinished.connect(self._keep)
        self.units.setAccessibleName("Unit of frequencies")
        self.units.setToolTip("Unit of frequencies, in these fields and in the diagram")
        row = laid(QHBoxLayout(self), (self.low, 1), text_label("to", "muted"), (self.high, 1), self.units)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._load()
        self.units.currentTextChanged.connect(self._convert)
        KEPT.changed.connect(self._follow)

    @property
    def unit(self) -> str:
        return self.units.currentText()

    def span(self) -> tuple[float | None, float | None]:
        """Lowest and highest frequency [rad/s], None where it is left empty; raises LuffError for no range."""
        low, high = (self._number(field) for field in (self.low, self.high))
        if low is not None and high is not None and not low < high:
            raise missing(self.high, f"found {self.high.text()}, expected more than {self.low.text()}")
        return low, high

    def _number(self, field: QLineEdit) -> float | None:
        text = field.text().strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0.0 < value < float("inf"):
            raise missing(field, f'found "{text}", expected a number above zero, in {self.unit}')
        return value * FREQUENCY_UNITS[self.unit]

    def _convert(self, unit: str) -> None:
        """Frequencies stay what they are in another unit."""
        ratio = FREQUENCY_UNITS[self._before] / FREQUENCY_UNITS[unit]
        self._before = unit
        for field in (self.low, self.high):
            try:
                field.setText(f"{float(field.text()) * ratio:.6g}")
            except ValueError:
                continue
        self._keep()
        self.unit_changed.emit(unit)

    def _keep(self) -> None:
        settings = QSettings()
        try:
            self.span()
        except LuffError:
            return  # what is no range is not kept
        for key, text in (("low", self.low.text()), ("high", self.high.text()), ("unit", self.unit)):
            settings.setValue(KEY + key, text)
        KEPT.changed.emit()

    def _load(self) -> None:
        settings = QSettings()
        self.units.blockSignals(True)
        self.units.setCurrentText(str(settings.value(KEY + "unit", "rad/s")))
        self.units.blockSignals(False)
        self._before = self.unit
        self.low.setText(str(settings.value(KEY + "low", "")))
        self.high.setText(str(settings.value(KEY + "high", "")))

    def _follow(self) -> None:
        """Show what was chosen in any panel."""
        before = self.unit
        self._load()
        if self.unit != before:
            self.unit_changed.emit(self.unit)

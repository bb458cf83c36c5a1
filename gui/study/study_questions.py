"""Study questions: values of a parameter, and the number to measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ...blocks.errors import LuffError
from ...blocks.expression_scope import Scope
from ...blocks.text.raw_types import Raw
from ...solver.studies.distributions import NORMAL, WORDS, read_distribution
from ...solver.studies.study_settings import METRICS, TRACKING
from ..properties.value_text import from_text, sentence_of
from ..theme.field_mistake import CheckedField, no_mistake
from ..theme.number_format import as_typed, units_in_print
from ..theme.quiet_boxes import QuietCombo
from ..theme.small_widgets import laid, text_label
from .field_checks import unknown_signal
from .typed_values import examples_of, expected, parsed_values, parted, proposal

Look = Callable[[str], tuple[object, str]]  # the raw value of a path, and its unit
Check = Callable[[str, Raw], str]  # error message of a value at a path


PARAMETER, VALUES, SIGNAL, TARGET = "Parameter", "Values", "Signal", "Target"


class _Question(QDialog):
    """Form dialog that accepts its answer or tells its mistake below the field."""

    def __init__(self, parent: QWidget, title: str):
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(440)
        self.form = QFormLayout()
        self.mistakes: dict[str, CheckedField] = {}
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        laid(QVBoxLayout(self), self.form, self.buttons)

    def line(self, label: str, field: QWidget, check: Callable[[str], str] = no_mistake) -> None:
        """Add a field; `check` gives the mistake of what is typed into it."""
        field.setAccessibleName(label)
        self.form.addRow(label, field)
        if isinstance(field, QLineEdit) or (isinstance(field, QComboBox) and field.isEditable()):
            self.mistakes[label] = CheckedField(field, check, self)
            self.form.addRow("", self.mistakes[label])

    def take(self) -> None:
        """Accept the answer; raises LuffError for an invalid one, whose path is the field's name."""

    def _accept(self) -> None:
        try:
            self.take()
        except LuffError as error:
            field = self.mistakes[error.problems[0].path]
            field.tell(sentence_of(error.problems[0]))
            field.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.accept()


EACH = "list of values"
EXAMPLES = 3  # a line each


class VaryDialog(_Question):
    """Values of one parameter, or the distribution they are drawn from."""

    def __init__(
        self,
        parent: QWidget,
        path: str,
        paths: Sequence[str],
        look: Look,
        check: Check,
        given: str = "",
        law: str = "",
    ):
        super().__init__(parent, "Vary in a Study")
        self.look, self.check = look, check
        self.path = listed(paths, path)
        self.path.setEnabled(not given)
        self.field = QLineEdit()
        self.taken = QuietCombo()
        self.taken.setToolTip("Each value of a list, or random draws from a distribution")
        self.taken.addItem(EACH, "")
        for name in WORDS:
            self.taken.addItem(name.replace("_", " "), name)
        self.taken.setCurrentIndex(self.taken.findData(law))
        self.hint = text_label("", "muted", wraps=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.hint.setMinimumHeight(EXAMPLES * self.hint.fontMetrics().lineSpacing())  # it moves no field
        self.line(PARAMETER, self.path, lambda path: self.check(path, None) if path else "")
        self.line("Distribution", self.taken)
        self.line(VALUES, self.field)
        self.form.addRow("", self.hint)
        self.values: list[Raw] = []
        self.path.currentTextChanged.connect(self._propose)
        self.taken.currentIndexChanged.connect(lambda _: self._propose(self.path.currentText()))
        self._propose(path)
        if given:
            self.field.setText(units_in_print(given))
        if path:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.selectAll()
        else:
            self.path.setFocus(Qt.FocusReason.OtherFocusReason)

    def _propose(self, path: str) -> None:
        """Follow the parameter and the distribution: values, and examples in its unit."""
        raw, unit = self.look(path.strip())
        self.field.setText(units_in_print(proposal(raw, self.law)))
        self.field.setToolTip("" if self.law else units_in_print(expected(raw, unit)))
        self.hint.setText(WORDS[self.law] if self.law else units_in_print("\n".join(examples_of(raw, unit))))

    @property
    def law(self) -> str:
        return self.taken.currentData()

    def take(self) -> None:
        path = self.path.currentText().strip()
        if not path:
            raise LuffError("found no parameter, expected one of the list", path=PARAMETER)
        raw, unit = self.look(path)
        mistake = self.check(path, None)
        if mistake:
            raise LuffError(mistake, path=PARAMETER)
        try:
            self.values = (
                self._drawn(path) if self.law else parsed_values(as_typed(self.field.text()), unit, raw)
            )
        except LuffError as error:
            raise LuffError(sentence_of(error.problems[0]), path=VALUES) from None
        for value in self.values[:1] if self.law in NORMAL else self.values:
            mistake = self.check(path, value)
            if mistake:
                raise LuffError(mistake, path=VALUES)

    def _drawn(self, path: str) -> list[Raw]:
        """Arguments of a distribution, or the values that it chooses from."""
        values = [from_text(part) for part in parted(as_typed(self.field.text()))]
        read_distribution({self.law: values}, Scope(), path)
        return values


class MeasureDialog(_Question):
    """Measure: one number of each run."""

    def __init__(self, parent: QWidget, signals: Sequence[str]):
        super().__init__(parent, "Add a Metric")
        self.signals = signals
        self.number = QuietCombo()
        self.number.addItems([name.replace("_", " ") for name in METRICS])
        self.number.setCurrentText("peak")
        self.of = listed(signals, "")
        self.target = listed(signals, "")
        self.unit = QLineEdit(placeholderText="that of the signal")
        self.line("Metric", self.number)
        self.line(SIGNAL, self.of, lambda text: unknown_signal(text, signals))
        self.line(TARGET, self.target, lambda text: unknown_signal(text, signals, "target"))
        self.line("Unit", self.unit)
        self.number.currentTextChanged.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.target.setEnabled(self.kind in TRACKING)

    @property
    def kind(self) -> str:
        return self.number.currentText().replace(" ", "_")

    def answer(self) -> tuple[str, str, str, str]:
        target = self.target.currentText().strip() if self.kind in TRACKING else ""
        return self.kind, self.of.currentText().strip(), target, self.unit.text().strip()

    def take(self) -> None:
        metric, of, target, _ = self.answer()
        if not of:
            raise LuffError("found no signal, expected one of the list", path=SIGNAL)
        if metric in TRACKING and not target:
            raise LuffError("found no target, expected the signal to be followed", path=TARGET)
        for name, text in ((SIGNAL, of), (TARGET, target)):
            mistake = unknown_signal(text, self.signals)
            if mistake:
                raise LuffError(mistake, path=name)


def listed(words: Sequence[str], text: str) -> QComboBox:
    """Editable combo box with completion by any part of an entry."""
    box = QuietCombo()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.addItems(list(words))
    finder = QCompleter(list(words), box)
    finder.setFilterMode(Qt.MatchFlag.MatchContains)
    finder.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    box.setCompleter(finder)
    box.setCurrentText(text)
    return box

"""Form with a background job: input fields, begin and cancel, and the words of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTableWidget,
    QWidget,
)

from ...blocks.errors import LuffError, Problem
from ..run.background_job import BackgroundJob, Work
from ..run.run_control import DiagramSnapshot
from ..theme.completion_list import CompletionList, Names
from ..theme.field_mistake import CheckedField
from ..theme.quiet_boxes import QuietCombo, QuietDoubleSpin
from ..theme.small_widgets import laid, set_style_property, tool_button
from ..theme.window_words import in_window
from .model_names import example_of

if TYPE_CHECKING:
    from .shell import Shell

    Base = QWidget
else:
    Base = object

AT_TIME = "Time at which sources and plans are evaluated"
ABOUT = "State about which the model is linearised: its equilibrium, or its initial state"
ESCAPE = "Esc again stops it"
EXAMPLE = "e.g. "  # before what a field may hold: it is no choice that was made


class WorkForm(Base):
    """Mixin of a dialog or panel that computes in a background thread, in a subclass for each kind."""

    title = ""
    purpose = ""  # text shown before the first answer
    verb = "Compute"
    cancelled = "The search was cancelled"
    role = ""  # of the text of the last answer: `error` or `warning` where it is a bad or an open one

    def make_parts(self, window: Shell, job: BackgroundJob) -> None:
        """Make form, message and buttons, and hear the job."""
        self.window_, self.job = window, job
        self.asked: DiagramSnapshot | None = None  # model of the last work
        self.fields: dict[str, QWidget] = {}
        self.looks: list[Callable[[], None]] = []  # at fields, for mistakes
        self._warned = False  # that the next Escape stops the work
        self._refusal = ""  # why the last work failed
        self.form = QFormLayout()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.begin = self.button(self.verb)
        self.begin.clicked.connect(self.start)
        self.cancel = self.button("Cancel")
        self.cancel.clicked.connect(self.cancel_work)
        job.told.connect(self._told)
        job.done.connect(self._done)
        job.failed.connect(self._failed)

    # ------------------------------------------------------------------ what each kind says

    def build(self) -> None:
        """Create the form fields and the widgets for the answer."""

    def work(self, snapshot: DiagramSnapshot) -> Work:
        """Work for the current inputs; raises LuffError for invalid ones."""
        raise NotImplementedError

    def beginning(self) -> str:
        """Status text until the work reports progress."""
        return "Compiling"

    def progress(self, told: object) -> str:
        return str(told)

    def show_answer(self, answer: object, current: bool) -> str:
        """Show the answer and return its status text; `current` is False if the model has changed since."""
        return str(answer)

    def clear(self) -> None:
        """Remove the answer, before another one and when the form closes."""

    # ------------------------------------------------------------------ its parts

    def button(self, text: str) -> QPushButton:
        """Add a button."""
        raise NotImplementedError

    def line(self, label: str, field: QWidget, tip: str = "") -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.form.addRow(label, field)
        self.fields[label] = field
        for each in (field, *field.findChildren(QWidget)):
            changed = change_of(each)
            if changed is not None:
                changed.connect(lambda *_: self.withdraw())

    def withdraw(self) -> None:
        """Withdraw why work failed: the form it was about has changed."""
        if self._refusal and self.said.text() == self._refusal:
            self.say("")
        self._refusal = ""

    def check_line(self, field: QLineEdit, check: Callable[[str], str]) -> None:
        """Place below a field for the mistake of what is typed into it."""
        mistake = CheckedField(field, check)
        self.form.addRow(mistake)
        self.looks.append(mistake.look)

    def file_line(self, example: str, tip: str, kinds: str, label: str = "File") -> QLineEdit:
        """Field for an existing file's name, with a browse button."""
        field, both = QLineEdit(placeholderText=example), QWidget()
        browse = tool_button("open", "Browse...", "Browse")
        laid(QHBoxLayout(both), (field, 1), browse, margins=(0, 0, 0, 0), spacing=4)
        self.line(label, both, tip)
        field.setAccessibleName(label)
        self.fields[label] = field

        def ask() -> None:
            start = field.text() or str(self.window_.top.diagram.base or "")
            name, _ = QFileDialog.getOpenFileName(self, self.title, start, kinds)
            if name:
                field.setText(name)

        browse.clicked.connect(ask)
        return field

    # ------------------------------------------------------------------ its work

    def start(self) -> None:
        self.clear()
        self.asked = DiagramSnapshot.of(self.window_.top.diagram)
        try:
            work = self.work(self.asked)
        except LuffError as error:
            self._failed(error.problems)
            return
        self.say(self.beginning())
        self._set_busy(True)
        self.job.start(work)

    def cancel_work(self) -> None:
        self.job.stop()
        self._set_busy(False)
        self.say(self.cancelled)

    def is_current(self) -> bool:
        """True if the model is the one that the answer is of."""
        return True

    def take_escape(self) -> bool:
        """Leave a field by Escape during work, then warn, then stop the work; False without work."""
        if not self.job.active:
            return False
        at = QApplication.focusWidget()
        if at is not None and any(field is at or field.isAncestorOf(at) for field in self.fields.values()):
            self.cancel.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif self._warned:
            self.cancel.click()
        elif self.cancel.isEnabled():  # else its work cannot be stopped
            self._warned = True
            self.say(f"{self.said.text()}\n{ESCAPE}")
        return True

    def _set_busy(self, on: bool) -> None:
        self._warned = False
        self.begin.setEnabled(not on)
        self.cancel.setEnabled(on)

    def say(self, text: str, role: str = "") -> None:
        text = in_window(text)
        if (text, role) == (self.said.text(), self.said.property("role") or ""):
            return
        self.said.setText(text)
        set_style_property(self.said, "role", role)
        self.make_room()

    def make_room(self) -> None:
        """Fit the form to its words."""

    def _told(self, told: object) -> None:
        self.say(self.progress(told) + f"\n{ESCAPE}" * self._warned)

    def _done(self, answer: object) -> None:
        self._set_busy(False)
        self.role = ""
        text = self.show_answer(answer, self.is_current())
        self.say(text, self.role)

    def _failed(self, problems: list[Problem]) -> None:
        self._set_busy(False)
        self._refusal = in_window("\n".join(str(problem) for problem in problems))
        self.say(self._refusal, "error")


def change_of(field: QWidget) -> SignalInstance | None:
    """Signal of a field whose entry has changed; None for what is no field."""
    if isinstance(field, QComboBox):
        return field.currentTextChanged
    if isinstance(field, QDoubleSpinBox | QSpinBox):
        return field.valueChanged
    if isinstance(field, QAbstractButton):
        return field.toggled
    if isinstance(field, QTableWidget):
        return field.cellChanged
    return field.textChanged if isinstance(field, QLineEdit) else None


def text_of(field: QWidget) -> str:
    if isinstance(field, QComboBox):
        return field.currentText()
    if isinstance(field, QDoubleSpinBox | QSpinBox):
        return repr(field.value())
    if isinstance(field, QAbstractButton):
        return "yes" if field.isChecked() else ""
    return field.text() if isinstance(field, QLineEdit) else ""


def restore_entries(field: QWidget, text: str) -> None:
    if isinstance(field, QComboBox):
        field.setCurrentText(text)
    elif isinstance(field, QDoubleSpinBox):
        field.setValue(float(text))
    elif isinstance(field, QSpinBox):
        field.setValue(int(text))
    elif isinstance(field, QAbstractButton):
        field.setChecked(bool(text))
    elif isinstance(field, QLineEdit):
        field.setText(text)


def words_of(text: str) -> list[str]:
    """Comma-separated words of a text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def names_line(names: Names, example: str, several: bool = True, first: Names = tuple) -> QLineEdit:
    field = QLineEdit(placeholderText=f"{EXAMPLE}{example}")
    CompletionList(field, names, several, first)
    return field


def show_examples(fields: Iterable[QWidget]) -> None:
    """Show names of the model as examples in fields of names, once they are known."""
    for field in fields:
        offered = field.findChild(CompletionList)
        if offered is None or not isinstance(field, QLineEdit):
            continue
        text, names = field.placeholderText(), [*offered.first(), *offered.names()]
        if names and text.startswith(EXAMPLE) and "<" not in text:  # a limit has a value, too
            field.setPlaceholderText(f"{EXAMPLE}{example_of(text.removeprefix(EXAMPLE), names)}")


def at_time() -> QDoubleSpinBox:
    box = QuietDoubleSpin(decimals=3, minimum=-1e9, maximum=1e9, suffix=" s")
    box.setMinimumWidth(80)  # its longest number needs more, which nobody types
    return box


def at_state() -> QComboBox:
    box = QuietCombo()
    box.addItems(["equilibrium", "initial"])
    box.setMinimumWidth(104)
    return box


def wanted(field: QLineEdit, what: str) -> list[str]:
    """Names in a field; raises LuffError if there is none, and marks the field until something is typed."""
    names = words_of(field.text())
    if not names:
        example = field.placeholderText().removeprefix(EXAMPLE)
        raise missing(field, f"found no {what}, expected one such as {example}")
    return names


def missing(field: QLineEdit, words: str) -> LuffError:
    """Error of a field in which something is missing; it is red until something is typed."""
    set_style_property(field, "wrong", True)
    field.textChanged.connect(
        lambda _: set_style_property(field, "wrong", False), Qt.ConnectionType.SingleShotConnection
    )
    return LuffError(words, path=field.accessibleName())

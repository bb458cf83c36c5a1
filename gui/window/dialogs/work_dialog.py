"""Analysis dialogs: an input form with its fields, the answer below it, and work in a background thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ....blocks.errors import LuffError, Problem
from ...run.background_job import BackgroundJob, Work
from ...run.run_control import DiagramSnapshot
from ...theme.completion_list import CompletionList, Names
from ...theme.small_widgets import laid

if TYPE_CHECKING:
    from ..shell import Shell

TITLE = 32  # px of a window's own bar
CHANGED = "The model has changed since; this was found for what it was before"
AT_TIME = "Time at which sources and plans are taken"
ABOUT = "About which state: where all rests, or the first"


class WorkDialogs:
    """Registry of dialogs, one of each kind, with their background job and last inputs."""

    def __init__(self, window: Shell):
        self.window = window
        self.besides: dict[type[WorkDialog], BackgroundJob] = {}
        self.entries: dict[tuple[type[WorkDialog], str], str] = {}

    def open(self, kind: type[WorkDialog]) -> WorkDialog:
        shown = [dialog for dialog in self.window.findChildren(kind) if dialog.isVisible()]
        dialog = (
            shown[0]
            if shown
            else kind(self.window, self.besides.setdefault(kind, BackgroundJob(self.window)))
        )
        if not shown:
            dialog.remember(self.entries)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    def close(self) -> None:
        """Close all dialogs."""
        for beside in self.besides.values():
            beside.close()


class WorkDialog(QDialog):
    """Non-modal analysis dialog; closing it in any way cancels its work."""

    title = ""
    purpose = ""  # text shown before the first answer
    verb = "Find"
    cancelled = "The search was cancelled"
    of_model = True  # the answer is of the diagram in the window

    def __init__(self, window: Shell, beside: BackgroundJob):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.title)
        self.setMinimumWidth(460)
        self.window_, self.beside = window, beside
        self.fields: dict[str, QWidget] = {}
        self._entries: dict[tuple[type[WorkDialog], str], str] = {}
        self._asked: DiagramSnapshot | None = None
        self.form = QFormLayout()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.said = QLabel(self.purpose)
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.begin = self.button(self.verb)
        self.begin.clicked.connect(self.start)
        self.cancel = self.button("Cancel")
        self.cancel.clicked.connect(self.call_off)
        self.buttons.rejected.connect(self.reject)
        self.box = laid(QVBoxLayout(self), self.form, self.said)
        self.build()
        self.box.addWidget(self.buttons)
        self.begin.setDefault(True)  # known to the dialog only in it
        beside.told.connect(self._told)
        beside.done.connect(self._done)
        beside.failed.connect(self._failed)
        self._set_busy(False)

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
        """Remove the answer, before another one and when the dialog closes."""

    # ------------------------------------------------------------------ its parts

    def line(self, label: str, field: QWidget, tip: str = "") -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.form.addRow(label, field)
        self.fields[label] = field

    def file_line(self, example: str, tip: str, kinds: str) -> QLineEdit:
        """Field for an existing file's name, with a browse button."""
        field, browse, row, both = (
            QLineEdit(placeholderText=example),
            QPushButton("Browse..."),
            QHBoxLayout(),
            QWidget(),
        )
        browse.setAutoDefault(False)  # Return in the field begins the work
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(field, 1)
        row.addWidget(browse)
        both.setLayout(row)
        self.line("File", both, tip)
        field.setAccessibleName("File")
        self.fields["File"] = field

        def ask() -> None:
            start = field.text() or str(self.window_.top.diagram.base or "")
            name, _ = QFileDialog.getOpenFileName(self, self.title, start, kinds)
            if name:
                field.setText(name)

        browse.clicked.connect(ask)
        return field

    def button(self, text: str) -> QPushButton:
        return self.buttons.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)

    def remember(self, entries: dict[tuple[type[WorkDialog], str], str]) -> None:
        """Restore the last inputs of this kind of dialog; later inputs are stored there."""
        self._entries = entries
        for label, field in self.fields.items():
            text = entries.get((type(self), label))
            if text is not None:
                restore_entries(field, text)

    # ------------------------------------------------------------------ its work

    def start(self) -> None:
        self._asked = DiagramSnapshot.of(self.window_.top.diagram)
        self.clear()
        try:
            work = self.work(self._asked)
        except LuffError as error:
            self._failed(error.problems)
            return
        self.say(self.beginning())
        self._set_busy(True)
        self.beside.start(work)

    def call_off(self) -> None:
        self.beside.stop()
        self._set_busy(False)
        self.say(self.cancelled)

    def done(self, result: int) -> None:
        for label, field in self.fields.items():
            self._entries[type(self), label] = text_of(field)
        self.beside.stop()
        self.clear()
        super().done(result)

    def _set_busy(self, on: bool) -> None:
        self.begin.setEnabled(not on)
        self.cancel.setEnabled(on)

    def say(self, text: str, role: str = "") -> None:
        if (text, role) == (self.said.text(), self.said.property("role") or ""):
            return  # a dialog that the user made larger stays so
        self.said.setText(text)
        self.said.setProperty("role", role)
        self.said.style().unpolish(self.said)
        self.said.style().polish(self.said)
        self._make_room()

    def _make_room(self) -> None:
        """Set the height to what the content needs, within the screen; Qt's own limit is two thirds of it."""
        self.adjustSize()
        if not self.isVisible():
            return
        screen, box = self.screen().availableGeometry(), self.geometry()
        need = max(self.box.totalHeightForWidth(box.width()), box.height())
        box.setHeight(min(need, screen.height() - TITLE))
        self.setGeometry(box.translated(0, min(0, screen.bottom() - box.bottom())))

    def _told(self, told: object) -> None:
        self.say(self.progress(told))

    def _done(self, answer: object) -> None:
        self._set_busy(False)
        current = not self.of_model or DiagramSnapshot.of(self.window_.top.diagram) == self._asked
        said = self.show_answer(answer, current)
        self.say(said if current else f"{said}\n{CHANGED}")

    def _failed(self, problems: list[Problem]) -> None:
        self._set_busy(False)
        self.say("\n".join(str(problem) for problem in problems), "error")


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


def names_line(names: Names, example: str, several: bool = True) -> QLineEdit:
    field = QLineEdit(placeholderText=example)
    CompletionList(field, names, several)
    return field


def at_time() -> QDoubleSpinBox:
    return QDoubleSpinBox(decimals=3, minimum=-1e9, maximum=1e9, suffix=" s")


def at_state() -> QComboBox:
    box = QComboBox()
    box.addItems(["equilibrium", "initial"])
    return box


def wanted(field: QLineEdit, what: str) -> list[str]:
    """Names in a field; raises LuffError if there is none."""
    names = words_of(field.text())
    if not names:
        raise LuffError(f"found no {what}, expected one such as {field.placeholderText()}")
    return names

"""Sentence below a field about what is wrong with it; the field is red as long as it stands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QScrollArea, QSizePolicy, QWidget

from .breakable_names import breakable
from .small_widgets import set_style_property

UNBROKEN = 20  # letters in a row of a name in one line


def no_mistake(_: object) -> str:
    """Mistake of what is judged elsewhere."""
    return ""


class FieldMistake(QLabel):
    """Mistake of a field, hidden without one."""

    def __init__(self, field: QWidget, parent: QWidget | None = None):
        super().__init__(parent)
        self.field, self.words = field, ""
        self.setWordWrap(True)
        self.setProperty("role", "error")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.hide()

    def tell(self, words: str) -> None:
        """Show a mistake, or none."""
        self.words = words
        self.setText(breakable(words, UNBROKEN, "_/"))
        self.setVisible(bool(words) and self.parentWidget() is not None)
        set_style_property(self.field, "wrong", bool(words))
        self.field.setAccessibleDescription(words)
        at = QApplication.focusWidget()
        if words and at is not None and (at is self.field or self.field.isAncestorOf(at)):
            QTimer.singleShot(0, self, self._come_into_sight)  # once it has its place

    def _come_into_sight(self) -> None:
        """Scroll to the mistake of a field that is being edited."""
        place = self.parentWidget()
        while place is not None and not isinstance(place, QScrollArea):
            place = place.parentWidget()
        if place is not None and self.isVisible():
            place.ensureWidgetVisible(self)


class CheckedField(FieldMistake):
    """Mistake of a typed text, told once its field is left; what is being typed is not judged."""

    def __init__(
        self, field: QLineEdit | QComboBox, check: Callable[[str], str], parent: QWidget | None = None
    ):
        super().__init__(field, parent)
        line = field.lineEdit() if isinstance(field, QComboBox) else field
        assert line is not None  # a combo box that is typed into
        self.line, self.check = line, check
        line.editingFinished.connect(self.look)
        line.textChanged.connect(lambda _: self.tell(""))

    def look(self) -> None:
        """Judge what stands in the field."""
        self.tell(self.check(self.line.text().strip()))

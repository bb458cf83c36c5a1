"""Edit > Preferences: theme, size of text, minimap, and the compiled code that is kept; each takes effect at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ....solver.codegen import object_store
from ....solver.codegen.cache_folder import cache_dir
from ...theme import active_theme
from ...theme.small_widgets import CheckBox, laid, push_button, text_label

THEMES = {"light": "Light", "dark": "Dark"}
TEXT = "Size of text in menus, panels and dialogs, in parts of the system's; the canvas has its zoom"
CLEAR = "Delete the compiled code; what a model needs is compiled again at its next start"


class Preferences(QDialog):
    """Settings of the program, for all windows and the next sessions."""

    def __init__(self, parent: QWidget, dark: QAction, minimap: QAction):
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self.map_action = minimap
        self.form = QFormLayout()
        self.theme = QComboBox()
        self.theme.addItems(list(THEMES.values()))
        self.theme.currentIndexChanged.connect(lambda k: dark.setChecked(list(THEMES)[k] == "dark"))
        dark.toggled.connect(self._show_theme)
        self._line("Theme", self.theme, "Colours of the window")
        low, high = active_theme.TEXT_SIZES
        self.text = QSpinBox(minimum=low, maximum=high, singleStep=5, suffix=" %")
        self.text.setKeyboardTracking(False)  # sizes between, while one is typed, are not meant
        self.text.valueChanged.connect(active_theme.set_text_size)
        self._line("Text size", self.text, TEXT)
        self.minimap = CheckBox()
        self.minimap.toggled.connect(minimap.setChecked)
        minimap.toggled.connect(self.minimap.setChecked)
        self._line("Minimap", self.minimap, minimap.statusTip())
        self.kept = QLabel()
        self.clear_button = push_button("Clear", CLEAR, self._clear)
        self.clear_button.setAutoDefault(False)
        code = QWidget()
        laid(QHBoxLayout(code), (self.kept, 1), self.clear_button, margins=(0, 0, 0, 0))
        self._line("Compiled code", code, f"Kept in {cache_dir()}")
        place = text_label(str(cache_dir()), "muted", wraps=True)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.form.addRow("", place)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        laid(QVBoxLayout(self), self.form, buttons)
        self.setMinimumWidth(420)
        self._show_all()

    def _line(self, label: str, field: QWidget, tip: str) -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self.form.addRow(label, field)

    def _show_theme(self) -> None:
        self.theme.setCurrentIndex(list(THEMES).index(active_theme.theme().name))

    def _show_all(self) -> None:
        """Show what holds now: a dialog of another window may have changed it."""
        self._show_theme()
        with QSignalBlocker(self.text):
            self.text.setValue(active_theme.text_size())
        self.minimap.setChecked(self.map_action.isChecked())
        self._show_kept()

    def _show_kept(self) -> None:
        size = object_store.kept_size()
        self.kept.setText(f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB")
        self.clear_button.setEnabled(size > 0)

    def _clear(self) -> None:
        object_store.clear()
        self._show_kept()

    def event(self, event: QEvent) -> bool:
        """Look again at all settings when the window is come back to."""
        if event.type() == QEvent.Type.WindowActivate:
            self._show_all()
        return super().event(event)

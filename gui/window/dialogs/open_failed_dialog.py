"""File that cannot be opened: the errors with their lines, or a choice of another one where there is none."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, SignalInstance
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ....blocks.errors import Problem
from ....blocks.text.safe_read import shown
from ...theme.small_widgets import WrappedRows, text_label
from ...theme.window_words import in_window


class OpenFailed(QDialog):
    """Errors of a file; of one that is not there a sentence, and a button to choose another."""

    retry = Signal()
    choose = Signal()

    def __init__(self, parent: QWidget | None, path: Path, problems: list[Problem]):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Cannot Open File")
        there = os.path.lexists(path)
        self.resize(760, 340 if there else 0)
        words = f"{shown(path.name)} cannot be opened. The file is untouched."
        head = text_label(words if there else f"There is no file {shown(path.name)}.", "title", wraps=True)
        place = text_label(shown(path), "muted")
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Line", "Where", "What", "Likely fix"])
        self.list.setRootIsDecorated(False)
        self.list.setItemDelegate(WrappedRows(self.list))
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.list.header().setStretchLastSection(False)
        self.list.setColumnWidth(0, 70)
        self.list.setColumnWidth(1, 140)
        self.list.setColumnWidth(3, 200)
        for problem in problems:
            mark = problem.mark
            line = f"{mark.line}:{mark.column}" if mark else ""
            item = QTreeWidgetItem([line, problem.path, in_window(problem.message), in_window(problem.fix)])
            for k in range(4):
                item.setToolTip(k, str(problem))
            self.list.addTopLevelItem(item)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        again = buttons.addButton("Try Again", QDialogButtonBox.ButtonRole.ActionRole)
        again.clicked.connect(lambda: self._leave(self.retry))
        if there:
            editor = buttons.addButton("Open as Text", QDialogButtonBox.ButtonRole.ActionRole)
            editor.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))))
        else:
            self.list.hide()
            other = buttons.addButton("Choose...", QDialogButtonBox.ButtonRole.ActionRole)
            other.setDefault(True)
            other.clicked.connect(lambda: self._leave(self.choose))
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        for widget in (head, place, self.list, buttons):
            box.addWidget(widget)

    def _leave(self, wanted: SignalInstance) -> None:
        self.close()
        wanted.emit()

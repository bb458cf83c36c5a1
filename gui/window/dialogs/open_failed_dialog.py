"""File that cannot be opened: the errors with their lines."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
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


class OpenFailed(QDialog):
    retry = Signal()

    def __init__(self, parent: QWidget | None, path: Path, problems: list[Problem]):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Cannot Open File")
        self.resize(760, 340)
        head = text_label(f"{shown(path.name)} cannot be opened. The file is untouched.", "title")
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
            item = QTreeWidgetItem([line, problem.path, problem.message, problem.fix])
            for k in range(4):
                item.setToolTip(k, str(problem))
            self.list.addTopLevelItem(item)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        again = buttons.addButton("Try Again", QDialogButtonBox.ButtonRole.ActionRole)
        editor = buttons.addButton("Open as Text", QDialogButtonBox.ButtonRole.ActionRole)
        again.clicked.connect(self._again)
        editor.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))))
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        for widget in (head, place, self.list, buttons):
            box.addWidget(widget)

    def _again(self) -> None:
        self.close()
        self.retry.emit()

"""File > Compare: the open model against a file, or against an earlier version of its own file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ....blocks.errors import LuffError
from ....solver.flatten.diagram import Diagram
from ...document.document import Document
from ...document.git_revisions import Revision, revisions, text_of
from ...theme.small_widgets import laid
from ..file_actions import FILTER
from ..shell import Shell
from .compare_view import SideBySide
from .open_failed_dialog import OpenFailed


class CompareTarget(QDialog):
    """Choice of the comparison: the saved file, one of its commits, or another file."""

    chosen = Signal(object)  # a Revision, or None: the file as it is saved
    file_wanted = Signal()

    def __init__(self, parent: QWidget, path: Path, saved: bool, commits: list[Revision]):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Compare {path.name}")
        self.resize(640, 380)
        self.choices: list[Revision | None] = [*([None] if saved else []), *commits]
        self.list = QTreeWidget()
        self.list.setHeaderLabels(["Commit", "Day", "Author", "Subject"])
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName("Versions of the file")
        for one in self.choices:
            columns = one[:4] if one else ("as saved", "", "", "The file before what this window has changed")
            QTreeWidgetItem(self.list, [*columns])
        for k in range(3):
            self.list.resizeColumnToContents(k)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self.list.itemDoubleClicked.connect(lambda _: self.accept())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        begin = buttons.addButton("Compare", QDialogButtonBox.ButtonRole.AcceptRole)
        begin.setDefault(True)
        other = buttons.addButton("Another File...", QDialogButtonBox.ButtonRole.ActionRole)
        other.clicked.connect(self._ask_file)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(lambda: self.chosen.emit(self._choice()))
        laid(QVBoxLayout(self), QLabel("With which version of its file?"), (self.list, 1), buttons)

    def _choice(self) -> Revision | None:
        return self.choices[max(0, self.list.currentIndex().row())]

    def _ask_file(self) -> None:
        self.reject()
        self.file_wanted.emit()


class CompareDialog:
    def __init__(self, window: Shell):
        self.window = window

    def on_compare(self) -> None:
        document = self.window.document
        path = document.path
        commits = revisions(path) if path else []
        saved = document.modified and path is not None and path.is_file()
        if path is None or not (commits or saved):
            self.ask_file()
            return
        dialog = CompareTarget(self.window, path, saved, commits)
        dialog.chosen.connect(lambda revision: self.with_earlier(document, revision))
        dialog.file_wanted.connect(self.ask_file)
        dialog.open()

    def close(self) -> None:
        """Close all comparisons of the window."""
        for shown in self.window.findChildren(SideBySide):
            shown.close()

    def ask_file(self) -> None:
        start = str(self.window.document.diagram.base or "")
        name, _ = QFileDialog.getOpenFileName(self.window, "Compare with", start, FILTER)
        if name:
            self._compare(self.window.document, Path(name), Path(name).name)

    def with_earlier(self, document: Document, revision: Revision | None) -> None:
        """Compare with the file as saved, or as a commit has it."""
        if document.path is not None:
            when = f"{revision.name}, {revision.day}" if revision else "as saved"
            self._compare(document, document.path, f"{document.path.name} ({when})", revision)

    def _compare(self, document: Document, path: Path, name: str, revision: Revision | None = None) -> None:
        """Show the comparison, the earlier model on the left. A version of the same file inherits the open model's
        permissions."""
        document = document.root
        now = document.diagram
        own = document.path is not None and path.resolve() == document.path.resolve()
        leave = (now.allow_code, now.files) if own else (False, ())
        try:
            if revision is None:
                before = Diagram.load(path, *leave)
            else:
                text = text_of(revision, path)
                before = Diagram.from_yaml(text, name, path.resolve().parent, *leave)
        except LuffError as error:
            OpenFailed(self.window, path, error.problems).open()
            return
        shown = SideBySide(before, now.copy(), (name, document.title), self.window, live=document)
        shown.setWindowModality(Qt.WindowModality.NonModal)
        shown.show()

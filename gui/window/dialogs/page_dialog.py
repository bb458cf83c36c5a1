"""File > Export > Page: the diagram as a standalone browser page, made in the background."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit

from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from .export_dialogs import ExportDialog
from .work_dialog import words_of


class PageDialog(ExportDialog):
    """Page export dialog, non-modal since the export may take long."""

    title = "Export Page"
    purpose = (
        "One file that runs the model in a browser, with a slider for each of its parameters and inputs. "
        "Its reader installs nothing."
    )
    cancelled = "The page was cancelled"
    kinds = "Page for browsers (*.html *.htm)"
    suffix = ".html"

    def build(self) -> None:
        self.sliders = QLineEdit(placeholderText="king.mass, boom=20 m..40 m")
        tip = "Other numbers of blocks, and ranges of sliders: NAME or NAME=LOW..HIGH"
        self.line("More sliders", self.sliders, tip)
        self.inputs = QLineEdit(placeholderText="luff.effort")
        self.line(
            "Open inputs", self.inputs, "Inputs of blocks that no wire reaches, and that the reader may move"
        )
        self.opener = self.button("Open Page")
        self.opener.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.path))))
        self.opener.setEnabled(False)

    def beginning(self) -> str:
        return f"Making {self.path.name}: compiling, and computing starts for the sliders"

    def clear(self) -> None:
        self.opener.setEnabled(False)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ...html_page import export_page

        sliders, inputs = words_of(self.sliders.text()), words_of(self.inputs.text())
        return self.written(lambda path: [export_page(snapshot.diagram(), path, sliders, inputs)])

    def show_answer(self, answer: object, current: bool) -> str:
        self.opener.setEnabled(True)
        return str(answer)

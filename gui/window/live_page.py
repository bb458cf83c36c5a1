"""File > Export Page: the diagram as a page that runs it in any browser, made beside the window."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
)

from ...blocks.errors import Problem
from ...solver.diagram.diagram import write_whole
from ..run.beside import Beside
from ..run.orders import Snapshot

if TYPE_CHECKING:
    from .shell import Shell

PURPOSE = (
    "One file that runs the model in a browser, with a slider for each of its parameters and inputs. "
    "Its reader installs nothing."
)


class LivePages:
    def __init__(self, window: Shell):
        self.window = window
        self.beside = Beside(window)

    def on_export_page(self) -> None:
        shown = [dialog for dialog in self.window.findChildren(PageDialog) if dialog.isVisible()]
        dialog = shown[0] if shown else PageDialog(self.window, self.beside)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def close(self) -> None:
        self.beside.close()


class PageDialog(QDialog):
    """Beside the window, which stays usable: a page may take a minute to make."""

    def __init__(self, window: Shell, beside: Beside):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export Page")
        self.setMinimumWidth(460)
        self.window_, self.beside, self.path = window, beside, Path()
        self.sliders = QLineEdit(placeholderText="king.mass, boom=20 m..40 m")
        self.sliders.setAccessibleName("More sliders")
        self.sliders.setToolTip("Other numbers of blocks, and ranges of sliders: NAME or NAME=LOW..HIGH")
        self.inputs = QLineEdit(placeholderText="luff.effort")
        self.inputs.setAccessibleName("Open inputs")
        self.inputs.setToolTip("Inputs of blocks that no wire reaches, and that the reader may move")
        self.said = QLabel(PURPOSE)
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        form = QFormLayout()
        form.addRow("More sliders", self.sliders)
        form.addRow("Open inputs", self.inputs)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        roles = QDialogButtonBox.ButtonRole
        self.save = self.buttons.addButton("Save...", roles.ActionRole)
        self.cancel = self.buttons.addButton("Cancel", roles.ActionRole)
        self.opener = self.buttons.addButton("Open Page", roles.ActionRole)
        self.save.setDefault(True)
        self.save.clicked.connect(self.ask)
        self.cancel.clicked.connect(self.call_off)
        self.opener.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.path))))
        self.opener.setEnabled(False)
        self.buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addLayout(form)
        box.addWidget(self.said)
        box.addWidget(self.buttons)
        beside.done.connect(self._done)
        beside.failed.connect(self._failed)
        self._set_busy(False)

    def ask(self) -> None:
        top = self.window_.top
        offered = f"{Path(top.diagram.path or 'page').stem}.html"
        name, _ = QFileDialog.getSaveFileName(
            self, "Export Page", offered, "Page for browsers (*.html *.htm)"
        )
        path = self.window_.files.with_suffix(Path(name), ".html") if name else None
        if path:
            self.start(path)

    def start(self, path: Path) -> None:
        snapshot = Snapshot.of(self.window_.top.diagram)
        sliders, inputs = named(self.sliders.text()), named(self.inputs.text())

        def work(tell: Callable[[object], None]) -> str:
            from ..page import page_text

            began = time.monotonic()
            text = page_text(snapshot.diagram(), sliders, inputs)
            tell(None)  # what was called off until now leaves no file
            write_whole(path, text)
            return f"Saved {path}: {len(text) / 1000:.0f} kB, in {time.monotonic() - began:.0f} s"

        self.path = path
        self.opener.setEnabled(False)
        self._say(f"Making {path.name}: compiling, and computing starts for the sliders")
        self._set_busy(True)
        self.beside.start(work)

    def call_off(self) -> None:
        self.beside.stop()
        self._set_busy(False)
        self._say("The page was called off")

    def done(self, result: int) -> None:
        """However it is closed, nothing goes on."""
        self.beside.stop()
        super().done(result)

    def _set_busy(self, on: bool) -> None:
        self.save.setEnabled(not on)
        self.cancel.setEnabled(on)

    def _say(self, text: str, role: str = "") -> None:
        self.said.setText(text)
        self.said.setProperty("role", role)
        self.said.style().unpolish(self.said)
        self.said.style().polish(self.said)
        self.adjustSize()

    def _done(self, told: str) -> None:
        self._set_busy(False)
        self.opener.setEnabled(True)
        self._say(told)

    def _failed(self, problems: list[Problem]) -> None:
        self._set_busy(False)
        self._say("\n".join(str(problem) for problem in problems), "error")


def named(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]

"""Permissions that only the user can give: reading outside of a netlist's folder, running code it names, network
access.

A netlist may come from anywhere; opening it does none of these. A permission given once holds for the document, one
given always holds for every netlist of its folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QMessageBox

from ...blocks.errors import CODE, Problem
from ...blocks.text.safe_read import shown
from ..document.document import Document
from ..recovery.autosave import parsed_json

if TYPE_CHECKING:
    from .shell import Shell

KEY = "allowed"


def folder_permissions(folder: Path | None) -> set[str]:
    """Permissions that the netlists of a folder have without asking."""
    allowed = _all().get(str(folder)) if folder is not None else None
    return {name for name in allowed if isinstance(name, str)} if isinstance(allowed, list) else set()


def allow_folder(folder: Path, wanted: str) -> None:
    every = _all()
    every[str(folder)] = sorted({*folder_permissions(folder), wanted})
    QSettings().setValue(KEY, json.dumps(every))


def _all() -> dict[str, object]:
    folders = parsed_json(str(QSettings().value(KEY, "{}")))
    return folders if isinstance(folders, dict) else {}


class Permissions:
    """Permission requests, at most one per document and permission."""

    def __init__(self, window: Shell):
        self.window = window
        self._refused: set[tuple[Document, str]] = set()
        self._asking: QMessageBox | None = None

    def build(self) -> None:
        self.window.problems.clicked.connect(self._ask_again)

    def ask_for_needed(self, document: Document) -> None:
        """Ask for the permissions that a document's problems need; called after each check."""
        wishes = dict.fromkeys(problem.wants for problem in document.problems if problem.wants)
        known = folder_permissions(document.diagram.base)
        for wanted in [wish for wish in wishes if wish in known]:
            document.diagram.allow(wanted)  # it is checked anew, and what is still open asked then
            return
        for wanted in wishes:
            if (document, wanted) not in self._refused and self._asking is None:
                self._ask(document, wanted, document.problems)
                return

    def after_failure(self, document: Document, problems: list[Problem], again: Callable[[], None]) -> None:
        """Ask for the permission that a failed run needs, and start it again if granted."""
        wanted = next((problem.wants for problem in problems if problem.wants), "")
        if not wanted:
            return
        if wanted in folder_permissions(document.diagram.base):
            document.diagram.allow(wanted)
            again()
        elif self._asking is None:
            self._ask(document, wanted, problems, again)

    def _ask_again(self, path: str) -> None:
        document = self.window.document
        for problem in document.problems:
            if problem.path == path and problem.wants:
                self._refused.discard((document, problem.wants))
        self.ask_for_needed(document)

    def _ask(
        self,
        document: Document,
        wanted: str,
        problems: list[Problem],
        then: Callable[[], None] = lambda: None,
    ) -> None:
        which = [problem for problem in problems if problem.wants == wanted]
        box = QMessageBox(
            QMessageBox.Icon.Question, "Run Code" if wanted == CODE else "Read Files", "", parent=self.window
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setText(question(document, wanted))
        box.setInformativeText(reasons(which, wanted))
        once = box.addButton("Allow Once", QMessageBox.ButtonRole.AcceptRole)
        folder = document.diagram.base
        every = None
        if folder is not None:
            every = box.addButton("Always for This Folder", QMessageBox.ButtonRole.AcceptRole)
            every.setToolTip(f"For all netlists in {shown(folder)}")
        no = box.addButton("No", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        box.setEscapeButton(no)

        def answered() -> None:
            self._asking = None
            if document not in [level.document for level in self.window.levels]:
                return
            clicked = box.clickedButton()
            if every is not None and folder is not None and clicked is every:
                allow_folder(folder, wanted)
            elif clicked is not once:
                self._refused.add((document, wanted))
                self.ask_for_needed(document)  # the remaining requests
                return
            document.diagram.allow(wanted)
            then()

        box.finished.connect(lambda _: answered())
        self._asking = box
        box.open()


def question(document: Document, wanted: str) -> str:
    name = shown(document.title)
    if wanted == CODE:
        return f"{name} asks to run code, or to use the network. Do you trust it?"
    return f"{name} asks to read files in {shown(wanted)}, which lies outside of its folder. Do you trust it?"


def reasons(problems: list[Problem], wanted: str) -> str:
    """Text of a permission request: the problems that need it, and what granting it means."""
    lines = [f"{problem.path.removeprefix('blocks.')}: {problem.message}" for problem in problems[:4]]
    lines += [f"and {len(problems) - 4} more"] if len(problems) > 4 else []
    means = (
        "Code can do on this computer whatever you can."
        if wanted == CODE
        else "A yes lets it read tables and netlists there and in the folders below."
    )
    return "\n".join([*lines, means])

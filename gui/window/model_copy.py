"""Netlist file of the window's model as it stands, for work that reads its model from a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ...solver.flatten.diagram import check_text
from ..document.document import Document


def model_file(document: Document, folder: Path) -> Path:
    """File of a diagram; a copy in a folder if it has unsaved changes or no file yet."""
    if document.path is not None and not document.modified:
        return document.path.resolve()
    text, copy = document.diagram.to_yaml(), folder / "model.yaml"
    copy.write_text(text, encoding="utf-8")
    code, files = document.diagram.allow_code, readable_folders(document)
    wrong = _errors(check_text(text, str(copy), folder, code, files, copy).problems)
    if wrong:
        document.check()  # its problems may be those of before the last edit
    if wrong - _errors(document.problems):
        raise LuffError("Save the model first: it names files that lie beside it")
    return copy


def _errors(problems: Iterable[Problem]) -> set[str]:
    return {problem.message for problem in problems if problem.severity == "error"}


def readable_folders(document: Document) -> tuple[Path, ...]:
    """Folders that the diagram may read from: its own, and those that were allowed."""
    own = document.path.resolve().parent if document.path is not None else None
    return (*([own] if own else []), *document.diagram.files)

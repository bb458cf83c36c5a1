"""Netlist file of the window's model as it stands, for work that reads its model from a file."""

from __future__ import annotations

from pathlib import Path

from ...blocks.errors import LuffError
from ..document.document import Document


def model_file(document: Document, folder: Path) -> Path:
    """File of a diagram; a copy in a folder if it has unsaved changes or no file yet."""
    if document.path is not None and not document.modified:
        return document.path.resolve()
    copy = folder / "model.yaml"
    copy.write_text(document.diagram.to_yaml(), encoding="utf-8")
    read = Document(
        type(document.diagram).load(copy, document.diagram.allow_code, readable_folders(document))
    )
    read.check()
    wrong = [problem for problem in read.problems if problem.severity == "error"]
    before = {problem.message for problem in document.problems if problem.severity == "error"}
    read.close()
    if any(problem.message not in before for problem in wrong):
        raise LuffError("Save the model first: it names files that lie beside it")
    return copy


def readable_folders(document: Document) -> tuple[Path, ...]:
    """Folders that the diagram may read from: its own, and those that were allowed."""
    own = document.path.resolve().parent if document.path is not None else None
    return (*([own] if own else []), *document.diagram.files)

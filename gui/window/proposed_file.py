"""File names that save dialogs propose."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths

from ...solver.netlist.library_paths import LIBRARY
from ..document.document import Document
from ..recovery import autosave as session


def proposed_file(document: Document, ending: str) -> Path:
    """File named after a diagram, in the folder for its files: `boom.h5`, `boom_optimise.yaml`."""
    stem = document.path.stem if document.path else _file_name(document.diagram.name)
    return _folder_for(document) / f"{stem}{ending}"


def _folder_for(document: Document) -> Path:
    """Folder that is proposed for a new file: the document's own, else that of the last file; never the library."""
    own = document.diagram.base
    used = [path.parent for path in session.recent_files()]
    for folder in [*([Path(own)] if own else []), *used]:
        if not folder.resolve().is_relative_to(LIBRARY):
            return folder
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(documents) if documents and Path(documents).is_dir() else Path.home()


def _file_name(name: str) -> str:
    words = "".join(letter if letter.isalnum() else "_" for letter in name.lower()).strip("_")
    return words or "untitled"

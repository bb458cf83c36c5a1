"""Files about a model, beside it and in the library: assessments, plans."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ....blocks.errors import LuffError
from ....solver.netlist.library_paths import LIBRARY, library_path
from ....solver.studies.study_file import find_model
from ...document.document import Document
from ...theme.block_catalog import top_scalar


def files_of_model(top: Document, folder: str, section: str) -> Iterator[Path]:
    """Files with a section about the model in a window."""
    return files_about(top.path, str(top.diagram.data.get("name", "")), folder, section)


def files_near(top: Document, folder: str, section: str) -> Iterator[Path]:
    """Files with a section that a user may mean: those about the model first, then others beside it."""
    own = [*files_of_model(top, folder, section)]
    yield from own
    for path in _files_in(_folders(top.path, folder)):
        if path not in own and _has(_text(path), section):
            yield path


def files_about(model: Path | None, called: str, folder: str, section: str) -> Iterator[Path]:
    """Files with a section about a model: beside it, in a folder next to it or above it, and in that of the library.

    A copy of a library model is recognised by its name.
    """
    for path in _files_in([*_folders(model, folder), LIBRARY / folder]):
        text = _text(path)
        if not (model or called) or not _has(text, section):
            continue
        try:
            near = [model.resolve().parent] if model is not None else []
            its = find_model(top_scalar(text, "model"), path.resolve().parent, near)
        except LuffError:
            continue
        mine = (
            its.resolve() == model.resolve()
            if model is not None
            else top_scalar(_text(its), "name") == called
        )
        if mine:
            yield path


def file_named(text: str) -> Path:
    """Absolute path of a file as a user names it; `library/...` is that of luff where there is no other."""
    return library_path(Path(text).expanduser()).absolute()


def output_beside(path: Path, suffix: str) -> Path:
    """Output path beside a file; for library files, the folder that the command would use."""
    folder = path.parent
    if folder.resolve().is_relative_to(LIBRARY):
        folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path.home()
    return folder / f"{path.stem}{suffix}"


def _folders(model: Path | None, folder: str) -> list[Path]:
    """Folders beside a model in which files about it may lie."""
    if model is None:
        return []
    home = model.resolve().parent
    return [home, home / folder, home.parent / folder]


def _files_in(folders: list[Path]) -> Iterator[Path]:
    """Files of the folders, each once."""
    yield from dict.fromkeys(path for place in folders for path in sorted(place.glob("*.y*ml")))


def _has(text: str, section: str) -> bool:
    return re.search(rf"^{section}:", text, re.MULTILINE) is not None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

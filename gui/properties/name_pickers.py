"""Editors of parameters that name joints, bodies, words or files; names are offered and may be typed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from ...blocks.geometry.mesh_readers import READERS
from ...blocks.params import BlockName, Either, Names, Param
from ...blocks.signal_params import UnitName
from ...blocks.text.raw_types import Raw
from ..document import statechart_edits
from ..document.document import Document
from ..document.undo_commands import UNSET
from ..theme.completion_list import CompletionList
from ..theme.small_widgets import tool_button
from . import value_text
from .parameter_editors import Editor, Field, LineEditor
from .value_text import default_text, from_text, to_text

FILE = "file"
MESHES = " ".join(f"*{ending}" for ending in READERS)
KINDS = f"All files (*);;Tables (*.csv);;Meshes ({MESHES});;FMUs (*.fmu)"
JOINTS = ("drives", "joints", "hold", "realised_by", "dependent")  # parameters that name joints
DRIVEN = ("drives", "realised_by")  # parameters that name driven joints
FAMILIES = ("bodies",)  # families offered for block names
SIGNALS = ("stop_when",)  # texts that begin with a signal
STATES = ("initial",)  # texts that are one of the block's own states


class NamesEditor(Editor):
    """Editor of a comma-separated list of names."""

    def __init__(self, param: Param, names: partial[list[str]]):
        super().__init__(param)
        self.field = Field(self)
        self.field.setPlaceholderText(default_text(param).strip("[]") or "none")
        self.field.committed.connect(self._commit)
        self.offer = CompletionList(self.field, names, several=True)
        self.offer.taken.connect(self.field.finish)
        self.row.addWidget(self.field, 1)
        self.setFocusProxy(self.field)

    def show_raw(self, raw: Raw) -> None:
        plain = isinstance(raw, list) and all(isinstance(item, str) and "," not in item for item in raw)
        self.field.show_text(", ".join(map(str, raw)) if plain and isinstance(raw, list) else to_text(raw))

    def _commit(self, text: str) -> None:
        text = text.strip()
        if isinstance(self.param, Either) and text in words_of(self.param):
            self.edited.emit(text)
        elif text.startswith("["):
            self.commit_text(text)
        else:
            names: list[Raw] = [from_text(part) for part in text.split(",") if part.strip()]
            self.edited.emit(names or UNSET)


class NameEditor(LineEditor):
    """Editor of one name."""

    def __init__(self, param: Param, names: partial[list[str]]):
        super().__init__(param)
        self.offer = CompletionList(self.field, names)
        self.offer.taken.connect(self.field.finish)


class FileEditor(LineEditor):
    """Editor of a file name, relative to the netlist's folder."""

    def __init__(self, param: Param, document: Document):
        super().__init__(param)
        self.document = document
        browse = tool_button("open", "Choose a file", "Choose a file")
        browse.clicked.connect(self.choose)
        self.row.addWidget(browse)

    def choose(self) -> None:
        base = self.document.diagram.base or Path.cwd()
        name, _ = QFileDialog.getOpenFileName(self, "Choose a File", str(base), KINDS)
        if name:
            self.edited.emit(named_from(base, Path(name)))


def named_from(base: Path, path: Path) -> str:
    """Path relative to the netlist's folder, also outside of it; absolute on another drive."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # on another drive
        return path.as_posix()


def picker_for(document: Document, key: str, param: Param, block: str = "") -> Editor | None:
    """Editor of a parameter that names something in this document; None for other parameters."""
    if isinstance(param, BlockName):
        return NameEditor(param, partial(blocks_of, document, FAMILIES))
    if isinstance(param, UnitName):
        return NameEditor(param, partial(list, value_text.KNOWN))
    if param.kind == "text" and key in SIGNALS:
        return NameEditor(param, partial(signals_of, document))
    if param.kind == "text" and key in STATES and block:
        return NameEditor(param, partial(states_of, document, block))
    if param.kind == "text" and key == FILE:
        return FileEditor(param, document)
    names = isinstance(param, Names) or (isinstance(param, Either) and key in JOINTS)
    if not names:
        return None
    return NamesEditor(param, partial(names_of, document, key, param))


def names_of(document: Document, key: str, param: Param) -> list[str]:
    words = words_of(param)
    if key not in JOINTS:
        return words
    joints = blocks_of(document, ("joints",))
    if key in DRIVEN:
        joints = [name for name in joints if "effort" in document.ports(name)]
    return [*words, *joints]


def signals_of(document: Document) -> list[str]:
    """Output signals of the diagram's blocks."""
    return [
        f"{block}.{port}"
        for block in document.diagram.blocks
        for port, declared in document.ports(block).items()
        if declared.direction == "out" and not declared.acausal
    ]


def states_of(document: Document, block: str) -> list[str]:
    return [*statechart_edits.states(document, block)]


def words_of(param: Param) -> list[str]:
    options: Iterable[Param] = getattr(param, "options", (param,))
    return [word for option in options for word in getattr(option, "choices", ())]


def blocks_of(document: Document, families: tuple[str, ...]) -> list[str]:
    return [name for name in document.diagram.blocks if document.type_and_family(name)[1] in families]

"""Editable file with a model and one task (`plan:`, `fit:`, `optimise:`); an edit changes only its own lines.

Pure Python: no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.netlist import Document, deep_copy, read_netlist, read_whole
from ...solver.netlist.text_patch import patched_text
from ...solver.results.result_files import atomic_replace
from ...solver.studies.study_file import find_model
from ..properties.value_text import from_text, to_text
from .study_draft import named

Rows = list[list[str]]  # of a table: a name and its values as texts


class TaskDraft:
    """Task file being edited; `data` is its content, `text` gives the file."""

    section: ClassVar[str] = ""  # of the file, beside `model:`

    def __init__(self, document: Document | None = None, path: Path | None = None):
        starter = f"luff: 1\nmodel: model.yaml\n{self.section}: {{}}\n"
        self.document, self.path = document or read_netlist(starter), path
        raw = deep_copy(self.document.data)
        self.data: RawMap = raw if isinstance(raw, dict) else {}
        self._saved = deep_copy(self.data) if path is not None else {}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a task file. Raises LuffError if the file is none."""
        document = read_whole(path)
        if not isinstance(document.data, dict) or not isinstance(document.data.get(cls.section), dict):
            raise LuffError(f"{path.name}: expected a file with `model:` and `{cls.section}:`")
        return cls(document, path)

    @property
    def task(self) -> RawMap:
        """Section of the task."""
        return inner(self.data, self.section)

    @property
    def name(self) -> str:
        """Heading of the task, else its file's name."""
        return str(self.data.get("name") or (self.path.stem if self.path is not None else self.section))

    @property
    def modified(self) -> bool:
        """True if the file has other content, or there is none yet."""
        return self.data != self._saved

    def model(self, files: Sequence[Path] = ()) -> Path | None:
        """Model file of an opened task; None for a new one, which is of the window's model."""
        if self.path is None:
            return None
        return find_model(str(self.data.get("model")), self.path.resolve().parent, files)

    def others(self) -> list[str]:
        """Entries that the file has and a form does not show."""
        return []

    # ------------------------------------------------------------------ tables and entries

    def rows(self, key: str, columns: Sequence[str]) -> Rows:
        """Table of an entry that maps names to values."""
        return rows_of(self.task.get(key), columns)

    def set_rows(self, key: str, rows: Rows, columns: Sequence[str]) -> None:
        """Write a table that differs."""
        if rows != self.rows(key, columns):
            self.task[key] = entries_of(rows, columns, self.task.get(key))

    def entry(self, key: str) -> str:
        """Entry of the task as text; empty if it is left out, or has parts of its own."""
        raw = self.task.get(key)
        return "" if isinstance(raw, dict) else to_text(raw)

    def set_entry(self, key: str, text: str) -> None:
        """Write an entry that differs; an empty text removes it."""
        if text == self.entry(key):
            return
        raw = from_text(text)
        if raw is None:
            self.task.pop(key, None)
        else:
            self.task[key] = raw

    # ------------------------------------------------------------------ the file

    def text(self) -> str:
        return patched_text(self.document, self.data)

    def save(self, path: Path, model: Path) -> None:
        """Write the task for a model file."""
        self.data["model"] = named(model, path)
        text = self.text()
        with atomic_replace(path, f"the {self.section} file") as part:
            part.write_text(text, encoding="utf-8")
        self.document, self.path = read_netlist(text, str(path)), path
        self._saved = deep_copy(self.data)


def inner(holder: RawMap, key: str) -> RawMap:
    """Mapping under a key, created if absent."""
    mapping = holder.get(key)
    if not isinstance(mapping, dict):
        mapping = holder[key] = {}
    return mapping


def rows_of(entries: Raw, columns: Sequence[str]) -> Rows:
    """Rows of a mapping; a plain value stands in the first column."""
    rows = []
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        values = entry if isinstance(entry, dict) else {} if entry is None else {columns[0]: entry}
        rows.append([name, *(to_text(values.get(column)) for column in columns)])
    return rows


def entries_of(rows: Rows, columns: Sequence[str], before: Raw) -> RawMap:
    """Mapping of rows; entries whose row is as before stay as they are, others keep what no column shows."""
    old: Mapping[str, Raw] = before if isinstance(before, dict) else {}
    known = {row[0]: row for row in rows_of(before, columns)}
    made: RawMap = {}
    for row in rows:
        entry = old.get(row[0])
        if known.get(row[0]) == row and entry is not None:
            made[row[0]] = entry
            continue
        values = {column: from_text(text) for column, text in zip(columns, row[1:], strict=True) if text}
        whole: Mapping[str, Raw] = entry if isinstance(entry, dict) else {}
        kept = {
            key: values.get(key, raw) for key, raw in whole.items() if key in values or key not in columns
        }
        made[row[0]] = {**kept, **values}
    return made

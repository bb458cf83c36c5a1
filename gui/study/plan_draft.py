"""Editable plan file: controls, ends and limits; an edit changes only its own lines. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.netlist import Document, deep_copy, read_netlist, read_whole
from ...solver.netlist.text_patch import patched_text
from ...solver.planning.plan_settings import REST
from ...solver.results.result_files import atomic_replace
from ...solver.studies.study_file import find_model
from ..properties.value_text import from_text, to_text
from .study_draft import named

STARTER = "luff: 1\nmodel: model.yaml\nplan:\n  controls: {}\n  end: {}\n"
BOUNDS = ("lower", "upper")
EDITED = ("controls", "end", "limits", "least", "duration", "intervals")  # entries of `plan:` with fields
Rows = list[list[str]]


class PlanDraft:
    """Plan file being edited; `data` is its content, `text` gives the file."""

    def __init__(self, document: Document | None = None, path: Path | None = None):
        self.document, self.path = document or read_netlist(STARTER), path
        raw = deep_copy(self.document.data)
        self.data: RawMap = raw if isinstance(raw, dict) else {}

    @classmethod
    def open(cls, path: Path) -> PlanDraft:
        """Read a plan file. Raises LuffError if the file is none."""
        document = read_whole(path)
        if not isinstance(document.data, dict) or not isinstance(document.data.get("plan"), dict):
            raise LuffError(f"{path.name}: expected a plan, with `model:` and `plan:`")
        return cls(document, path)

    @classmethod
    def of_inputs(cls, inputs: Sequence[str]) -> PlanDraft:
        """Plan whose controls are all inputs of a netlist, without bounds."""
        draft = cls()
        draft.plan["controls"] = {name: {} for name in inputs}
        return draft

    @property
    def plan(self) -> RawMap:
        """Section `plan:`."""
        section = self.data.get("plan")
        if not isinstance(section, dict):
            section = self.data["plan"] = {}
        return section

    @property
    def name(self) -> str:
        """Heading of the plan, else its file's name."""
        return str(self.data.get("name") or (self.path.stem if self.path is not None else "plan"))

    def model(self, files: Sequence[Path] = ()) -> Path | None:
        """Model file of an opened plan; None for a new one, which is of the window's model."""
        if self.path is None:
            return None
        return find_model(str(self.data.get("model")), self.path.resolve().parent, files)

    def others(self) -> list[str]:
        """Entries that the file has and the form does not show."""
        simple = not isinstance(self.plan.get("duration"), dict)
        shown = [key for key in EDITED if key != "duration" or simple]
        return [key for key in self.plan if key not in shown]

    # ------------------------------------------------------------------ tables of names and texts

    def bounds(self, section: str) -> Rows:
        """Names with lower and upper bounds, as texts."""
        entries = self.plan.get(section)
        rows = []
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            both = entry if isinstance(entry, dict) else {}
            rows.append([name, *(to_text(both.get(word)) for word in BOUNDS)])
        return rows

    def set_bounds(self, section: str, rows: Rows) -> None:
        """Write bounds that differ; entries without a name are left out."""
        if rows == self.bounds(section):
            return
        before = dict(zip((row[0] for row in self.bounds(section)), self.bounds(section), strict=True))
        entries = self.plan.get(section)
        old: Mapping[str, Raw] = entries if isinstance(entries, dict) else {}
        self._write(
            section, {row[0]: old[row[0]] if before.get(row[0]) == row else _bounds(row) for row in rows}
        )

    def end(self) -> tuple[Rows, bool]:
        """Signals with their values at the end, as texts, and `at_rest`."""
        entries = self.plan.get("end")
        end: Mapping[str, Raw] = entries if isinstance(entries, dict) else {}
        return [[name, to_text(raw)] for name, raw in end.items() if name != REST], bool(end.get(REST))

    def set_end(self, rows: Rows, rest: bool) -> None:
        """Write the end if it differs."""
        if (rows, rest) != self.end():
            end: RawMap = {name: from_text(text) for name, text in rows}
            self._write("end", end | ({REST: True} if rest else {}))

    def entry(self, key: str) -> str:
        """Entry of `plan:` as text; empty if it is left out, or has parts of its own."""
        raw = self.plan.get(key)
        return "" if isinstance(raw, dict) else to_text(raw)

    def set_entry(self, key: str, text: str) -> None:
        """Write an entry that differs; an empty text leaves one with parts of its own."""
        if text != self.entry(key):
            self._write(key, from_text(text))

    def _write(self, key: str, raw: Raw) -> None:
        if raw in (None, {}) and key not in ("controls", "end"):
            self.plan.pop(key, None)
        else:
            self.plan[key] = raw

    # ------------------------------------------------------------------ the file

    def text(self) -> str:
        return patched_text(self.document, self.data)

    def save(self, path: Path, model: Path) -> None:
        """Write the plan for a model file."""
        self.data["model"] = named(model, path)
        text = self.text()
        with atomic_replace(path, "the plan") as part:
            part.write_text(text, encoding="utf-8")
        self.document, self.path = read_netlist(text, str(path)), path


def _bounds(row: Sequence[str]) -> RawMap:
    return {word: from_text(text) for word, text in zip(BOUNDS, row[1:], strict=True) if text.strip()}

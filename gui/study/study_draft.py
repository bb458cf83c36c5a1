"""Editable study file; an edit changes only its own lines. Pure Python: no Qt."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ...blocks.expression_scope import Scope
from ...blocks.params import Sub
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.composite_types import is_file, library
from ...solver.netlist import Document, deep_copy, read_netlist, read_whole
from ...solver.netlist.text_patch import patched_text
from ...solver.results.result_files import atomic_replace
from ...solver.studies.study_file import find_model
from ...solver.studies.study_settings import Measure, VariantSettings
from ...solver.studies.study_variants import Variant, expand

STARTER = "luff: 1\nmodel: model.yaml\n"
TABLE = "Numbers"
DRAWS = 100  # at first
Where = tuple[str, int, int]  # section, entry, column


class Draft:
    """Study being edited; `text` gives the file."""

    def __init__(self, document: Document | None = None, path: Path | None = None):
        self.document = document or read_netlist(STARTER)
        self.path = path
        raw = deep_copy(self.document.data)
        self.data: RawMap = raw if isinstance(raw, dict) else {}
        self._saved = deep_copy(self.data)

    @classmethod
    def open(cls, path: Path) -> Draft:
        """Read a study file. Raises LuffError if the file is no study."""
        document = read_whole(path)
        if not isinstance(document.data, dict) or "model" not in document.data or "blocks" in document.data:
            raise LuffError(f"{path.name} is not a study: expected `luff: 1`, `model:`, `variants:`")
        if "luff" not in document.data:
            raise LuffError(
                Problem("this study does not say its version", path.name, "write luff: 1 as its first line")
            )
        return cls(document, path)

    @property
    def modified(self) -> bool:
        return self.data != self._saved

    def model(self, files: Sequence[Path] = ()) -> Path:
        """Model file of an opened study; `files` are further folders from which it may come."""
        base = self.path.resolve().parent if self.path else Path()
        return find_model(str(self.data["model"]), base, files)

    # ------------------------------------------------------------------ what is varied

    def axes(self) -> RawMap:
        """Grid axes: values by path, or named changes by the axis' name."""
        grid = self._variants().get("grid")
        return grid if isinstance(grid, dict) else {}

    def others(self) -> list[str]:
        """Variations that the panel cannot edit, as text."""
        others = []
        named, correlated = self._variants().get("list"), self.random().get("correlate")
        if isinstance(named, dict):
            others.append(f"{len(named)} variants by name")
        if isinstance(correlated, list):
            others.append(f"{len(correlated)} correlations")
        return others

    def random(self) -> RawMap:
        """Section of random draws: count, seed, sampling."""
        random = self._variants().get("random")
        return random if isinstance(random, dict) else {}

    def draws(self) -> RawMap:
        """Distributions by parameter path."""
        draws = self.random().get("draw")
        return draws if isinstance(draws, dict) else {}

    def vary(self, path: str, values: list[Raw]) -> None:
        self._drop("random", self.draws(), path)
        _mapping_at(_mapping_at(self.data, "variants"), "grid")[path] = values

    def draw(self, path: str, law: str, values: list[Raw]) -> None:
        """Draw a parameter at random from a distribution."""
        self._drop("grid", self.axes(), path)
        random = _mapping_at(_mapping_at(self.data, "variants"), "random")
        random.setdefault("count", DRAWS)
        random.setdefault("seed", 0)
        _mapping_at(random, "draw")[path] = {law: values}

    def say_random(self, key: str, value: Raw) -> None:
        self.random()[key] = value

    def keep(self, path: str) -> None:
        """Stop varying a parameter."""
        self._drop("grid", self.axes(), path)
        self._drop("random", self.draws(), path)
        if not self._variants():
            self.data.pop("variants", None)

    def _drop(self, section: str, entries: RawMap, path: str) -> None:
        if entries.pop(path, None) is not None and not entries:
            del self._variants()[section]

    def _variants(self) -> RawMap:
        variants = self.data.get("variants")
        return variants if isinstance(variants, dict) else {}

    def variants(self) -> list[Variant]:
        """All variants of the study; raises LuffError if the study is invalid."""
        return expand(Sub(VariantSettings).group(self._variants(), Scope(), "variants"))

    # ------------------------------------------------------------------ what is measured

    def measures(self) -> list[tuple[Where, Measure]]:
        """Distinct measures of all tables and bars; unreadable entries are left to the run to report."""
        measures: dict[str, tuple[Where, Measure]] = {}
        for where, raw in self._columns():
            try:
                measure = Sub(Measure).group(raw, Scope(), "")
            except LuffError:
                continue
            measures.setdefault(repr({**raw, "title": ""}), (where, measure))
        return list(measures.values())

    def _columns(self) -> Iterator[tuple[Where, RawMap]]:
        for section in ("tables", "bars"):
            entries = self.data.get(section)
            for k, entry in enumerate(entries if isinstance(entries, list) else []):
                columns = entry.get("columns") if isinstance(entry, dict) else None
                for j, raw in enumerate(columns if isinstance(columns, list) else []):
                    if isinstance(raw, dict):
                        yield (section, k, j), raw

    def add_measure(self, metric: str, of: str, target: str = "", unit: str = "") -> None:
        given = {"metric": metric, "of": of, "target": target, "unit": unit}
        column: RawMap = {key: word for key, word in given.items() if word}
        Sub(Measure).convert(column, Scope(), "")
        tables = _list_at(self.data, "tables")
        first = tables[0] if tables else None
        if not isinstance(first, dict):
            first = {"title": TABLE, "columns": []}
            tables.insert(0, first)
        _list_at(first, "columns").append(column)

    def forget(self, where: Where) -> None:
        """Remove a measure."""
        section, k, j = where
        entries = _list_at(self.data, section)
        entry = entries[k]
        assert isinstance(entry, dict)  # as `_columns` has found it
        columns = _list_at(entry, "columns")
        del columns[j]
        if not columns:
            del entries[k]
        if not entries:
            del self.data[section]

    def curves(self) -> list[str]:
        """Signals in the file's plots over time."""
        entries = self.data.get("plots")
        curves: list[str] = []
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and entry.get("x", "time") == "time":
                names = entry.get("y")
                names = names if isinstance(names, list) else [names]
                curves += [name for name in names if isinstance(name, str)]
        return curves

    # ------------------------------------------------------------------ the file

    def text(self, model: str = "") -> str:
        """Text of the file, or of the same study for another model."""
        return patched_text(self.document, {**self.data, "model": model} if model else self.data)

    def save(self, path: Path, model: Path | None) -> None:
        """Write the study; `model` is the diagram's file, None keeps the study's own entry, made valid for the new
        place."""
        if model is None:
            model = self.model()
        self.data["model"] = named(model, path)
        text = self.text()
        with atomic_replace(path, "the study") as part:
            part.write_text(text, encoding="utf-8")
        self.document, self.path = read_netlist(text, str(path)), path
        self._saved = deep_copy(self.data)


def named(model: Path, study: Path) -> str:
    """Model name as written in a study: a library name, or a path relative to the study."""
    model, folder = model.resolve(), study.resolve().parent
    if library().get(model.stem) == model:
        return model.stem
    try:
        way = os.path.relpath(model, folder)
    except ValueError:  # on another drive
        return str(model)
    return way if is_file(way) else f"./{way}"


def _mapping_at(holder: RawMap, key: str) -> RawMap:
    """Mapping under a key, created if absent."""
    mapping = holder.get(key)
    if not isinstance(mapping, dict):
        mapping = holder[key] = {}
    return mapping


def _list_at(holder: RawMap, key: str) -> list[Raw]:
    """List under a key, created if absent."""
    entries = holder.get(key)
    if not isinstance(entries, list):
        entries = holder[key] = []
    return entries

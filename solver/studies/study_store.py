"""The results of a study in one HDF5 file.

    /variants/<name>   a group for each variant: data, columns and units as in a file of one result; netlist, quality,
                       parameters, plots and remarks as JSON; attributes status, message, version, changes, hash,
                       seconds; steps/<k>: data, columns and units of signals at the steps at which they turn
    /study             the text of the study file
    /numbers           what was measured of each, see stored_measures.py
    /index             what the attributes of all variants say, as JSON: a group takes half a millisecond to open
    attributes         luff_study, name, version

Each variant writes a file of its own in the folder NAME.h5.parts; when the study ends, by whatever end, the parts and
what the old file still has of use go into a new file, which takes the old one's place whole. Killed at any moment, the
parts that are whole are there, and the next run takes them up.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.text.safe_read import regular_file
from ..results.hdf5_members import bounded_dataset, check_heaps, dataset, group_in, has_member, numbers_in
from ..results.hdf5_stream import failure_reason, reading_results, to_json
from ..results.recorded_run import FORMAT, RecordedRun, Status, description, readable
from ..results.result import Result
from . import variant_file
from .hdf5_creation import attributes, create_hdf5, new_text, table, without_nul
from .run_measures import factor, measure_value, shown_unit, signal_unit
from .stored_measures import StoredMeasures, measure_key
from .study_settings import Measure

if TYPE_CHECKING:
    import h5py

_TEXTS = ("status", "message", "version")
_JSON = ("netlist", "quality", "parameters", "plots", "remarks")
_HELD = 16  # results in memory: a study may have more than fit


class VariantRecord(TypedDict):
    """Entry of a variant in the file, without its rows."""

    name: str
    rows: bool
    status: Status
    message: str
    changes: dict[str, object]
    seconds: float
    hash: str


@dataclass
class Entry:
    """Entry that is to be written for one variant."""

    name: str
    hash: str
    changes: Mapping[str, object]
    status: str
    message: str = ""
    part: Path | None = None  # its own file, where it ran
    old: bool = False  # it is in the file already
    seconds: float | None = None

    def about(self, rows: bool) -> VariantRecord:
        return {
            "name": self.name,
            "rows": rows,
            "status": cast("Status", self.status),
            "message": self.message,
            "changes": dict(self.changes),
            "seconds": self.seconds if self.seconds is not None else float("nan"),
            "hash": self.hash,
        }


@dataclass(repr=False)
class StudyResult(Mapping[str, Result]):
    """Results by the names of the variants, read when they are asked for; failed variants have what they got to."""

    path: Path
    names: list[str]  # of the variants that have rows
    statuses: dict[str, str]
    messages: dict[str, str]
    changes: dict[str, dict[str, object]]
    seconds: dict[str, float]  # that each took, when it ran
    name: str = ""
    numbers: StoredMeasures = field(default_factory=StoredMeasures, repr=False)
    alone: dict[str, str] = field(default_factory=dict)  # of what ran just now: see `VariantOutcome`
    _read: dict[str, Result] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._rows = {name: k for k, name in enumerate(self.statuses)}
        self._known = set(self.names)

    def __repr__(self) -> str:
        counts = {status: list(self.statuses.values()).count(status) for status in ("finished", "failed")}
        told = ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "none finished"
        named = f' "{self.name}"' if self.name else ""
        first = (
            f"; {', '.join(map(repr, self.names[:3]))}{', ...' * (len(self.names) > 3)}" if self.names else ""
        )
        return f"<StudyResult{named}: {len(self.statuses)} variants, {told}{first}>"

    def __getitem__(self, name: str) -> Result:
        if name not in self._read:
            self._check(name)
            with _opened(self.path) as file:
                result = _result(group_in(file, _variant(name)))
            if len(self._read) >= _HELD:
                del self._read[next(iter(self._read))]
            self._read[name] = result
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def _check(self, name: str) -> None:
        if name not in self._known:
            raise KeyError(f"no rows of a variant {name!r}; {did_you_mean(str(name), self.names)}")

    def columns(self, name: str, wanted: Sequence[str]) -> np.ndarray:
        """(rows, columns) of one variant, time first: the rest of its rows is not read."""
        self._check(name)
        with _opened(self.path) as file:
            group = group_in(file, _variant(name))
            known = list(dataset(group, "columns").asstr()[:])
            missing = [column for column in wanted if column not in known]
            if missing:
                fix = did_you_mean(missing[0], known)
                raise LuffError(Problem("this variant has no such signal", f"{name}: {missing[0]}", fix))
            data = dataset(group, "data")
            return np.stack([data[:, known.index(column)] for column in ("time", *wanted)], axis=1)

    def measured(self, name: str, measure: Measure) -> float:
        """A number of one variant, in the unit that the measure asks for; its rows are read if it is a new one."""
        value = self.numbers.of(self._rows.get(name, len(self._rows)), measure)
        if value is None:
            return measure_value(self[name], measure)
        if measure.metric == "quality":
            return value
        return value / factor(self.signal_unit(measure), self.shown_unit(measure))

    def signal_unit(self, measure: Measure) -> str:
        unit = self.numbers.unit(measure)
        if unit is None:
            finished = [name for name in self.names if self.statuses[name] == "finished"]
            unit = signal_unit(self[(finished or self.names)[0]], measure) if self.names else ""
        return unit

    def shown_unit(self, measure: Measure) -> str:
        return shown_unit(self.signal_unit(measure), measure)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class SelectedVariants(Mapping[str, Result]):
    """Selection of a study's variants, whose rows are read at their first use."""

    def __init__(self, results: StudyResult, names: Sequence[str]):
        self.results = results
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Result:
        if name not in self._names:
            raise KeyError(name)
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def measured(self, name: str, measure: Measure) -> float:
        return self.results.measured(name, measure)

    def shown_unit(self, measure: Measure) -> str:
        return self.results.shown_unit(measure)

    def columns(self, name: str, wanted: Sequence[str]) -> np.ndarray:
        return self.results.columns(name, wanted)

    def unit_of_signal(self, name: str) -> str:
        return self[next(iter(self))].units.get(name, "")


def partial_folder(path: Path) -> Path:
    return path.with_name(path.name + ".parts")


def finished(path: Path) -> set[str]:
    """The hashes of the variants that a file holds whole; none if there is no file."""
    if regular_file(path, "a study's results") is None:
        return set()
    with _opened(path) as file:
        return {one["hash"] for one in _index(file) if one["status"] == "finished"}


def write_study(
    path: Path, about: Mapping[str, str], entries: Sequence[Entry], measures: Sequence[Measure] = ()
) -> None:
    """A new file of these variants, in this order; the old file goes once the new one is whole."""
    import h5py

    part = path.with_name(path.name + ".part")
    try:
        old = h5py.File(path, "r") if path.exists() else None
        try:
            with create_hdf5(part) as file:
                file.attrs.update(
                    {"luff_study": FORMAT, "name": without_nul(about["name"]), "version": about["version"]}
                )
                file.create_dataset("study", data=about["study"], dtype=h5py.string_dtype())
                _write_variants(file, old, entries, measures)
        finally:
            if old is not None:
                old.close()
        os.replace(part, path)
    except OSError as error:
        kept = f"the runs are kept in {partial_folder(path)}"
        raise RunError(Problem(f"cannot write results: {failure_reason(error)}", str(path), kept)) from error
    finally:
        part.unlink(missing_ok=True)
    shutil.rmtree(partial_folder(path), ignore_errors=True)


def _write_variants(
    file: h5py.File, old: h5py.File | None, entries: Sequence[Entry], measures: Sequence[Measure]
) -> None:
    """The groups of all variants, and what is measured of them while their rows are at hand."""
    import h5py

    # row and name in the old file, by hash
    known = {one["hash"]: (k, one["name"]) for k, one in enumerate(_index(old))} if old else {}
    before = StoredMeasures.read(old) if old else StoredMeasures()
    numbers = StoredMeasures([measure_key(measure) for measure in measures], len(entries))
    index, texts = [], SharedTexts()
    variants = file.create_group("variants", track_order=True)
    for row, entry in enumerate(entries):
        result: Result | None = None
        if entry.old and old is not None:
            at, name = known[entry.hash]
            file.copy(group_in(old, _variant(name)), variants, name=_key(entry.name))
            group = group_in(variants, _key(entry.name))
            if not numbers.take(row, before, at) and has_member(group, "data"):
                result = _result(group)
            group.attrs.update({"name": without_nul(entry.name), "changes": to_json(dict(entry.changes))})
            told = _read_record(group)
        else:
            group = variants.create_group(_key(entry.name))
            if entry.part is not None:
                result = variant_file.read_variant(entry.part)
                _write_record(group, result, texts)
            told = entry.about(rows=result is not None)
            version = {"version": result.version} if result is not None else {}
            words = {name: told[name] for name in ("name", "status", "message", "seconds", "hash")}
            attributes(group, **words, **version, changes=to_json(told["changes"]))
        if result is not None:
            numbers.store_measures(row, result, measures)
        index.append(told)
    numbers.save(file)
    file.create_dataset("index", data=to_json(index), dtype=h5py.string_dtype())


def _read_record(group: h5py.Group) -> VariantRecord:
    """Entry of a variant without its rows."""
    return {
        "name": str(group.attrs["name"]),
        "rows": has_member(group, "data"),
        "status": cast("Status", str(group.attrs["status"])),
        "message": str(group.attrs["message"]),
        "changes": json.loads(str(group.attrs["changes"])),
        "seconds": float(np.asarray(group.attrs["seconds"])),
        "hash": str(group.attrs["hash"]),
    }


def _index(file: h5py.File) -> list[VariantRecord]:
    if has_member(file, "index"):
        return json.loads(str(dataset(file, "index").asstr()[()]))
    variants = group_in(file, "variants")
    return [
        _read_record(group_in(variants, str(name))) for name in variants
    ]  # of a file that an earlier version wrote


class SharedTexts:
    """Datasets of text; what stood in the variant before as well is the same dataset under another name."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str | list[str], h5py.Dataset]] = {}

    def put(self, group: h5py.Group, name: str, text: str | list[str]) -> None:
        import h5py

        last = self._last.get(name)
        if last is not None and last[0] == text:
            group[name] = last[1]
            return
        one = isinstance(text, str)
        made = (
            new_text(group, name, text)
            if one
            else group.create_dataset(name, data=text, dtype=h5py.string_dtype())
        )
        self._last[name] = text, made


def _write_record(group: h5py.Group, result: Result, texts: SharedTexts) -> None:
    names = ["time", *result.columns]
    table(group, "data", np.column_stack((result.time, result.table)))
    texts.put(group, "columns", names)
    texts.put(group, "units", [result.units[name] for name in names])
    # texts of any size do not fit into an attribute's header
    about = description(result)
    for name in _JSON:
        texts.put(group, name, to_json(about[name]))
    for k, trace in enumerate(result.traces):
        steps = group.create_group(f"steps/{k}")
        table(steps, "data", np.column_stack((trace.time, trace.table)))
        texts.put(steps, "columns", [*trace.columns])
        texts.put(steps, "units", [trace.units[name] for name in trace.columns])


def _result(group: h5py.Group) -> Result:
    data = numbers_in(group, "data")[...]
    columns = list(bounded_dataset(dataset(group, "columns")).asstr()[:])
    units = dict(zip(columns, bounded_dataset(dataset(group, "units")).asstr()[:], strict=True))
    texts = {name: str(group.attrs[name]) for name in _TEXTS}
    about = {
        name: json.loads(str(bounded_dataset(dataset(group, name)).asstr()[()]))
        for name in _JSON
        if has_member(group, name)
    }
    about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
    steps = group_in(group, "steps") if has_member(group, "steps") else None
    traces = [_trace(group_in(steps, str(k))) for k in range(len(steps))] if steps is not None else []
    return Result(data[:, 0], columns[1:], data[:, 1:], units, traces=traces, **texts, **about)


def _trace(group: h5py.Group) -> RecordedRun:
    columns, units = (list(bounded_dataset(dataset(group, name)).asstr()[:]) for name in ("columns", "units"))
    data = numbers_in(group, "data")[...]
    return RecordedRun(data[:, 0], columns, data[:, 1:], dict(zip(columns, units, strict=True)))


def read_study(path: str | Path) -> StudyResult:
    """The results in a study's file."""
    path = Path(path)
    with _opened(path) as file:
        index = _index(file)
        return StudyResult(
            path,
            [one["name"] for one in index if one["rows"]],
            {one["name"]: one["status"] for one in index},
            {one["name"]: one["message"] for one in index},
            {one["name"]: one["changes"] for one in index},
            {one["name"]: one["seconds"] for one in index},
            str(file.attrs["name"]),
            StoredMeasures.read(file),
        )


def _variant(name: str) -> str:
    return f"variants/{_key(name)}"


def _key(name: str) -> str:
    """A group's name: HDF5 takes / for a path, and . for the group itself."""
    name = without_nul(name)
    return name.replace("/", "\u2215") if name not in (".", "..") else name + " "


def is_study(path: Path) -> bool:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return "luff_study" in file.attrs
    except OSError:  # none of HDF5, or one that a run is writing: the reader of results knows
        return False


@contextmanager
def _opened(path: Path) -> Iterator[h5py.File]:
    import h5py

    with reading_results(path), h5py.File(path, "r") as file:
        if "luff_study" not in file.attrs:
            raise LuffError(
                Problem(
                    "an HDF5 file, but not the results of a study", str(path), "choose another file with -o"
                )
            )
        check_heaps(path)
        readable(file.attrs["luff_study"], file.attrs.get("version", ""), path)
        yield file

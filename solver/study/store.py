"""The results of a study in one HDF5 file.

    /variants/<name>   a group for each variant: data, columns and units as in a file of one result; netlist, quality,
                       parameters and plots as JSON; attributes status, message, version, changes, hash, seconds
    /study             the text of the study file
    attributes         luff_study, name, version

Each variant writes a file of its own in the folder NAME.h5.parts; when the study ends, by whatever end, the parts and
what the old file still has of use go into a new file, which takes the old one's place whole. Killed at any moment, the
parts that are whole are there, and the next run takes them up.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.reading import regular
from ..result import Result
from ..stream import bounded, numbers_in, reading_results, reason, to_json
from .new_file import new_file

FORMAT = 1
_TEXTS = ("status", "message", "version")
_JSON = ("netlist", "quality", "parameters", "plots")


@dataclass
class Entry:
    """What is to stand in the file for one variant."""

    name: str
    hash: str
    changes: Mapping[str, Any]
    status: str
    message: str = ""
    part: Path | None = None  # its own file, where it ran
    old: bool = False  # it is in the file already
    seconds: float | None = None


@dataclass
class StudyResult(Mapping[str, Result]):
    """Results by the names of the variants, read when they are asked for; failed variants have what they got to."""

    path: Path
    names: list[str]  # of the variants that have rows
    statuses: dict[str, str]
    messages: dict[str, str]
    changes: dict[str, dict[str, Any]]
    seconds: dict[str, float]  # that each took, when it ran
    name: str = ""
    _read: dict[str, Result] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Result:
        if name not in self._read:
            if name not in self.names:
                raise KeyError(f"no rows of a variant {name!r}; {did_you_mean(str(name), self.names)}")
            with _opened(self.path) as file:
                self._read[name] = _result(file["variants"][_key(name)])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def parts_of(path: Path) -> Path:
    return path.with_name(path.name + ".parts")


def finished(path: Path) -> set[str]:
    """The hashes of the variants that a file holds whole; none if there is no file."""
    if regular(path, "a study's results") is None:
        return set()
    with _opened(path) as file:
        groups = file["variants"].values()
        return {group.attrs["hash"] for group in groups if group.attrs["status"] == "finished"}


def write(path: Path, about: Mapping[str, str], entries: Iterable[Entry]) -> None:
    """A new file of these variants, in this order; the old file goes once the new one is whole."""
    import h5py

    from ..result import read as read_result

    part = path.with_name(path.name + ".part")
    try:
        old: Any = h5py.File(path, "r") if path.exists() else None
        try:
            groups = {group.attrs["hash"]: group for group in old["variants"].values()} if old else {}
            with new_file(part) as file:
                file.attrs.update({"luff_study": FORMAT, "name": about["name"], "version": about["version"]})
                file.create_dataset("study", data=about["study"], dtype=h5py.string_dtype())
                variants = file.create_group("variants", track_order=True)
                for entry in entries:
                    if entry.old:
                        file.copy(groups[entry.hash], variants, name=_key(entry.name))
                        group = variants[_key(entry.name)]
                    else:
                        group = variants.create_group(_key(entry.name))
                        if entry.part is not None:
                            _fill(group, read_result(entry.part))
                        group.attrs["seconds"] = entry.seconds if entry.seconds is not None else np.nan
                        group.attrs.update({"status": entry.status, "message": entry.message})
                    group.attrs.update(
                        {"name": entry.name, "hash": entry.hash, "changes": to_json(dict(entry.changes))}
                    )
        finally:
            if old is not None:
                old.close()
        os.replace(part, path)
    except OSError as error:
        kept = f"the runs are kept in {parts_of(path)}"
        raise RunError(Problem(f"cannot write results: {reason(error)}", str(path), kept)) from error
    finally:
        part.unlink(missing_ok=True)
    shutil.rmtree(parts_of(path), ignore_errors=True)


def _fill(group: Any, result: Result) -> None:
    import h5py

    text = h5py.string_dtype()
    names = ["time", *result.columns]
    group.create_dataset("data", data=np.column_stack((result.time, result.table)))
    group.create_dataset("columns", data=names, dtype=text)
    group.create_dataset("units", data=[result.units[name] for name in names], dtype=text)
    group.attrs.update({name: getattr(result, name) for name in _TEXTS})
    # texts of any size do not fit into an attribute's header
    for name in _JSON:
        group.create_dataset(name, data=to_json(getattr(result, name)), dtype=text)


def _result(group: Any) -> Result:
    data = numbers_in(group, "data")[...]
    columns = list(bounded(group["columns"]).asstr()[:])
    units = dict(zip(columns, bounded(group["units"]).asstr()[:], strict=True))
    texts: dict[str, Any] = {name: group.attrs[name] for name in _TEXTS}
    about = {name: json.loads(bounded(group[name]).asstr()[()]) for name in _JSON}
    return Result(data[:, 0], columns[1:], data[:, 1:], units, **texts, **about)


def read(path: str | Path) -> StudyResult:
    """The results in a study's file."""
    path = Path(path)
    with _opened(path) as file:
        groups = list(file["variants"].values())
        by_name = {group.attrs["name"]: group for group in groups}
        return StudyResult(
            path,
            [name for name, group in by_name.items() if "data" in group],
            {name: str(group.attrs["status"]) for name, group in by_name.items()},
            {name: str(group.attrs["message"]) for name, group in by_name.items()},
            {name: json.loads(group.attrs["changes"]) for name, group in by_name.items()},
            {name: float(group.attrs["seconds"]) for name, group in by_name.items()},
            str(file.attrs["name"]),
        )


def _key(name: str) -> str:
    """A group's name: HDF5 takes / for a path, and . for the group itself."""
    return name.replace("/", "\u2215") if name not in (".", "..") else name + " "


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import h5py

    with reading_results(path), h5py.File(path, "r") as file:
        if "luff_study" not in file.attrs:
            raise LuffError(
                Problem("an HDF5 file, but not of a study", str(path), "choose another file with -o")
            )
        yield file

"""NumPy: `time`, each signal under its own name, and `luff`: the rest as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile

from ...blocks.errors import Problem, RunError
from ...blocks.text.archives import opened
from .file_columns import vectors
from .hdf5_stream import to_json
from .recorded_run import FORMAT, RecordedRun, description, readable, signal_of


def write(result: RecordedRun, path: Path) -> None:
    about = {"format": FORMAT, **description(result), "columns": result.columns, "units": result.units}
    arrays = {"time": result.time, "luff": np.array(to_json(about))}
    arrays.update((name, result[name]) for name in result.names)
    with path.open("wb") as file:  # to a name numpy would add a suffix that it knows
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType] -- keywords are array names


def read(path: Path) -> RecordedRun:
    with _load(path) as file:
        if "luff" not in file:
            raise RunError(Problem("an archive of arrays, but not a result of luff", str(path)))
        about = json.loads(file["luff"].item())
        time, columns = file["time"], about.pop("columns")
        readable(about.pop("format", 1), about.get("version", ""), path)
        about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
        arrays = {name: file[name] for name in file.files if name not in ("time", "luff")}
    # columns of a signal are in the order of its array
    elements = {name: iter(array.reshape(len(time), -1).T) for name, array in arrays.items()}
    table = np.empty((len(time), len(columns)))
    for k, column in enumerate(columns):
        table[:, k] = next(elements[signal_of(column)])
    return RecordedRun(time, columns, table, **about)


def columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    with _load(path) as content:
        return vectors(dict(content))


@contextmanager
def _load(path: Path) -> Iterator[NpzFile]:
    with opened(path):  # which looks how much it unpacks to
        pass
    with path.open("rb") as file, np.load(file) as content:
        yield content

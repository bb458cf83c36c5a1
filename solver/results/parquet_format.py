"""Parquet: `time` and a column per element, each with its unit; the rest as JSON in the file's metadata, `luff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...blocks.errors import Problem, RunError
from .hdf5_members import installed_memory
from .hdf5_stream import to_json
from .recorded_run import FORMAT, RecordedRun, blocks, description, readable

UNIT, ABOUT = b"unit", b"luff"
NUMBERS = ("int", "uint", "float", "double", "halffloat", "bool")


def write(result: RecordedRun, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    fields = [pyarrow.field("time", pyarrow.float64(), False, {UNIT: "s"})]
    for name in result.columns:
        unit = result.units.get(name, "")
        fields.append(pyarrow.field(name, pyarrow.float64(), False, {UNIT: unit} if unit else None))
    about = {"format": FORMAT, **description(result), "columns": result.columns, "units": result.units}
    schema = pyarrow.schema(fields, {ABOUT: to_json(about)})
    with parquet.ParquetWriter(path, schema) as writer:
        for rows in blocks(result):
            parts = [result.time[rows], *np.ascontiguousarray(result.table[rows].T)]
            writer.write_table(pyarrow.table([pyarrow.array(part) for part in parts], schema=schema))


def read(path: Path) -> RecordedRun:
    with _opened(path) as file:
        metadata = file.schema_arrow.metadata or {}
        if ABOUT not in metadata:
            raise RunError(Problem("a Parquet file, but not a result of luff", str(path)))
        about = json.loads(metadata[ABOUT])
        names = about.pop("columns")
        readable(about.pop("format", 1), about.get("version", ""), path)
        about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
        if file.schema_arrow.names != ["time", *names]:
            raise ValueError("its columns are not those that its description names")
        columns = [np.asarray(column, float) for column in file.read(use_threads=False).columns]
    return RecordedRun(
        columns[0], names, np.column_stack([np.empty((len(columns[0]), 0)), *columns[1:]]), **about
    )


def columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    """Columns of numbers with their units; missing values are NaN."""
    with _opened(path) as file:
        fields = [field for field in file.schema_arrow if str(field.type).rstrip("0123456789") in NUMBERS]
        table = file.read([field.name for field in fields], use_threads=False)
    units = [(field.metadata or {}).get(UNIT, b"").decode() for field in fields]
    return {
        field.name: (np.asarray(table[field.name].cast("double"), float), unit)
        for field, unit in zip(fields, units, strict=True)
    }


def _opened(path: Path) -> Any:
    """A file whose rows memory holds: a few bytes can stand for any number of them."""
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    if 8.0 * file.metadata.num_rows * len(file.schema_arrow) > installed_memory():
        file.close()
        raise MemoryError
    return file

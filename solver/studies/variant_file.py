"""File of one variant while its study runs: a line of JSON, then the rows as they lie in memory.

It is written whole or not at all, in a tenth of the time that a file of HDF5 takes, and goes when the study ends.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ..results.hdf5_stream import failure_reason, reading_results, to_json
from ..results.recorded_run import RecordedRun, description
from ..results.result import Result

SUFFIX = ".part"
FORMAT = 2


def write_variant(result: Result, path: Path) -> None:
    about = {"columns": result.columns, "units": result.units, **description(result)}
    traces = [{"columns": one.columns, "units": one.units, "rows": len(one.time)} for one in result.traces]
    head = to_json({"luff_part": FORMAT, "rows": len(result.time), "traces": traces, **about}).encode()
    tables = [np.column_stack((one.time, one.table)) for one in (result, *result.traces)]
    own = path.with_name(f"{path.stem}.{uuid.uuid4().hex}.tmp")
    try:
        with own.open("wb") as file:
            file.writelines((head, b"\n"))
            file.writelines(np.ascontiguousarray(table, "<f8").data.cast("B") for table in tables)
        os.replace(own, path)
    except OSError as error:
        raise RunError(Problem(f"cannot write results: {failure_reason(error)}", str(path))) from error
    finally:
        own.unlink(missing_ok=True)


def read_variant(path: Path) -> Result:
    with reading_results(path), path.open("rb") as file:
        about = json.loads(file.readline())
        if about.pop("luff_part") != FORMAT:
            raise ValueError("another version of luff wrote it")
        about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
        heads = [{name: about.pop(name) for name in ("columns", "units", "rows")}, *about.pop("traces")]
        numbers, tables = np.fromfile(file, "<f8"), []
        ends = np.cumsum([one["rows"] * (1 + len(one["columns"])) for one in heads])
        if ends[-1] != len(numbers):
            raise ValueError("it is not whole")
        for one, table in zip(heads, np.split(numbers, ends[:-1]), strict=True):
            table = table.reshape(one["rows"], -1)
            tables.append((table[:, 0], one["columns"], table[:, 1:], one["units"]))
        return Result(*tables[0], traces=[RecordedRun(*one) for one in tables[1:]], **about)


def is_finished(path: Path) -> bool:
    """True if the file is there, whole, and of a run that finished."""
    try:
        return path.exists() and read_variant(path).status == "finished"
    except LuffError:
        return False

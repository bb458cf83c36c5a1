"""The file of one variant while its study goes on: a line of JSON, then the rows as they lie in memory.

It is written whole or not at all, in a tenth of the time that a file of HDF5 takes, and goes when the study ends.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ..result.recorded import description
from ..result.result import Result
from ..result.stream import reading_results, reason, to_json

SUFFIX = ".part"
FORMAT = 1


def write_part(result: Result, path: Path) -> None:
    about = {"columns": result.columns, "units": result.units, **description(result)}
    head = to_json({"luff_part": FORMAT, "rows": len(result), **about}).encode()
    table = np.column_stack((result.time, result.table))
    own = path.with_name(f"{path.stem}.{uuid.uuid4().hex}.tmp")
    try:
        with own.open("wb") as file:
            file.writelines((head, b"\n", np.ascontiguousarray(table, "<f8").data.cast("B")))
        os.replace(own, path)
    except OSError as error:
        raise RunError(Problem(f"cannot write results: {reason(error)}", str(path))) from error
    finally:
        own.unlink(missing_ok=True)


def read_part(path: Path) -> Result:
    with reading_results(path), path.open("rb") as file:
        about = json.loads(file.readline())
        if about.pop("luff_part") != FORMAT:
            raise ValueError("another version of luff wrote it")
        shape = about.pop("rows"), 1 + len(about["columns"])
        about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
        table = np.fromfile(file, "<f8")
        return Result(table.reshape(shape)[:, 0], about.pop("columns"), table.reshape(shape)[:, 1:], **about)


def finished(path: Path) -> bool:
    """Whether a file is there, whole, and of a run that went to its end."""
    try:
        return path.exists() and read_part(path).status == "finished"
    except LuffError:
        return False

"""CSV: `time [s]`, then a column per element, `slew.position [rad]`; numbers keep every bit."""

from __future__ import annotations

import csv
import io
import re
from itertools import chain
from pathlib import Path
from typing import TextIO

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ...blocks.text.data_files import split_head
from ...blocks.text.safe_read import file_content, shown
from .recorded_run import RecordedRun, blocks

_HEADER = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\[\]]*)\])?")


def write(result: RecordedRun, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        write_lines(result, file)


def write_lines(result: RecordedRun, file: TextIO) -> None:
    """Write the lines of a CSV into an open file or a pipe."""

    def header(name: str) -> str:
        unit = result.units.get(name, "")
        return f"{name} [{unit}]" if unit else name

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([header("time"), *map(header, result.columns)])
    for rows in blocks(result):
        # Python floats are written by repr: the shortest text that reads back as the same number
        writer.writerows(np.column_stack((result.time[rows], result.table[rows])).tolist())


def read(path: Path) -> RecordedRun:
    with path.open(newline="", encoding="utf-8") as file:
        heads = [_HEADER.fullmatch(text) for text in next(csv.reader(file), [])]
        first = next(file, "")
        rows = (
            np.loadtxt(chain([first], file), delimiter=",", ndmin=2) if first else np.empty((0, len(heads)))
        )
    names = [head["name"] if head else "" for head in heads]
    if not names or names[0] != "time":
        raise RunError(
            Problem("a result's first column is time", str(path), "is this a CSV that luff wrote?")
        )
    units = {head["name"]: head["unit"] or "" for head in heads if head}
    return RecordedRun(rows[:, 0], names[1:], rows[:, 1:], units)


def columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    """A line of names, and lines of as many numbers; what is empty is missing."""
    try:
        text = (file_content(path, "a table of numbers") or b"").decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (UnicodeDecodeError, csv.Error):
        raise LuffError(Problem(f"cannot read {shown(path)}: it is not UTF-8 text")) from None
    heads = [split_head(text) for text in rows[0]] if rows else []
    try:
        # as many in each line as there are names: others would go into the wrong columns
        numbers = np.array([[float(text or "nan") for text in row] for row in rows[1:]])
        numbers = numbers.reshape(len(rows) - 1, len(heads))
    except ValueError:
        fix = "the first line has the names, and every other line as many numbers"
        raise LuffError(Problem(f"{shown(path)} is not a table of numbers", fix=fix)) from None
    names = [name for name, _ in heads if name]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), "")
    if twice:
        raise LuffError(
            Problem(f'{shown(path)} has two columns "{shown(twice)}"', fix="give them names of their own")
        )
    return {name: (values, said) for (name, said), values in zip(heads, numbers.T, strict=True)}

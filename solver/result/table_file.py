"""Columns of a file by name: a result, or a table of any program's as CSV."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.reading import content, regular, shown
from .result import read

# `wind[0]` is a name, `force [kN]` and `force[kN]` a name and a unit
_HEAD = re.compile(r"\s*(?P<name>.*?(?:\[\d+\])?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*", re.DOTALL)


def columns(path: Path, expected: str = "a file of measured signals") -> dict[str, np.ndarray]:
    return {name: values for name, (values, _) in columns_with_units(path, expected).items()}


def columns_with_units(path: Path, expected: str) -> dict[str, tuple[np.ndarray, str]]:
    """Numbers and unit of each; the unit is empty where the file says none."""
    if regular(path, expected) is None:
        raise LuffError(Problem(f"there is no file {shown(path)}"))
    if path.suffix.lower() != ".csv":
        result = read(path)
        found = {"time": (result.time, "s")}
        return found | {name: (result[name], result.units.get(name, "")) for name in result.columns}
    try:
        text = (content(path, expected) or b"").decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (UnicodeDecodeError, csv.Error):
        raise LuffError(Problem(f"cannot read {shown(path)}: it is no UTF-8 text")) from None
    heads = [_HEAD.fullmatch(text) for text in rows[0]] if rows else []
    try:
        # as many in each line as there are names: others would go into the wrong columns
        numbers = np.array([[float(text or "nan") for text in row] for row in rows[1:]])
        numbers = numbers.reshape(len(rows) - 1, len(heads))
    except ValueError:
        fix = "the first line has the names, and every other line as many numbers"
        raise LuffError(Problem(f"{shown(path)} is no table of numbers", fix=fix)) from None
    return {
        head["name"]: (values, (head["unit"] or "").strip())
        for head, values in zip(heads, numbers.T, strict=True)
        if head  # which matches any text
    }

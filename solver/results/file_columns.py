"""Columns of a file by name: a result, or what any program has written in one of the formats (`file_formats.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.text.data_files import split_head, unit_of_head
from ...blocks.text.quantity import compatible, unit
from ...blocks.text.safe_read import regular_file, shown
from .file_formats import format_of
from .result import read_result

Columns = Mapping[str, tuple[np.ndarray, str]]


def in_si(table: Columns, name: str, expected: str | None = None, stated: str = "") -> np.ndarray:
    """A column in SI: from the unit that its heading says or else the `stated` one, of the dimension of `expected`."""
    key = name if name in table else split_head(name)[0]
    if key not in table:
        raise LuffError(Problem(f'the file has no column "{shown(name)}"', fix=did_you_mean(name, table)))
    values, said = table[key]
    named = {said, split_head(name)[1] if key != name else "", stated} - {""}
    if not named:
        return np.asarray(values, float)
    units = [unit_of_head(word, key) for word in sorted(named)]
    if any(other != units[0] for other in units):
        fix = "say it in one place, or the same in both"
        raise LuffError(Problem(f"the column {shown(key)} is in {' and in '.join(sorted(named))}", fix=fix))
    if expected is not None and not compatible(units[0].dimension, unit(expected).dimension):
        wanted = f"expected {expected}" if expected else "expected plain numbers"
        raise LuffError(Problem(f"the column {shown(key)} is in {sorted(named)[0]}, {wanted}"))
    return np.asarray(values, float) * float(units[0].factor)


def columns_with_units(path: Path, expected: str) -> dict[str, tuple[np.ndarray, str]]:
    """Numbers and unit of each; the unit is empty where the file says none."""
    if regular_file(path, expected) is None:
        raise LuffError(Problem(f"there is no file {shown(path)}"))
    form = format_of(path)
    if form.suffix == ".csv":  # of which luff's own are no others
        return form.load().columns(path)
    try:
        result = read_result(path)
    except RunError:
        others = _foreign_columns(path)
        if not others:
            raise
        return others
    columns = {"time": (result.time, "s")}
    return columns | {name: (result[name], result.units.get(name, "")) for name in result.columns}


def _foreign_columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    """Columns of another program's file; none if it cannot be read."""
    read_columns = format_of(path).load().columns
    try:
        return read_columns(path)
    except Exception:  # of h5py, scipy, numpy and pyarrow over bytes that may be anything
        return {}


def vectors(arrays: Mapping[str, np.ndarray]) -> dict[str, tuple[np.ndarray, str]]:
    """Rows or columns of numbers, by name."""
    flat = {name: np.squeeze(array) for name, array in arrays.items()}
    numbers = {name: each for name, each in flat.items() if each.ndim == 1 and each.dtype.kind in "fiub"}
    return columns_by_bare_name({name: (each.astype(float), "") for name, each in numbers.items()})


def columns_by_bare_name(table: Columns) -> dict[str, tuple[np.ndarray, str]]:
    """Columns by their names alone, where these end in a unit in brackets."""
    heads = {name: split_head(name) for name in table}
    names = [name for name, _ in heads.values()]
    return {
        head[0] if names.count(head[0]) == 1 else name: (
            table[name][0],
            table[name][1] or (head[1] if names.count(head[0]) == 1 else ""),
        )
        for name, head in heads.items()
    }

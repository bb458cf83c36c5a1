"""Columns of a file by name: a result, or what any program has written in one of the formats (`formats.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ...blocks.text.reading import regular, shown
from .formats import format_of
from .result import read_result


def columns(path: Path, expected: str = "a file of measured signals") -> dict[str, np.ndarray]:
    return {name: values for name, (values, _) in columns_with_units(path, expected).items()}


def columns_with_units(path: Path, expected: str) -> dict[str, tuple[np.ndarray, str]]:
    """Numbers and unit of each; the unit is empty where the file says none."""
    if regular(path, expected) is None:
        raise LuffError(Problem(f"there is no file {shown(path)}"))
    form = format_of(path)
    if form.suffix == ".csv":  # of which luff's own are no others
        return form.load().columns(path)
    try:
        result = read_result(path)
    except RunError:
        others = _others(path)
        if not others:
            raise
        return others
    columns = {"time": (result.time, "s")}
    return columns | {name: (result[name], result.units.get(name, "")) for name in result.columns}


def _others(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    """Of another program; none where it cannot be read."""
    read_columns = format_of(path).load().columns
    try:
        return read_columns(path)
    except Exception:  # of h5py, scipy, numpy and pyarrow over bytes that may be anything
        return {}


def vectors(arrays: Mapping[str, np.ndarray]) -> dict[str, tuple[np.ndarray, str]]:
    """Rows or columns of numbers, by name."""
    flat = {name: np.squeeze(array) for name, array in arrays.items()}
    return {
        name: (each.astype(float), "")
        for name, each in flat.items()
        if each.ndim == 1 and each.dtype.kind in "fiub"
    }

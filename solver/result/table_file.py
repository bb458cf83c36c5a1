"""Columns of a file by name: a result, or what any program has written as CSV, HDF5, MAT or NPZ."""

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
        try:
            result = read(path)
        except LuffError:
            others = vectors(path)
            if not others:
                raise
            return {name: (values, "") for name, values in others.items()}
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


def vectors(path: Path) -> dict[str, np.ndarray]:
    """Rows or columns of numbers, by name, in a file of another program; none where it cannot be read."""
    read_arrays = {".mat": _of_mat, ".npz": _of_npz}.get(path.suffix.lower(), _of_hdf5)
    try:
        arrays = read_arrays(path)
    except Exception:  # of h5py, scipy and numpy over bytes that may be anything
        return {}
    flat = {name: np.squeeze(array) for name, array in arrays.items()}
    return {
        name: each.astype(float)
        for name, each in flat.items()
        if each.ndim == 1 and each.dtype.kind in "fiub"
    }


def _of_mat(path: Path) -> dict[str, np.ndarray]:
    from scipy.io import loadmat

    try:
        return {name: np.asarray(each) for name, each in loadmat(path).items() if not name.startswith("__")}
    except NotImplementedError:  # version 7.3 is HDF5
        return _of_hdf5(path)


def _of_npz(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as content:
        return dict(content)


def _of_hdf5(path: Path) -> dict[str, np.ndarray]:
    """Datasets by their paths: `run/angle`."""
    import h5py

    found: dict[str, np.ndarray] = {}

    def take(name: str, each: h5py.Group | h5py.Dataset) -> None:
        # one that says more than one dimension of many is no signal, and need not fit into memory
        if isinstance(each, h5py.Dataset) and sum(length > 1 for length in each.shape or ()) == 1:
            found[name] = each[()]

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found

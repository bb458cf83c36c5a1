"""Entries of a netlist from values of a script: numbers and arrays of numpy as plain numbers and lists."""

from __future__ import annotations

from collections.abc import Mapping


def plain(value: object) -> object:
    """Copy of a value that shares nothing: numpy's numbers and arrays as Python's, tuples as lists, inside too."""
    if hasattr(value, "tolist"):
        return value.tolist()  # type: ignore[attr-defined]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value

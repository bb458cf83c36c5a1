"""Files that a netlist names, and tables of numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import LuffError, Problem
from .reading import Once, content, read_once, regular, shown, whole_path

OUTSIDE = "run with --allow-files DIR, or luff.load(path, files=[DIR]), if you trust the netlist with it"


def within(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a file lies in one of these folders, or below; links count as where they lead."""
    place = path.resolve()
    return any(folder.resolve() in place.parents for folder in folders)


def named_file(folder: Path, name: str, files: Iterable[Path], expected: str) -> Path:
    """A file that is named from `folder`; it lies there, or in one of the folders `files`."""
    path = whole_path(folder, name)
    status = regular(path, expected)
    if not within(path, (folder, *files)):
        outside = f'"{shown(name)}" lies outside of the netlist\'s folder'
        raise LuffError(Problem(outside, fix=OUTSIDE, wants=str(path.parent)))
    if status is None:
        raise LuffError(
            f'cannot read "{shown(name)}": there is no such file', fix="names count from the netlist's folder"
        )
    return path


def read_rows(folder: Path, name: str, files: Iterable[Path] = ()) -> Once[tuple[tuple[float, ...], ...]]:
    """Rows of a CSV file, whose name counts from `folder`; one heading line and comments after # are skipped.

    It lies in `folder`, or in one of the folders `files`: a netlist from elsewhere reads nothing else of a disk.

    Numbers are SI, and stand apart by commas, semicolons or blanks.
    """
    return read_once(_read_columns, named_file(folder, name, files, "a table"), shown(name))


def _read_columns(path: Path, name: str) -> tuple[tuple[float, ...], ...]:
    rows: list[tuple[float, ...]] = []
    headed = False
    try:
        text = (content(path, "a table") or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LuffError(f'cannot read "{name}": it is not UTF-8 text') from None
    for number, line in enumerate(text.splitlines(), 1):
        words = [word for word in re.split(r"[,;\s]+", line.partition("#")[0].strip()) if word]
        try:
            row = tuple(float(word) for word in words)
        except ValueError:
            if rows or headed:
                raise LuffError(f"{name}:{number}: expected numbers, found something else") from None
            headed = True
            continue
        if row:
            rows.append(row)
    return tuple(rows)

"""Files that a netlist names, and tables of numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..errors import LuffError, Problem
from .quantity import Unit, unit
from .safe_read import CachedReading, file_content, read_once, regular_file, shown, whole_path

WAMIT_ENDINGS = (".1", ".3", ".hst")  # of files that are given by one name

OUTSIDE = "run with --allow-files DIR, or luff.load(path, files=[DIR]), if you trust the netlist with it"

# `wind[0]` is a name, `force [kN]` and `force[kN]` are a name and a unit
_HEAD = re.compile(r"\s*(?P<name>.*?(?:\[\d+\])?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*", re.DOTALL)
_HEADS = re.compile(r"[^\s\[\]]+(?:\[\d+\])?\s*(?:\[[^\[\]]*\])?")
_PLAIN = ("-", "–", "—", "1")  # a column of plain numbers, which says so


def split_head(text: str) -> tuple[str, str]:
    """Name and unit of a column's heading, `force [kN]`; the unit is empty where it says none."""
    head = _HEAD.fullmatch(text)
    return (head["name"], (head["unit"] or "").strip()) if head else (text, "")


def unit_of_head(text: str, column: str) -> Unit:
    """The unit that a heading names; `-` is that of plain numbers. LuffError where there is no such unit."""
    try:
        return unit("1" if text in _PLAIN else text)
    except LuffError as error:
        fix = error.problems[0].fix or "write a unit, force [kN], or none for numbers in SI"
        raise LuffError(
            Problem(
                f'the heading of the column {shown(column)} has the unit "{shown(text)}", which is unknown',
                fix=fix,
            )
        ) from None


class Rows(NamedTuple):
    """Numbers of a table in SI, and the units that its heading says, empty where it says none."""

    rows: tuple[tuple[float, ...], ...]
    units: tuple[str, ...] = ()


def within(path: Path, folders: Iterable[Path]) -> bool:
    """True if a file lies in one of these folders or below, links resolved."""
    place = path.resolve()
    return any(folder.resolve() in place.parents for folder in folders)


def named_file(
    folder: Path, name: str, files: Iterable[Path], expected: str, source: str = "netlist"
) -> Path:
    """A file that is named from `folder`; it lies there, or in one of the folders `files`."""
    path = whole_path(folder, name)
    status = regular_file(path, expected)
    if not within(path, (folder, *files)):
        outside = f'"{shown(name)}" lies outside of the {source}\'s folder'
        raise LuffError(Problem(outside, fix=OUTSIDE.replace("netlist", source), wants=str(path.parent)))
    if status is None:
        raise LuffError(
            f'cannot read "{shown(name)}": there is no such file',
            fix=f"names count from the {source}'s folder",
        )
    return path


def read_rows(folder: Path, name: str, files: Iterable[Path] = ()) -> CachedReading[Rows]:
    """Rows of a CSV file, whose name counts from `folder`; one heading line and comments after # are skipped.

    It lies in `folder`, or in one of the folders `files`: a netlist from elsewhere reads nothing else of a disk.

    Numbers stand apart by commas, semicolons or blanks; they are in the units that the heading gives, `force [kN]`, and
    else in SI.
    """
    return read_once(_read_columns, named_file(folder, name, files, "a table"), shown(name))


def _read_columns(path: Path, name: str) -> Rows:
    rows: list[tuple[float, ...]] = []
    heading = ""
    try:
        text = (file_content(path, "a table") or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LuffError(f'cannot read "{name}": it is not UTF-8 text') from None
    for number, line in enumerate(text.splitlines(), 1):
        words = [word for word in re.split(r"[,;\s]+", line.partition("#")[0].strip()) if word]
        try:
            row = tuple(float(word) for word in words)
        except ValueError:
            if rows or heading:
                raise LuffError(f"{name}:{number}: expected numbers, found something else") from None
            heading = line.partition("#")[0]
            continue
        if row:
            rows.append(row)
    return _in_si(rows, heading, name)


def _in_si(rows: list[tuple[float, ...]], heading: str, name: str) -> Rows:
    """Rows in the units of their heading brought to SI."""
    apart = re.split("[,;\t]", heading) if re.search("[,;\t]", heading) else _HEADS.findall(heading)
    heads = [split_head(text) for text in apart]
    if not any(said for _, said in heads):
        return Rows(tuple(rows))
    factors = [float(unit_of_head(said, column).factor) if said else 1.0 for column, said in heads]
    for row in rows:
        if len(row) != len(factors):
            mistake = (
                f"{name}: the heading names {len(factors)} columns with their units, and a row has {len(row)}"
            )
            raise LuffError(f"{mistake} numbers")
    scaled = (tuple(x * factor for x, factor in zip(row, factors, strict=True)) for row in rows)
    return Rows(tuple(scaled), tuple(said for _, said in heads))

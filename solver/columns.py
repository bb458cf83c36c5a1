"""Write recorded columns compactly: runs that walk evenly through the work space become loops.

A flexible link has hundreds of outputs, and compilation takes more than linearly long in lines and variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# sums of cells of the work space, such as d.row[7, Q] or (-(d.row[4, PASSIVE] + d.row[4, PASSIVE + 1]))
_CELLS = re.compile(r"[-+()\s]*(?:d\.[a-z_]+\[\d+(?:, [\w +]+)?\][-+()\s]*)+")
_INDEX = re.compile(r"(?<=\[)\d+|(?<=, )\d+(?=\])")
LEAST = 4  # columns that are worth a loop


def assignments(record: Sequence[str]) -> list[str]:
    """Lines that put every expression into its place in y."""
    lines: list[str] = []
    for first, count, steps in _runs(record):
        if count == 1:
            lines.append(f"y[{first}] = {record[first]}")
            continue
        lines += [f"for j in range({count}):", f"    y[{first} + j] = {_walking(record[first], steps)}"]
    return lines


def _walking(text: str, steps: Sequence[int]) -> str:
    """The first expression of a run with j in its indices."""
    walk = iter(steps)

    def index(match: re.Match[str]) -> str:
        step = next(walk)
        return f"{match[0]} + {step}*j" if step else match[0]

    return _INDEX.sub(index, text)


def _runs(record: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]:
    """First column, number of columns, and the steps of their indices."""
    j = 0
    while j < len(record):
        count, steps = _even(record, j)
        if count < LEAST:
            count = 1
        yield j, count, steps
        j += count


def _even(record: Sequence[str], start: int) -> tuple[int, list[int]]:
    """How many expressions from `start` on differ by constant steps of their indices alone, and those steps."""
    if not _CELLS.fullmatch(record[start]):
        return 1, []
    shape, before = _INDEX.sub("#", record[start]), _indices(record[start])
    steps: list[int] = []
    count = 1
    for text in record[start + 1 :]:
        if _INDEX.sub("#", text) != shape:
            break
        here = _indices(text)
        walked = [b - a for a, b in zip(before, here, strict=True)]
        if count > 1 and walked != steps:
            break
        count, steps, before = count + 1, walked, here
    return count, steps


def _indices(text: str) -> list[int]:
    return [int(index) for index in _INDEX.findall(text)]

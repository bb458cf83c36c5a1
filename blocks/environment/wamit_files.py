"""WAMIT's output files in SI: `.1` added mass and damping, `.3` exciting forces, `.hst` hydrostatic stiffness."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..errors import LuffError
from ..text.data_files import WAMIT_ENDINGS, named_file
from ..text.safe_read import CachedReading, file_content, read_once, shown

Row = tuple[float, ...]


class Coefficients(NamedTuple):
    """Rows [w, i, j, A, B], [w, heading, i, amplitude, phase], [i, j, C] in SI, and A at infinite frequency."""

    radiation: tuple[Row, ...]
    excitation: tuple[Row, ...]
    restoring: tuple[Row, ...]
    infinite: Row | None


def read_wamit(folder: Path, name: str, files: Iterable[Path]) -> list[CachedReading[tuple[Row, ...]]]:
    """The files NAME.1, NAME.3 and NAME.hst, as rows of numbers."""
    found = []
    for ending in WAMIT_ENDINGS:
        path = named_file(folder, name + ending, files, "a file of WAMIT")
        found.append(read_once(_read_numbers, path, shown(name + ending)))
    return found


def _read_numbers(path: Path, name: str) -> tuple[Row, ...]:
    text = (file_content(path, "a file of WAMIT") or b"").decode("utf-8", "replace")
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"(?<=\d)[dD](?=[+-]?\d)", "e", line).split()
        try:
            row = tuple(float(word) for word in words)
        except ValueError:
            if number == 1:
                continue  # a heading
            raise LuffError(f"{name}:{number}: expected numbers, found something else") from None
        if row:
            rows.append(row)
    return tuple(rows)


def coefficients(
    one: tuple[Row, ...],
    three: tuple[Row, ...],
    hst: tuple[Row, ...],
    length: float,
    density: float,
    gravity: float,
) -> Coefficients:
    """Dimensional coefficients (WAMIT user manual, ch. 4): rho L^k and rho w L^k, rho g L^m, rho g L^k."""

    def turns(*axes: float) -> int:
        return sum(axis > 3.5 for axis in axes)

    radiation, infinite, limit = [], [0.0] * 36, False
    for period, i, j, added, *more in one:
        A = density * length ** (3 + turns(i, j)) * added
        if period == 0.0:
            limit = True
            infinite[6 * (int(i) - 1) + int(j) - 1] = A
        elif period > 0.0:
            w = 2.0 * math.pi / period
            radiation.append(
                (w, i, j, A, density * w * length ** (3 + turns(i, j)) * (more[0] if more else 0.0))
            )
    excitation = [
        (
            2.0 * math.pi / period,
            math.radians(heading),
            i,
            density * gravity * length ** (2 + turns(i)) * size,
            math.radians(phase),
        )
        for period, heading, i, size, phase, *_ in three
        if period > 0.0
    ]
    restoring = [(i, j, density * gravity * length ** (2 + turns(i, j)) * C) for i, j, C in hst]
    return Coefficients(
        tuple(radiation), tuple(excitation), tuple(restoring), tuple(infinite) if limit else None
    )

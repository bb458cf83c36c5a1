"""Tables of numbers in text files."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from .errors import LuffError
from .reading import content, regular, shown, whole_path


def read_rows(folder: Path, name: str) -> tuple[tuple[float, ...], ...]:
    """Rows of a CSV file, whose name counts from `folder`; one heading line and comments after # are skipped.

    Numbers are SI, and stand apart by commas, semicolons or blanks.
    """
    found = regular(path := whole_path(folder, name), "a table")
    if found is None:
        raise LuffError(
            f'cannot read "{shown(name)}": there is no such file', fix="names count from the netlist's folder"
        )
    return _read(path, shown(name), found.st_mtime_ns)


@lru_cache(32)
def _read(path: Path, name: str, stamp: int) -> tuple[tuple[float, ...], ...]:
    rows: list[tuple[float, ...]] = []
    headed = False
    try:
        text = (content(path, "a table") or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LuffError(f'cannot read "{name}": it is no UTF-8 text ({error.reason})') from None
    for number, line in enumerate(text.splitlines(), 1):
        words = [word for word in re.split(r"[,;\s]+", line.partition("#")[0].strip()) if word]
        try:
            row = tuple(float(word) for word in words)
        except ValueError:
            if rows or headed:
                raise LuffError(f"{name}:{number}: found {line[:40]!r}, expected numbers") from None
            headed = True
            continue
        if row:
            rows.append(row)
    return tuple(rows)

"""Where the tables of benchmarks are kept, and shown: each number of a page comes from a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"


def keep(name: str, lines: Iterable[str], write: bool = True) -> None:
    """Print lines and, unless told not to, write them to a file of bench/results."""
    text = "\n".join(lines) + "\n"
    print(text)
    if write:
        (RESULTS / name).write_text(text, encoding="utf-8")


def show(page: str, table: list[str]) -> None:
    """Write a table into a page, in place of the one there that has the same first line."""
    path = ROOT / page
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines.count(table[0]) != 1:
        raise ValueError(f"{page}: expected one table that begins with: {table[0]}")
    begin = lines.index(table[0])
    end = next(k for k in range(begin, len(lines)) if not lines[k].startswith("|"))
    path.write_text("\n".join([*lines[:begin], *table, *lines[end:]]), encoding="utf-8")

"""Where the tables of benchmarks are kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name: str, lines: Iterable[str]) -> None:
    """Write them to bench/results, and print them."""
    text = "\n".join(lines) + "\n"
    (RESULTS / name).write_text(text, encoding="utf-8")
    print(text)

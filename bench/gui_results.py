"""The sections of bench/results/gui.md: each benchmark of the desktop writes its own and leaves the others."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

FILE = Path(__file__).parent / "results" / "gui.md"
HEAD = "# The desktop, measured\n\nOffscreen, software rendering; each section is written by its command.\n"


def run(
    parser: argparse.ArgumentParser,
    title: str,
    command: str,
    measured: Callable[[argparse.Namespace], Mapping[str, object]],
) -> None:
    """Measure as the command line asks, and print or keep what was found."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="keep the figures in bench/results/gui.md")
    options = parser.parse_args()
    figures = measured(options)
    if options.write:
        keep(title, f"{command} --write", figures)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:38} {value}")


def keep(title: str, command: str, figures: Mapping[str, object]) -> None:
    rows = [f"| {name.replace('_', ' ')} | {_words(value)} |" for name, value in figures.items()]
    section = "\n".join([f"## {title}", "", f"`{command}`", "", "| | |", "|---|---|", *rows, ""])
    text = FILE.read_text(encoding="utf-8") if FILE.is_file() else HEAD
    known = re.compile(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    text = known.sub(lambda _: section + "\n", text) if known.search(text) else f"{text}\n{section}"
    FILE.write_text(text.rstrip() + "\n", encoding="utf-8")


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {inner}" for key, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

"""Journal of a search, a line of JSON each, so that one that was ended goes on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import NotRequired, TypedDict, Unpack

from ...blocks.errors import RunError


class SearchEnd(TypedDict):
    """State of a search, or its end (`done`)."""

    point: list[float]  # of the unit cube
    kind: NotRequired[str]  # local or global
    search: NotRequired[int]
    done: NotRequired[bool]
    cost: NotRequired[float]
    value: NotRequired[float]
    note: NotRequired[str]
    generation: NotRequired[int]
    population: NotRequired[list[list[float]]]


class SearchJournal:
    """Lines of one task; those of another one are dropped."""

    def __init__(self, output: Path | None, digest: str, fresh: bool = False):
        self.path = output.with_name(output.name + ".part") if output is not None else None
        self.lines: list[SearchEnd] = []
        self._turn = Lock()  # of searches in threads
        if self.path is None:
            return
        if self.path.is_file() and not fresh:
            self.lines = _read_ends(self.path, digest)
        self._write("w", {"task": digest}, *self.lines)

    def note(self, **words: Unpack[SearchEnd]) -> None:
        with self._turn:
            self.lines.append(words)
            self._write("a", words)

    def last(self, **words: object) -> SearchEnd | None:
        """The latest line with these words."""
        return next((line for line in reversed(self.lines) if words.items() <= line.items()), None)

    def best(self) -> SearchEnd | None:
        """The line with the least value, the later one of equal ones; None before the first."""
        return min(reversed(self.lines), key=least_of, default=None)

    def close(self) -> None:
        """Remove the file: the result takes its place."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _write(self, mode: str, *lines: Mapping[str, object]) -> None:
        if self.path is None:
            return
        try:
            with self.path.open(mode, encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        except OSError as error:
            raise RunError(f"cannot write {self.path}: {error.strerror}") from None


def least_of(line: SearchEnd) -> float:
    """Value that a line has reached, of a fit its cost; infinite without one."""
    return line.get("value", line.get("cost", math.inf))


def step_words(k: int, what: str, steps: int, most: int) -> str:
    """Words on how far a search has come, in steps or evaluations."""
    return f"search {k + 1}, {what} {steps} of at most {most}"


def _read_ends(path: Path, digest: str) -> list[SearchEnd]:
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:  # cut off by the end of the process
            break
    return lines[1:] if lines and lines[0] == {"task": digest} else []

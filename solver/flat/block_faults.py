"""Mistakes inside of a block's own code, in three lines: the block, the line of its file, and the cause."""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...blocks import Block
from ...blocks.errors import Problem

if TYPE_CHECKING:
    pass

LUFF = Path(__file__).parents[2]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# what the compiler says around the cause
AROUND = (
    "Failed in",
    "During:",
    "File ",
    "Enable logging",
    "This error may",
    "- argument type",
    "TypingError",
)


def of_method(error: Exception) -> Problem | None:
    """A method of a block that fails; None where it is luff's own, which is no mistake of the user's."""
    frames = [*traceback.walk_tb(error.__traceback__)]
    for frame, number in reversed(frames):
        owner, file = frame.f_locals.get("self"), Path(frame.f_code.co_filename)
        if isinstance(owner, Block) and LUFF not in file.parents:
            name = getattr(owner, "name", "")
            return problem_of(name, f"its {frame.f_code.co_name}() fails", file, number, _named(error))
    return None


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def problem_of(name: str, what: str, file: Path, number: int, cause: str) -> Problem:
    line = linecache.getline(str(file), number).strip()
    return Problem(f"{what}\n  {file}:{number}: {line}\n  {cause}", name)


def says(line: str) -> bool:
    return bool(line.strip()) and not any(word in line for word in AROUND)


def line_of(function: Callable[..., object], text: str) -> tuple[Path, int] | None:
    """File and number of a line of a function."""
    lines, first = inspect.getsourcelines(function)
    numbers = [first + k for k, line in enumerate(lines) if line.strip() == text]
    file = Path(inspect.getsourcefile(function) or "")
    return (file, numbers[0]) if numbers and LUFF not in file.parents else None

"""Mistakes inside of a block's own code, in three lines: the block, the line of its file, and the cause."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path

from ...blocks import Block
from ...blocks.errors import Problem

LUFF = Path(__file__).parents[2]


def method_error(error: Exception) -> Problem | None:
    """A method of a block that fails; None where it is luff's own, which is no mistake of the user's."""
    frames = [*traceback.walk_tb(error.__traceback__)]
    for frame, number in reversed(frames):
        owner, file = frame.f_locals.get("self"), Path(frame.f_code.co_filename)
        if isinstance(owner, Block) and LUFF not in file.parents:
            name = getattr(owner, "name", "")
            return block_code_problem(
                name, f"its {frame.f_code.co_name}() fails", file, number, _named(error)
            )
    return None


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def block_code_problem(name: str, what: str, file: Path, number: int, cause: str) -> Problem:
    line = linecache.getline(str(file), number).strip()
    return Problem(f"{what}\n  {file}:{number}: {line}\n  {cause}", name)

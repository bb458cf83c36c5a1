"""Mistakes inside of a block's own code, in three lines: the block, the line of its file, and the cause."""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..blocks import Block, CompileError
from ..blocks.errors import Problem

if TYPE_CHECKING:
    from .program import Program

LUFF = Path(__file__).parents[1]
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


@contextmanager
def telling_blocks(program: Program) -> Iterator[None]:
    """A function of a block that cannot be compiled is told with its line, where it is a block's of somebody else."""
    try:
        yield
    except RuntimeError as error:
        from .machine.makers import CompileFault

        if not isinstance(error, CompileFault):
            raise
        found = _uncompiled(error, program)
        if found is None:
            raise
        raise CompileError(program.flat.located(found)) from None


def of_method(error: Exception) -> Problem | None:
    """A method of a block that fails; None where it is luff's own, which is no mistake of the user's."""
    frames = [*traceback.walk_tb(error.__traceback__)]
    for frame, number in reversed(frames):
        owner, file = frame.f_locals.get("self"), Path(frame.f_code.co_filename)
        if isinstance(owner, Block) and LUFF not in file.parents:
            name = getattr(owner, "name", "")
            return _problem(name, f"its {frame.f_code.co_name}() fails", file, number, _named(error))
    return None


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _problem(name: str, what: str, file: Path, number: int, cause: str) -> Problem:
    line = linecache.getline(str(file), number).strip()
    return Problem(f"{what}\n  {file}:{number}: {line}\n  {cause}", name)


def _uncompiled(fault: Any, program: Program) -> Problem | None:
    """The place of the block's function in its own file, by the text of the line that the compiler names."""
    for table in program.tables.values():
        for call in table.calls:
            if call.code is not fault.unit:
                continue
            name = call.operations[0].label
            block = program.flat.blocks.get(name)
            if block is None:
                return None
            lines = COLOURS.sub("", str(fault)).splitlines()
            text = fault.unit.source.splitlines()
            numbers = [int(n) for n in re.findall(r'File "<[^"]*", line (\d+)', "\n".join(lines))]
            cause = next((line.strip() for line in lines if _says(line)), lines[0])
            for number in numbers:
                if 0 < number <= len(text):
                    for role, function in block.instance_functions().items():
                        found = _line(function, text[number - 1].strip())
                        if found is not None:
                            return _problem(name, f"its function {role} cannot be compiled", *found, cause)
            return Problem(f"its functions cannot be compiled\n  {cause}", name)
    return None


def _says(line: str) -> bool:
    return bool(line.strip()) and not any(word in line for word in AROUND)


def _line(function: Any, text: str) -> tuple[Path, int] | None:
    """File and number of a line of a function."""
    lines, first = inspect.getsourcelines(function)
    numbers = [first + k for k, line in enumerate(lines) if line.strip() == text]
    file = Path(inspect.getsourcefile(function) or "")
    return (file, numbers[0]) if numbers and LUFF not in file.parents else None

"""Mistakes that compiling finds inside of a block's own code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..flat.block_faults import COLOURS, line_of, problem_of, says
from ..machine.functions import Function

if TYPE_CHECKING:
    from ..machine.makers import CompileFault
    from ..program.program import Program


@contextmanager
def telling_blocks(program: Program) -> Iterator[None]:
    """A function of a block that cannot be compiled is told with its line, where it is a block's of somebody else."""
    try:
        yield
    except RuntimeError as error:
        from ..machine.makers import CompileFault

        if not isinstance(error, CompileFault):
            raise
        found = _uncompiled(error, program)
        if found is None:
            raise
        raise CompileError(program.flat.located(found)) from None


def _uncompiled(fault: CompileFault, program: Program) -> Problem | None:
    """The place of the block's function in its own file, by the text of the line that the compiler names."""
    for table in program.tables.values():
        for call in table.calls:
            if call.code is not fault.unit or not isinstance(fault.unit, Function):
                continue
            name = call.operations[0].label
            block = program.flat.blocks.get(name)
            if block is None:
                return None
            lines = COLOURS.sub("", str(fault)).splitlines()
            text = fault.unit.source.splitlines()
            numbers = [int(n) for n in re.findall(r'File "<[^"]*", line (\d+)', "\n".join(lines))]
            cause = next((line.strip() for line in lines if says(line)), lines[0])
            for number in numbers:
                if 0 < number <= len(text):
                    for role, function in block.instance_functions().items():
                        found = line_of(function, text[number - 1].strip())
                        if found is not None:
                            return problem_of(name, f"its function {role} cannot be compiled", *found, cause)
            return Problem(f"its functions cannot be compiled\n  {cause}", name)
    return None

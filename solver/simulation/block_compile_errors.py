"""Compiler errors in blocks' own functions, located in their source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...blocks import Block, CompileError
from ...blocks.errors import Problem
from ...blocks.registry import is_own
from ..codegen.source_functions import Function
from ..flatten.block_code_errors import block_code_problem
from ..integrators.preload import load_entry_points
from ..program.block_calls import origin_of
from ..program.closure_capture import definition_line
from ..program.operations import Operation

if TYPE_CHECKING:
    from ..codegen.compile_pool import CompilationFailed
    from ..program.started_program import Started

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def naming_blocks(program: Started) -> Iterator[None]:
    """Context: report a block's function that cannot be compiled with its line and the cause."""
    try:
        yield
    except RuntimeError as error:
        from ..codegen.compile_pool import CompilationFailed

        if not isinstance(error, CompilationFailed):
            raise
        problem = _uncompiled(error, program)
        if problem is None:
            raise
        raise CompileError(program.flat.located(problem)) from None


def compile_errors(program: Started) -> list[Problem]:
    """Problems of the functions of user-defined blocks: each is compiled and cached."""
    entries: dict[str, Function] = {}
    for call in (call for table in program.tables.values() for call in table.calls):
        block = program.flat.blocks.get(call.operations[0].label)
        if isinstance(call.code, Function) and block is not None and not is_own(type(block)):
            entries.setdefault(call.code.key, call.code)
    problems: list[Problem] = []
    for entry in entries.values():
        try:
            with naming_blocks(program):
                load_entry_points([entry])
        except CompileError as error:
            problems += error.problems
    return problems


def _uncompiled(fault: CompilationFailed, program: Started) -> Problem | None:
    """Problem of a compiler error at the block's function in its file, or None."""
    entry = fault.entry
    for call in (call for table in program.tables.values() for call in table.calls):
        if call.code is entry and isinstance(entry, Function):
            operation = call.operations[0]
            block = program.flat.blocks.get(operation.label)
            return None if block is None else _told(fault, entry, block, operation)
    return None


def _told(fault: CompilationFailed, entry: Function, block: Block, operation: Operation) -> Problem:
    """Problem of a block's function that cannot be compiled, with the cause in words."""
    from .compiler_messages import cause_in_function, expected, returned_type

    text = COLOURS.sub("", str(fault))
    role = entry.label.removeprefix(f"{block.type_name}_")
    function = block.instance_functions()[role]
    what = f"its function {role} cannot be compiled"
    result = returned_type(text)
    if result:
        names = [key[1] for key in operation.makes] if role.startswith("out") else []
        count = entry.source[entry.source.rindex("\n    for _ in range") :].partition(" = ")[0].count("w[a[")
        cause = f"it returns {result}, expected {expected(count, names)}"
        return block_code_problem(block.name, what, *definition_line(function), cause)
    for number in map(int, re.findall(r'(?:File "<[^"]*", line |at <[^>]*> \()(\d+)', text)):
        place = origin_of(entry.source, number)
        if place is not None:
            return block_code_problem(block.name, what, *place, cause_in_function(text))
    return block_code_problem(block.name, what, *definition_line(function), cause_in_function(text))

"""SIMD rewriting of a function: each float becomes a vector with one entry a lane (run).

Memory of floats becomes wider by the number of lanes; integers, addresses and loops are common to the group. Where a
branch, an index or an address would differ between lanes, the group diverges: the rest of the function runs lane after
lane, in a scalar copy that works on the interleaved memory and can start at each such place. Thus every function works
in lanes whatever it decides. The bits of a lane are the same on either path.

A function that writes integers, or calls others by address, cannot continue lane by lane. It reports divergence in a
word whose address stands before the table of its first argument, and returns; so does its caller. Memory is then
invalid: the caller has saved the state before.
"""

from __future__ import annotations

import re

from ..libm_calls import OWN_SYMBOLS, PURE
from .entry_point_variants import lanes_symbol, single_lane_symbol
from .ir_parser import Function, UnknownInstruction, split_operands
from .pointer_kinds import pointer_kinds
from .scalar_lane import ScalarLane
from .vectorise import Vector

WEIGHTS = ("i32 2000, i32 1", "i32 1, i32 2000")  # branch weights: lanes nearly always agree


def lanes_text(function: Function, lanes: int, known: dict[str, str], bundled: bool) -> str:
    """LLVM module of the function in lanes and of its copy for one lane.

    `known` are kinds of pointers; `bundled` functions have a table as their first argument.
    """
    kinds = pointer_kinds(function, known)
    vector = Vector(function, lanes, kinds)
    if vector.leaves and not bundled:
        raise UnknownInstruction("it writes integers, or calls by address, and has no bundle")
    body = vector.written()
    single = ScalarLane(function, lanes, kinds, vector.divergences).written()
    made = {lanes_symbol(function.symbol, lanes), single_lane_symbol(function.symbol, lanes)}
    called = {*call_declarations(body), *call_declarations(single)}
    declarations = sorted(line for line in called if not any(f"@{name}(" in line for name in made))
    notes = ["!0 = !{}", *(f'!{k} = !{{!"branch_weights", {ways}}}' for k, ways in enumerate(WEIGHTS, 1))]
    return "\n".join([*function.constants, *declarations, body, single, *notes, ""])


def call_declarations(text: str) -> set[str]:
    """Declarations of the functions that a text calls by name."""
    lines = set()
    for kind, name, arguments in re.findall(r"call (.+) (@[\w.$]+)\(([^\n]*)\)$", text, re.MULTILINE):
        kinds = ", ".join(_kind_of(part) for part in split_operands(arguments))
        lines.add(f"declare {kind} {name}({kinds}){f' {PURE}' if name[1:] in OWN_SYMBOLS else ''}")
    return lines


def _kind_of(argument: str) -> str:
    """Type of a call's argument."""
    if argument.startswith("<"):
        return argument[: argument.index(">") + 1]
    return argument.split(" ")[0]

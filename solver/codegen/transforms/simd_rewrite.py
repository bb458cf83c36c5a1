"""Several runs side by side: each float of a function becomes a register of them, one for each lane.

Memory of floats becomes wider by as many lanes; integers, addresses and loops are those of the whole group. Where a
branch, an index or a choice of addresses would differ from lane to lane, the group parts at that place: the rest of
the function is done lane after lane, by a copy of it that works with floats on every n-th entry of the same memory and
that can begin at each such place. So every function works in lanes, whatever it decides; one that never parts works in
all of them at once. What is done to the numbers of a lane is the same in either way, bit for bit.

A function that writes integers, or calls others by their address, cannot go on so: integers are the group's. It says
that the group is left, in a word whose address stands before the table of its first argument, and returns; so does
what has called it. What memory holds then is of no use: the caller has kept what it was before.
"""

from __future__ import annotations

import re

from ..libm_calls import OWN_SYMBOLS, PURE
from .entry_point_variants import lanes_symbol, single_lane_symbol
from .ir_parser import Function, UnknownInstruction, split_operands
from .pointer_kinds import pointer_kinds
from .scalar_lane import ScalarLane
from .vectorise import Vector

WEIGHTS = ("i32 2000, i32 1", "i32 1, i32 2000")  # lanes agree, and nobody has left, nearly always


def lanes_text(function: Function, lanes: int, known: dict[str, str], bundled: bool) -> str:
    """The module's text: the function in lanes, and its copy for one lane.

    `known` are the kinds of some pointers; `bundled` functions have a table as their first argument.
    """
    kinds = pointer_kinds(function, known)
    vector = Vector(function, lanes, kinds)
    if vector.leaves and not bundled:
        raise UnknownInstruction("it writes integers, or calls by address, and has no bundle")
    body = vector.written()
    single = ScalarLane(function, lanes, kinds, vector.partings).written()
    made = {lanes_symbol(function.symbol, lanes), single_lane_symbol(function.symbol, lanes)}
    called = {*call_declarations(body), *call_declarations(single)}
    declarations = sorted(line for line in called if not any(f"@{name}(" in line for name in made))
    notes = ["!0 = !{}", *(f'!{k} = !{{!"branch_weights", {ways}}}' for k, ways in enumerate(WEIGHTS, 1))]
    return "\n".join([*function.constants, *declarations, body, single, *notes, ""])


def call_declarations(text: str) -> set[str]:
    """Of what a text calls by name."""
    lines = set()
    for kind, name, arguments in re.findall(r"call (.+) (@[\w.$]+)\(([^\n]*)\)$", text, re.MULTILINE):
        kinds = ", ".join(_kind_of(part) for part in split_operands(arguments))
        lines.add(f"declare {kind} {name}({kinds}){f' {PURE}' if name[1:] in OWN_SYMBOLS else ''}")
    return lines


def _kind_of(argument: str) -> str:
    if argument.startswith("<"):
        return argument[: argument.index(">") + 1]
    return argument.split(" ")[0]

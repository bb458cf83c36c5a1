"""Writer of LLVM instructions: unchanged, or for memory whose floats are several times as wide."""

from __future__ import annotations

import re
from collections.abc import Callable

from .ir_parser import Instruction, UnknownInstruction
from .pointer_kinds import FLOATS, WORDS

WIDE = (FLOATS, WORDS)  # kinds of memory with room for all lanes
Fresh = Callable[[], str]  # maker of unused names
# alignment of spill slots on the stack: by default LLVM lets some of them cross a cache line
ALIGNED = "alignstack(64)"
SIZES = {"double": 8, "i64": 8, "i8": 1}


class Writer:
    """Lines of a function in writing, and unused names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._fresh = 0

    def fresh(self) -> str:
        """An unused name."""
        self._fresh += 1
        return f"%f{self._fresh}"

    def put(self, line: str) -> None:
        """Append an indented line."""
        self.lines.append(f"  {line}")


def instruction_text(one: Instruction) -> str:
    """LLVM text of an instruction, unchanged."""
    head = f"{one.result} = " if one.result else ""
    flags = f"{one.flags} " if one.flags else ""
    values = [f"{kind} {value}" for kind, value in one.operands]
    return head + WRITERS.get(one.op, _other)(one, flags, values)


def _load(one: Instruction, flags: str, values: list[str]) -> str:
    return f"load {one.kind}, {values[0]}{', !invariant.load !0' if one.kept else ''}"


def _compare(one: Instruction, flags: str, values: list[str]) -> str:
    return f"{one.op} {flags}{one.word} {values[0]}, {one.operands[1][1]}"


def _switch(one: Instruction, flags: str, values: list[str]) -> str:
    ways = zip(one.cases, one.labels[1:], strict=True)
    cases = " ".join(f"i64 {case}, label {label}" for case, label in ways)
    return f"switch {values[0]}, label {one.labels[0]} [ {cases} ]"


def _other(one: Instruction, flags: str, values: list[str]) -> str:
    if len(one.operands) == 1:
        return f"{one.op} {flags}{values[0]} to {one.kind}"
    return f"{one.op} {flags}{values[0]}, {one.operands[1][1]}"


WRITERS: dict[str, Callable[[Instruction, str, list[str]], str]] = {
    "load": _load,
    "store": lambda one, flags, values: f"store {values[0]}, {values[1]}",
    "getelementptr": lambda one, flags, values: f"getelementptr {flags}{one.word}, {', '.join(values)}",
    "fcmp": _compare,
    "icmp": _compare,
    "select": lambda one, flags, values: f"select {', '.join(values)}",
    "br": lambda one, flags, values: (
        "br " + ", ".join([*values, *(f"label {label}" for label in one.labels)])
    ),
    "switch": _switch,
    "alloca": lambda one, flags, values: f"alloca {one.word}, align 64",
    "call": lambda one, flags, values: f"call {one.kind or 'void'} {one.word}({', '.join(values)})",
    "ret": lambda one, flags, values: "ret void",
    "unreachable": lambda one, flags, values: "unreachable",
    "fneg": lambda one, flags, values: f"fneg {values[0]}",
    "freeze": lambda one, flags, values: f"freeze {values[0]}",
}


def address_line(one: Instruction, kinds: dict[str, str], times: int) -> str:
    """getelementptr in memory whose floats are `times` as wide."""
    (_, pointer), *indices = one.operands
    if kinds.get(one.result, "") not in WIDE:
        return instruction_text(one)
    flags = f"{one.flags} " if one.flags else ""
    size = times * _stride(one.word, len(indices))
    index = indices[-1][1]
    if re.fullmatch(r"-?\d+", index):
        return f"{one.result} = getelementptr {flags}i8, ptr {pointer}, i64 {int(index) * size}"
    return f"{one.result} = getelementptr {flags}[{size} x i8], ptr {pointer}, i64 {index}"


def _stride(word: str, indices: int) -> int:
    """Bytes from one element to the next; of an array with two indices, between its floats."""
    array = re.fullmatch(r"\[(\d+) x double\]", word)
    if array is not None:
        return 8 if indices == 2 else 8 * int(array[1])
    if word not in SIZES:
        raise UnknownInstruction(f"addresses by {word}")
    return SIZES[word]


def memory_lines(one: Instruction, kinds: dict[str, str], times: int, fresh: Fresh) -> list[str]:
    """memset, memcpy or memmove in memory whose floats are several times as wide."""
    pointers = [value for kind, value in one.operands if kind == "ptr"]
    if kinds.get(pointers[0]) not in WIDE:
        return [instruction_text(one)]
    size = one.operands[2][1]
    if re.fullmatch(r"\d+", size):
        lines, wide = [], str(int(size) * times)
    else:
        wide = fresh()
        lines = [f"{wide} = mul i64 {size}, {times}"]
    operands = [*one.operands[:2], ("i64", wide), *one.operands[3:]]
    return [*lines, instruction_text(one.with_fields(operands=operands))]

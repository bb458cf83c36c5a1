"""Classification of a function's pointers: to floats, of which each lane has its own, or to data of the whole group."""

from __future__ import annotations

import re
from typing import TypeVar

from .ir_parser import Function, Instruction, UnknownInstruction

FLOATS, OTHERS = "floats", "others"
CONSTANTS = "constants"  # floats in the code's constant data
WORDS = "words"  # integers of each run
T = TypeVar("T")
JOINED = ("phi", "select", "freeze")


Layout = dict[
    int, dict[int, str]
]  # of tables that arguments point to: what is behind the address at each byte


def known_pointers(function: Function, tables: Layout, arrays: dict[int, str]) -> dict[str, str]:
    """Kinds of pointers that follow from the arguments: to tables, to the arrays they list, to arrays."""
    made = _KindPropagation(function, tables, arrays)
    instructions = [one for block in function.blocks for one in block.instructions]
    size = -1
    while size != made.size:
        size = made.size
        for one in instructions:
            made.propagate(one)
    for one in instructions:
        made.check(one)
    return made.known


class _KindPropagation:
    """Propagation of pointer kinds from the arguments."""

    def __init__(self, function: Function, tables: Layout, arrays: dict[int, str]):
        self.tables, self.arrays = tables, arrays
        self.arguments = {name: k for k, name in enumerate(function.arguments)}
        self.known: dict[str, str] = {}
        self.origin: dict[
            str, tuple[int, int]
        ] = {}  # pointers into tables: which, how many bytes behind its beginning
        self.words: dict[str, str] = {}  # addresses that were read there

    @property
    def size(self) -> int:
        """Number of facts known, for the fixed point."""
        return len(self.known) + len(self.origin) + len(self.words)

    def propagate(self, one: Instruction) -> None:
        """Propagate through one instruction."""
        values = [value for _, value in one.operands]
        if one.op == "inttoptr":
            self._pointer(one, values[0])
        elif one.op == "getelementptr" and values[0] in self.origin and re.fullmatch(r"\d+", values[1]):
            k, at = self.origin[values[0]]
            self.known[one.result] = OTHERS
            self.origin[one.result] = k, at + int(values[1]) * {"i8": 1, "i64": 8}[one.word]
        elif one.op == "load" and one.kind == "i64" and values[0] in self.origin:
            k, at = self.origin[values[0]]
            if at in self.tables[k]:
                self.words[one.result] = self.tables[k][at]
        elif one.op in JOINED:
            _join(one.result, values, self.origin)
            _join(one.result, values, self.words)

    def _pointer(self, one: Instruction, value: str) -> None:
        """Kind of a pointer made from an argument, or from a word of a table."""
        if value in self.arguments:
            k = self.arguments[value]
            if k in self.tables:
                self.known[one.result], self.origin[one.result] = OTHERS, (k, 0)
            elif k in self.arrays:
                self.known[one.result] = self.arrays[k]
        elif value in self.words:
            self.known[one.result] = self.words[value]

    def check(self, one: Instruction) -> None:
        """Refuse an instruction (phi, select) that joins addresses read from several tables."""
        if one.op not in JOINED:
            return
        values = {value for kind, value in one.operands if kind == one.kind} - {one.result}
        for mapping in (self.origin, self.words):
            if one.result in mapping and {mapping.get(value) for value in values} != {mapping[one.result]}:
                raise UnknownInstruction("an address that is read from several tables")


def _join(result: str, values: list[str], mapping: dict[str, T]) -> None:
    """Give the result of a phi or select the fact that its operands agree on."""
    ways = {mapping[value] for value in values if value in mapping}
    if len(ways) == 1:
        mapping[result] = ways.pop()


def pointer_kinds(function: Function, known: dict[str, str]) -> dict[str, str]:
    """Kind of each pointer by unification over the function; `known` are those from `known_pointers`."""
    groups = _Groups()
    for block in function.blocks:
        for one in block.instructions:
            groups.learn_from(one)
    for name, kind in known.items():
        groups.record_kind(name, kind)
        groups.anchored.add(name)
    return groups.answers([name for name, kind in function.kinds.items() if kind == "ptr"])


class _Groups:
    """Union-find of pointers to the same array; a fact about one holds for all of its group."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._told: list[tuple[str, str]] = []
        self._constant: set[str] = set()
        self.anchored: set[str] = (
            set()
        )  # arguments, room of the function's own, answers of calls, code, constants

    def top(self, name: str) -> str:
        """Representative of a pointer's group."""
        parent = self._parent
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def join(self, a: str, b: str) -> None:
        """Merge two groups."""
        self._parent[self.top(a)] = self.top(b)

    def record_kind(self, name: str, kind: str) -> None:
        """Record a kind of a pointer."""
        self._told.append((name, kind))

    def learn_from(self, one: Instruction) -> None:
        """Facts and merges from one instruction."""
        pointers = [value for kind, value in one.operands if kind == "ptr" and value.startswith("%")]
        if one.kind == "ptr":
            self._made(one, pointers)
        if one.op == "call":
            if one.word.startswith("%"):
                self.anchored.add(one.word)
                self.record_kind(one.word, OTHERS)
            if "@llvm.mem" in one.word and len(pointers) == 2:
                self.join(*pointers)
        kind = _told(one)
        if kind and one.op in ("alloca", "call"):
            self.record_kind(one.result, kind)
        elif kind and pointers:
            self.record_kind(pointers[-1], kind)

    def _made(self, one: Instruction, pointers: list[str]) -> None:
        """Merges of the pointer that an instruction makes."""
        if one.op in ("getelementptr", "phi", "select", "freeze"):
            for pointer in pointers:
                self.join(one.result, pointer)
        elif one.op in ("alloca", "call"):
            self.anchored.add(one.result)
        if any(value.startswith("@") for _, value in one.operands):
            self._constant.add(one.result)
            self.anchored.add(one.result)

    def answers(self, names: list[str]) -> dict[str, str]:
        """Kind of each pointer; refuses a group of no or several kinds."""
        kinds: dict[str, set[str]] = {}
        for name, kind in self._told:
            kinds.setdefault(self.top(name), set()).add(kind)
        constant = {self.top(name) for name in self._constant}
        anchored = {self.top(name) for name in self.anchored}
        for top in constant:
            if kinds.get(top) == {FLOATS}:
                kinds[top] = {CONSTANTS}
        for top, several in kinds.items():
            if several == {OTHERS, WORDS}:
                kinds[top] = {WORDS}  # integers by what reads them, and of each run by where they stand
        for name in names:
            several = kinds.get(self.top(name), set())
            if self.top(name) not in anchored or len(several) != 1:
                raise UnknownInstruction(
                    f"an address leads to {' and '.join(sorted(several)) or 'an unknown place'}"
                )
        return {name: next(iter(kinds[self.top(name)])) for name in names}


def _told(one: Instruction) -> str:
    """Kind that an instruction implies for the pointer it uses (its last operand)."""
    if one.op == "load":
        return FLOATS if one.kind == "double" else OTHERS
    if one.op == "store":
        return FLOATS if one.operands[0][0] == "double" else OTHERS
    if one.op == "call" and one.kind == "ptr":
        return OTHERS
    if one.op == "alloca":
        return FLOATS if "double" in one.word else OTHERS
    if one.op == "getelementptr" and "double" in one.word:
        return FLOATS
    if one.op == "getelementptr" and one.word == "i64":
        return OTHERS
    return ""

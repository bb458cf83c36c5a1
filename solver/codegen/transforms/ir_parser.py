"""Parser of the LLVM text of one function: blocks of instructions with operands, values renamed to short names.

Only instructions that occur in entry points with helpers inlined are known; others are refused, so that nothing is
rewritten by guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .array_scalars import scalarised

NAME = r'%(?:"[^"]*"|[-\w.$]+)'
GLOBAL = r'@(?:"[^"]*"|[-\w.$]+)'
ARITHMETIC = frozenset((
    "fadd", "fsub", "fmul", "fdiv", "frem",
))  # fmt: skip
INTEGERS = frozenset((
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
))  # fmt: skip
CASTS = frozenset((
    "sitofp", "uitofp", "fptosi", "fptoui", "bitcast", "zext", "sext", "trunc", "inttoptr", "ptrtoint",
))  # fmt: skip
FLAGS = frozenset((
    "nuw", "nsw", "exact", "disjoint", "inbounds", "nusw", "samesign", "nneg", "volatile", "nonnull", "noundef", "nsz",
))  # fmt: skip


class UnknownInstruction(Exception):
    """LLVM instruction without a rule of rewriting."""


@dataclass
class Instruction:
    """`result` = `op` of `operands`, each (type, value); `kind` is the type of the result."""

    op: str
    result: str = ""
    kind: str = ""
    operands: list[tuple[str, str]] = field(default_factory=list)
    flags: str = ""
    word: str = ""  # predicate, callee, source type of an address
    labels: list[str] = field(default_factory=list)  # targets of a branch, or incoming blocks of a phi
    cases: list[str] = field(default_factory=list)  # values of a switch
    kept: bool = False  # an invariant load

    def with_fields(self, **changes: Any) -> Instruction:
        """Copy with other fields."""
        return replace(self, **changes)

    @property
    def used(self) -> Iterator[str]:
        """Values among the operands, constants left out."""
        return (value for _, value in self.operands if value.startswith("%"))


@dataclass
class Block:
    """Basic block: label and instructions, the last a terminator."""

    label: str
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def phis(self) -> list[Instruction]:
        """Phi instructions of the block."""
        return [one for one in self.instructions if one.op == "phi"]

    @property
    def after(self) -> list[str]:
        """Labels of the successor blocks."""
        return [label for label in self.instructions[-1].labels if self.instructions[-1].op != "phi"]


@dataclass
class Function:
    """Parsed function; `kinds` are the types of all values by name; all arguments are words."""

    symbol: str
    arguments: list[str]
    blocks: list[Block]
    kinds: dict[str, str]
    constants: list[str] = field(default_factory=list)  # lines that define arrays of constants


def read_function(text: str, symbol: str) -> Function:
    """Parse the function of this name out of a module's text."""
    match = re.search(
        rf"^define [^\n]*@{re.escape(symbol)}\(([^\n]*?)\)[^\n]*\{{\n(.*?)^\}}", text, re.M | re.S
    )
    if match is None:
        raise UnknownInstruction(f"no function {symbol}")
    short: dict[str, str] = {}

    def name(long: str) -> str:
        return short.setdefault(long, f"%v{len(short)}")

    arguments = []
    for argument in split_operands(match[1]):
        if not argument.startswith("i64"):
            raise UnknownInstruction(f"argument {argument}")
        arguments.append(name(re.findall(NAME, argument)[-1]))
    blocks: list[Block] = []
    lines = _lines(match[2])
    for line in lines:
        label = re.match(r'("[^"]*"|[-\w.$]+):', line)
        if label:
            blocks.append(Block(name(f"%{label[1]}")))
            continue
        if not blocks:
            blocks.append(Block("%entry"))
        renamed = re.sub(NAME, lambda one: name(one[0]), line)
        blocks[-1].instructions += map(_instruction, scalarised(renamed))
    kinds = dict.fromkeys(arguments, "i64")
    kinds |= {one.result: one.kind for block in blocks for one in block.instructions if one.result}
    constants = re.findall(r"^(@[^\n]* constant [^\n]*)$", text, re.MULTILINE)
    return Function(symbol, arguments, blocks, kinds, constants)


def _lines(body: str) -> Iterator[str]:
    """Instructions of a body, one a line, without comments."""
    body = re.sub(
        r"\[\s*((?:i64[^\n\]]*\n\s*)+)\]", lambda one: "[" + " ; ".join(one[1].split("\n")) + "]", body
    )
    for line in body.split("\n"):
        line = re.sub(r"\s*; preds.*$|^;.*$", "", line).strip()
        if line:
            yield line


def split_operands(text: str) -> list[str]:
    """Split at commas outside brackets."""
    pieces, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            pieces.append(text[start:k].strip())
            start = k + 1
    return [*pieces, text[start:].strip()] if text.strip() else []


def _typed(text: str) -> tuple[str, str]:
    """Type and value of an operand, attributes between them left out."""
    words = text.split(" ")
    if text[0] in "[{<":
        raise UnknownInstruction(text)
    if words[0] == "ptr" and "getelementptr" in text:
        raise UnknownInstruction(text)
    return words[0], words[-1]


def _instruction(line: str) -> Instruction:
    """Parse one line."""
    kept = "!invariant.load" in line
    line = re.sub(r"(, ![\w.]+ ![\w]+)+$", "", line)
    line = re.sub(r" #\d+$", "", line)
    result, _, text = line.rpartition(" = ") if re.match(rf"{NAME} = ", line) else ("", "", line)
    text = re.sub(r"^(?:tail|musttail|notail) ", "", text)
    op, _, rest = text.partition(" ")
    flags = []
    while rest.split(" ", 1)[0] in FLAGS:
        flag, _, rest = rest.partition(" ")
        flags.append(flag)
    made = Instruction(op, result, flags=" ".join(flags), kept=kept)
    reader = READERS.get(op)
    if reader is None:
        raise UnknownInstruction(f"the instruction {op}")
    reader(made, rest)
    if not result:
        made.kind = ""
    return made


def _binary(made: Instruction, rest: str) -> None:
    first, second = split_operands(rest)
    made.kind, value = _typed(first)
    made.operands = [(made.kind, value), (made.kind, second)]


def _unary(made: Instruction, rest: str) -> None:
    made.kind, value = _typed(rest)
    made.operands = [(made.kind, value)]


def _compare(made: Instruction, rest: str) -> None:
    made.word, _, rest = rest.partition(" ")
    _binary(made, rest)
    made.kind = "i1"


def _cast(made: Instruction, rest: str) -> None:
    value, _, made.kind = rest.rpartition(" to ")
    made.operands = [_typed(value)]


def _select(made: Instruction, rest: str) -> None:
    made.operands = [_typed(part) for part in split_operands(rest)]
    made.kind = made.operands[1][0]


def _phi(made: Instruction, rest: str) -> None:
    made.kind, _, rest = rest.partition(" ")
    for value, label in re.findall(rf"\[ (\S+), ({NAME}) \]", rest):
        made.operands.append((made.kind, value))
        made.labels.append(label)


def _load(made: Instruction, rest: str) -> None:
    made.kind, pointer, *_ = split_operands(rest)
    made.operands = [_typed(pointer)]


def _store(made: Instruction, rest: str) -> None:
    value, pointer, *_ = split_operands(rest)
    made.operands = [_typed(value), _typed(pointer)]


def _address(made: Instruction, rest: str) -> None:
    made.word, pointer, *indices = split_operands(rest)
    made.kind = "ptr"
    made.operands = [_typed(pointer), *(_typed(index) for index in indices)]
    if len(indices) != 1 and not (len(indices) == 2 and indices[0] == "i64 0" and "double" in made.word):
        raise UnknownInstruction(rest)


def _alloca(made: Instruction, rest: str) -> None:
    made.word, *_ = split_operands(rest)
    made.kind = "ptr"


def _branch(made: Instruction, rest: str) -> None:
    first, *others = split_operands(rest)
    if others:
        made.operands = [_typed(first)]
        made.labels = [label.split(" ")[-1] for label in others]
    else:
        made.labels = [first.split(" ")[-1]]


def _switch(made: Instruction, rest: str) -> None:
    value, rest = split_operands(rest)[0], rest.partition(",")[2]
    made.operands = [_typed(value)]
    made.labels = re.findall(rf"label ({NAME})", rest)
    made.cases = re.findall(r"i64 (-?\d+), label", rest)


def _return(made: Instruction, rest: str) -> None:
    if rest != "void":
        raise UnknownInstruction(f"ret {rest}")


def _call(made: Instruction, rest: str) -> None:
    match = re.match(rf"(?:\w+(?:\(\d+\))? )*?(void|double|i64|i1|i32|ptr) ({GLOBAL}|{NAME})\((.*)\)$", rest)
    if match is None:
        raise UnknownInstruction(f"call {rest}")
    made.kind, made.word = match[1], match[2]
    made.operands = [_typed(part) for part in split_operands(match[3])]


def _no_operands(made: Instruction, rest: str) -> None:
    pass


READERS = {
    **dict.fromkeys(ARITHMETIC | INTEGERS, _binary),
    **dict.fromkeys(CASTS, _cast),
    "fneg": _unary, "freeze": _unary, "fcmp": _compare, "icmp": _compare, "select": _select, "phi": _phi,
    "load": _load, "store": _store, "getelementptr": _address, "alloca": _alloca, "br": _branch,
    "switch": _switch, "ret": _return, "call": _call, "unreachable": _no_operands,
}  # fmt: skip

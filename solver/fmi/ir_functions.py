"""LLVM's text of a module as functions of blocks, with what each block costs and where it goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .ir_interpreter import BRACKETS, NAME, TYPE, VALUE, Action, Registers, action_of, constant, forgotten

_OPERATION = re.compile(r"^(?:fadd|fsub|fmul|fdiv|frem)\b[^<]*?(?:<(\d+) x |double|float)")
_FUSED = re.compile(r"@llvm\.f(?:ma|muladd)\.(?:v(\d+))?f64")
_FUNCTION = re.compile(
    r"^call\b[^@]*\bdouble @\"?(?!_Z|llvm\.(?:f(?:ma|muladd|abs)|copysign))(?:llvm\.)?[a-z0-9]+"
)
_LABEL = re.compile(r'^([-\w$.]+|"[^"]*"):')
_DEFINE = re.compile(r"^define\b.*?@([-\w$.]+|\"[^\"]*\")\((.*)\)[^)]*$")
_LINE = re.compile(rf"^  (?:({NAME}) = )?(?:tail |musttail |notail )?(.*)$")
_PHI = re.compile(rf"\[ ({VALUE}), %([-\w$.]+|\"[^\"]*\") \]")
_CASE = re.compile(r"^\s+i\d+ (-?\d+), label %([-\w$.]+|\"[^\"]*\")")
_TO = re.compile(r"label %([-\w$.]+|\"[^\"]*\")")


@dataclass
class Block:
    """A stretch of code without a branch, and where it goes on."""

    actions: list[Action] = field(default_factory=list)
    phis: list[tuple[str, dict[str, str]]] = field(
        default_factory=list
    )  # register, value by the block before
    operations: int = 0
    functions: int = 0
    on: str = ""  # the value that decides; "" where nothing does
    cases: dict[int | None, str] = field(default_factory=dict)  # where it goes on, by that value; None: else
    gives: str = ""  # the value that the function has here


@dataclass
class Function:
    """Function of an LLVM module, with the constants that its registers begin with."""

    name: str
    parameters: list[str]
    blocks: dict[str, Block] = field(default_factory=dict)
    constants: Registers = field(default_factory=Registers)

    @property
    def entry(self) -> str:
        return next(iter(self.blocks))

    @cached_property
    def joins(self) -> dict[str, str]:
        """Immediate post-dominator of each block; "" is the end of the function."""
        order = _from_the_end({label: [*block.cases.values()] for label, block in self.blocks.items()})
        rank = {label: k for k, label in enumerate(order)}
        joins = {"": ""}
        changed = True
        while changed:
            changed = False
            for label in order[1:]:
                ways = [way for way in self.blocks[label].cases.values() if way in joins] or [""]
                join = ways[0]
                for way in ways[1:]:
                    while join != way:
                        if rank[join] > rank[way]:
                            join = joins[join]
                        else:
                            way = joins[way]
                if joins.get(label) != join:
                    joins[label], changed = join, True
        return joins


def _from_the_end(ways: dict[str, list[str]]) -> list[str]:
    """Blocks in reverse postorder of the graph that is walked backwards from its end."""
    before: dict[str, list[str]] = {"": [label for label, to in ways.items() if not to]}
    for label, to in ways.items():
        for one in to:
            before.setdefault(one, []).append(label)
    order, seen, stack = [], {""}, [("", iter(before[""]))]
    while stack:
        label, rest = stack[-1]
        one = next((one for one in rest if one not in seen), None)
        if one is None:
            order.append(label)
            stack.pop()
        else:
            seen.add(one)
            stack.append((one, iter(before.get(one, ()))))
    return order[::-1]


def functions_of(text: str) -> Iterator[Function]:
    """Yield the functions that a module defines."""
    made: Function | None = None
    block, switch = Block(), False
    for line in text.splitlines():
        if line.startswith("define "):
            head = _DEFINE.match(line)
            assert head, line
            names = re.findall(rf"({NAME})(?:,|$)", BRACKETS.sub("", BRACKETS.sub("", head[2])))
            made, block = Function(head[1].strip('"'), names), Block()
        elif made is None:
            continue
        elif line == "}":
            yield made
            made = None
        elif label := _LABEL.match(line):
            block = made.blocks[label[1]] = Block()
        elif switch:
            if case := _CASE.match(line):
                block.cases[int(case[1])] = case[2]
            switch = "]" not in line
        elif line.startswith("  "):
            if not made.blocks:  # its number is the one after those of parameters
                made.blocks[str(sum(name[1:].isdigit() for name in made.parameters))] = block
            switch = _add(made, block, line)


def costs_of_line(line: str) -> tuple[int, int]:
    """Floating-point operations of an instruction, and whether it calls a function of mathematics."""
    parts = _LINE.match(line)
    text = parts[2] if parts else ""
    counted = _OPERATION.match(text)
    operations = int(counted[1] or 1) if counted else 0
    operations += sum(2 * int(fused[1] or 1) for fused in _FUSED.finditer(text))
    return operations, _FUNCTION.match(text) is not None


def _add(function: Function, block: Block, line: str) -> bool:
    """Add an instruction; True if its cases follow in lines of their own."""
    parts = _LINE.match(line)
    assert parts, line
    to, text = parts[1] or "", parts[2]
    word = text.split(" ", 1)[0]
    operations, functions = costs_of_line(line)
    block.operations += operations
    block.functions += functions

    def known(name: str) -> str:
        """A register, or a constant as one."""
        if name[0] != "%" and name not in function.constants:
            function.constants[name] = constant(name)
        return name

    if word == "phi":
        block.phis.append((to, {before: known(value) for value, before in _PHI.findall(text)}))
    elif word in ("br", "switch"):
        ways = _TO.findall(text)
        if word == "switch":
            block.on, block.cases[None] = known(text.split(" ")[2].rstrip(",")), ways[0]
        elif len(ways) == 2:
            block.on, block.cases = known(text.split(" ")[2].rstrip(",")), {1: ways[0], None: ways[1]}
        else:
            block.cases = {None: ways[0]}
        return word == "switch" and "]" not in text
    elif word == "ret":
        value = re.match(rf"^ret {TYPE} ({VALUE})", text)
        block.gives = known(value[1]) if value else ""
    elif action := action_of(word, text, to, known):
        block.actions.append(action)
    elif to:
        block.actions.append(forgotten(to))
    return False

"""Blocks with an expression as equation: one operation for each of its nodes, element by element."""

from __future__ import annotations

from typing import Protocol

from ...blocks import Block
from ...blocks.text.equation import Formula
from .expression_operations import PIECE, Comparison, Emitted, ExpressionWriter
from .operations import Key, Operation
from .scalar_places import Scalars
from .switching_functions import SwitchingFunction
from .work_space import DURING, TIME, Place, Slots


class ExpressionEmitter(Protocol):
    """Used part of the emitter of signal blocks."""

    n: int  # number of elements of the block
    scalars: Scalars
    param_slot: dict[str, tuple[int, int]]
    memory: Slots
    operations: list[Operation]
    decisions: list[Operation]
    crossings: list[Operation]
    switches: list[SwitchingFunction]


def add_expression_block(emitter: ExpressionEmitter, block: Block, formula: Formula) -> None:
    """Append the operations of y = expression; comparisons are decided at the start of a step and stored."""
    parts: list[Key] = []
    for element in range(emitter.n):
        needs, writer = scalar_operations(emitter, block, formula, element, (block.name, "y", element, 0))
        parts += in_sequence(emitter, block, element, needs, writer, (block.name, "y", element, 0))
    if parts:
        emitter.decisions.append(Operation(((block.name, "@decide", 0, 0),), tuple(parts), label=block.name))


def scalar_operations(
    emitter: ExpressionEmitter, block: Block, formula: Formula, element: int, key: Key
) -> tuple[tuple[Key, ...], ExpressionWriter]:
    """Operations that fill a scalar, and the scalars of other blocks that they need."""
    scalars, needs = emitter.scalars, dict[Key, None]()

    def leaf(name: str) -> Place:
        if name in ("t", PIECE):
            return TIME if name == "t" else DURING
        if name in formula.numbers:
            return "p", emitter.param_slot["numbers"][0] + formula.numbers.index(name)
        j = element if scalars.width(block.name, name) > 1 else 0
        place, need = scalars.input_place(block.name, name, j)
        if need is not None:
            needs[need] = None
        return place

    def memory() -> Place:
        return "mem", emitter.memory.add(f"{block.name}.decided", [-1.0])  # -1 outside of a run

    writer = ExpressionWriter(scalars, leaf, memory)
    writer.write(formula.tree, scalars.at(key))
    return tuple(needs), writer


def in_sequence(
    emitter: ExpressionEmitter,
    block: Block,
    element: int,
    needs: tuple[Key, ...],
    writer: ExpressionWriter,
    key: Key,
) -> list[Key]:
    """Append the operations in sequence; returns the keys of the decisions that they wait for."""
    decisions = [(block.name, f"@decide part {key[1]}", element, k) for k in range(len(writer.compared))]
    wants = {one.after: decision for one, decision in zip(writer.compared, decisions, strict=True)}
    chain: list[Key] = []
    for number, (code, entries) in enumerate(writer.made):
        last = number == len(writer.made) - 1
        makes = key if last else (block.name, f"@part {key[1]}", element, number)
        before = (chain[-1],) if chain else needs
        wanted = (wants[number],) if number in wants else ()
        emitter.operations.append(Operation((makes,), before, code, entries, wanted, block.name))
        chain.append(makes)
    for one, decision in zip(writer.compared, decisions, strict=True):
        before = (chain[one.after - 1],) if one.after else needs
        add_decision(emitter, block, one, decision, before)
    return decisions


def add_decision(
    emitter: ExpressionEmitter, block: Block, one: Comparison, key: Key, needs: tuple[Key, ...]
) -> None:
    """Append the decision of a comparison, and its switching function."""
    code, entries = one.decide
    emitter.decisions.append(Operation((key,), needs, code, entries, label=block.name))
    if one.crossing is None:
        return
    code, sides = one.crossing
    number = len(emitter.switches)
    crossing: Emitted = code, (("g", number), *sides)
    emitter.crossings.append(
        Operation(((block.name, f"@crossing {number}", key[2], key[3]),), needs, *crossing, label=block.name)
    )
    emitter.switches.append(SwitchingFunction(block.name, one.text, decided=True))

"""SIMD variant of a function: each float a vector over the lanes, masks for truth values that floats decide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .dataflow import lane_masks, leaves_group, live_after, live_before
from .entry_point_variants import lanes_symbol, single_lane_symbol
from .ir_parser import ARITHMETIC, Block, Function, Instruction, UnknownInstruction
from .ir_writer import ALIGNED, Fresh, Writer, address_line, instruction_text, memory_lines
from .pointer_kinds import CONSTANTS, WORDS

VECTOR_CALLS = (
    "fabs", "sqrt", "copysign", "floor", "ceil", "trunc", "rint", "minnum", "maxnum", "sin", "cos", "exp", "log", "pow",
)  # fmt: skip
IGNORED = ("@llvm.lifetime", "@llvm.assume", "@llvm.experimental.noalias")


@dataclass
class Divergence:
    """Place before an instruction of a block at which lanes may differ, and the live values there."""

    number: int
    block: str
    index: int
    values: list[str]


def divergence_address(argument: str, fresh: Fresh) -> tuple[list[str], str]:
    """Address of the divergence flag; it stands before the table of an argument."""
    table, before, word, place = (fresh() for _ in range(4))
    lines = [
        f"{table} = inttoptr i64 {argument} to ptr",
        f"{before} = getelementptr i64, ptr {table}, i64 -1",
        f"{word} = load i64, ptr {before}",
        f"{place} = inttoptr i64 {word} to ptr",
    ]
    return lines, place


def mark_divergence(argument: str, fresh: Fresh) -> list[str]:
    """Set the divergence flag."""
    lines, place = divergence_address(argument, fresh)
    return [*lines, f"store i64 1, ptr {place}"]


class Vector(Writer):
    """Writer of the function with a vector of lanes for each float."""

    def __init__(self, function: Function, lanes: int, kinds: dict[str, str]):
        super().__init__()
        self.function, self.lanes, self.kinds = function, lanes, kinds
        self.masks = lane_masks(function)
        self.after = live_after(function)
        self.wide, self.mask = f"<{lanes} x double>", f"<{lanes} x i1>"
        self.leaves = leaves_group(function, kinds)
        self.divergences: list[Divergence] = []
        self.ends: dict[str, str] = {}  # label of the last part of each block, for phis
        self.spilled = 0
        self._calls = 0

    # --- values ---------------------------------------------------------------------------------------------------

    def of(self, kind: str, value: str) -> str:
        """Operand as a vector of floats or a lane mask."""
        if kind == "double":
            return value if value.startswith("%") else f"splat (double {value})"
        if value in self.masks:
            return value
        if value in ("true", "false"):
            return f"splat (i1 {value})"
        made = self.fresh()
        self.put(f"{made} = select i1 {value}, {self.mask} splat (i1 true), {self.mask} zeroinitializer")
        return made

    def splat(self, value: str, result: str) -> None:
        """Vector with a scalar in all lanes."""
        one = self.fresh()
        self.put(f"{one} = insertelement {self.wide} poison, double {value}, i64 0")
        self.put(
            f"{result} = shufflevector {self.wide} {one}, {self.wide} poison, <{self.lanes} x i32> zeroinitializer"
        )

    # --- divergence -------------------------------------------------------------------------------------------------

    def agreed_condition(self, block: Block, index: int, mask: str) -> str:
        """Reduce a lane mask to one bool; branch to the divergence exit when lanes disagree."""
        bits, all_, none, same = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        word = f"i{self.lanes}"
        self.put(f"{bits} = bitcast {self.mask} {mask} to {word}")
        self.put(f"{all_} = icmp eq {word} {bits}, -1")
        self.put(f"{none} = icmp eq {word} {bits}, 0")
        self.put(f"{same} = or i1 {all_}, {none}")
        self._exit_unless(block, index, same)
        return all_

    def agreed_word(self, block: Block, index: int, words: str) -> str:
        """Reduce a vector of integers to one; branch to the divergence exit when lanes disagree."""
        kind = f"<{self.lanes} x i64>"
        first, one, spread, equal, bits, same = (self.fresh() for _ in range(6))
        self.put(f"{first} = extractelement {kind} {words}, i64 0")
        self.put(f"{one} = insertelement {kind} poison, i64 {first}, i64 0")
        self.put(
            f"{spread} = shufflevector {kind} {one}, {kind} poison, <{self.lanes} x i32> zeroinitializer"
        )
        self.put(f"{equal} = icmp eq {kind} {words}, {spread}")
        self.put(f"{bits} = bitcast {self.mask} {equal} to i{self.lanes}")
        self.put(f"{same} = icmp eq i{self.lanes} {bits}, -1")
        self._exit_unless(block, index, same)
        return first

    def _exit_unless(self, block: Block, index: int, same: str) -> None:
        """Branch to a divergence exit unless `same`."""
        number = len(self.divergences) + 1
        on, off = f"on{number}", f"part{number}"
        needed = live_before(block.instructions[index:], self.after[block.label])
        values = sorted(value for value in needed if value not in self.function.arguments)
        self.divergences.append(Divergence(number, block.label, index, values))
        self.put(f"br i1 {same}, label %{on}, label %{off}, !prof !1")
        self.lines.append(f"{off}:")
        if self.leaves:
            for line in mark_divergence(self.function.arguments[0], self.fresh):
                self.put(line)
        else:
            self._hand_over(number, values)
        self.put("ret void")
        self.lines.append(f"{on}:")
        self.ends[block.label] = f"%{on}"

    def _hand_over(self, number: int, values: list[str]) -> None:
        """Spill the live values and continue each lane in the scalar copy."""
        self.spilled = max(self.spilled, len(values))
        for k, value in enumerate(values):
            place = self.fresh()
            self.put(f"{place} = getelementptr i8, ptr %spilled, i64 {8 * self.lanes * k}")
            kind = self.function.kinds[value]
            if value in self.masks:
                wide = self.fresh()
                self.put(f"{wide} = zext {self.mask} {value} to <{self.lanes} x i64>")
                self.put(f"store <{self.lanes} x i64> {wide}, ptr {place}, align {8 * self.lanes}")
            elif kind == "double":
                self.put(f"store {self.wide} {value}, ptr {place}, align {8 * self.lanes}")
            else:
                self.put(f"store {kind} {value}, ptr {place}")
        own = "".join(f", i64 {argument}" for argument in self.function.arguments)
        single = single_lane_symbol(self.function.symbol, self.lanes)
        for lane in range(self.lanes):
            self.put(f"call void @{single}(i64 {number}, i64 {lane}, ptr %spilled{own})")

    # --- the whole -----------------------------------------------------------------------------------------------

    def written(self) -> str:
        """Text of the function."""
        for block in self.function.blocks:
            self.ends.setdefault(block.label, block.label)
        for block in self.function.blocks:
            self.lines.append(f"{block.label[1:]}:")
            for index, one in enumerate(block.instructions):
                self._rewrite(block, index, one)
        body = "\n".join(self.lines)
        body = re.sub(r"\{(%\w+)\}", lambda one: self.ends.get(one[1], one[1]), body)
        arguments = ", ".join(f"i64 {name}" for name in self.function.arguments)
        room = f"  %spilled = alloca [{8 * self.lanes * max(self.spilled, 1)} x i8], align 64\n"
        first = self.function.blocks[0].label[1:]
        body = body.replace(f"{first}:\n", f"{first}:\n{room}", 1)
        symbol = lanes_symbol(self.function.symbol, self.lanes)
        head = f"define void @{symbol}({arguments}) nounwind {ALIGNED} {{"
        return f"{head}\n{body}\n}}"

    def _rewrite(self, block: Block, index: int, one: Instruction) -> None:
        writer: Callable[[Block, int, Instruction], None] | None = getattr(self, f"_{one.op}", None)
        if writer is None:
            writer = self._arithmetic if one.op in ARITHMETIC else self._write_uniform
        writer(block, index, one)

    def _write_uniform(self, block: Block, index: int, one: Instruction) -> None:
        """Write an instruction of the group unchanged; lane masks among its operands are reduced."""
        operands = []
        for kind, value in one.operands:
            if value in self.masks:
                value = self.agreed_condition(block, index, value)
            elif kind == "double":
                raise UnknownInstruction(one.op)
            operands.append((kind, value))
        self.put(instruction_text(one.with_fields(operands=operands)))

    def _arithmetic(self, block: Block, index: int, one: Instruction) -> None:
        values = ", ".join(self.of(*operand) for operand in one.operands)
        self.put(f"{one.result} = {one.op} {self.wide} {values}")

    def _fneg(self, block: Block, index: int, one: Instruction) -> None:
        self.put(f"{one.result} = fneg {self.wide} {self.of(*one.operands[0])}")

    def _fcmp(self, block: Block, index: int, one: Instruction) -> None:
        values = ", ".join(self.of(*operand) for operand in one.operands)
        self.put(f"{one.result} = fcmp {one.word} {self.wide} {values}")

    def _logic(self, block: Block, index: int, one: Instruction) -> None:
        if one.result not in self.masks:
            self._write_uniform(block, index, one)
        else:
            values = ", ".join(self.of(*operand) for operand in one.operands)
            self.put(f"{one.result} = {one.op} {self.mask} {values}")

    _and = _or = _xor = _logic

    def _freeze(self, block: Block, index: int, one: Instruction) -> None:
        wide = self.wide if one.kind == "double" else self.mask if one.result in self.masks else one.kind
        self.put(f"{one.result} = freeze {wide} {one.operands[0][1]}")

    def _select(self, block: Block, index: int, one: Instruction) -> None:
        (_, condition), first, second = one.operands
        if one.kind != "double" and one.result not in self.masks:
            self._write_uniform(block, index, one)
            return
        wide = self.wide if one.kind == "double" else self.mask
        kind = self.mask if condition in self.masks else "i1"
        a, b = self.of(*first), self.of(*second)
        self.put(f"{one.result} = select {kind} {condition}, {wide} {a}, {wide} {b}")

    def _phi(self, block: Block, index: int, one: Instruction) -> None:
        kind = self.wide if one.kind == "double" else self.mask if one.result in self.masks else one.kind
        parts = []
        for (old, value), label in zip(one.operands, one.labels, strict=True):
            if kind != old and not value.startswith("%"):
                value = f"splat ({old} {value})"
            elif kind == self.mask and value not in self.masks:
                raise UnknownInstruction("a truth of the group that becomes one of lanes")
            parts.append(f"[ {value}, {{{label}}} ]")
        self.put(f"{one.result} = phi {kind} {', '.join(parts)}")

    def _load(self, block: Block, index: int, one: Instruction) -> None:
        if one.kind == "double" and self._constant(one.operands[0][1]):
            made = self.fresh()
            self.put(f"{made} = load double, ptr {one.operands[0][1]}")
            self.splat(made, one.result)
        elif one.kind == "double":
            self.put(f"{one.result} = load {self.wide}, ptr {one.operands[0][1]}, align {8 * self.lanes}")
        elif self.kinds.get(one.operands[0][1]) == WORDS:
            words = self.fresh()
            self.put(f"{words} = load <{self.lanes} x i64>, ptr {one.operands[0][1]}, align {8 * self.lanes}")
            self._agreed_integer(block, index, one, words)
        else:
            self._write_uniform(block, index, one)

    def _constant(self, pointer: str) -> bool:
        """True if a pointer leads to constants."""
        return pointer.startswith("@") or self.kinds.get(pointer) == CONSTANTS

    def _store(self, block: Block, index: int, one: Instruction) -> None:
        kind, value = one.operands[0]
        if kind == "double":
            self.put(
                f"store {self.wide} {self.of(kind, value)}, ptr {one.operands[1][1]}, align {8 * self.lanes}"
            )
        elif self.kinds.get(one.operands[1][1]) == WORDS:
            if value in self.masks:
                raise UnknownInstruction("a truth of lanes in memory")
            first, spread = self.fresh(), self.fresh()
            words = f"<{self.lanes} x i64>"
            self.put(f"{first} = insertelement {words} poison, i64 {value}, i64 0")
            self.put(
                f"{spread} = shufflevector {words} {first}, {words} poison, <{self.lanes} x i32> zeroinitializer"
            )
            self.put(f"store {words} {spread}, ptr {one.operands[1][1]}, align {8 * self.lanes}")
        else:
            self._write_uniform(block, index, one)

    def _getelementptr(self, block: Block, index: int, one: Instruction) -> None:
        self.put(address_line(one, self.kinds, self.lanes))

    def _alloca(self, block: Block, index: int, one: Instruction) -> None:
        self.put(f"{one.result} = alloca {one.word.replace('double', self.wide)}, align 64")

    def _sitofp(self, block: Block, index: int, one: Instruction) -> None:
        made = self.fresh()
        kind, value = one.operands[0]
        if value in self.masks:
            self.put(f"{one.result} = {one.op} {self.mask} {value} to {self.wide}")
            return
        self.put(f"{made} = {one.op} {kind} {value} to double")
        self.splat(made, one.result)

    _uitofp = _sitofp

    def _fptosi(self, block: Block, index: int, one: Instruction) -> None:
        words = self.fresh()
        self.put(f"{words} = {one.op} {self.wide} {self.of(*one.operands[0])} to <{self.lanes} x i64>")
        self._agreed_integer(block, index, one, words)

    def _bitcast(self, block: Block, index: int, one: Instruction) -> None:
        kind, value = one.operands[0]
        if kind == "double":
            words = self.fresh()
            self.put(f"{words} = bitcast {self.wide} {self.of(kind, value)} to <{self.lanes} x i64>")
            self._agreed_integer(block, index, one, words)
        elif one.kind == "double":
            made = self.fresh()
            self.put(f"{made} = bitcast {kind} {value} to double")
            self.splat(made, one.result)
        else:
            self._write_uniform(block, index, one)

    def _agreed_integer(self, block: Block, index: int, one: Instruction, words: str) -> None:
        """Integer result that all lanes agree on."""
        first = self.agreed_word(block, index, words)
        self.put(f"{one.result} = or i64 {first}, 0")

    def _br(self, block: Block, index: int, one: Instruction) -> None:
        self._write_uniform(block, index, one)

    def _call(self, block: Block, index: int, one: Instruction) -> None:
        if one.word.startswith(IGNORED):
            return
        if one.word.startswith("@llvm.mem"):
            for line in memory_lines(one, self.kinds, self.lanes, self.fresh):
                self.put(line)
        elif one.kind == "double":
            self._mathematics(one)
        elif one.word.startswith("@luff_"):
            self._write_uniform(
                block, index, one.with_fields(word=f"@{lanes_symbol(one.word[1:], self.lanes)}")
            )
            self._end_where_left(block)
        else:
            self._write_uniform(block, index, one)
            self._end_where_left(block)

    def _end_where_left(self, block: Block) -> None:
        """Behind a call: return if the callee reported divergence and no single lane can continue."""
        if not self.leaves:
            return
        self._calls += 1
        lines, place = divergence_address(self.function.arguments[0], self.fresh)
        value, left, on, off = self.fresh(), self.fresh(), f"kept{self._calls}", f"left{self._calls}"
        for line in lines:
            self.put(line)
        self.put(f"{value} = load i64, ptr {place}")
        self.put(f"{left} = icmp ne i64 {value}, 0")
        self.put(f"br i1 {left}, label %{off}, label %{on}, !prof !2")
        self.lines.append(f"{off}:")
        self.put("ret void")
        self.lines.append(f"{on}:")
        self.ends[block.label] = f"%{on}"

    def _mathematics(self, one: Instruction) -> None:
        """Function of doubles: an LLVM vector intrinsic, or lane by lane."""
        match = re.fullmatch(r"@llvm\.(\w+)\.f64", one.word)
        values = [self.of(*operand) for operand in one.operands]
        if match and match[1] in VECTOR_CALLS:
            given = ", ".join(f"{self.wide} {value}" for value in values)
            self.put(f"{one.result} = call {self.wide} @llvm.{match[1]}.v{self.lanes}f64({given})")
        else:
            self._call_by_lane(one, values)

    def _call_by_lane(self, one: Instruction, values: list[str]) -> None:
        """Call a function of doubles lane by lane."""
        whole = "poison"
        for lane in range(self.lanes):
            given = []
            for value in values:
                part = self.fresh()
                self.put(f"{part} = extractelement {self.wide} {value}, i64 {lane}")
                given.append(f"double {part}")
            answer = self.fresh()
            self.put(f"{answer} = call double {one.word}({', '.join(given)})")
            joined = one.result if lane == self.lanes - 1 else self.fresh()
            self.put(f"{joined} = insertelement {self.wide} {whole}, double {answer}, i64 {lane}")
            whole = joined

"""Rewriting of a function for dual numbers: each double with its tangents in several directions (forward mode).

A float of memory becomes its value and one tangent a direction. Branches, comparisons and integers follow the value, so
that a dual run takes the path of a single run and its values have the same bits. Terms of tangents may be contracted to
fused multiply-adds: nothing is compared with them. A number that depends on no float of memory has no tangents.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from ..jit import MARKS, own_symbol
from .derivative_rules import CHOICES, JUMPS, ONE, RULES, ZERO
from .entry_point_variants import dual_symbol, values_symbol
from .ir_parser import Function, Instruction, UnknownInstruction
from .ir_writer import ALIGNED, Writer, address_line, instruction_text, memory_lines
from .pointer_kinds import CONSTANTS, FLOATS, pointer_kinds
from .simd_rewrite import call_declarations
from .vectorise import IGNORED

ROUNDING = 2.0**52  # a sum with a constant from here on rounds to a whole number: its derivative is zero
LIBRARY = ("sqrt", "fabs", "trunc")  # LLVM intrinsics
LINEAR = ("fadd", "fsub")
WITHOUT, CARRIED = MARKS


def dual_text(symbol: str, function: Function, directions: int, known: dict[str, str]) -> str:
    """LLVM module of the function for dual numbers, named `symbol`; `known` are kinds of pointers."""
    return _module(Dual(symbol, function, directions, pointer_kinds(function, known)))


def values_text(symbol: str, function: Function, directions: int, known: dict[str, str]) -> str:
    """LLVM module of the function on values alone, in the memory of dual numbers."""
    return _module(Values(symbol, function, directions, pointer_kinds(function, known)))


def _module(writer: Dual) -> str:
    """Text of a module: constants, declarations, function."""
    body = writer.written()
    own = f"@{writer.symbol}("
    lines = sorted(line for line in call_declarations(body) if own not in line)
    return "\n".join([*writer.function.constants, *lines, body, "!0 = !{}", ""])


class Dual(Writer):
    """Writer of the function for dual numbers."""

    def __init__(self, symbol: str, function: Function, directions: int, kinds: dict[str, str]):
        super().__init__()
        self.symbol, self.function, self.kinds = symbol, function, kinds
        self.times = directions + 1
        self.wide = f"<{directions} x double>"
        self.all = f"<{directions} x i32> zeroinitializer"
        self.active = self.with_tangents()

    def with_tangents(self) -> set[str]:
        """Values that carry tangents."""
        return values_with_tangents(self.function, self.kinds)

    # --- lines --------------------------------------------------------------------------------------------------

    def make(self, line: str) -> str:
        """Write an instruction; returns the name of its result."""
        made = self.fresh()
        self.put(f"{made} = {line}")
        return made

    def call(self, name: str, *values: str) -> str:
        """Call a function of doubles, an LLVM intrinsic or luff's libm."""
        own = f"llvm.{name}.f64" if name in LIBRARY else own_symbol(name)
        return self.make(f"call double @{own}({', '.join(f'double {value}' for value in values)})")

    # --- tangents -----------------------------------------------------------------------------------------------

    def tangent(self, value: str) -> str:
        """Tangent vector of a value, zero if it carries none."""
        return f"{value}.t" if value in self.active else "zeroinitializer"

    def _splat(self, value: str) -> str:
        """Vector with a double in all directions."""
        if not value.startswith("%"):
            return f"splat (double {value})"
        one = self.make(f"insertelement {self.wide} poison, double {value}, i64 0")
        return self.make(f"shufflevector {self.wide} {one}, {self.wide} poison, {self.all}")

    def _sum(self, result: str, terms: list[tuple[str, str]]) -> None:
        """Tangents of a result: sum of factor times tangents of a value."""
        total = ""
        for factor, value in terms:
            if value not in self.active or factor == ZERO:
                continue
            term = f"{value}.t"
            if factor != ONE:
                term = self.make(f"fmul nsz contract {self.wide} {self._splat(factor)}, {term}")
            total = self.make(f"fadd nsz contract {self.wide} {total}, {term}") if total else term
        self.put(f"{result}.t = select i1 true, {self.wide} {total or 'zeroinitializer'}, {self.wide} poison")

    # --- the whole ----------------------------------------------------------------------------------------------

    def written(self) -> str:
        """Text of the function."""
        for block in self.function.blocks:
            self.lines.append(f"{block.label[1:]}:")
            # values and tangents of phis come first in a block
            for one in block.phis:
                self._phi(one)
            for one in block.instructions:
                if one.op != "phi":
                    self._rewrite(one)
        arguments = ", ".join(f"i64 {name}" for name in self.function.arguments)
        head = f"define void @{self.symbol}({arguments}) nounwind {ALIGNED} {{"
        return "\n".join([head, *self.lines, "}"])

    def _rewrite(self, one: Instruction) -> None:
        writer: Callable[[Instruction], None] | None = getattr(self, f"_{one.op}", None)
        if writer is not None:
            writer(one)
            return
        self.put(instruction_text(one))
        if one.result in self.active:
            raise UnknownInstruction(f"{one.op} of floats")

    def _phi(self, one: Instruction) -> None:
        ways = list(zip(one.operands, one.labels, strict=True))
        parts = ", ".join(f"[ {value}, {label} ]" for (_, value), label in ways)
        self.put(f"{one.result} = phi {one.kind} {parts}")
        if one.result in self.active:
            parts = ", ".join(f"[ {self.tangent(value)}, {label} ]" for (_, value), label in ways)
            self.put(f"{one.result}.t = phi {self.wide} {parts}")

    def _select(self, one: Instruction) -> None:
        self.put(instruction_text(one))
        if one.result in self.active:
            condition, first, second = (value for _, value in one.operands)
            self._choose(one.result, condition, first, second)

    def _choose(self, result: str, condition: str, first: str, second: str) -> None:
        """Tangents of a select."""
        a, b = self.tangent(first), self.tangent(second)
        self.put(f"{result}.t = select i1 {condition}, {self.wide} {a}, {self.wide} {b}")

    def _freeze(self, one: Instruction) -> None:
        self.put(instruction_text(one))
        if one.result in self.active:
            self.put(f"{one.result}.t = freeze {self.wide} {self.tangent(one.operands[0][1])}")

    # --- arithmetic ---------------------------------------------------------------------------------------------

    def _scalar(self, one: Instruction) -> tuple[str, list[str]]:
        """Write the instruction on values; its result and operands."""
        self.put(instruction_text(one))
        return one.result, [value for _, value in one.operands]

    def _fadd(self, one: Instruction) -> None:
        result, (a, b) = self._scalar(one)
        if result in self.active:
            self._sum(result, [(ONE, a), (ONE, b)])

    def _fsub(self, one: Instruction) -> None:
        result, (a, b) = self._scalar(one)
        if result in self.active:
            self.put(f"{result}.t = fsub nsz contract {self.wide} {self.tangent(a)}, {self.tangent(b)}")

    def _fneg(self, one: Instruction) -> None:
        result, (a,) = self._scalar(one)
        if result in self.active:
            self.put(f"{result}.t = fneg {self.wide} {self.tangent(a)}")

    def _fmul(self, one: Instruction) -> None:
        result, (a, b) = self._scalar(one)
        if result in self.active:
            self._sum(result, [(b, a), (a, b)])

    def _fdiv(self, one: Instruction) -> None:
        result, (a, b) = self._scalar(one)
        if result not in self.active:
            return
        inverse = self.make(f"fdiv double {ONE}, {b}")
        back = self.make(f"fneg double {self.make(f'fmul double {result}, {inverse}')}")
        self._sum(result, [(inverse, a), (back, b)])

    def _frem(self, one: Instruction) -> None:
        result, given = self._scalar(one)
        self._by_rule("fmod", result, given)

    def _by_rule(self, name: str, result: str, given: list[str]) -> None:
        """Tangents of a function by its rule in `RULES`."""
        if result not in self.active:
            return
        factors = RULES[name](self, given, result)
        self._sum(result, list(zip(factors, given, strict=True)))

    # --- memory -------------------------------------------------------------------------------------------------

    def _wide_at(self, pointer: str) -> bool:
        """True if a pointer leads to dual numbers."""
        return self.kinds.get(pointer) == FLOATS

    def _load(self, one: Instruction) -> None:
        self.put(instruction_text(one))
        pointer = one.operands[0][1]
        if one.result in self.active:
            place = self.make(f"getelementptr i8, ptr {pointer}, i64 8")
            self.put(f"{one.result}.t = load {self.wide}, ptr {place}, align 8")
        elif one.kind == "double" and not (constant(pointer, self.kinds) or self._wide_at(pointer)):
            raise UnknownInstruction("a float of unknown origin")

    def _store(self, one: Instruction) -> None:
        self.put(instruction_text(one))
        (kind, value), (_, pointer) = one.operands
        if kind == "double":
            if not self._wide_at(pointer):
                raise UnknownInstruction("a float to an unknown place")
            self.store_tangents(value, pointer)

    def store_tangents(self, value: str, pointer: str) -> None:
        """Store the tangents of a value behind it."""
        place = self.make(f"getelementptr i8, ptr {pointer}, i64 8")
        self.put(f"store {self.wide} {self.tangent(value)}, ptr {place}, align 8")

    def _getelementptr(self, one: Instruction) -> None:
        self.put(address_line(one, self.kinds, self.times))

    def _alloca(self, one: Instruction) -> None:
        self.put(f"{one.result} = alloca {one.word.replace('double', f'[{self.times} x double]')}, align 64")

    # --- calls --------------------------------------------------------------------------------------------------

    def _call(self, one: Instruction) -> None:
        if one.word.startswith(IGNORED):
            return
        if one.word.startswith("@llvm.mem"):
            for line in memory_lines(one, self.kinds, self.times, self.fresh):
                self.put(line)
        elif one.kind == "double":
            self._mathematics(one)
        elif one.word.startswith("@luff_"):
            self.put(instruction_text(one.with_fields(word=self.callee(one.word))))
        else:
            self.put(instruction_text(one))

    def callee(self, word: str) -> str:
        """Symbol of the dual variant of an entry point, unless it is one for values alone."""
        return word if word.endswith(values_symbol("")) else f"@{dual_symbol(word[1:])}"

    def _mathematics(self, one: Instruction) -> None:
        """Call of a function of doubles and its tangents."""
        name = function_name(one)
        if name in MARKS:
            result, given = one.result, [value for _, value in one.operands]
            self.put(f"{result} = select i1 true, double {given[0]}, double poison")
            if result in self.active:
                self._sum(result, [(ONE, value) for value in given])
            return
        result, given = self._scalar(one)
        if result not in self.active:
            return
        if name in CHOICES:
            same = self.make(f"fcmp oeq double {result}, {given[0]}")
            self._choose(result, same, *given)
        elif name in RULES and {kind for kind, _ in one.operands} == {"double"}:
            self._by_rule(name, result, given)
        else:
            raise UnknownInstruction(f"the derivative of {name}")


class Values(Dual):
    """Writer of the function on values alone."""

    def with_tangents(self) -> set[str]:
        return set()

    def store_tangents(self, value: str, pointer: str) -> None:
        pass

    def callee(self, word: str) -> str:
        """Symbol of the variant on values alone of an entry point."""
        return f"@{values_symbol(word[1:])}"


def function_name(one: Instruction) -> str:
    """Name of a function of doubles: LLVM's, luff's and the C library's are equal."""
    match = re.fullmatch(r"@(?:llvm\.|luff_)?(\w+?)(?:\.f64)?", one.word)
    return match[1] if match else one.word


def constant(pointer: str, kinds: dict[str, str]) -> bool:
    """True if a pointer leads to constants."""
    return pointer.startswith("@") or kinds.get(pointer) == CONSTANTS


def values_with_tangents(function: Function, kinds: dict[str, str]) -> set[str]:
    """Doubles that may carry tangents: loads from memory and their dependants; bit patterns give no doubles again."""
    instructions = [one for block in function.blocks for one in block.instructions]
    active: set[str] = set()
    bits: set[str] = set()  # integers that were floats
    size = -1
    while size != len(active) + len(bits):
        size = len(active) + len(bits)
        for one in instructions:
            if one.kind == "double":
                if _is_active(one, active, bits, kinds):
                    active.add(one.result)
            elif _takes_bits(one, active, bits):
                bits.add(one.result)
    return active


def _takes_bits(one: Instruction, active: set[str], bits: set[str]) -> bool:
    """True if an integer is made of the bits of an active double."""
    if one.op == "bitcast":
        return one.operands[0][1] in active
    return one.kind.startswith("i") and one.op not in ("icmp", "load", "call") and _any(one, bits)


def _any(one: Instruction, values: set[str]) -> bool:
    """True if an operand is one of `values`."""
    return any(value in values for _, value in one.operands)


def _is_active(one: Instruction, active: set[str], bits: set[str], kinds: dict[str, str]) -> bool:
    """True if a double carries tangents by its operands."""
    if one.op == "load":
        return not constant(one.operands[0][1], kinds)
    if one.op == "bitcast" and _any(one, bits):
        raise UnknownInstruction("floats made of their bits")
    if one.op == "call" and function_name(one) in (*JUMPS, WITHOUT):
        return False
    if one.op in LINEAR and any(_rounds(value) for _, value in one.operands):
        return False
    return _any(one, active)


def _rounds(value: str) -> bool:
    """True if this constant lies in [2^52, 2^53): sums with it are whole numbers."""
    if re.fullmatch(r"0x[0-9A-F]{16}", value):
        (number,) = struct.unpack(">d", bytes.fromhex(value[2:]))
    elif re.fullmatch(r"-?[\d.]+e[-+]\d+", value):
        number = float(value)
    else:
        return False
    return ROUNDING <= abs(number) < 2.0 * ROUNDING

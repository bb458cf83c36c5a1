"""Interpreter of LLVM instructions on whole numbers and addresses; a float is known where it is a constant.

An instruction is an action on registers: it does to a number what the processor does. A register is None where its
value is not known.
"""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable
from typing import Protocol

Value = int | float | None


class Registers(dict[str, Value]):
    """Registers by name; one that was never set is unknown."""

    def __missing__(self, name: str) -> None:
        return None


NAME = r'[%@](?:[-\w$.]+|"[^"]*")'
VALUE = rf"(?:{NAME}|[-\w.+]+)"
TYPE = r"(?:<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|\w+)"
_FLAGS = r"(?:(?:nuw|nsw|nneg|exact|disjoint|inbounds|nusw|samesign|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
_TWO = re.compile(rf"^\w+ {_FLAGS}(?:(\w+) )??({TYPE}) ({VALUE}), ({VALUE})")
_SELECT = re.compile(rf"^select {_FLAGS}i1 ({VALUE}), {TYPE} ({VALUE}), {TYPE} ({VALUE})")
_ONE = re.compile(rf"^\w+ {_FLAGS}({TYPE}) ({VALUE})(?: to ({TYPE}))?")
_PLACE = re.compile(rf"^getelementptr {_FLAGS}({TYPE}), ptr ({VALUE})((?:, i\d+ {VALUE})*)")
_LOAD = re.compile(rf"^load (?:volatile )?({TYPE}), ptr ({VALUE})")
_STORE = re.compile(rf"^store (?:volatile )?({TYPE}) ({VALUE}), ptr ({VALUE})")
_CALL = re.compile(rf"^call\b.*?({NAME})\((.*)\)")
_GIVEN = re.compile(rf"({VALUE})(?:,|$)")
BRACKETS = re.compile(r"\([^()]*\)")

SIZES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8, "ptr": 8}
COMPARED = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
            "ge": operator.ge}  # fmt: skip


class Machine(Protocol):
    """Whoever follows the code: its memory, and what calls come to."""

    def load(self, kind: str, place: Value) -> Value: ...

    def store(self, kind: str, place: Value, value: Value) -> None: ...

    def call(self, name: Value | str, given: list[Value]) -> Value: ...

    def room(self, size: int) -> int: ...


Action = Callable[[Registers, Machine], None]


def constant(text: str) -> Value:
    if text in ("true", "false"):
        return int(text == "true")
    if text in ("null", "zeroinitializer"):
        return 0
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"0x[0-9A-Fa-f]{16}", text):
        return struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]
    return float(text) if re.fullmatch(r"-?\d+\.\d+e[-+]\d+", text) else None


def wrapped(number: int, bits: int) -> int:
    """Number in a register of that width, with a sign but for a single bit."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def forgotten(to: str) -> Action:
    def act(r: Registers, machine: Machine) -> None:
        r[to] = None

    return act


def _computed(to: str, names: tuple[str, ...], compute: Callable[..., Value]) -> Action:
    """Known where all that it is computed from is known."""

    def act(r: Registers, machine: Machine) -> None:
        given = [r[name] for name in names]
        r[to] = None if None in given else compute(*given)

    return act


def _bits(kind: str) -> int:
    """Width of a whole number or an address; 0 of anything else."""
    return 64 if kind == "ptr" else int(kind[1:]) if re.fullmatch(r"i\d+", kind) else 0


def action_of(word: str, text: str, to: str, known: Callable[[str], str]) -> Action | None:  # noqa: C901  # kinds
    """Effect of an instruction on the registers; None if it is not followed."""
    if word == "load" and (parts := _LOAD.match(text)):
        kind, place = parts[1], known(parts[2])

        def load(r: Registers, machine: Machine) -> None:
            r[to] = machine.load(kind, r[place])

        return load
    if word == "store" and (parts := _STORE.match(text)):
        kind, value, place = parts[1], known(parts[2]), known(parts[3])

        def store(r: Registers, machine: Machine) -> None:
            machine.store(kind, r[place], r[value])

        return store
    if word == "getelementptr" and (parts := _PLACE.match(text)):
        steps = _steps(parts[1])
        names = [known(name) for name in re.findall(rf", i\d+ ({VALUE})", parts[3])]
        if len(names) > len(steps):
            return None
        return _computed(
            to,
            (known(parts[2]), *names),
            lambda at, *indices: at + sum(k * size for k, size in zip(indices, steps, strict=False)),
        )
    if word == "call" and (parts := _CALL.match(text)):
        return _called(to, parts[1], parts[2], known)
    if word == "alloca" and (parts := re.match(rf"^alloca ({TYPE})(?:, i\d+ (\d+))?", text)):
        size = size_of(parts[1]) * int(parts[2] or 1)

        def room(r: Registers, machine: Machine) -> None:
            r[to] = machine.room(size)

        return room
    if word == "select" and (parts := _SELECT.match(text)):
        on, one, other = map(known, parts.groups())

        def select(r: Registers, machine: Machine) -> None:
            decides = r[on]
            if decides is None:
                r[to] = r[one] if r[one] == r[other] else None
            else:
                r[to] = r[one] if decides else r[other]

        return select
    if word in ("and", "or") and (parts := _TWO.match(text)) and parts[2] == "i1":
        return _logical(to, known(parts[3]), known(parts[4]), int(word == "or"))
    return _arithmetic(word, text, to, known)


def _logical(to: str, one: str, other: str, decisive: int) -> Action:
    """Known, too, where one of them decides."""

    def act(r: Registers, machine: Machine) -> None:
        a, b = r[one], r[other]
        r[to] = decisive if decisive in (a, b) else None if a is None or b is None else 1 - decisive

    return act


def _arithmetic(word: str, text: str, to: str, known: Callable[[str], str]) -> Action | None:
    if word in (
        "freeze",
        "inttoptr",
        "ptrtoint",
        "bitcast",
        "zext",
        "sext",
        "trunc",
        "sitofp",
        "uitofp",
        "fptosi",
    ):
        parts = _ONE.match(text)
        if not parts or not (_bits(parts[1]) or parts[1] == "double"):
            return None
        old, new = _bits(parts[1]), _bits(parts[3] or parts[1])
        if word in ("bitcast", "freeze", "inttoptr", "ptrtoint") and old == new:
            return _computed(to, (known(parts[2]),), lambda a: a)
        casts: dict[str, Callable[..., Value]] = {
            "zext": lambda a: a & ((1 << old) - 1),
            "sext": lambda a: -a if old == 1 else a,
            "trunc": lambda a: wrapped(a, new),
            "sitofp": float,
            "uitofp": lambda a: float(a & ((1 << old) - 1)),
            "fptosi": lambda a: int(a) if math.isfinite(a) else None,
        }
        return _computed(to, (known(parts[2]),), casts[word]) if word in casts else None
    parts = _TWO.match(text)
    if not parts:
        return None
    how, kind, names = parts[1] or "", parts[2], (known(parts[3]), known(parts[4]))
    bits = _bits(kind)
    if word == "fcmp" and kind == "double" and how[1:] in COMPARED:
        compare, unordered = COMPARED[how[1:]], how[0] == "u"
        return _computed(to, names, lambda a, b: int(unordered if a != a or b != b else compare(a, b)))
    if not bits:
        return None
    if word == "icmp":
        compare, modulus = COMPARED[how[-2:]], 1 << bits
        if how[0] == "u":
            return _computed(to, names, lambda a, b: int(compare(a % modulus, b % modulus)))
        return _computed(to, names, lambda a, b: int(compare(a, b)))
    compute = {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
        "xor": operator.xor, "shl": lambda a, b: a << b, "ashr": lambda a, b: a >> b,
        "lshr": lambda a, b: (a % (1 << bits)) >> b,
        "sdiv": lambda a, b: int(math.copysign(abs(a) // abs(b), a * b)) if b else 0,
        "srem": lambda a, b: int(math.copysign(abs(a) % abs(b), a)) if b else 0,
        "udiv": lambda a, b: (a % (1 << bits)) // (b % (1 << bits)) if b else 0,
        "urem": lambda a, b: (a % (1 << bits)) % (b % (1 << bits)) if b else 0,
    }.get(word)  # fmt: skip
    return _computed(to, names, lambda a, b: wrapped(compute(a, b), bits)) if compute else None


def _called(to: str, name: str, text: str, known: Callable[[str], str]) -> Action:
    names = [known(one) for one in _GIVEN.findall(BRACKETS.sub("", BRACKETS.sub("", text)))] if text else []
    simple = {
        "@llvm.smax.i64": max,
        "@llvm.smin.i64": min,
        "@llvm.fabs.f64": abs,
        "@llvm.abs.i64": lambda a, _: abs(a),
    }
    if name in simple:
        return _computed(to, tuple(names), simple[name])

    def call(r: Registers, machine: Machine) -> None:
        value = machine.call(r[name] if name[0] == "%" else name[1:].strip('"'), [r[one] for one in names])
        if to:
            r[to] = value

    return call


def size_of(kind: str) -> int:
    """Size of a type in bytes; groups are laid out without gaps."""
    if many := re.match(r"^[<\[](\d+) x (.*)[>\]]$", kind):
        return int(many[1]) * size_of(many[2])
    if kind[0] == "{":
        return sum(max(8, size_of(one.strip())) for one in kind.strip("{} ").split(","))
    return SIZES.get(kind, 8)


def _steps(kind: str) -> list[int]:
    """Strides of the indices of a place [bytes]."""
    steps = [size_of(kind)]
    while many := re.match(r"^\[(\d+) x (.*)\]$", kind):
        kind = many[2]
        steps.append(size_of(kind))
    return [*steps, 8] if kind[0] == "{" else steps

"""Expressions as operations: one for each node, of functions that all diagrams share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ...blocks.light_dataclass import record
from ...blocks.text.expressions import COMPARISONS, CONSTANTS
from ...blocks.text.logic_forms import normal_form
from ..codegen.source_functions import Function
from .operations import COPY, NEGATE, scalar_function
from .work_space import Place

if TYPE_CHECKING:
    from .scalar_places import Scalars

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
WORDS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
PLAIN = {"abs", "min", "max"}  # functions of the language, not of `math`
RENAMED = {"deg2rad": "radians", "rad2deg": "degrees"}
PIECE = "@during"  # leaf that replaces t in functions with jumps
WHOLE = ("floor", "ceil", "round")  # functions with jumps
NAMES = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least", "==": "equal", "!=": "unequal"}
NOT = scalar_function("contrary", 1, "1.0 - u0", "not")
AND = scalar_function("both", 2, "u0 * u1", "and")
OR = scalar_function("either", 2, "max(u0, u1)", "or")
PICK = scalar_function("picked", 3, "u1 if u0 > 0.5 else u2", "if")
LARGEST_POWER = 8  # largest whole exponent that becomes multiplications
Emitted = tuple[Function, tuple[Place, ...]]


@record
class Comparison:
    """Comparison: the operation that decides it at the start of a step, and its switching function."""

    text: str
    decide: Emitted
    crossing: tuple[Function, tuple[Place, ...]] | None  # without its target place; None for equality
    after: int  # number of operations before it


class ExpressionWriter:
    """Writer of the operations of an expression, in order; the last one fills the target."""

    def __init__(self, scalars: Scalars, leaf: Callable[[str], Place], memory: Callable[[], Place]):
        self.scalars, self.leaf, self.memory = scalars, leaf, memory
        self.made: list[Emitted] = []
        self.compared: list[Comparison] = []

    def write(self, tree: ast.expr, target: Place) -> None:
        """Write an expression to the target place."""
        place = self.place_of(normal_form(tree), target)
        if place != target:
            self.made.append((COPY, (target, place)))

    def operation(self, code: Function, places: Sequence[Place], target: Place | None) -> Place:
        """Append an operation; returns its place."""
        to = self.scalars.scratch() if target is None else target
        self.made.append((code, (to, *places)))
        return to

    def place_of(self, node: ast.expr, target: Place | None = None) -> Place:
        """Place of a node's value."""
        match node:
            case ast.Constant():
                return self.scalars.constant(float(node.value))  # type: ignore[arg-type]
            case ast.Name():
                known = CONSTANTS.get(node.id)
                return self.leaf(node.id) if known is None else self.scalars.constant(known)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.place_of(node.operand, target)
            case ast.UnaryOp():
                code = NOT if isinstance(node.op, ast.Not) else NEGATE
                return self.operation(code, [self.place_of(node.operand)], target)
            case ast.Compare():
                return self.comparison(node, target)
            case ast.BoolOp():
                code = AND if isinstance(node.op, ast.And) else OR
                first, *others = (self.place_of(part) for part in node.values)
                for number, other in enumerate(others, 1):
                    last = number == len(others)
                    first = self.operation(code, [first, other], target if last else None)
                return first
            case ast.IfExp():
                parts = [self.place_of(part) for part in (node.test, node.body, node.orelse)]
                return self.operation(PICK, parts, target)
            case ast.Call(func=ast.Name(id=name)):
                return self.call(name, node.args, target)
        assert isinstance(node, ast.BinOp)
        power = node.right.value if isinstance(node.right, ast.Constant) else None
        if isinstance(node.op, ast.Pow) and isinstance(power, int) and power <= LARGEST_POWER:
            code = scalar_function(f"power_{power}", 1, f"u0 ** {power}", f"power {power}")
            return self.operation(code, [self.place_of(node.left)], target)
        sides = [self.place_of(node.left), self.place_of(node.right)]
        return self.operation(binary_code(type(node.op)), sides, target)

    def call(self, name: str, arguments: list[ast.expr], target: Place | None) -> Place:
        """Append a function's call; functions with jumps read the time that decides branches."""
        held = self.leaf
        if name in WHOLE:
            self.leaf = lambda word: held(PIECE if word == "t" else word)
        places = [self.place_of(argument) for argument in arguments]
        self.leaf = held
        return self.operation(call_code(name, len(arguments)), places, target)

    def comparison(self, node: ast.Compare, target: Place | None) -> Place:
        """Append a comparison as decided for the present step; outside of a run, its present value."""
        a, b = self.place_of(node.left), self.place_of(node.comparators[0])
        sign, decided = COMPARISONS[type(node.ops[0])], self.memory()
        after = len(self.made)
        # a crossing is strict on its positive side, like the comparison or its negation
        crossing = {">": (a, b), "<=": (a, b), "<": (b, a), ">=": (b, a)}.get(sign)
        self.compared.append(
            Comparison(
                ast.unparse(node),
                (comparison_code(sign), (decided, a, b)),
                None if crossing is None else (binary_code(ast.Sub), crossing),
                after,
            )
        )
        return self.operation(comparison_reading(sign), [a, b, decided], target)


@cache
def comparison_code(sign: str) -> Function:
    """Comparison of two scalars as 0 or 1."""
    word = NAMES[sign]
    return scalar_function(f"is_{word}", 2, f"1.0 if u0 {sign} u1 else 0.0", word.replace("_", " "))


@cache
def comparison_reading(sign: str) -> Function:
    """Decided value of a comparison, or its present value if undecided."""
    word = NAMES[sign]
    text = f"u2 if u2 >= 0.0 else 1.0 if u0 {sign} u1 else 0.0"
    return scalar_function(f"seen_{word}", 3, text, f"{word.replace('_', ' ')}, as decided")


@cache
def binary_code(kind: type[ast.operator]) -> Function:
    """Binary operator."""
    return scalar_function(WORDS[kind], 2, f"u0 {SIGNS[kind]} u1", WORDS[kind])


@cache
def call_code(name: str, count: int) -> Function:
    """Call of a function, written so that both Python and its compiler know it."""
    words = [f"u{k}" for k in range(count)]
    if name == "log" and count == 2:
        text = "math.log(u0) / math.log(u1)"
    elif name == "hypot":
        text = words[0]
        for more in words[1:]:
            text = f"math.hypot({text}, {more})"
    elif name in ("floor", "ceil"):
        text = f"float(math.{name}(u0))"
    elif name == "round":
        text = (
            "math.copysign(math.floor(abs(u0)) + (1.0 if abs(u0) - math.floor(abs(u0)) >= 0.5 else 0.0), u0)"
        )
    elif name in PLAIN:
        text = f"{name}({', '.join(words)})"
    else:
        text = f"math.{RENAMED.get(name, name)}({', '.join(words)})"
    return scalar_function(f"{name}_of_{count}", count, text, name)

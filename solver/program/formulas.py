"""Expressions as operations: one for each node, of functions that all diagrams share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from ...blocks.text.expressions import CONSTANTS
from ..machine.functions import Function
from ..table.operations import COPY, NEGATE, simple
from ..table.places import Place

if TYPE_CHECKING:
    from .scalars import Scalars

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
WORDS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
PLAIN = {"abs", "min", "max"}  # functions of the language, not of `math`
RENAMED = {"deg2rad": "radians", "rad2deg": "degrees"}
PIECE = "@during"  # the leaf that stands for t where a function jumps
LARGEST_POWER = 8  # whole exponents up to here are multiplications
Emitted = tuple[Function, tuple[Place, ...]]


def emitted(
    tree: ast.expr, scalars: Scalars, leaf: Callable[[str], Place], target: Place
) -> Iterator[Emitted]:
    """Code and places of each operation, in their order; the last one fills the target."""
    found: list[Emitted] = []
    place = _walk(tree, scalars, leaf, found, target)
    yield from found
    if place != target:
        yield COPY, (target, place)


def _walk(
    node: ast.expr,
    scalars: Scalars,
    leaf: Callable[[str], Place],
    found: list[Emitted],
    target: Place | None = None,
) -> Place:
    """The place of a node's value."""

    def made(code: Function, arguments: list[ast.expr]) -> Place:
        places = [_walk(argument, scalars, leaf, found) for argument in arguments]
        to = scalars.scratch() if target is None else target
        found.append((code, (to, *places)))
        return to

    if isinstance(node, ast.Constant):
        return scalars.constant(float(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return scalars.constant(CONSTANTS[node.id]) if node.id in CONSTANTS else leaf(node.id)
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.USub):
            return made(NEGATE, [node.operand])
        return _walk(node.operand, scalars, leaf, found, target)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        if node.func.id in ("floor", "ceil"):
            held = leaf
            leaf = lambda name: held(PIECE if name == "t" else name)  # noqa: E731
        return made(called(node.func.id, len(node.args)), node.args)
    assert isinstance(node, ast.BinOp)
    power = node.right.value if isinstance(node.right, ast.Constant) else None
    if isinstance(node.op, ast.Pow) and isinstance(power, int) and power <= LARGEST_POWER:
        return made(simple(f"power_{power}", 1, f"u0 ** {power}", f"power {power}"), [node.left])
    return made(binary(type(node.op)), [node.left, node.right])


@cache
def binary(kind: type[ast.operator]) -> Function:
    return simple(WORDS[kind], 2, f"u0 {SIGNS[kind]} u1", WORDS[kind])


@cache
def called(name: str, count: int) -> Function:
    """A function's call, written with what both Python and its compiler know."""
    words = [f"u{k}" for k in range(count)]
    if name == "log" and count == 2:
        text = "math.log(u0) / math.log(u1)"
    elif name == "hypot":
        text = words[0]
        for more in words[1:]:
            text = f"math.hypot({text}, {more})"
    elif name in ("floor", "ceil"):
        text = f"float(math.{name}(u0))"
    elif name in PLAIN:
        text = f"{name}({', '.join(words)})"
    else:
        text = f"math.{RENAMED.get(name, name)}({', '.join(words)})"
    return simple(f"{name}_of_{count}", count, text, name)

"""Expressions as blocks: their text becomes the block's equation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from keyword import iskeyword
from typing import Any

from ..block import Block
from ..errors import LuffError, Problem
from ..expressions import CONSTANTS, FUNCTIONS, parse
from ..generated import function_from
from ..params import Names, Text
from ..ports import ANY, In, Out, Port
from ..signal_params import Numbers

PLAIN = {"abs", "min", "max"}  # functions of the language, not of `math`
RENAMED = {"deg2rad": "radians", "rad2deg": "degrees"}


class Expression(Block):
    """An expression of its inputs and the time t: y = expr, element by element."""

    y = Out(ANY)
    inputs = Names((), doc="names of the inputs")
    expr = Text("sin(t)", doc="such as k*sin(t) + a*b; functions as in netlist expressions")
    constants = Numbers(doc="numbers that the expression names, such as {k: 3.0}; they may change in a run")
    derived_names = ("numbers",)

    def ports(self) -> dict[str, Port]:
        return {name: In(ANY).named(name) for name in self.inputs} | super().ports()

    def check(self) -> Iterable[Problem]:
        known = ["t", *self.inputs, *self.constants]
        places = [(name, ".inputs") for name in self.inputs] + [
            (name, ".constants") for name in self.constants
        ]
        for name, place in places:
            taken = name in ("t", "y", "numbers") or name in CONSTANTS or name in FUNCTIONS or iskeyword(name)
            if taken or known.count(name) > 1:
                yield Problem(f'"{name}" means something else already', place, "choose another name")
            elif not name.isidentifier():
                yield Problem(f'found the name "{name}", expected letters, digits and underscores', place)
        try:
            parse(self.expr, known)
        except LuffError as error:
            yield from (problem.at(path=".expr") for problem in error.problems)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"numbers": (*self.constants.values(), 0.0)}  # never empty: arrays of no length have no place

    def instance_functions(self) -> dict[str, Callable[..., Any]]:
        text = self._source(parse(self.expr))
        arguments = ", ".join(["t", *self.inputs, "numbers"])
        return {"out": function_from(f"def out({arguments}):\n    return {text}\n")}

    def _source(self, node: ast.expr) -> str:
        # whole numbers become floats, but for exponents, which multiply
        if isinstance(node, ast.Constant):
            return repr(float(node.value))  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            if node.id in CONSTANTS:
                return repr(CONSTANTS[node.id])
            names = list(self.constants)
            return f"numbers[{names.index(node.id)}]" if node.id in names else node.id
        if isinstance(node, ast.UnaryOp):
            return f"({'-' if isinstance(node.op, ast.USub) else ''}{self._source(node.operand)})"
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return called(node.func.id, [self._source(argument) for argument in node.args])
        assert isinstance(node, ast.BinOp)
        left, right = self._source(node.left), self._source(node.right)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
            power = node.right.value
            right = repr(power) if isinstance(power, int) and power <= 8 else right
        return f"({left} {SIGNS[type(node.op)]} {right})"


SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def called(name: str, arguments: list[str]) -> str:
    """A call, written with what both Python and its compiler know."""
    if name == "log" and len(arguments) == 2:
        return f"(math.log({arguments[0]}) / math.log({arguments[1]}))"
    if name == "hypot":
        text = arguments[0]
        for more in arguments[1:]:
            text = f"math.hypot({text}, {more})"
        return text
    if name in ("floor", "ceil"):
        return f"float(math.{name}({arguments[0]}))"
    if name in PLAIN:
        return f"{name}({', '.join(arguments)})"
    return f"math.{RENAMED.get(name, name)}({', '.join(arguments)})"

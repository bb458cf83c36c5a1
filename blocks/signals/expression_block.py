"""Expressions as blocks: their text becomes the block's equation."""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block
from ..errors import LuffError, Problem
from ..params import Names, Text
from ..ports import ANY, In, Out, Port
from ..signal_params import Numbers, UnitName
from ..text.equation import Formula
from ..text.expressions import parse, wrong_names


class Expression(Block):
    """An expression of its inputs and the time t: y = expr, element by element.

    Beside arithmetic it takes comparisons, `and or not` and `a if b else c`. What is true is 1, what is false 0; a
    number counts as true above 0.5. Comparisons are decided at the start of each step.
    """

    y = Out(ANY)
    inputs = Names((), follows=False, doc="names of the inputs")
    expr = Text(
        "sin(t)",
        doc="such as k*sin(t) + a*b, or a if b > 2 else 0; functions as in netlist expressions",
    )
    unit = UnitName(doc="unit of y; empty is not checked")
    constants = Numbers(doc="numbers that the expression names, such as {k: 3.0}; they may change in a run")
    derived_names = ("numbers",)

    def ports(self) -> dict[str, Port]:
        y = {"y": Out(ANY, self.unit or None).named("y")}
        return {name: In(ANY).named(name) for name in self.inputs} | super().ports() | y

    def check(self) -> Iterable[Problem]:
        places = [(name, ".inputs") for name in self.inputs] + [
            (name, ".constants") for name in self.constants
        ]
        wrong = list(wrong_names(places, ("t", "y", "numbers")))
        yield from wrong
        if wrong:
            return  # an expression of these names says nothing more
        try:
            parse(self.expr, ["t", *self.inputs, *self.constants], logic=True)
        except LuffError as error:
            yield from (problem.at(path=".expr") for problem in error.problems)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"numbers": (*self.constants.values(), 0.0)}  # never empty: arrays of no length have no place

    def formula(self) -> Formula:
        return Formula(parse(self.expr, logic=True), tuple(self.constants))

"""Reader of a chart in a netlist: outputs, states and what they set, transitions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..errors import LuffError
from ..light_dataclass import record
from ..params import Integer, Param, Scope, Struct, Text, fail, shown_value
from ..signal_params import AnyUnit, UnitName
from ..text.expressions import parse
from ..text.quantity import Quantity

LAST = 1e9  # as a priority: that of a transition that has none
Value = Quantity | str  # a number with its dimension, or an expression


class Values(Param):
    """Parameter: outputs with their values, each a number, a quantity, or an expression of inputs, outputs, t and
    elapsed."""

    kind = "value map"

    def __init__(self, *, doc: str = ""):
        super().__init__({}, doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> dict[str, Value]:
        if not isinstance(raw, dict):
            raise self.refused(raw, path, "for example {speed: 0.5 m/s}")
        return {str(name): self._value(item, scope, f"{path}.{name}") for name, item in raw.items()}

    def _value(self, raw: object, scope: Scope, path: str) -> Value:
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise fail(path, f"found {shown_value(raw)}, expected a number, a quantity or an expression")
        if isinstance(raw, str) and not raw.strip().startswith("="):
            try:
                parse(raw, logic=True)
            except LuffError:
                pass  # a quantity, or what neither can be
            else:
                return raw
        try:
            return scope.quantity(raw)
        except LuffError as error:
            if isinstance(raw, str) and not raw.lstrip(" -+.")[:1].isdigit() and raw.strip()[:1] != "=":
                return raw  # an expression that is wrong: told where all of them are
            raise LuffError(problem.at(path=path) for problem in error.problems) from None

    def expected(self) -> str:
        return "a mapping from outputs to numbers or expressions"


class Output(Struct):
    unit = UnitName(doc="its unit; empty is not checked")
    initial = AnyUnit(0.0, doc="what it is until a state sets it")


class State(Struct):
    entry = Values(doc="outputs that are set once where the state begins, in this order")
    during = Values(doc="outputs that follow these values while the state is active")
    exit = Values(doc="outputs that are set once where the state ends, in this order")


class Transition(Struct):
    params = {  # `from` is a word of Python
        "from": Text(doc="the state that it leaves"),
        "to": Text(doc="the state that it leads to"),
        "when": Text("", doc="a guard, such as height >= 2 and ready; always, where there is none"),
        "after": Param(None, "s", ge=0, doc="how long the state has to have been active"),
        "priority": Integer(None, ge=1, doc="which one is taken where several may be: 1 comes first"),
    }
    when: str
    after: float | None
    priority: int | None
    to: str

    @property
    def source(self) -> str:
        return vars(self)["from"]

    @property
    def guard(self) -> ast.expr | None:
        return parse(self.when, logic=True) if self.when.strip() else None

    @property
    def rank(self) -> float:
        return LAST if self.priority is None else self.priority


@record
class Chart:
    """State chart: inputs, outputs, states, transitions and constants."""

    inputs: tuple[str, ...]
    outputs: Mapping[str, Output]
    states: Mapping[str, State]
    transitions: tuple[Transition, ...]
    constants: Mapping[str, float]
    initial: str  # as it is written; may be empty
    active: bool

    @property
    def first(self) -> str:
        return self.initial or next(iter(self.states))

    def transitions_from(self, state: str) -> list[Transition]:
        """The transitions that leave a state, as they are looked at."""
        return sorted((one for one in self.transitions if one.source == state), key=lambda one: one.rank)

"""`Scope`: what raw numbers mean in one netlist: plain numbers, quantities, expressions over its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import LuffError, Problem
from .expressions import CONSTANTS, FUNCTIONS, evaluate
from .params import shown
from .quantity import Quantity, in_unit, quantity

CONSEQUENCE = "depends on a parameter that is wrong itself"


class Scope:
    """The parameters of a netlist, evaluated when asked for, in whatever order they refer to each other.

    `given` holds values from outside: those with which a composite block was called.
    """

    def __init__(
        self, parameters: Mapping[str, Any] | None = None, given: Mapping[str, Quantity] | None = None
    ):
        self.parameters = dict(parameters or {})
        self._known: dict[str, Quantity] = dict(given or {})
        self._open: list[str] = []  # parameters being evaluated, to see cycles
        self._wrong: set[str] = set()

    def number(self, raw: Any, unit: str = "") -> float:
        """The SI value of a raw entry, checked against the unit that is asked for."""
        return in_unit(self.quantity(raw), unit, shown(raw))

    def quantity(self, raw: Any) -> Quantity:
        """Value and dimension of a raw entry."""
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise LuffError(f"found {shown(raw)}, expected a number, a quantity or an expression")
        if isinstance(raw, str):
            text = raw.strip()
            return (
                evaluate(text[1:], self.parameter, self.parameters)
                if text.startswith("=")
                else quantity(text)
            )
        try:
            return Quantity(float(raw), None)
        except OverflowError:
            raise LuffError("found a number that is too large, expected one below 1e308") from None

    def parameter(self, name: str) -> Quantity:
        """The value of a parameter of this netlist."""
        if name in self._known:
            return self._known[name]
        if name in self._wrong:
            raise LuffError(CONSEQUENCE, fix=f'mend "{name}" first')
        if name in self._open:
            around = self._open[self._open.index(name) :]
            self._wrong.update(around)
            circle = " -> ".join([*around, name])
            fix = "give one of them a number"
            raise LuffError(f"parameters refer to each other in a circle: {circle}", fix=fix)
        self._open.append(name)
        try:
            self._known[name] = self.quantity(self.parameters[name])
        except LuffError:
            self._wrong.add(name)
            raise
        finally:
            self._open.pop()
        return self._known[name]

    def problems(self) -> list[Problem]:
        """Everything wrong with the parameters themselves; `path` is `parameters.<name>`."""
        found: list[Problem] = []
        for name in self.parameters:
            path = f"parameters.{name}"
            if not isinstance(name, str) or not name.isidentifier():
                found.append(
                    Problem(f"found the name {name!r}, expected letters, digits and underscores", path)
                )
            elif name in CONSTANTS or name in FUNCTIONS:
                found.append(
                    Problem(f'"{name}" already means something in expressions', path, "choose another name")
                )
            else:
                try:
                    self.parameter(name)
                except LuffError as error:
                    found.extend(problem.at(path=path) for problem in error.problems)
        return found

"""`Scope`: what raw numbers mean in one netlist: plain numbers, quantities, expressions over its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from unicodedata import normalize

from .errors import LuffError, Problem, Suggestion, did_you_mean
from .text.expressions import CONSTANTS, FUNCTIONS, evaluate, names_in
from .text.quantity import Quantity, in_unit, quantity
from .text.raw_types import shown_value

LONGEST_CIRCLE = 100  # parameters; each is some calls deep
CONSEQUENCE = "depends on a parameter that is wrong itself"


class Scope:
    """The parameters of a netlist, evaluated when asked for, in whatever order they refer to each other.

    `given` holds values from outside: those with which a composite block was called. `outer` is the scope around a
    subsystem in place, whose parameters are known inside unless one of the same name hides them.
    """

    def __init__(
        self,
        parameters: Mapping[str, object] | None = None,
        given: Mapping[str, Quantity] | None = None,
        outer: Scope | None = None,
    ):
        self.parameters = dict(parameters or {})
        self._outer = outer
        self._names: dict[str, object] = {**outer._names, **self.parameters} if outer else self.parameters
        self._known: dict[str, Quantity] = dict(given or {})
        self._open: list[str] = []  # parameters being evaluated, to see cycles
        self._wrong: set[str] = set()
        self._untold: dict[str, LuffError] = {}

    @property
    def names(self) -> Mapping[str, object]:
        """Raw entries of all parameters that are known here, those of the scopes around first."""
        return self._names

    def number(self, raw: object, unit: str = "") -> float:
        """The SI value of a raw entry, checked against the unit that is asked for."""
        return in_unit(self.quantity(raw), unit, shown_value(raw))

    def quantity(self, raw: object) -> Quantity:
        """Value and dimension of a raw entry."""
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise LuffError(f"found {shown_value(raw)}, expected a number, a quantity or an expression")
        if isinstance(raw, str):
            text = raw.strip()
            if text.startswith("="):
                return evaluate(text[1:], self.parameter, self._names)
            return self._plain(text)
        try:
            return Quantity(float(raw), None)
        except OverflowError:
            raise LuffError("found a number that is too large, expected one below 1e308") from None

    def _plain(self, text: str) -> Quantity:
        """Quantity of a text without `=`; a bare name may mean a parameter, also one to be declared."""
        try:
            return quantity(text)
        except LuffError as error:
            (problem,) = error.problems
            if not text.isidentifier() or problem.fix or text in CONSTANTS or text in FUNCTIONS:
                raise
            raise LuffError(replace(problem, fix=self._meant(text))) from None

    def _meant(self, name: str) -> Suggestion:
        near = did_you_mean(name, self._names)
        if name in self._names:
            return Suggestion(name, f"={name}", False, f"write ={name} if that parameter is meant")
        declare = f"declare {name} in `parameters:` and write ={name}"
        if not isinstance(near, Suggestion):
            return Suggestion(name, f"={name}", False, f"if a parameter is meant, {declare}", name)
        words = f"write ={near.near} if that parameter is meant, or {declare}"
        return Suggestion(name, f"={near.near}", False, words, name)

    def parameter(self, name: str) -> Quantity:
        """The value of a parameter of this netlist."""
        if name in self._known:
            return self._known[name]
        if self._outer is not None and name not in self.parameters:
            return self._outer.parameter(name)
        if not self._open:
            self._evaluate_required(name)
            if name in self._untold:
                raise self._untold.pop(name)
        return self._evaluate(name)

    def _evaluate(self, name: str) -> Quantity:
        if name in self._known:
            return self._known[name]
        if name in self._wrong:
            raise LuffError(CONSEQUENCE, fix=f'mend "{name}" first')
        fix = "give one of them a number"
        if name in self._open:
            around = self._open[self._open.index(name) :]
            self._wrong.update(around)
            circle = " -> ".join([*around, name])
            raise LuffError(f"parameters refer to each other in a circle: {circle}", fix=fix)
        if len(self._open) > LONGEST_CIRCLE:
            raise LuffError(f"more than {LONGEST_CIRCLE} parameters refer to each other in a circle", fix=fix)
        self._open.append(name)
        try:
            self._known[name] = self.quantity(self.parameters[name])
        except LuffError:
            self._wrong.add(name)
            raise
        finally:
            self._open.pop()
        return self._known[name]

    def _evaluate_required(self, name: str) -> None:
        """Evaluate first what a parameter depends on, if the chain of them may be longer than Python's stack."""
        seen, order, deepest = {name}, [], 1
        stack = [(name, iter(self._required_parameters(name)))]
        while stack:
            one, needs = stack[-1]
            below = next((need for need in needs if need not in seen), None)
            if below is not None:
                seen.add(below)
                stack.append((below, iter(self._required_parameters(below))))
                deepest = max(deepest, len(stack))
                continue
            stack.pop()
            order.append(one)
        if deepest <= LONGEST_CIRCLE:
            return
        for one in order[:-1]:
            try:
                self._evaluate(one)
            except LuffError as error:
                if error.problems[0].message != CONSEQUENCE:
                    self._untold[one] = error  # told where this parameter itself is asked for

    def _required_parameters(self, name: str) -> tuple[str, ...]:
        raw = self.parameters.get(name)
        if (
            name in self._known
            or name in self._wrong
            or not isinstance(raw, str)
            or not raw.strip().startswith("=")
        ):
            return ()
        return tuple(one for one in names_in(raw.strip()[1:]) if one in self.parameters)

    def problems(self) -> list[Problem]:
        """Everything wrong with the parameters themselves; `path` is `parameters.<name>`."""
        problems: list[Problem] = []
        for name in self.parameters:
            path = f"parameters.{name}"
            if not isinstance(name, str) or not name.isidentifier():
                problems.append(
                    Problem(f"found the name {name!r}, expected letters, digits and underscores", path)
                )
            elif normalize("NFKC", name) != name:
                read = f'the name "{name}" is read as "{normalize("NFKC", name)}" in an expression'
                problems.append(Problem(read, path, "write it so"))
            elif name in CONSTANTS or name in FUNCTIONS:
                problems.append(
                    Problem(f'"{name}" already means something in expressions', path, "choose another name")
                )
            else:
                try:
                    self.parameter(name)
                except LuffError as error:
                    problems.extend(problem.at(path=path) for problem in error.problems)
        return problems

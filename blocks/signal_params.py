"""Parameters that signal, control and planning blocks share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TypedDict, Unpack

from .errors import LuffError
from .params import REQUIRED, Param, Scope, Text, fail, shown_value
from .text.quantity import unit

Elements = float | tuple[float, ...]  # one number for all elements of a signal, or one for each


class Options(TypedDict, total=False):
    """Options that every parameter takes."""

    ge: float
    gt: float
    le: float
    lt: float
    doc: str
    live: bool


class PerElement(Param):
    """A number for all elements of a signal, or a list with one for each.

    `unit=None` accepts a quantity of any kind; `unit_in` names the neighbour that holds the unit.
    `optional` ones may be null, which for a limit is none.
    """

    def __init__(
        self,
        default: object = REQUIRED,
        unit: str | None = None,
        *,
        unit_in: str = "",
        optional: bool = False,
        **options: Unpack[Options],
    ):
        super().__init__(default, unit or "", shape=(None,), **options)
        self.any_unit, self.unit_in, self.optional = unit is None, unit_in, optional

    def beside(self, raw: Mapping[str, object]) -> Param:
        unit = raw.get(self.unit_in)
        if not isinstance(unit, str) or not unit:
            return self
        narrowed = copy(self)
        narrowed.unit, narrowed.any_unit = unit, False
        return narrowed

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        if raw is None and self.optional:
            return None
        if isinstance(raw, Sequence) and not isinstance(raw, str):
            if not raw:
                raise fail(path, f"found an empty list, expected {self.expected()}")
            return super().convert(raw, scope, path)
        return self._scalar(raw, scope, path)

    def _number(self, raw: object, scope: Scope) -> float:
        return scope.quantity(raw).value if self.any_unit else super()._number(raw, scope)

    def expected(self) -> str:
        return "a number or a list of numbers" + (f" in {self.unit}" if self.unit else "")


class AnyUnit(Param):
    """A number in the unit of a signal, whatever that is: a quantity of any kind, or a plain number in SI."""

    def _number(self, raw: object, scope: Scope) -> float:
        return scope.quantity(raw).value


class Frequency(Param):
    """An angular frequency; `2 Hz` means 4 pi rad/s."""

    def __init__(self, default: object = REQUIRED, **options: Unpack[Options]):
        super().__init__(default, "rad/s", **options)

    def _number(self, raw: object, scope: Scope) -> float:
        # only a unit that says so means cycles: the 1/s of an expression such as =sqrt(g/h) may be either
        if isinstance(raw, str) and re.fullmatch(r"[^=]*\d\s*[kM]?Hz\s*", raw):
            return 2 * math.pi * scope.number(raw, "Hz")
        return scope.number(raw, "rad/s")

    def expected(self) -> str:
        return "a frequency in rad/s or Hz"


class UnitName(Text):
    """The name of an SI unit, such as N*m/rad; empty where it is not checked."""

    def __init__(self, *, doc: str = "unit of y and of the values; empty is not checked"):
        super().__init__("", doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> str:
        text = super().convert(raw, scope, path)
        try:
            factor = unit(text).factor
        except LuffError as error:
            raise LuffError(problem.at(path=path) for problem in error.problems) from None
        if factor != 1:
            mistake = f"found {shown_value(raw)}, which is {float(factor):g} SI units"
            raise fail(path, f"{mistake}, expected an SI unit", "the values may be given in any unit")
        return text


class Numbers(Param):
    """A mapping from names to numbers."""

    kind = "number map"

    def __init__(self, *, doc: str = ""):
        super().__init__({}, doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> dict[str, float]:
        if not isinstance(raw, dict):
            raise self.refused(raw, path)
        for name in raw:
            if not isinstance(name, str) or not name.isidentifier():
                raise fail(
                    path, f"found the name {shown_value(name)}, expected letters, digits and underscores"
                )
        return {name: self._scalar(item, scope, f"{path}.{name}") for name, item in raw.items()}

    def _number(self, raw: object, scope: Scope) -> float:
        return scope.quantity(raw).value

    def expected(self) -> str:
        return "a mapping from names to numbers"


class Rows(Param):
    """A table: a list of rows of numbers; quantities of any kind. `entries` are the names of its columns."""

    def __init__(self, *entries: str, doc: str = ""):
        super().__init__(None, shape=(None, None), doc=doc)
        self.entries = entries

    def _number(self, raw: object, scope: Scope) -> float:
        return scope.quantity(raw).value

    def expected(self) -> str:
        return "a list of rows of numbers"

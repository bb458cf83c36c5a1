"""Arithmetic on signals, element by element."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block, Echo, Equation
from ..block_states import Memory
from ..errors import Problem
from ..params import Choice, Param, Text
from ..ports import ANY, In, Out, Port
from ..signal_params import Elements, PerElement
from ..text.equation import Formula


class Gain(Block):
    """A gain: y = k u."""

    u, y = In(ANY), Out(ANY)
    k = PerElement(1.0, doc="gain")

    def unit_laws(self) -> Iterable[str]:
        return ("y = k*u",)

    def out(u, k):
        return k * u


class Chain(Block, abstract=True):
    """Inputs u1, u2, ... joined by one sign each."""

    y = Out(ANY)
    signs_in, allowed = "", ""  # the parameter with the signs, and what it may hold
    first: ClassVar[dict[str, str]] = {}  # how the first sign is written

    @property
    def text(self) -> str:
        return getattr(self, self.signs_in)

    def ports(self) -> dict[str, Port]:
        inputs = {f"u{k}": In(ANY).named(f"u{k}") for k in range(1, len(self.text) + 1)}
        return inputs | super().ports()

    def check(self) -> Iterable[Problem]:
        if not self.text or set(self.text) - set(self.allowed):
            expected = f"one of {' and '.join(self.allowed)} for each input"
            yield Problem(f'found "{self.text}", expected {expected}', f".{self.signs_in}")

    def formula(self) -> Formula:
        words = [f"u{k}" for k in range(1, len(self.text) + 1)]
        signs = [self.first[self.text[0]], *(f" {sign} " for sign in self.text[1:])]
        terms = "".join(sign + word for sign, word in zip(signs, words, strict=True))
        return Formula(ast.parse(terms, mode="eval").body)


class Sum(Chain):
    """A sum: y = u1 - u2 with the signs +-, y = u1 + u2 + u3 with +++."""

    signs = Text("+-", doc="a sign for each input: +- gives y = u1 - u2")
    signs_in, allowed, first = "signs", "+-", {"+": "", "-": "-"}

    def unit_laws(self) -> Iterable[str]:
        return ("y = u#",)


class Product(Chain):
    """A product: y = u1 u2 with the operations **, y = u1 / u2 with */."""

    operations = Text("**", doc="* or / for each input: */ gives y = u1 / u2")
    signs_in, allowed, first = "operations", "*/", {"*": "", "/": "1.0 / "}

    def unit_laws(self) -> Iterable[str]:
        factors = (f"{sign}u{k}" for k, sign in enumerate(self.operations, 1))
        return (f"y = 1{''.join(factors)}",)


class Saturation(Block):
    """Limits: y = u, but no less than lower and no more than upper."""

    u, y = In(ANY), Out(ANY)
    lower = PerElement(-1.0, optional=True, doc="lower limit; none when null")
    upper = PerElement(1.0, optional=True, doc="upper limit; none when null")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "lower = u", "upper = u")

    def check(self) -> Iterable[Problem]:
        return limits_problem(self.lower, self.upper)

    def out(u, lower, upper):
        if u < lower:
            return lower
        if u > upper:
            return upper
        return u

    def crossing_lower(u, lower):
        return u - lower

    def crossing_upper(u, upper):
        return u - upper


class Quantizer(Block):
    """A quantiser: y = interval times the whole number nearest to u / interval; of two as near, the upper one."""

    u, y = In(ANY), Out(ANY)
    interval = PerElement(0.1, gt=0, doc="distance between neighbouring values of y")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "interval = u")

    def echo(self) -> Echo:
        return Echo(shares=((1.0, 0.0),))  # signals of many intervals pass

    def out(u, interval):
        return interval * math.floor(u / interval + 0.5)


class DeadZone(Block):
    """A dead zone: y = 0 between lower and upper, u - upper above, u - lower below."""

    u, y = In(ANY), Out(ANY)
    lower = PerElement(-1.0, doc="lower end of the zone")
    upper = PerElement(1.0, doc="upper end of the zone")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u", "lower = u", "upper = u")

    def check(self) -> Iterable[Problem]:
        return limits_problem(self.lower, self.upper)

    def out(u, lower, upper):
        if u < lower:
            return u - lower
        if u > upper:
            return u - upper
        return 0.0

    def crossing_lower(u, lower):
        return u - lower

    def crossing_upper(u, upper):
        return u - upper


def selects_first(control, threshold, decided):
    """Decision of the step under way; outside of a run, the present one."""
    if decided < 0.0:
        return control > threshold
    return decided > 0.0


def switched_signal(u1, u2, control, threshold, decided):
    if selects_first(control, threshold, decided[0]):
        return u1
    return u2


def switched_trajectory(u1, u2, control, threshold, decided):
    if selects_first(control, threshold, decided[0]):
        return u1[0], u1[1], u1[2]
    return u2[0], u2[1], u2[2]


def decide_switch(control, threshold, decided):
    decided[0] = 1.0 if control > threshold else 0.0


def beyond_threshold(control, threshold):
    return control - threshold


class Switch(Block):
    """A switch: y = u1 where control > threshold, else y = u2; decided at the start of each step."""

    u1, u2 = In(ANY), In(ANY)
    control = In(doc="one signal for all elements")
    y = Out(ANY)
    kind = Choice("signal", ["signal", "trajectory"], doc="what the wires carry")
    threshold = Param(0.5, doc="value above which u1 passes")
    follows = True
    decided = Memory(-1.0, doc="1 or 0 where u1 or u2 passes in this step, -1 outside of a run")

    def unit_laws(self) -> Iterable[str]:
        return ("y = u#", "threshold = control")

    def ports(self) -> dict[str, Port]:
        kind = self.kind
        return {
            "u1": In(ANY, kind=kind).named("u1"),
            "u2": In(ANY, kind=kind).named("u2"),
            "control": self.class_ports["control"],
            "y": Out(ANY, kind=kind).named("y"),
        }

    def instance_functions(self) -> dict[str, Equation]:
        return {
            "out": switched_signal if self.kind == "signal" else switched_trajectory,
            "decide": decide_switch,
            "crossing_threshold": beyond_threshold,
        }


def limits_problem(lower: Elements | None, upper: Elements | None) -> Iterable[Problem]:
    """The mistake of limits that leave nothing between them, element by element."""
    if lower is None or upper is None:
        return
    lowers, uppers = (value if isinstance(value, tuple) else (value,) for value in (lower, upper))
    for k in range(max(len(lowers), len(uppers))):
        low, high = lowers[k % len(lowers)], uppers[k % len(uppers)]
        if low > high:
            yield Problem(f"found lower {low:g} above upper {high:g}", ".lower", "swap them")
            return

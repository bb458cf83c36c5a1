"""Signals with states: integrator, derivative, and linear systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from ..block import Block, Echo, Equation
from ..block_states import Memory, State
from ..errors import Problem
from ..params import Choice, Param
from ..ports import ANY, In, Out, Port
from ..signal_params import AnyUnit, PerElement
from .arithmetic import limits_problem
from .continuous_equivalents import ContinuousSystem
from .discretised_systems import (
    DISCRETE,
    METHODS,
    Matrices,
    Matrix,
    discrete,
    flat_matrices,
    sampled_functions,
)

SAMPLE_TIME = "time from one sample to the next, rounded to steps; 0: continuous"
DISCRETISED = "with a sample time: zoh, exact for held inputs; tustin; none: coefficients are of z already"


class Integrator(Block):
    """An integrator: dy/dt = u, held between the limits, where it stops and from where it leaves at once."""

    u, y = In(ANY), Out(ANY)
    initial = PerElement(0.0, doc="y at the start")
    lower = PerElement(None, doc="lower limit; none when not given")
    upper = PerElement(None, doc="upper limit; none when not given")
    x = State("initial", width=ANY)

    def check(self) -> Iterable[Problem]:
        yield from limits_problem(self.lower, self.upper)
        for name, sign in (("lower", 1.0), ("upper", -1.0)):
            yield from self._outside(name, sign)

    def _outside(self, name: str, sign: float) -> Iterable[Problem]:
        """The mistake of a start beyond a limit, of the first element that has it."""
        limit = getattr(self, name)
        if limit is None:
            return
        starts, limits = (v if isinstance(v, tuple) else (v,) for v in (self.initial, limit))
        for k in range(max(len(starts), len(limits))):
            start, bound = starts[k % len(starts)], limits[k % len(limits)]
            if sign * (start - bound) < 0.0:
                mistake = f"found a start of {start:g}, beyond the {name} limit of {bound:g}"
                yield Problem(mistake, ".initial", "start within the limits")
                return

    def unit_laws(self) -> Iterable[str]:
        return ("y = u*s", "initial = y", "lower = y", "upper = y")

    def der(x, u, lower, upper):
        if (x <= lower and u < 0.0) or (x >= upper and u > 0.0):
            return 0.0
        return u

    def out(x, lower, upper):
        if x < lower:
            return lower
        if x > upper:
            return upper
        return x


class Derivative(Block):
    """A filtered derivative: y = (u - x) / T with dx/dt = y, which is s / (T s + 1)."""

    u, y = In(ANY), Out(ANY)
    T = Param(0.01, "s", gt=0, doc="time constant of the filter; steps well below it are needed")
    initial = PerElement(0.0, doc="u at the start: another value starts with a peak")
    x = State("initial", width=ANY)

    def unit_laws(self) -> Iterable[str]:
        return ("y = u/s", "initial = u")

    def der(x, u, T):
        return (u - x) / T

    def out(x, u, T):
        return (u - x) / T


class LinearSystem(Block, ABC, abstract=True):
    """Base of linear systems; with a sample time they go from one sample to the next."""

    sample_time: ClassVar[Any]

    def sampled(self) -> bool:
        return self.sample_time > 0.0

    @abstractmethod
    def order(self) -> int:
        """Number of states."""

    def places(self, step: float) -> int:
        return self.order() if self.sampled() else 0

    @abstractmethod
    def system(self) -> Matrices:
        """A, B, C, D from one sample to the next."""

    @abstractmethod
    def at_once(self) -> bool:
        """True if the sampled input reaches y at that sample."""

    def start(self) -> tuple[float, ...]:
        """The states at the start, or one number for all."""
        return (0.0,)

    def echo(self) -> Echo | None:
        if not self.sampled():
            return None
        return Echo(
            sample_time=self.sample_time, by=ContinuousSystem(self.name, self.system(), self.at_once())
        )


class TransferFunction(LinearSystem):
    """A transfer function: y = num(s) / den(s) u, highest power first, starting from rest.

    Controllable canonical form in the scaled time w t, w = |den_n / den_0|^(1/n), which brings coefficients of
    unlike size together: x_k' = w x_(k+1), x_n' = w (u - sum a_k x_k), y = sum b_k x_k + d u. With a `sample_time` it
    is a recursion from one sample to the next, and y is held between.
    """

    u, y = In(), Out()
    num = AnyUnit((1.0,), shape=(None,), live=False, doc="numerator, highest power of s first")
    den = AnyUnit((1.0, 1.0), shape=(None,), live=False, doc="denominator, highest power of s first")
    sample_time = Param(0.0, "s", ge=0, live=False, doc=SAMPLE_TIME)
    discretised = Choice("zoh", METHODS, doc=DISCRETISED)
    x = State(width="order")
    now = Memory(size="places", doc="states at the last sample")
    later = Memory(size="places", doc="states at the next sample")
    held = Memory(size="held_size", doc="y at the last sample")
    derived_names = ("w", "a", "b", *DISCRETE)

    def check(self) -> Iterable[Problem]:
        num, den = without_leading_zeros(self.num), without_leading_zeros(self.den)
        if len(den) < 2:
            yield Problem("found a denominator without s, expected at least [1, 1]", ".den", "use a gain")
        elif len(num) > len(den):
            mistake = f"found a numerator of degree {len(num) - 1} over {len(den) - 1}"
            yield Problem(f"{mistake}, expected no more", ".num", "add a fast pole to the denominator")

    def order(self) -> int:
        return len(without_leading_zeros(self.den)) - 1

    def held_size(self, step: float) -> int:
        return int(self.sampled())

    def direct(self) -> float:
        """Feed-through gain from u to y."""
        num, den = without_leading_zeros(self.num), without_leading_zeros(self.den)
        return num[0] / den[0] if len(num) == len(den) else 0.0

    def at_once(self) -> bool:
        return self.direct() != 0.0 or self.discretised == "tustin"

    def canonical(self) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
        """w, a and b of the canonical form."""
        num, den = without_leading_zeros(self.num), without_leading_zeros(self.den)
        n, d = len(den) - 1, self.direct()
        padded = (0.0,) * (n + 1 - len(num)) + num
        w = abs(den[-1] / den[0]) ** (1 / n) or 1.0
        a = tuple(den[n - k] / den[0] / w ** (n - k) for k in range(n))
        b = tuple((padded[n - k] - d * den[n - k]) / den[0] / w ** (n - k) for k in range(n))
        return w, a, b

    def system(self) -> Matrices:
        w, a, b = self.canonical()
        n = len(a)
        # of z as it stands: there is no time to scale
        scale = 1.0 if self.discretised == "none" else w
        last = tuple(-scale * (x * (w / scale) ** (n - k)) for k, x in enumerate(a))
        above = [tuple(scale * (j == k + 1) for j in range(n)) for k in range(n - 1)]
        row = tuple(x * (w / scale) ** (n - k) for k, x in enumerate(b))
        B = [(0.0,)] * (n - 1) + [(scale,)]
        return discrete([*above, last], B, [row], [(self.direct(),)], self.sample_time, self.discretised)

    def derived(self) -> dict[str, tuple[float, ...]]:
        if self.sampled():
            return flat_matrices(*self.system())
        w, a, b = self.canonical()
        return {"w": (w,), "a": a, "b": (*b, self.direct())}

    def instance_functions(self) -> dict[str, Equation]:
        if self.sampled():
            return sampled_functions(1, self.at_once())
        return {"der": canonical_rate, "out": direct_output if self.direct() != 0.0 else canonical_output}


class StateSpace(LinearSystem):
    """A linear system: dx/dt = A x + B u, y = C x + D u; the matrices give the widths.

    With a `sample_time` it is x[k+1] = A x[k] + B u[k], with A and B made of these, and y is held between.
    """

    y = Out(ANY)
    A = AnyUnit(((-1.0,),), shape=(None, None), live=False, doc="n x n matrix, row by row")
    B = AnyUnit(((1.0,),), shape=(None, None), live=False, doc="n x m matrix")
    C = AnyUnit(((1.0,),), shape=(None, None), live=False, doc="p x n matrix")
    D = AnyUnit(None, shape=(None, None), live=False, doc="p x m matrix; zero when not given")
    initial = Param((0.0,), shape=(None,), doc="x at the start; one number stands for all")
    sample_time = Param(0.0, "s", ge=0, live=False, doc=SAMPLE_TIME)
    discretised = Choice("zoh", METHODS, doc=DISCRETISED)
    x = State("initial", width="order")
    now = Memory(size="places", doc="states at the last sample")
    later = Memory("initial", size="places", doc="states at the next sample")
    held = Memory(size="outputs", doc="y at the last sample")
    derived_names = ("a", "b", "c", "d", *DISCRETE)

    def check(self) -> Iterable[Problem]:
        n, m, p = len(self.A), len(self.B[0]) if self.B else 0, len(self.C)
        for name, rows, columns in (("A", n, n), ("B", n, m), ("C", p, n), ("D", p, m)):
            matrix = getattr(self, name)
            if matrix is None:
                continue
            widths = {len(row) for row in matrix}
            if len(matrix) != rows or widths != {columns} or not rows * columns:
                mistake = f"found {len(matrix)} x {' or '.join(map(str, sorted(widths)))}"
                yield Problem(f"{mistake}, expected {max(rows, 1)} x {max(columns, 1)}", f".{name}")
        if len(self.initial) not in (1, n):
            yield Problem(f"found {len(self.initial)} numbers, expected {n}", ".initial")

    def ports(self) -> dict[str, Port]:
        y = {"y": Out(max(len(self.C), 1)).named("y")} if self.sampled() else super().ports()
        return {"u": In(max(len(self.B[0]) if self.B else 0, 1)).named("u")} | y

    def outputs(self, step: float) -> int:
        return len(self.C) if self.sampled() else 0

    def width(self) -> int | None:
        return len(self.C)

    def order(self) -> int:
        return len(self.A)

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        return self.sampled() or (self.D is not None and self.D[element][port_element] != 0.0)

    def start(self) -> tuple[float, ...]:
        return self.initial

    def at_once(self) -> bool:
        return self.D is not None or self.discretised == "tustin"

    def whole(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        zeros = ((0.0,) * len(self.B[0]),) * len(self.C)
        return self.A, self.B, self.C, self.D or zeros

    def system(self) -> Matrices:
        return discrete(*self.whole(), self.sample_time, self.discretised)

    def derived(self) -> dict[str, tuple[float, ...]]:
        if self.sampled():
            return flat_matrices(*self.system())
        named = zip("abcd", self.whole(), strict=True)
        return {name: tuple(x for row in matrix for x in row) for name, matrix in named}

    def instance_functions(self) -> dict[str, Equation]:
        if self.sampled():
            return sampled_functions(len(self.C), self.at_once())
        return {"der": matrix_rate, "out": matrix_output if self.D is None else matrix_sum}


def canonical_rate(i, x, u, w, a):
    n = len(a)
    if i < n - 1:
        return w[0] * x[i + 1]
    back = u
    for k in range(n):
        back -= a[k] * x[k]
    return w[0] * back


def canonical_output(i, x, b):
    y = b[0] * x[0]
    for k in range(1, len(b) - 1):
        y += b[k] * x[k]
    return y


def direct_output(i, x, u, b):
    y = b[0] * x[0]
    for k in range(1, len(b) - 1):
        y += b[k] * x[k]
    return y + b[len(b) - 1] * u


def matrix_output(i, x, c):
    n = len(x)
    y = c[n * i] * x[0]
    for k in range(1, n):
        y += c[n * i + k] * x[k]
    return y


def matrix_sum(i, x, inputs, c, d):
    n, m = len(x), len(inputs)
    y = c[n * i] * x[0]
    for k in range(1, n):
        y += c[n * i + k] * x[k]
    for k in range(m):
        y += d[m * i + k] * inputs[k]
    return y


def matrix_rate(i, x, inputs, a, b):
    n, m = len(x), len(inputs)
    y = a[n * i] * x[0]
    for k in range(1, n):
        y += a[n * i + k] * x[k]
    for k in range(m):
        y += b[m * i + k] * inputs[k]
    return y


def without_leading_zeros(coefficients: tuple[float, ...]) -> tuple[float, ...]:
    """A polynomial without leading zeros."""
    first = next((k for k, c in enumerate(coefficients) if c != 0.0), len(coefficients))
    return coefficients[first:]

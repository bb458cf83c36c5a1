"""Methods are a table: all that is known of an integrator stands in its line, and everybody reads it there.

A new one is a file beside this one, with a step under the method's name, and a line of `METHODS`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ...blocks.errors import RunError, did_you_mean
from ...blocks.light_dataclass import record

if TYPE_CHECKING:
    from ..codegen.jit import EntryPoint

OWN = 2  # rows from the end: start of a part; of one that ends at a change
RAY = 4.0  # no region of stability here reaches farther


@record
class Method:
    """An integrator."""

    name: str
    order: int  # of its error over a run, in the step
    file: str = ""  # beside this one, with the step
    scipy: str = ""  # or what SciPy calls it
    growth: tuple[
        float, ...
    ] = ()  # R(z) of dx/dt = lambda x, z = h lambda, from z^0 on; none where it is no limit
    rows: int = 5  # of work, each as long as there are states
    solves: bool = (
        False  # with a matrix of slopes, as many more rows of work, and a defect of them to hold it to
    )

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its own steps."""
        return bool(self.scipy)

    @property
    def explicit(self) -> bool:
        return bool(self.growth)

    @property
    def step(self) -> EntryPoint:
        """The compiled step; only what is asked for is loaded."""
        if self.adaptive:
            raise RunError(f"found the method {self.name}, which has no step of its own")
        return getattr(import_module(f".{self.file}", __package__), self.name)

    def work_rows(self, states: int) -> int:
        """How many vectors of that many states a step works with; the last are for parts: `OWN`."""
        return (states if self.solves else 0) + self.rows + OWN

    def largest_step(self, rate: complex) -> float:
        """Largest step h at which dx/dt = rate x does not blow up: |R(h rate)| <= 1.

        What grows by itself sets no limit but that of its oscillation.
        """
        size = abs(rate)
        if not self.growth or size == 0.0 or (rate.imag == 0.0 and rate.real >= 0.0):
            return math.inf
        direction = complex(min(rate.real, 0.0), rate.imag)
        return stability_reach(self.growth, direction / abs(direction)) / size

    @property
    def real_limit(self) -> float:
        """h |lambda| at which what decays without oscillating becomes unstable."""
        return self.largest_step(-1.0)

    @property
    def imaginary_limit(self) -> float:
        """The same of what oscillates without decaying."""
        return self.largest_step(1j)


@cache
def stability_reach(growth: tuple[float, ...], direction: complex) -> float:
    """How far |R| <= 1 along a ray in the left half plane, where the region is one piece."""
    lower, upper = 0.0, RAY
    while upper - lower > 1e-12:
        middle = 0.5 * (lower + upper)
        grown = abs(sum(a * (middle * direction) ** k for k, a in enumerate(growth)))
        # rounding: near zero |R| on the imaginary axis is 1 to the last digit
        lower, upper = (middle, upper) if grown <= 1.0 + 1e-13 else (lower, middle)
    return lower


METHODS = {
    method.name: method
    for method in (
        Method("euler", order=1, file="runge_kutta", growth=(1.0, 1.0)),
        Method("heun", order=2, file="runge_kutta", growth=(1.0, 1.0, 1 / 2)),
        Method("rk4", order=4, file="runge_kutta", growth=(1.0, 1.0, 1 / 2, 1 / 6, 1 / 24)),
        Method("implicit", order=3, file="rosenbrock", rows=11, solves=True),
        Method("dop853", order=8, scipy="DOP853"),
        Method("radau", order=5, scipy="Radau"),
    )
}


def method_of(name: str) -> Method:
    """The line of the table."""
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise RunError(f'found method "{name}", expected one of {known}', fix=did_you_mean(name, METHODS))
    return METHODS[name]


def listed_names(methods: Iterable[Method]) -> str:
    """Names, as in: euler, heun or rk4."""
    *most, last = [method.name for method in methods]
    return f"{', '.join(most)} or {last}" if most else last


def fixed_step_methods() -> list[Method]:
    return [method for method in METHODS.values() if not method.adaptive]

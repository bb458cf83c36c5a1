"""Table of integration methods: order, file, stability polynomial, work space of each.

To add a method, write a file beside this one with a step of the method's name, and a line of `METHODS`. Users add
explicit ones by their tableaux (`butcher_tableau.py`).
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

OWN = 2  # last rows of work: state at the start of a substep; of one that ends at an event
RAY = 4.0  # upper bound of |h lambda| in the stability regions of METHODS


@record
class Method:
    """Integration method: a line of `METHODS`."""

    name: str
    order: int  # of the global error in the step
    file: str = ""  # module beside this one that has the step
    scipy: str = ""  # or the name of its solver in SciPy
    growth: tuple[float, ...] = ()  # coefficients of the stability polynomial R(z), z = h lambda, from z^0 on
    rows: int = 5  # work vectors of the length of the state vector
    solves: bool = False  # solves with a matrix of slopes, and has a defect to accept
    made: str = ""  # name of the step in its file, where that is not the method's

    @property
    def adaptive(self) -> bool:
        """True if the method chooses its own steps."""
        return bool(self.scipy)

    @property
    def explicit(self) -> bool:
        """True if the method is explicit, with a stability polynomial."""
        return bool(self.growth)

    @property
    def step(self) -> EntryPoint:
        """Compiled step; imports only this method's file."""
        if self.adaptive:
            raise RunError(f"found the method {self.name}, which has no step of its own")
        return getattr(import_module(f".{self.file}", __package__), self.made or self.name)

    def work_rows(self, matrix: int) -> int:
        """Rows of `Run.work`: of the matrix of slopes, then vectors; the last `OWN` belong to substeps."""
        return matrix + self.rows + OWN

    def largest_step(self, rate: complex) -> float:
        """Largest stable step h for dx/dt = rate x: |R(h rate)| <= 1.

        A growing mode (Re > 0) is limited by its oscillation only.
        """
        size = abs(rate)
        if not self.growth or size == 0.0 or (rate.imag == 0.0 and rate.real >= 0.0):
            return math.inf
        direction = complex(min(rate.real, 0.0), rate.imag)
        return stability_reach(self.growth, direction / abs(direction)) / size

    @property
    def real_limit(self) -> float:
        """Limit of h |lambda| on the negative real axis."""
        return self.largest_step(-1.0)

    @property
    def imaginary_limit(self) -> float:
        """Limit of h |lambda| on the imaginary axis."""
        return self.largest_step(1j)


@cache
def stability_reach(growth: tuple[float, ...], direction: complex) -> float:
    """Largest r with |R(r direction)| <= 1 along a ray in the left half plane, the region being connected there."""
    if growth not in CONNECTED:
        return first_exit(growth, direction)
    lower, upper = 0.0, RAY
    while upper - lower > 1e-12:
        middle = 0.5 * (lower + upper)
        lower, upper = (middle, upper) if decays(growth, middle * direction) else (lower, middle)
    return lower


def decays(growth: tuple[float, ...], z: complex) -> bool:
    """True if |R(z)| <= 1, to rounding: near zero on the imaginary axis it is 1 to the last digit."""
    return abs(sum(a * z**k for k, a in enumerate(growth))) <= 1.0 + 1e-13


def first_exit(growth: tuple[float, ...], direction: complex) -> float:
    """Smallest r beyond which |R(r direction)| exceeds 1: a root of the polynomial |R|^2 - 1 in r."""
    import numpy as np

    along = [a * complex(direction) ** k for k, a in enumerate(growth)]
    real, imaginary = [one.real for one in along], [one.imag for one in along]
    square = np.convolve(real, real) + np.convolve(imaginary, imaginary)
    square[0] -= 1.0
    if not decays(growth, 1e-3 * direction):
        return 0.0
    roots = np.roots(square[::-1])
    for root in sorted(
        float(one.real) for one in roots if one.real > 0.0 and abs(one.imag) <= 1e-6 * abs(one)
    ):
        if not decays(growth, root * (1.0 + 1e-6) * direction):
            return root
    return math.inf


METHODS = {
    method.name: method
    for method in (
        Method("euler", order=1, file="runge_kutta", growth=(1.0, 1.0)),
        Method("heun", order=2, file="runge_kutta", growth=(1.0, 1.0, 1 / 2)),
        Method("rk4", order=4, file="runge_kutta", growth=(1.0, 1.0, 1 / 2, 1 / 6, 1 / 24)),
        Method("implicit", order=3, file="rosenbrock", rows=17, solves=True),
        Method("dop853", order=8, scipy="DOP853"),
        Method("radau", order=5, scipy="Radau"),
    )
}


CONNECTED = {method.growth for method in METHODS.values()}  # whose stability regions are, along each ray


def method_of(name: str) -> Method:
    """Entry of `METHODS` by name; RunError if there is none."""
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise RunError(f'found method "{name}", expected one of {known}', fix=did_you_mean(name, METHODS))
    return METHODS[name]


def listed_names(methods: Iterable[Method]) -> str:
    """Names of methods in words: "euler, heun or rk4"."""
    *most, last = [method.name for method in methods]
    return f"{', '.join(most)} or {last}" if most else last


def fixed_step_methods() -> list[Method]:
    """Methods with steps of fixed length."""
    return [method for method in METHODS.values() if not method.adaptive]

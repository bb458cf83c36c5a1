"""Derivatives of a model at an operating point: exact where all of its code can be derived, else by differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...blocks.block import Block
from ...blocks.ports import FRAME
from ..codegen.jit import NoCode
from ..codegen.transforms.entry_point_variants import DIRECTIONS
from ..simulation.finite_differences import NEAR, ROUGH, WIDER, Function, jacobian, kinked_entries
from ..simulation.jacobian import OFF
from .operating_point import OperatingPoint

EPS = float(np.finfo(float).eps)
BEND = 0.1  # share of a slope by which it jumps at a kink
SIEVE = 0.25  # share of what may be uncertain, beyond which it is looked for kinks entry by entry
ALMOST = 4.0 * EPS  # a step that shows what rounding does to a slope
AT_ONCE = 16  # states whose derivatives are kept side by side
EXACT = "exact"
PLAIN = OFF  # asked for by whoever runs plain Python


@dataclass
class Derivatives:
    """Jacobian by states and inputs: entries, errors, entries that are means at a kink, and the method."""

    J: np.ndarray
    error: np.ndarray
    bent: np.ndarray
    how: str = EXACT  # or why not


def derivatives(point: OperatingPoint, picked: Sequence[int] = ()) -> Derivatives:
    """Derivatives of the rates, and of these outputs after them."""
    columns = point.sim.program.columns
    names = [*point.sim.state_names, *(columns[k].name for k in picked)]
    vectors = vector_numbers(names, point.sim.program.flat.blocks)
    inexact = next((block.inexact for block in point.outside if block.inexact), EXACT)
    try:
        return exact_derivatives(point, picked, inexact, vectors)
    except NoCode as reason:
        return finite_difference_derivatives(point, picked, str(reason))


def exact_derivatives(
    point: OperatingPoint, picked: Sequence[int], how: str = EXACT, vectors: np.ndarray | None = None
) -> Derivatives:
    """Exact Jacobian at the state, with errors from states nearby; where slopes may jump, the mean of both sides.

    `vectors` numbers the vector of each row: its components share their rounding, since axes that turn mix them.
    """
    n, z = len(point.x), np.concatenate([point.x, np.zeros(len(point.taps))])
    some = distinct_factors(len(z))
    way = NEAR * np.maximum(1.0, abs(z)) * some

    def slopes(*steps: np.ndarray, ways: np.ndarray | None = None) -> np.ndarray:
        made = point.slopes(z + np.array(steps), bool(len(picked)), ways)
        return np.concatenate([made[:, :n], made[:, n:][:, list(picked)]], axis=1) if len(picked) else made

    J, beside = slopes(0.0 * z, ALMOST * abs(z) * some)
    error, bent = 4.0 * abs(beside - J), np.zeros(J.shape, bool)
    largest = np.max(abs(J), axis=1, initial=0.0, keepdims=True)
    if vectors is not None:
        of_vector = np.zeros(len(J))
        np.maximum.at(of_vector, vectors, largest[:, 0])
        largest = of_vector[vectors, None]
    rough = ROUGH * largest
    ahead, behind, far, back = slopes(way, -way, WIDER * way, -WIDER * way, ways=random_directions(len(z)))
    # what is merely curved grows with the way, and is gone
    if np.all(abs(WIDER * (ahead - behind) - (far - back)) <= SIEVE * rough):
        return Derivatives(np.where(abs(J) <= error, 0.0, J), error, bent, how)
    ahead, behind, far, back = slopes(way, -way, WIDER * way, -WIDER * way)
    jump, wider = abs(ahead - behind), abs(far - back)
    bent = (jump > BEND * abs(J) + rough) & (wider < WIDER**0.5 * jump) & (wider > WIDER**-0.5 * jump)
    J = np.where(bent, 0.5 * (ahead + behind), J)
    error[bent] = 0.0
    return Derivatives(np.where(abs(J) <= error, 0.0, J), error, bent, how)


def last_digit_errors(point: OperatingPoint, picked: Sequence[int], J: np.ndarray) -> np.ndarray:
    """Sums of the changes of exact derivatives by the last digit of each state: of its value, or of one (rad, m) below.

    The directions of axes and the angles of bodies are known to no more. To first order it bounds what any change of
    all states within their last digits makes of an entry.
    """
    n, z = len(point.x), np.concatenate([point.x, np.zeros(len(point.taps))])
    digits, total = np.diag(EPS * np.maximum(1.0, abs(point.x))), np.zeros_like(J)
    for first in range(0, n, AT_ONCE):
        points = np.tile(z, (len(digits[first : first + AT_ONCE]), 1))
        points[:, :n] += digits[first : first + AT_ONCE]
        made = point.slopes(points, bool(len(picked)))
        if len(picked):
            made = np.concatenate([made[:, :n], made[:, n:][:, list(picked)]], axis=1)
        total += abs(made - J).sum(axis=0)
    return total


def vector_numbers(names: Sequence[str], blocks: Mapping[str, Block]) -> np.ndarray:
    """Number of the vector or quaternion in space that each name is of; any other name has one of its own.

    `bob.velocity[0]` to `bob.velocity[2]` are one vector. Modes and states of signals are none: no axes mix them, and
    their slopes may lie decades apart.
    """

    def vector(name: str) -> str:
        whole = name.partition("[")[0]
        owner, _, port = whole.rpartition(".")
        ports = blocks[owner].class_ports if owner in blocks else {}
        spatial = port in ports and ports[port].width in (3, 4)
        return whole if spatial and any(one.kind == FRAME for one in ports.values()) else name

    return np.unique([vector(name) for name in names], return_inverse=True)[1]


@cache
def random_directions(n: int) -> np.ndarray:
    """Directions in each of which all of `n` numbers move, by 1/2 to 1 either way: in their slopes every jump shows.

    One jump alone shows at half its size at least; several would have to cancel each other in all directions.
    """
    draw = np.random.default_rng(0)
    return draw.choice([-1.0, 1.0], (n, DIRECTIONS)) * draw.uniform(0.5, 1.0, (n, DIRECTIONS))


def distinct_factors(n: int) -> np.ndarray:
    """Numbers between 1/2 and 1, no two alike: a step by them crosses every plane through its beginning."""
    return 0.5 + 0.5 * np.modf(0.618033988749895 * np.arange(1, n + 1))[0]


def finite_difference_derivatives(point: OperatingPoint, picked: Sequence[int], why: str) -> Derivatives:
    n, m = len(point.x), len(point.taps)
    f, many = point_functions(point, picked)
    z = np.concatenate([point.x, np.zeros(m)])
    J, error = jacobian(f, z, linear=range(n, n + m), many=many)
    return Derivatives(J, error, kinked_entries(f, z, J, many), why)


def point_functions(point: OperatingPoint, picked: Sequence[int]) -> tuple[Function, Function]:
    """Functions for differences: of one point [x, u], and of many points."""
    n, watch, places = len(point.x), bool(len(picked)), list(picked)

    def one(z: np.ndarray) -> np.ndarray:
        rates = point.rates(z[:n], z[n:])
        return np.concatenate([rates, point.outputs(z[:n], z[n:])[places]]) if watch else rates

    def many(points: np.ndarray) -> np.ndarray:
        answers = point.many(points, outputs=watch)
        return np.hstack([answers[:, :n], answers[:, n:][:, places]])

    return one, many

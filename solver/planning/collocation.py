"""Radau IIA collocation of three points, order 5 (Hairer and Wanner 1996, IV.5): grid, cases, values at an iterate.

On the interval k of length h the states at its points c_i follow x_i - x_0 = h sum_j a_ij f(x_j, u_j); the last point
is the first of the next interval. Controls are constant or linear in an interval. Interval lengths are shares of the
durations of arcs, which are variables: one arc is a uniform grid of free or fixed duration, several move their ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..simulation.simulation import Simulation
from .cost_terms import CostTerm
from .model_points import ModelPoints

_S = 6.0**0.5
RADAU = np.array(
    [
        [(88 - 7 * _S) / 360, (296 - 169 * _S) / 1800, (-2 + 3 * _S) / 225],
        [(296 + 169 * _S) / 1800, (88 + 7 * _S) / 360, (-2 - 3 * _S) / 225],
        [(16 - _S) / 36, (16 + _S) / 36, 1 / 9],
    ]
)  # a_ij; its last row has the weights b_j of the quadrature
NODES = np.array([(4 - _S) / 10, (4 + _S) / 10, 1.0])  # c_i
INFINITE = 1e20  # bounds beyond which IPOPT sees none


@dataclass
class Grid:
    """Intervals: the arc of each, and its share of the arc's duration."""

    arc: np.ndarray
    share: np.ndarray

    @classmethod
    def uniform(cls, count: int) -> Grid:
        return cls(np.zeros(count, int), np.full(count, 1.0 / count))

    def divided(self, parts: int) -> Grid:
        """Grid with each interval in equal parts."""
        return Grid(np.repeat(self.arc, parts), np.repeat(self.share / parts, parts))

    @property
    def count(self) -> int:
        return len(self.arc)

    @property
    def arcs(self) -> int:
        return int(self.arc[-1]) + 1

    def times(self, durations: np.ndarray) -> np.ndarray:
        """Ends of the intervals [s], 0 first."""
        return np.concatenate([[0.0], np.cumsum(durations[self.arc] * self.share)])


def point_times(times: np.ndarray) -> np.ndarray:
    """Times of the start and of all collocation points [s]."""
    return np.concatenate([[0.0], (times[:-1, None] + np.diff(times)[:, None] * NODES).ravel()])


@dataclass
class Watched:
    """Quantity of a point by its place in [x, u, y], with its name and bounds."""

    name: str
    place: int
    lower: float = -np.inf
    upper: float = np.inf


@dataclass
class Case:
    """Case of a plan: a model under the common controls, with start, end, limits and running cost."""

    name: str
    points: ModelPoints
    x0: np.ndarray
    end: list[Watched] = field(default_factory=list)  # lower and upper are the wanted value
    rest: bool = False
    # combinations of rates that vanish at rest, and those of them that say all to a search; all rates if empty
    resting: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    rest_rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    faster: int = 0  # states of motions too fast for the grid, which rest is not asked of
    free: list[Watched] = field(
        default_factory=list
    )  # parameters, which are states without rate and with a free start
    limits: list[Watched] = field(default_factory=list)
    half_way: list[Watched] = field(default_factory=list)  # what the first guess has there
    costs: list[CostTerm] = field(default_factory=list)
    scale: np.ndarray = field(default_factory=lambda: np.zeros(0))  # sizes of [x, u, y]

    @property
    def n(self) -> int:
        return self.points.n

    def rest_rates(self, f: np.ndarray) -> np.ndarray:
        """Combinations of the rates f (..., n) that vanish at rest."""
        own = f[..., : self.points.native]
        return own @ self.resting.T if len(self.resting) else own

    @property
    def simulation(self) -> Simulation:
        """Compiled model, whose inputs are not held."""
        return self.points.model

    @property
    def path_signals(self) -> bool:
        """True if signals other than states and controls are needed along the motion."""
        q = self.points.n + self.points.m
        return any(one.place >= q for one in self.limits) or any(
            place >= q for term in self.costs for place in term.places
        )

    @property
    def needs_end_signals(self) -> bool:
        """True if signals other than states are needed at the end."""
        return any(one.place >= self.points.n + self.points.m for one in self.end)


@dataclass
class Motion:
    """Variables of a plan: states (points, n) of each case, controls at nodes and after the end, durations of arcs."""

    states: list[np.ndarray]
    controls: np.ndarray
    rest: np.ndarray
    durations: np.ndarray

    @property
    def arc_ends(self) -> np.ndarray:
        """Ends of the arcs [s], 0 first."""
        return np.concatenate([[0.0], np.cumsum(self.durations)])


class Evaluated:
    """Values and Jacobians of a case at the points of one iterate; Jacobians when first asked for."""

    def __init__(self, case: Case, path: np.ndarray, end: np.ndarray | None):
        self.case, self.path, self.end = case, path, end
        self.f = case.points.values(path, case.path_signals)
        self.f_end = (
            case.points.values(end, case.needs_end_signals) if end is not None else np.zeros((1, case.n))
        )
        self._J: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def J(self) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians along the path and at the end."""
        if self._J is None:
            case, q = self.case, self.path.shape[1]
            J = case.points.jacobians(self.path, case.path_signals)
            J_end = (
                case.points.jacobians(self.end, case.needs_end_signals)
                if self.end is not None
                else np.zeros((1, case.n, q))
            )
            self._J = J, J_end
        return self._J


def watched_values(z: np.ndarray, f: np.ndarray, n: int, place: int) -> np.ndarray:
    """Quantity at a place of [x, u, y] at all points."""
    q = z.shape[1]
    return z[:, place] if place < q else f[:, n + place - q]


def watched_slopes(z: np.ndarray, J: np.ndarray, n: int, place: int) -> np.ndarray:
    """Its gradients by [x, u] at all points."""
    q = z.shape[1]
    if place >= q:
        return J[:, n + place - q]
    return np.broadcast_to(np.eye(q)[place], z.shape)

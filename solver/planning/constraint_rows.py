"""Rows of a transcribed plan: defects of the collocation, rates at rest, wanted ends, limits, total duration.

Each kind knows its values, the entries of its Jacobian, and the weights that its multipliers give to f and y in the
Hessian of the Lagrangian. With slacks (an elastic program) an end or a limit may be missed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from .collocation import INFINITE, RADAU, Case, Evaluated, Grid, Watched, watched_slopes, watched_values

Entries = list[tuple[np.ndarray, np.ndarray]]
ENDS = (
    ("end above", -1.0),
    ("end below", 1.0),
)  # slacks by which an end is missed, and their signs in its row


@dataclass
class Lift:
    """Entries of z = [x, u] at the points of a case as variables: place in z, weight and column of each."""

    place: np.ndarray
    weight: np.ndarray  # (P, entries)
    column: np.ndarray  # (P, entries)
    end: np.ndarray  # columns of z at the end (1, n + m)
    begin: np.ndarray  # columns of the states at the beginnings of the intervals (N, n)


@dataclass
class Slack:
    """Slack variable: what it lets be missed, and the size over which it counts."""

    case: int
    name: str
    side: str
    size: float


class Rows(ABC):
    """Rows of one kind, of the case number `c`; `slack` is the place of their first slack variable."""

    c: int
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    slacks: list[Slack]
    slack: int = -1

    @abstractmethod
    def entries(self) -> Entries:
        """Places (row, column) of the Jacobian's entries, rows counted from the first of this kind."""

    @abstractmethod
    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        """Values of the rows."""

    @abstractmethod
    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        """Entries of the Jacobian."""

    @abstractmethod
    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        """Add the multipliers' weights of f and y along the path and at the end."""

    @abstractmethod
    def words(self, row: int, times: np.ndarray) -> str:
        """Name of a row; `times` [s] are those of the points."""


@dataclass
class Defects(Rows):
    """x_i - x_0 - h sum_j a_ij f_j = 0."""

    c: int
    case: Case
    lift: Lift
    grid: Grid
    arc_column: np.ndarray
    slacks: list[Slack] = field(default_factory=list)

    def __post_init__(self) -> None:
        n, N = self.case.n, self.grid.count
        self.low = self.high = np.zeros(3 * N * n)
        self.scale = np.tile(1.0 / self.case.scale[:n], 3 * N)

    def entries(self) -> Entries:
        n, N = self.case.n, self.grid.count
        columns = self.lift.column.reshape(N, 3, -1)
        made: Entries = []
        for i in range(3):
            base = np.arange(N)[:, None] * 3 * n + i * n + np.arange(n)
            made += [(base[:, :, None], columns[:, j, None, :]) for j in range(3)]
            made += [(base, columns[:, i, :n]), (base, self.lift.begin), (base, self.arc_column[:, None])]
        return made

    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        n, N = self.case.n, self.grid.count
        f = made.f[:, :n].reshape(N, 3, n)
        step = x[1:].reshape(N, 3, n) - x[:-1:3][:, None, :]
        return (step - h[:, None, None] * np.einsum("ij,kjn->kin", RADAU, f)).ravel()

    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        n, N = self.case.n, self.grid.count
        lifted = made.J[0][:, :n][:, :, self.lift.place] * self.lift.weight[:, None, :]
        lifted = lifted.reshape(N, 3, n, -1)
        f, parts = made.f[:, :n].reshape(N, 3, n), []
        for i in range(3):
            parts += [-h[:, None, None] * RADAU[i, j] * lifted[:, j] for j in range(3)]
            parts += [np.ones(N * n), -np.ones(N * n)]
            parts.append(-self.grid.share[:, None] * np.einsum("j,kjn->kn", RADAU[i], f))
        return parts

    def words(self, row: int, times: np.ndarray) -> str:
        point, state = divmod(row, self.case.n)
        return f"the equation of {self.case.points.state_names[state]} at {times[point]:.3g} s"

    def per_length(self, multipliers: np.ndarray) -> np.ndarray:
        """Weights of f at the points for intervals of unit length: -sum_i a_ij lambda_i."""
        n, N = self.case.n, self.grid.count
        return -np.einsum("ij,kin->kjn", RADAU, multipliers.reshape(N, 3, n)).reshape(3 * N, n)

    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        omega[:, : self.case.n] += self.per_length(multipliers) * np.repeat(h, 3)[:, None]


@dataclass
class RestRates(Rows):
    """R f(x_N, u_rest) = 0 for the rates of the model's own states, with the case's rows R."""

    c: int
    case: Case
    lift: Lift
    elastic: bool

    def __post_init__(self) -> None:
        n = self.n = self.case.points.native
        self.R = self.case.rest_rows if len(self.case.rest_rows) else np.eye(n)
        k = self.count = len(self.R)
        self.low = self.high = np.zeros(k)
        most = np.argmax(abs(self.R * self.case.scale[:n]), axis=1)
        self.names = [self.case.points.state_names[j] for j in most]
        self.scale = 1.0 / self.case.scale[most]
        named = zip(self.names, self.case.scale[most], strict=True)
        sides = ("rest above", "rest below")
        self.slacks = [Slack(self.c, name, side, size) for name, size in named for side in sides]
        self.slacks = self.slacks if self.elastic else []

    def entries(self) -> Entries:
        k = self.count
        own = np.arange(k)[:, None]
        more = [(own, self.slack + np.arange(2 * k).reshape(k, 2))] if self.elastic else []
        return [(own, self.lift.end), *more]

    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        rates, k = self.R @ made.f_end[0, : self.n], self.count
        if not self.elastic:
            return rates
        return rates + v[self.slack : self.slack + 2 * k].reshape(k, 2) @ [-1.0, 1.0]

    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        more = [np.tile([-1.0, 1.0], self.count)] if self.elastic else []
        return [self.R @ made.J[1][0, : self.n], *more]

    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        omega_end[: self.n] += multipliers @ self.R

    def words(self, row: int, times: np.ndarray) -> str:
        return f"the rate of {self.names[row]} at rest"


@dataclass
class WantedEnd(Rows):
    """Quantity at the end = wanted value."""

    c: int
    case: Case
    lift: Lift
    one: Watched
    elastic: bool

    def __post_init__(self) -> None:
        size = self.case.scale[self.one.place]
        self.low, self.high = np.array([self.one.lower]), np.array([self.one.upper])
        self.scale = np.array([1.0 / size])
        self.slacks = [Slack(self.c, self.one.name, side, size) for side, _ in ENDS] if self.elastic else []

    def entries(self) -> Entries:
        row = np.zeros(1, int)
        return [(row, self.lift.end[0]), *([(row, self.slack + np.arange(2))] if self.elastic else [])]

    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        assert made.end is not None
        value = watched_values(made.end, made.f_end, self.case.n, self.one.place)
        return value + v[self.slack + 1] - v[self.slack] if self.elastic else value

    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        assert made.end is not None
        more = [np.array([sign for _, sign in ENDS])] if self.elastic else []
        return [watched_slopes(made.end, made.J[1], self.case.n, self.one.place), *more]

    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        q = self.lift.end.size
        if self.one.place >= q:
            omega_end[self.case.n + self.one.place - q] += multipliers[0]

    def words(self, row: int, times: np.ndarray) -> str:
        return f"the end of {self.one.name}"


@dataclass
class PathLimit(Rows):
    """lower <= quantity <= upper at all points; with slacks one `side` alone."""

    c: int
    case: Case
    lift: Lift
    one: Watched
    side: str = ""  # lower or upper, of an elastic program

    def __post_init__(self) -> None:
        P = len(self.lift.column)
        lower = self.one.lower if self.side != "upper" else -np.inf
        upper = self.one.upper if self.side != "lower" else np.inf
        self.low, self.high = (np.full(P, np.clip(bound, -INFINITE, INFINITE)) for bound in (lower, upper))
        size = self.case.scale[self.one.place]
        self.scale = np.full(P, 1.0 / size)
        self.slacks = [Slack(self.c, self.one.name, self.side, size)] if self.side else []
        self.sign = 1.0 if self.side == "lower" else -1.0

    def entries(self) -> Entries:
        row = np.arange(len(self.low))
        more = [(row, np.full(len(row), self.slack))] if self.side else []
        return [(row[:, None], self.lift.column), *more]

    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        value = watched_values(made.path, made.f, self.case.n, self.one.place)
        return value + self.sign * v[self.slack] if self.side else value

    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        slopes = watched_slopes(made.path, made.J[0], self.case.n, self.one.place)
        more = [np.full(len(self.low), self.sign)] if self.side else []
        return [slopes[:, self.lift.place] * self.lift.weight, *more]

    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        q = self.lift.end.size
        if self.one.place >= q:
            omega[:, self.case.n + self.one.place - q] += multipliers

    def words(self, row: int, times: np.ndarray) -> str:
        return f"the limit of {self.one.name} at {times[row]:.3g} s"


@dataclass
class SharedParameter(Rows):
    """Parameter of a case = that of the first case."""

    c: int
    own: int  # columns
    first: int
    size: float
    name: str
    slacks: list[Slack] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.low = self.high = np.zeros(1)
        self.scale = np.array([1.0 / self.size])

    def entries(self) -> Entries:
        return [(np.zeros(2, int), np.array([self.own, self.first]))]

    def values(self, made: Evaluated, x: np.ndarray, v: np.ndarray, h: np.ndarray) -> np.ndarray:
        return v[[self.own]] - v[[self.first]]

    def slopes(self, made: Evaluated, h: np.ndarray) -> list[np.ndarray]:
        return [np.array([1.0, -1.0])]

    def weigh(self, multipliers: np.ndarray, omega: np.ndarray, omega_end: np.ndarray, h: np.ndarray) -> None:
        pass

    def words(self, row: int, times: np.ndarray) -> str:
        return f"the parameter {self.name}"


def case_rows(
    c: int, case: Case, lift: Lift, grid: Grid, arc_column: np.ndarray, elastic: bool
) -> list[Rows]:
    """Rows of a case; limits and ends of states are bounds of variables unless the program is elastic."""
    made: list[Rows] = [Defects(c, case, lift, grid, arc_column)]
    if case.rest:
        made.append(RestRates(c, case, lift, elastic))
    made += [WantedEnd(c, case, lift, one, elastic) for one in case.end if elastic or one.place >= case.n]
    for one in case.limits:
        if elastic:
            sides = [side for side in ("lower", "upper") if np.isfinite(getattr(one, side))]
            made += [PathLimit(c, case, lift, one, side) for side in sides]
        elif one.place >= case.n:
            made.append(PathLimit(c, case, lift, one))
    return made

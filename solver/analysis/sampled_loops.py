"""Loops through memories: exact responses of delays, and the map over the period after which samplers come round.

With x the states, w what the memories give and u the inputs, dx/dt = A x + B w + G u; a memory is given
z = M x + N w + H u, and outputs are y = C x + D w + F u. A delay gives w(t) = sum of share times z(t - delay), a
sampler what z was last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from ...blocks.block import Echo
from .eigenvalues import components, scaling

FINEST = 200  # steps that all delays together are parted into, where there are no samplers
MOST = 1500  # numbers that a map may have
LONGEST = 20000  # steps of a map
Echoes = tuple[Echo, ...]


@dataclass(frozen=True)
class SampledLoop:
    """A linear model cut open at its memories."""

    A: np.ndarray
    B: np.ndarray
    G: np.ndarray
    M: np.ndarray
    N: np.ndarray
    H: np.ndarray
    C: np.ndarray
    D: np.ndarray
    F: np.ndarray
    echoes: Echoes  # one for each memory, in the order in which a run writes them
    names: tuple[str, ...]
    turns: tuple[float, ...]  # of each: those of one turn are written together
    E: np.ndarray  # (n + k, n + k): errors of the entries of [[A, B], [M, N]]

    @property
    def samplers(self) -> list[int]:
        return [k for k, echo in enumerate(self.echoes) if echo.sample_time is not None]

    @property
    def delays(self) -> list[int]:
        return [k for k, echo in enumerate(self.echoes) if echo.sample_time is None]

    @property
    def whole(self) -> np.ndarray:
        """[[A, B], [M, N]]: what states and memories do to each other."""
        return np.block([[self.A, self.B], [self.M, self.N]])

    def together(self) -> list[list[int]]:
        """Samplers that are written together, in the order in which they are."""
        return [list(group) for _, group in groupby(self.samplers, lambda k: self.turns[k])]

    def without_direct_shares(self) -> SampledLoop:
        """Loop in which the shares that a memory passes on at once are memories of their own."""
        wide: list[int] = []
        echoes: list[Echo] = []
        for k, echo in enumerate(self.echoes):
            now, later = (
                tuple(e for e in echo.shares if (e[1] == 0.0) is at_once) for at_once in (True, False)
            )
            parts = [Echo(shares=part) for part in (now, later) if part] or [echo]
            wide += [k] * len(parts)
            echoes += parts
        return self.picked(np.array(wide, int), tuple(echoes))

    def through(self) -> tuple[SampledLoop, bool]:
        """Loop without memories that pass on at once; False if they form an algebraic loop."""
        at_once = [k for k in self.delays if self.echoes[k].shares[0][1] == 0.0]
        rest = [k for k in range(len(self.echoes)) if k not in at_once]
        share = np.array([self.echoes[k].shares[0][0] for k in at_once])[:, None]
        closing = np.eye(len(at_once)) - share * self.N[np.ix_(at_once, at_once)]
        if at_once and np.linalg.cond(closing) > 1e12:
            return self, False
        now = (self.M[at_once], self.N[np.ix_(at_once, rest)], self.H[at_once])
        M, N, H = (np.linalg.solve(closing, share * X) for X in now)
        B, Nz, D = self.B[:, at_once], self.N[np.ix_(rest, at_once)], self.D[:, at_once]
        n = len(self.A)
        old, gone = np.r_[0:n, n + np.array(rest, int)], n + np.array(at_once, int)
        ahead = abs(np.vstack([B, Nz]) @ np.linalg.inv(closing) * share.T)
        behind = abs(np.hstack([M, N]))
        E, off = self.E, self.E[np.ix_(gone, gone)]
        error = E[np.ix_(old, old)] + E[np.ix_(old, gone)] @ behind
        error = error + ahead @ (E[np.ix_(gone, old)] + off @ behind)
        return SampledLoop(
            self.A + B @ M, self.B[:, rest] + B @ N, self.G + B @ H,
            self.M[rest] + Nz @ M, self.N[np.ix_(rest, rest)] + Nz @ N, self.H[rest] + Nz @ H,
            self.C + D @ M, self.D[:, rest] + D @ N, self.F + D @ H,
            tuple(self.echoes[k] for k in rest), tuple(self.names[k] for k in rest),
            tuple(self.turns[k] for k in rest), error,
        ), True  # fmt: skip

    def picked(self, kept: np.ndarray, echoes: Echoes | None = None) -> SampledLoop:
        """Loop with these memories alone; the others are constant."""
        return replace(
            self, B=self.B[:, kept], M=self.M[kept], N=self.N[np.ix_(kept, kept)], H=self.H[kept], D=self.D[:, kept],
            echoes=tuple(self.echoes[k] for k in kept) if echoes is None else echoes,
            names=tuple(self.names[k] for k in kept), turns=tuple(self.turns[k] for k in kept),
            E=self.E[np.ix_(both := np.r_[0 : len(self.A), len(self.A) + kept], both)],
        )  # fmt: skip

    def part(self, states: np.ndarray, memories: np.ndarray) -> SampledLoop:
        """Loop with these states and memories alone."""
        few = self.picked(memories)
        return replace(
            few, A=few.A[np.ix_(states, states)], B=few.B[states], G=few.G[states], M=few.M[:, states],
            C=few.C[:, states],
            E=few.E[np.ix_(both := np.r_[states, len(self.A) + np.arange(len(memories))], both)],
        )  # fmt: skip

    def parts(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """States and memories that depend on each other both ways: each part has roots of its own."""
        n = len(self.A)
        leads = (self.whole != 0.0) | (self.E != 0.0)
        return [(one[one < n], one[one >= n] - n) for one in components(leads)]

    def reached(self) -> SampledLoop:
        """The part through which the inputs reach the outputs."""
        n = len(self.A)
        passed = self.passed()
        return self.part(np.flatnonzero(passed[:n]), np.flatnonzero(passed[n:]))

    def scaled(self) -> tuple[SampledLoop, np.ndarray]:
        """Loop in units in which states and memories act on each other alike, and these units."""
        n = len(self.A)
        unit = scaling(self.whole) if n + len(self.echoes) else np.zeros(0)
        x, w = unit[:n], unit[n:]
        return replace(
            self, A=self.A * x / x[:, None], B=self.B * w / x[:, None], G=self.G / x[:, None],
            M=self.M * x / w[:, None], N=self.N * w / w[:, None], H=self.H / w[:, None],
            C=self.C * x, D=self.D * w, E=self.E * unit / unit[:, None],
        ), unit  # fmt: skip

    def turned(self, P: np.ndarray) -> SampledLoop:
        """Loop for states x = P z, the columns of P being orthonormal."""
        k = len(self.echoes)
        whole = np.block([[P, np.zeros((len(P), k))], [np.zeros((k, P.shape[1])), np.eye(k)]])
        return replace(
            self, A=P.T @ self.A @ P, B=P.T @ self.B, G=P.T @ self.G, M=self.M @ P, C=self.C @ P,
            E=abs(whole).T @ self.E @ abs(whole),
        )  # fmt: skip

    @property
    def has_memory_loop(self) -> bool:
        """True if a memory leads back to itself."""
        return bool(len(self.in_loops()))

    def has_moving_delay_input(self, pace: MapPeriod) -> bool:
        """True if a delay has an input that is no staircase of the map's steps, or is read between them."""
        lags = [d / pace.step for k in self.delays for _, d in self.echoes[k].shares]
        if any(abs(lag - round(lag)) > 1e-6 for lag in lags):
            return True
        fed = self.M[self.delays].any() or self.N[np.ix_(self.delays, self.delays)].any()
        return bool(fed)

    def in_loops(self) -> np.ndarray:
        """The memories that depend on themselves, by any way."""
        from scipy.sparse.csgraph import connected_components

        n = len(self.A)
        leads = self.whole != 0.0
        _, part = connected_components(leads, directed=True, connection="strong")
        sizes = np.bincount(part, minlength=1) if len(part) else np.zeros(1, int)
        return np.array(
            [k for k in range(len(self.echoes)) if sizes[part[n + k]] > 1 or self.N[k, k] != 0.0], int
        )

    def between(self) -> np.ndarray:
        """The memories by which an input reaches an output."""
        return np.flatnonzero(self.passed()[len(self.A) :])

    def passed(self) -> np.ndarray:
        """Masks of the states and memories on a way from an input to an output."""
        leads = self.whole != 0.0
        ahead = np.vstack([self.G, self.H]).any(axis=1)
        behind = np.hstack([self.C, self.D]).any(axis=0)
        for _ in range(len(leads)):
            ahead, behind = ahead | (leads[:, ahead].any(axis=1)), behind | (leads[behind].any(axis=0))
        return np.asarray(ahead & behind)

    def response(self, w: float) -> np.ndarray:
        """Outputs over inputs at a frequency, where all memories are delays."""
        s, n = 1j * w, len(self.A)
        shift = np.array([sum(a * np.exp(-s * d) for a, d in echo.shares) for echo in self.echoes], complex)
        whole = np.block(
            [
                [s * np.eye(n) - self.A, -self.B],
                [-shift[:, None] * self.M, np.eye(len(shift)) - shift[:, None] * self.N],
            ]
        )
        inner = np.linalg.solve(whole, np.vstack([self.G, shift[:, None] * self.H]))
        return np.hstack([self.C, self.D]) @ inner + self.F


@dataclass(frozen=True)
class MapPeriod:
    """Steps of a map: their length, how many make a period, and after how many each sampler is due."""

    step: float
    count: int
    due: dict[int, int]


def map_period(loop: SampledLoop, step: float, finest: int = FINEST) -> MapPeriod | None:
    """Steps of which all sample times are multiples; none where the period is too long, or too much is remembered."""
    times = {k: max(1, round((loop.echoes[k].sample_time or 0.0) / step)) for k in loop.samplers}
    lags = [delay / step for k in loop.delays for _, delay in loop.echoes[k].shares if delay > 0.0]
    longest = [max(delay / step for _, delay in loop.echoes[k].shares) for k in loop.delays]
    if not times:
        wide = max(sum(longest) / finest, 1e-9)
        wide = min(wide, *lags) if lags else 1.0
    else:
        whole = math.gcd(*times.values())
        even = [round(lag) for lag in lags if abs(lag - round(lag)) < 1e-6]
        least = math.gcd(whole, *even)
        room = (MOST - len(loop.A) - len(loop.echoes)) / 2
        fitting = [
            d
            for d in range(least, whole + 1)
            if whole % d == 0 and d <= min(lags, default=math.inf) * (1 + 1e-9) and sum(longest) / d < room
        ]
        wide = fitting[0] if fitting else least
    due = {k: count // int(wide) for k, count in times.items()}
    count = math.lcm(*due.values()) if due else 1
    size = len(loop.A) + len(due) + 2 * sum(math.ceil(lag / wide) + 1 for lag in longest)
    return MapPeriod(wide * step, count, due) if size <= MOST and count <= LONGEST else None


class SampledSteps:
    """States, held values and the past of delayed signals, a column for each start and input, step by step.

    The past of a delayed signal is kept as lines between its values after a step begins and before it ends, so that a
    staircase stays one.
    """

    def __init__(self, loop: SampledLoop, pace: MapPeriod, begin: np.ndarray | None = None):
        from scipy.linalg import expm

        self.loop, self.pace = loop, pace
        n, k, m = len(loop.A), len(loop.echoes), loop.G.shape[1]
        h = pace.step
        self.depth = {
            d: math.ceil(max(delay for _, delay in loop.echoes[d].shares) / h - 1e-9) for d in loop.delays
        }
        drive = np.hstack([loop.B, loop.G])
        big = np.zeros((n + 2 * (k + m), n + 2 * (k + m)))
        big[:n, :n], big[:n, n : n + k + m] = loop.A, drive
        big[n : n + k + m, n + k + m :] = np.eye(k + m) / h
        grown = expm(big * h)
        self.over, self.level, self.slope = grown[:n, :n], grown[:n, n : n + k + m], grown[:n, n + k + m :]
        self.size = n + len(pace.due) + 2 * sum(self.depth.values())
        basis, at = np.eye(self.size + m) if begin is None else begin, 0

        def take(count: int) -> np.ndarray:
            nonlocal at
            at += count
            return basis[at - count : at].copy()

        self.x = take(n)
        self.held = {d: take(1)[0] for d in pace.due}
        self.starts = {d: take(count) for d, count in self.depth.items()}  # the newest first
        self.ends = {d: take(count) for d, count in self.depth.items()}
        self.u = basis[self.size :]

    def memory_outputs(self, later: bool = False) -> np.ndarray:
        """Outputs of the memories at the start of the present step, or just before its end."""
        values = np.zeros((len(self.loop.echoes), self.x.shape[1]), self.x.dtype)
        for d, value in self.held.items():
            values[d] = value
        for d in self.depth:
            for share, delay in self.loop.echoes[d].shares:
                values[d] += share * self.past(d, delay / self.pace.step, later)
        return values

    def past(self, d: int, lag: float, later: bool) -> np.ndarray:
        back = math.ceil(lag - 1e-9)
        along = min(max(back - lag, 0.0), 1.0)
        if along < 1e-9:
            along = 0.0
        if later:
            # one step further on: at the end of a line, or within the next one
            if along == 0.0:
                return self.ends[d][back - 1]
            back -= 1
        a, b = self.starts[d][back - 1], self.ends[d][back - 1]
        return a + along * (b - a)

    def memory_inputs(self, w: np.ndarray, rows: slice | list[int] = slice(None)) -> np.ndarray:
        return self.loop.M[rows] @ self.x + self.loop.N[rows] @ w + self.loop.H[rows] @ self.u

    def write(self, number: int) -> None:
        """Samplers that are due before step `number` of the period, counted from 0."""
        for together in self.loop.together():
            due = [d for d in together if number % self.pace.due[d] == 0]
            if due:
                self.held |= dict(zip(due, self.memory_inputs(self.memory_outputs(), due), strict=True))

    def advance(self) -> None:
        before, after = self.memory_outputs(), self.memory_outputs(later=True)
        begun = self.memory_inputs(before)
        first, last = np.vstack([before, self.u]), np.vstack([after, self.u])
        self.x = self.over @ self.x + self.level @ first + self.slope @ (last - first)
        ended = self.memory_inputs(after)
        for d in self.depth:
            self.starts[d] = np.vstack([begun[d], self.starts[d][:-1]])
            self.ends[d] = np.vstack([ended[d], self.ends[d][:-1]])

    def vector(self) -> np.ndarray:
        pasts = [part for kind in (self.starts, self.ends) for part in kind.values()]
        return np.vstack([self.x, *(row[None] for row in self.held.values()), *pasts])

    def outputs(self) -> np.ndarray:
        return self.loop.C @ self.x + self.loop.D @ self.memory_outputs() + self.loop.F @ self.u


def period_map(loop: SampledLoop, pace: MapPeriod) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, C, D of states and memories from one period to the next.

    Inputs take their values at the start of a period, before samplers look at them, and keep them; outputs are what
    follows at once.
    """
    steps = SampledSteps(loop, pace)
    y = np.zeros(0)
    for number in range(pace.count):
        steps.write(number)
        if number == 0:
            y = steps.outputs()
        steps.advance()
    q, n = steps.vector(), steps.size
    return q[:, :n], q[:, n:], y[:, :n], y[:, n:]


def names_of_map(loop: SampledLoop, pace: MapPeriod, states: list[str]) -> list[str]:
    """Names of the entries of the vector that the map moves: `@3` is what came in three steps ago."""
    depth = {k: math.ceil(max(d for _, d in loop.echoes[k].shares) / pace.step - 1e-9) for k in loop.delays}
    pasts = [
        f"{loop.names[k]}@{j}{end}"
        for end in ("", " end")
        for k, count in depth.items()
        for j in range(1, count + 1)
    ]
    return [*states, *(loop.names[k] for k in loop.samplers), *pasts]


def rest_of_map(loop: SampledLoop, pace: MapPeriod, x: np.ndarray, remembered: np.ndarray) -> np.ndarray:
    """The vector where nothing moves."""
    depth = [math.ceil(max(d for _, d in loop.echoes[k].shares) / pace.step - 1e-9) for k in loop.delays]
    pasts = np.repeat(remembered[loop.delays], depth)
    return np.concatenate([x, remembered[loop.samplers], pasts, pasts])

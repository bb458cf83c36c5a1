"""Roots of a linear model with delays: begun by a coarse map and on the axis, ended by Newton's method, and counted.

No verdict rests on where roots are looked for: stable is what the count along the axis says (Nyquist), unstable what it
says, or a root beyond its error bound. The count is right if det F turns by less than half a turn between two points of
the axis, which is asked of its slope at both; it is given up where it misses a whole number.
"""

from __future__ import annotations

import numpy as np

from .eigenvalues import EPS, Complex, Eigenvalues, Real, multipliers
from .sampled_loops import SampledLoop, map_period, period_map

# where Newton's method begins; a root that it passes by shows in the count
COARSE = 40  # steps that all delays together are parted into, to begin with
SHORT = 1e-9  # a multiplier below this is that of a memory which follows at once
TRUSTED = 0.3  # of half of the map's frequency: beyond it its roots are those of its steps
NEWTON = 30  # steps at most: from a good start 6 double the digits to 16
MOVED = 0.3  # of the largest start: a root that moves further was another one
SAFETY = 4.0  # over the first order: a double root is off by twice it; twice that again for what it neglects
TURN = 0.5  # rad that det F may turn between two points of the axis; a count errs from pi on
FIRST = 400  # points on the axis to begin with
MOST_POINTS = 60_000
CHUNK = 2_000_000  # numbers of the matrices that are looked at together
CLOSED = 1e-3  # of a turn: by how much a count may miss a whole number


def roots_with_delays(loop: SampledLoop, step: float) -> tuple[Eigenvalues, int | None]:
    """Slow roots of det F(s) = 0 and those near the axis, with bounds; and how many of all its roots grow, if known."""
    loop, _ = loop.scaled()
    axis = _Axis(loop)
    starts = np.concatenate([coarse(loop, step), axis.near()])
    found = newton_roots(loop, starts)
    return found, axis.growing(found.values)


def coarse(loop: SampledLoop, step: float) -> Complex:
    """Roots of a map of lines between few values of what is delayed."""
    pace = map_period(loop, step, COARSE)
    if pace is None:
        return np.zeros(0, complex)
    period = pace.step * pace.count
    z = multipliers(period_map(loop, pace)[0])
    z = z[abs(z) > SHORT]
    limit = TRUSTED * np.pi / period
    began: Complex = (np.log(z) / period).astype(complex)
    return began[(began.imag >= 0.0) & (abs(began.imag) < limit) & (began.real > -limit)]


def newton_roots(loop: SampledLoop, starts: Complex) -> Eigenvalues:
    """Roots that Newton's method reaches from these, each once, with their mirror images."""
    kept: list[complex] = []
    bounds: list[float] = []
    reach = MOVED * abs(starts).max(initial=1.0)
    for start in starts:
        s = newton_root(loop, complex(start))
        alike = 1e-7 * max(abs(start), 1e-9)
        if s is None or abs(s - start) > reach:
            continue
        s = complex(s.real, abs(s.imag))
        if all(abs(s - one) > alike for one in kept):
            kept.append(complex(s.real, 0.0) if abs(s.imag) <= alike else s)
            bounds.append(bound(loop, kept[-1]))
    off = np.array(bounds, float)
    upper: Complex = np.array(kept, complex)
    pairs = upper.imag > 0.0
    return Eigenvalues(
        np.concatenate([upper, upper[pairs].conj()]).astype(complex), np.concatenate([off, off[pairs]])
    )


def newton_root(loop: SampledLoop, s: complex) -> complex | None:
    """The root near s: of u* F v = 0, with the singular vectors of F that belong to its least singular value."""
    change = complex(np.inf)
    for _ in range(NEWTON):
        F, dF = characteristic_matrix(loop, s)
        if not (np.isfinite(F).all() and np.isfinite(dF).all()):
            return None
        left, _, right = np.linalg.svd(F)
        u, v = left[:, -1].conj(), right[-1].conj()
        slope = u @ dF @ v
        if slope == 0.0:
            return None
        change = complex(u @ F @ v / slope)
        s -= change
        if abs(change) <= 1e-13 * max(abs(s), 1e-300) or abs(change) < 1e-300:
            return s
    return s if abs(change) <= 1e-9 * abs(s) else None


def null_vector(loop: SampledLoop, s: complex) -> Complex:
    """v with F(s) v = 0: what states and memories do in the motion exp(s t)."""
    return np.linalg.svd(characteristic_matrix(loop, s)[0])[2][-1].conj()


def bound(loop: SampledLoop, s: complex) -> float:
    """|u* dF v| / |u* F' v| for the errors dF of the loop's numbers and of the evaluation itself."""
    F, dF = characteristic_matrix(loop, s)
    left, least, right = np.linalg.svd(F)
    u, v = left[:, -1].conj(), right[-1].conj()
    slope = abs(complex(u @ dF @ v))
    e = np.concatenate([np.ones(len(loop.A)), abs(shifts(loop, s)[0])])
    n = len(F)
    off = e[:, None] * loop.E + n * EPS * (abs(F) + abs(s) * np.eye(n))
    size = float(abs(u) @ off @ abs(v) + least[-1])
    return SAFETY * size / slope if slope > 0.0 else float("inf")


def shifts(loop: SampledLoop, s: complex) -> tuple[Complex, Complex]:
    """e = sum of share times exp(-s delay) of each memory, and de/ds."""
    with np.errstate(all="ignore"):  # far to the left nothing is finite, and nothing is looked for
        e = [sum(a * np.exp(-s * d) for a, d in echo.shares) for echo in loop.echoes]
        de = [sum(-d * a * np.exp(-s * d) for a, d in echo.shares) for echo in loop.echoes]
    return np.array(e, complex), np.array(de, complex)


def characteristic_matrix(loop: SampledLoop, s: complex) -> tuple[Complex, Complex]:
    """F(s) = [[s - A, -B], [-e M, 1 - e N]], e the sum of share times exp(-s delay), and dF/ds."""
    n = len(loop.A)
    shift, slope = shifts(loop, s)
    e, de, k = shift[:, None], slope[:, None], len(shift)
    with np.errstate(all="ignore"):
        F = np.block([[s * np.eye(n) - loop.A, -loop.B], [-e * loop.M, np.eye(k) - e * loop.N]])
        dF = np.block([[np.eye(n), np.zeros((n, k))], [-de * loop.M, -de * loop.N]])
    return F.astype(complex), dF.astype(complex)


class _Axis:
    """det F(jw) along the axis: how often it turns tells how many roots lie to the right (Nyquist, 1932)."""

    def __init__(self, loop: SampledLoop):
        self.loop = loop
        share = np.array([sum(abs(a) for a, _ in echo.shares) for echo in loop.echoes])[:, None]
        passed = share * abs(loop.N)
        # what is delayed and passes on without a state between: its roots go on without end unless it fades
        echo = abs(multipliers(passed)).max(initial=0.0)
        self.fades = bool(echo < 1.0 - 1e-9)
        n, k = len(loop.A), len(loop.echoes)
        most = abs(loop.A)
        if self.fades and n:
            most = most + abs(loop.B) @ np.linalg.solve(np.eye(k) - passed, share * abs(loop.M))
        # beyond the spectral radius of what bounds |A + H(s)| nothing has a root with Re s >= 0
        self.end = 1.01 * float(abs(multipliers(most)).max(initial=0.0)) if n else 0.0
        self.w: Real = np.zeros(0)
        self.turned: Complex = np.zeros(0, complex)
        self.slope: Real = np.zeros(0)

    def looked(self, w: Real) -> tuple[Complex, Real]:
        """f(jw) over its size, f = det F / det(1 - e N) / (s + end)^n, and |d log f / dw|."""
        loop, n, k = self.loop, len(self.loop.A), len(self.loop.echoes)
        size = (n + k) ** 2
        f, slope = np.empty(len(w), complex), np.empty(len(w))
        for first in range(0, len(w), max(1, CHUNK // size)):
            some = w[first : first + max(1, CHUNK // size)]
            s = 1j * some
            e = np.zeros((len(some), k), complex)
            de = np.zeros((len(some), k), complex)
            for j, echo in enumerate(loop.echoes):
                for a, d in echo.shares:
                    e[:, j] += a * np.exp(-s * d)
                    de[:, j] -= d * a * np.exp(-s * d)
            F = np.zeros((len(some), n + k, n + k), complex)
            dF = np.zeros_like(F)
            F[:, :n, :n] = s[:, None, None] * np.eye(n) - loop.A
            F[:, :n, n:] = -loop.B
            F[:, n:, :n] = -e[:, :, None] * loop.M
            F[:, n:, n:] = np.eye(k) - e[:, :, None] * loop.N
            dF[:, :n, :n] = np.eye(n)
            dF[:, n:, :n] = -de[:, :, None] * loop.M
            dF[:, n:, n:] = -de[:, :, None] * loop.N
            inner, d_inner = F[:, n:, n:], dF[:, n:, n:]
            here = slice(first, first + len(some))
            with np.errstate(all="ignore"):
                try:
                    logs = np.trace(np.linalg.solve(F, dF), axis1=1, axis2=2)
                    logs = logs - np.trace(np.linalg.solve(inner, d_inner), axis1=1, axis2=2)
                except np.linalg.LinAlgError:
                    logs = np.full(len(some), np.inf)
                whole = np.linalg.slogdet(F)[0] / np.linalg.slogdet(inner)[0]
            f[here] = whole / np.exp(1j * n * np.angle(s + self.end))
            slope[here] = abs(logs - n / (s + self.end))
        return f, slope

    def near(self) -> Complex:
        """Points of the axis where det F turns fastest: roots are near them."""
        if not self.fades or not len(self.loop.A) or not self.end > 0.0:
            return np.zeros(0, complex)
        w = np.concatenate([[0.0], np.geomspace(1e-6 * self.end, self.end, FIRST)])
        own = np.linalg.eigvals(self.loop.A).imag
        w = np.unique(np.concatenate([w, own[(own > 0.0) & (own < self.end)]]))
        self.w = w
        self.turned, self.slope = self.looked(w)
        self.refine()
        peak = (self.slope[1:-1] >= self.slope[:-2]) & (self.slope[1:-1] >= self.slope[2:])
        at = np.flatnonzero(peak) + 1
        return np.concatenate([[0j], 1j * self.w[at]]).astype(complex)

    def refine(self) -> None:
        while len(self.w) < MOST_POINTS:
            gap = np.diff(self.w)
            with np.errstate(all="ignore"):
                turn = abs(np.angle(self.turned[1:] / self.turned[:-1]))
            steep = np.maximum(self.slope[1:], self.slope[:-1]) * gap
            wide = ((turn > TURN) | (steep > 1.0)) & (gap > 1e-13 * self.w[1:])
            if not wide.any():
                return
            self.add(0.5 * (self.w[:-1] + self.w[1:])[wide])

    def add(self, more: Real) -> None:
        f, slope = self.looked(more)
        w = np.concatenate([self.w, more])
        w, order = np.unique(w, return_index=True)
        self.turned = np.concatenate([self.turned, f])[order]
        self.slope = np.concatenate([self.slope, slope])[order]
        self.w = w

    def growing(self, found: Complex) -> int | None:
        """Roots with a positive real part; None where the count does not close."""
        if not self.fades:
            return None
        if not len(self.w):
            return 0 if not self.end > 0.0 else None
        near = found[(found.imag > 0.0) & (found.imag < self.end)]
        around = (
            near.imag[:, None] + abs(near.real)[:, None] * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
        ).ravel()
        around = np.setdiff1d(around[(around > 0.0) & (around < self.end)], self.w)
        if len(around):
            self.add(around)
            self.refine()
        if len(self.w) >= MOST_POINTS or not np.isfinite(self.turned).all() or (self.turned == 0.0).any():
            return None
        n = len(self.loop.A)
        turns = float(np.angle(self.turned[1:] / self.turned[:-1]).sum())
        s = 1j * self.w[-1]
        e = shifts(self.loop, s)[0][:, None]
        k = len(e)
        H = self.loop.B @ np.linalg.solve(np.eye(k) - e * self.loop.N, e * self.loop.M)
        mu = np.linalg.eigvals((self.loop.A + H) / s)
        # from there on log det(1 - (A + H)/s) is the sum of principal values, and goes to nothing
        turns += float(-np.angle(1.0 - mu).sum() - n * (np.pi / 2 - np.angle(s + self.end)))
        count = -turns / np.pi
        whole = round(count)
        return whole if whole >= 0 and abs(count - whole) < CLOSED else None

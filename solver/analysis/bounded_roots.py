"""Roots of a linear model, each with an error bound, and the verdict on stability that follows.

States and memories that depend on each other both ways are a part with roots of its own: those of a matrix, of a
characteristic equation where delays close its loops, of the map over its own samplers' period where those do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..diagnostics.step_error import eigendecomposition
from .delay_eigenvalues import SHORT, null_vector, roots_with_delays
from .eigenvalues import EPS, Complex, Eigenvalues, Real, eigenvalues, nearest
from .sampled_loops import MapPeriod, SampledLoop, map_period
from .sampled_roots import map_eigenvalues, roots_of_multipliers, unaliased_rates, vectors_of

if TYPE_CHECKING:
    from .state_space import StateSpace

# what is left after a period of what is not shown as a mode, where delays and samplers meet; what may grow is shown,
# and the verdict counts all
BRIEF = 1e-3
GROWS, DECAYS, STAYS, OPEN = "grows", "decays", "stays", "open"
WORDS = {"stable": "stable: everything decays", "unstable": "unstable: it would leave by itself"}
RATE = re.compile(r"(velocity|_rate)(\[\d+\])?$")  # states that only repeat what their coordinates say
DECIMALS = 15  # of positions in words [m, rad]
NAMED = 4  # states that a sentence names
UNKNOWN = " by more than the error, so that it is not known whether this is stable"


@dataclass(frozen=True)
class Part:
    """Roots of one part; `growing` says how many of all its roots grow, where that was counted."""

    states: np.ndarray
    memories: np.ndarray
    loop: SampledLoop  # in units that even its numbers
    units: Real
    roots: Eigenvalues
    signs: list[str]  # of each: grows, decays, stays or open
    verdict: str
    period: float = 0.0  # of its samplers
    vectors: Complex | None = None
    why: str = ""  # there is no verdict
    rank: int = 0  # 0 of a part with states of feet that stick, 1 of one that such a part moves, 2 of others

    def vector(self, s: complex) -> Complex:
        """Eigenvector of states and memories for a root."""
        if self.loop.echoes:
            return null_vector(self.loop, s)
        values, vectors = eigendecomposition(self.loop.A)
        return vectors[:, int(np.argmin(abs(values - s)))]


def signs_of(values: Complex, bounds: Real) -> list[str]:
    """Sign of each root: it grows or decays by more than its error bound, is exactly zero, or is open."""
    return [
        STAYS if z == 0.0 and off == 0.0
        else GROWS if z.real - off > 0.0
        else DECAYS if z.real + off < 0.0
        else OPEN
        for z, off in zip(values, bounds, strict=True)
    ]  # fmt: skip


def verdict_of(signs: Sequence[str]) -> str:
    """`stable`, `unstable`, or `indifferent`: some are zero by structure, or on the axis within their errors."""
    if GROWS in signs:
        return "unstable"
    return "indifferent" if OPEN in signs or STAYS in signs else "stable"


@dataclass(frozen=True)
class Spectrum:
    """Roots of a model, part by part; `norms` of them are the constant lengths of quaternions."""

    parts: list[Part]
    norms: int = 0
    sticking: int = 0  # zeros of feet and contacts that stick
    turn: np.ndarray | None = None  # columns: the states that the parts count, where quaternions have more

    @cached_property
    def values(self) -> Complex:
        """Roots [1/s]; those that may be zero by their errors are zero."""
        found = [one.roots.settled for one in self.parts]
        return np.concatenate([*found, np.zeros(self.norms, complex)]).astype(complex)

    @cached_property
    def bounds(self) -> Real:
        return np.concatenate([*(one.roots.bounds for one in self.parts), np.zeros(self.norms)])

    @cached_property
    def signs(self) -> list[str]:
        return [*(sign for one in self.parts for sign in one.signs), *[STAYS] * self.norms]

    def members(self, n: int, samplers: list[int]) -> np.ndarray:
        """Columns: which states and samplers are in the part of each root, and so make its motion."""
        P = np.eye(n) if self.turn is None else self.turn
        inside = np.zeros((n + len(samplers), len(self.values)), bool)
        at = 0
        for part in self.parts:
            count = len(part.signs)
            rows = (P[:, part.states] != 0.0).any(axis=1)
            inside[:n, at : at + count] = rows[:, None]
            for j in part.loop.samplers:
                inside[n + samplers.index(int(part.memories[j])), at : at + count] = True
            at += count
        inside[:, at:] = True  # lengths of quaternions
        return inside

    @cached_property
    def half_sampling(self) -> Real:
        """Half of the sampling frequency of each root's part [rad/s], infinite without samplers."""
        halves = [np.full(len(one.signs), np.pi / one.period if one.period else np.inf) for one in self.parts]
        return np.concatenate([*halves, np.full(self.norms, np.inf)])

    @cached_property
    def numbers(self) -> np.ndarray:
        """Part of each root; -1 for lengths of quaternions."""
        counts = [len(one.signs) for one in self.parts]
        return np.concatenate([np.repeat(np.arange(len(counts)), counts), np.full(self.norms, -1)]).astype(
            int
        )

    @cached_property
    def lags(self) -> Real:
        """Longest delay in the part of each root [s]."""
        longest = [
            max((d for echo in one.loop.echoes for _, d in echo.shares), default=0.0) for one in self.parts
        ]
        return np.array([longest[k] if k >= 0 else 0.0 for k in self.numbers], float)

    @property
    def why(self) -> str:
        """Reasons for which a part is not judged."""
        return "; ".join(dict.fromkeys(one.why for one in self.parts if one.why))

    @property
    def stability(self) -> str:
        kinds = [one.verdict for one in self.parts]
        if "unstable" in kinds:
            return "unstable"
        if "unjudged" in kinds:
            return "unjudged"
        return verdict_of(self.free_signs)

    @property
    def free_signs(self) -> list[str]:
        """Signs without those of what sticks, and of lengths of quaternions."""
        end, stuck = len(self.signs) - self.norms, self.stuck
        return [sign for k, sign in enumerate(self.signs[:end]) if k not in stuck]

    @cached_property
    def stuck(self) -> set[int]:
        """Zero roots of what sticks: as many as states that stick, those of their own parts first, then of parts that
        these move, such as a coordinate that no force depends on.
        """
        ranks = np.concatenate([*(np.full(len(p.signs), p.rank) for p in self.parts), np.full(self.norms, 9)])
        zeros = np.flatnonzero((self.values == 0.0) & (ranks < 9))
        return set(zeros[np.argsort(ranks[zeros], kind="stable")][: self.sticking].tolist())

    @property
    def mode_order(self) -> list[int]:
        """Roots as modes are numbered: one of each pair by rising frequency, then real ones, slowest first."""
        s = self.values
        kept = [k for k in range(len(s)) if s[k].imag >= 0.0 and k not in self.stuck]
        return sorted(kept, key=lambda k: (s[k].imag == 0.0, abs(s[k]), s[k].real))

    @property
    def open(self) -> bool:
        """True if a root may be on the axis within its error bound."""
        return OPEN in self.free_signs

    @property
    def last(self) -> complex:
        """The root that is furthest to the right, but for those that stay by structure."""
        moving = self.values[[sign != STAYS for sign in self.signs]]
        return complex(moving[np.argmax(moving.real)]) if len(moving) else 0j


def spectrum(lin: StateSpace) -> Spectrum:
    """Roots of a linear model."""
    if isinstance(lin.roots, Spectrum):
        return lin.roots
    lin.roots = found = spectrum_of(lin.loop or loop_of_matrices(lin), lin.step_size, lin)
    return found


def loop_of_matrices(lin: StateSpace) -> SampledLoop:
    """Loop without memories of a model that only its matrices are known of, such as one read from a file."""
    (n, m), p = lin.B.shape, len(lin.C)
    error = max(EPS, float(np.max(lin.error, initial=0.0))) * abs(lin.A)
    none = np.zeros
    return SampledLoop(
        lin.A, none((n, 0)), lin.B, none((0, n)), none((0, 0)), none((0, m)), lin.C, none((p, 0)), lin.D,
        (), (), (), error,
    )  # fmt: skip


def spectrum_of(loop: SampledLoop, step: float, lin: StateSpace | None = None) -> Spectrum:
    """Roots of a loop; of the model that it is of, its quaternions and what sticks there are known."""
    turn = None if lin is None else tangents(loop, lin)
    turned = loop if turn is None else loop.turned(turn)
    parts = [part_of(turned, states, memories, step) for states, memories in turned.parts()]
    norms = 0 if turn is None else turn.shape[0] - turn.shape[1]
    if lin is not None and lin.sticking:
        columns = np.eye(len(loop.A)) if turn is None else turn
        own = [bool((columns[list(lin.sticking)][:, one.states] != 0.0).any()) for one in parts]
        moving = np.concatenate([one.states for one, sticks in zip(parts, own, strict=True) if sticks])
        moved = [bool((turned.A[one.states][:, moving] != 0.0).any()) for one in parts]
        parts = [
            replace(one, rank=0 if sticks else 1 if follows else 2)
            for one, sticks, follows in zip(parts, own, moved, strict=True)
        ]
    return Spectrum(parts, norms, 0 if lin is None else len(lin.sticking), turn)


def stability(lin: StateSpace) -> str:
    """Verdict on small motions about the state; `unjudged` where it is not known."""
    if lin.open:
        return "unjudged"
    if lin.loop is None and lin.period:
        lin.unjudged = "a map that was read from a file has lost the loops that it is of"
        return "unjudged"
    found = spectrum(lin)
    verdict = found.stability
    if verdict == "unjudged":
        lin.unjudged = found.why
    return verdict


def without_period(loop: SampledLoop, step: float) -> str:
    """Samplers and delays of one loop that have no common period short enough for a verdict; empty if there is none."""
    for states, memories in loop.parts():
        own = loop.part(states, memories)
        if own.samplers and map_period(own, step) is None:
            return no_period(own)
    return ""


def no_period(loop: SampledLoop) -> str:
    names = ", ".join(dict.fromkeys(name.partition(".held")[0] for name in loop.names))
    return f"its samplers and delays have no common period that is short enough: {names}"


def tangents(loop: SampledLoop, lin: StateSpace) -> np.ndarray | None:
    """Columns that span the states without the lengths of quaternions, which nothing changes; None without any."""
    kept: list[np.ndarray] = []
    n = len(loop.A)
    basis = np.eye(n)
    gone = np.zeros(n, bool)
    for first in lin.quaternions:
        place = np.arange(first, first + 4)
        q = lin.x[place] / np.linalg.norm(lin.x[place])
        if (abs(q @ loop.A[place]) > 1e-12 + abs(q) @ loop.E[place, :n]).any():
            continue
        around = np.linalg.svd(q[None, :])[2][1:].T  # three directions across it
        block = np.zeros((n, 3))
        block[place] = around
        kept.append(block)
        gone[place] = True
    if not kept:
        return None
    return np.hstack([basis[:, ~gone], *kept])


def part_of(loop: SampledLoop, states: np.ndarray, memories: np.ndarray, step: float) -> Part:
    own = loop.part(states, memories)
    scaled, units = own.scaled()
    if own.samplers:
        return sampled_part(states, memories, scaled, units, step)
    if own.echoes and own.has_memory_loop:
        roots, growing = roots_with_delays(own, step)
        signs = signs_of(roots.values, roots.bounds)
        why, verdict, seen = "", verdict_of(signs), signs.count(GROWS)
        if growing is not None and seen > growing:
            # of two that do not agree none is known
            verdict, why = (
                "unjudged",
                f"{seen} roots of its delays were found to grow, {growing} were counted",
            )
        elif verdict != "unstable":
            # roots without end: those that were found say nothing of the others
            if growing is None:
                verdict = "indifferent" if OPEN in signs else "unjudged"
                why = "" if OPEN in signs else "the roots of its delays could not be counted"
            elif growing:
                verdict = "unstable"
        return Part(states, memories, scaled, units, roots, signs, verdict, why=why)
    n = len(states)
    roots = eigenvalues(own.A, own.E[:n, :n])
    signs = signs_of(roots.values, roots.bounds)
    return Part(states, memories, scaled, units, roots, signs, verdict_of(signs))


def sampled_part(
    states: np.ndarray, memories: np.ndarray, loop: SampledLoop, units: Real, step: float
) -> Part:
    pace = map_period(loop, step)
    if pace is None:
        none = Eigenvalues(np.zeros(0, complex), np.zeros(0))
        return Part(states, memories, loop, units, none, [], "unjudged", why=no_period(loop))
    z, Phi = map_eigenvalues(loop, pace)
    z = with_steps(loop, pace, z)
    grown, off = abs(z.values), z.bounds
    signs = [
        STAYS if one == 1.0 and error == 0.0
        else GROWS if size - error > 1.0
        else DECAYS if size + error < 1.0
        else OPEN
        for one, size, error in zip(z.values, grown, off, strict=True)
    ]  # fmt: skip
    shown = (grown > np.maximum(off, SHORT)) & (grown > (BRIEF if loop.delays else 0.0))
    shown |= np.array([sign != DECAYS for sign in signs], bool)
    lasting = Eigenvalues(z.values[shown], z.bounds[shown])
    period = pace.step * pace.count
    vectors = vectors_of(Phi, lasting.values) if shown.any() else np.zeros((len(Phi), 0), complex)
    s = unaliased_rates(loop, pace, lasting.values, vectors)
    roots = Eigenvalues(s, roots_of_multipliers(lasting, period))
    kept = [sign for sign, seen in zip(signs, shown, strict=True) if seen]
    return Part(
        states, memories, loop, units, roots, kept, verdict_of(signs), period, vectors
    )  # fmt: skip


def with_steps(loop: SampledLoop, pace: MapPeriod, z: Eigenvalues) -> Eigenvalues:
    """Add to the errors the effect of linear interpolation between steps on delayed signals.

    It is estimated by the change that steps of half the length make.
    """
    if not loop.delays:
        return z
    finer = MapPeriod(0.5 * pace.step, 2 * pace.count, {k: 2 * due for k, due in pace.due.items()})
    return (
        z
        if not loop.has_moving_delay_input(pace)
        else Eigenvalues(z.values, z.bounds + moved(z, map_eigenvalues(loop, finer)[0]))
    )


def moved(z: Eigenvalues, finer: Eigenvalues) -> Real:
    """Distance of each lasting root from the nearest root of a finer map."""
    away = abs(z.values[:, None] - finer.values[None, :]).min(axis=1)
    return np.where(abs(z.values) > BRIEF, away, 0.0)


def motions(found: Spectrum, loop: SampledLoop) -> Complex:
    """Motion of states and samplers for each root, a column each."""
    n, held = len(loop.A), loop.samplers
    if not loop.echoes:
        # what follows a motion moves with it
        values, vectors = (
            eigendecomposition(loop.A) if n else (np.zeros(0, complex), np.zeros((0, 0), complex))
        )
        columns = vectors[:, nearest(found.values, values)]
        inside = found.members(n, held)
        lost = ~((columns != 0.0) & inside).any(axis=0)  # one of several that share a root
        return np.where(lost, inside, columns).astype(complex)
    P = np.eye(n) if found.turn is None else found.turn
    columns: Complex = np.zeros((n + len(held), len(found.values)), complex)
    at = 0
    for part in found.parts:
        for k, s in enumerate(part.roots.values):
            vector = part.vectors[:, k] if part.vectors is not None else part.vector(complex(s))
            m = len(part.states)
            columns[:n, at] = P[:, part.states] @ (vector[:m] * part.units[:m])
            own = part.loop.samplers
            rows = [n + held.index(int(part.memories[j])) for j in own]
            columns[rows, at] = vector[m : m + len(own)] * part.units[m:][own]
            at += 1
    return columns


def movers(found: Spectrum, loop: SampledLoop) -> np.ndarray:
    """Weights of states and samplers in the motion of each root: units in which they act on each other alike."""
    n, held = len(loop.A), loop.samplers
    units = loop.scaled()[1]
    return found.members(n, held) / np.concatenate([units[:n], units[n:][held]])[:, None]


def indifferent_states(lin: StateSpace) -> list[str]:
    """State that moves most in each motion that may neither decay nor grow: its root is zero by structure, or on the
    axis within its error. Lengths of quaternions, and what sticks, are none.
    """
    found, loop = spectrum(lin), lin.loop or loop_of_matrices(lin)
    names = [*lin.state_names[: len(loop.A)], *(loop.names[k] for k in loop.samplers)]
    asked = _indifferent_roots(found)
    if not asked or not names:
        return []
    sizes = abs(motions(found, loop)) * movers(found, loop)
    moving = list(dict.fromkeys(names[int(np.argmax(sizes[:, k]))] for k in asked))
    return [name for name in moving if not RATE.search(name)] or moving


def _indifferent_roots(found: Spectrum) -> list[int]:
    count = len(found.values) - found.norms
    return [k for k in range(count) if found.signs[k] in (STAYS, OPEN) and k not in found.stuck]


def standing_states(lin: StateSpace) -> list[str]:
    """States on which nothing acts to first order, where they alone are why a model is indifferent; else none.

    The linear rate of such a state is zero without an error. Each has one root, which is zero; where no other root is
    zero or open, all else decays. What the rate is beyond first order is not looked at: it may be zero, as that of a
    filter that is not in use, or lead the state away. So these too are indifferent, not stable.
    """
    found, loop = spectrum(lin), lin.loop or loop_of_matrices(lin)
    n = len(loop.A)
    acts = (loop.whole[:n] != 0.0).any(axis=1) | (loop.E[:n] != 0.0).any(axis=1)
    still = [lin.state_names[k] for k in range(n) if not acts[k]]
    return still if len(still) == len(_indifferent_roots(found)) else []


def indifference_words(names: Sequence[str], standing: Sequence[str] = ()) -> str:
    """Sentence of an indifferent state: which states neither decay nor grow; of `standing` ones, that all else does."""
    told = standing or names
    if not told:
        return "indifferent: something neither decays nor grows"
    verbs = "neither decay nor grow" if len(told) > 1 else "neither decays nor grows"
    return f"indifferent: {_listed(told)} {verbs}{', all else decays' if standing else ''}"


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:NAMED], *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def equilibrium_words(lin: StateSpace, positions: Sequence[int]) -> str:
    """Position of an equilibrium and its stability, in words."""
    x = np.round(lin.x, DECIMALS) + 0.0
    shown = [f"{lin.state_names[k]} = {x[k]:.4g}" for k in positions[:6]]
    more = ", ..." if len(positions) > 6 else ""
    where = f" at {', '.join(shown)}{more}" if shown else ""
    verdict = stability(lin)
    if verdict == "unjudged":
        return f"the equilibrium{where} is not judged: {lin.unjudged}"
    resting = ", to rest where it sticks" if lin.sticking and verdict == "stable" else ""
    unknown = UNKNOWN if verdict == "indifferent" and spectrum(lin).open else ""
    words = WORDS.get(verdict) or indifference_words(indifferent_states(lin), standing_states(lin))
    return f"the equilibrium{where} is {words}{unknown}{resting}"

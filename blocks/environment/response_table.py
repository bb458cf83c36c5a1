"""Complex responses to waves between the rows of a table, with the winding of their phases taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .sea_spectrum import wave_number

SWEEPS = 200  # steps of an ascent; each is at least as good as the one before
TURNED = 1e-9  # change of a phase [rad] below which the ascent ends
DOUBTED = 0.05  # share of a root mean square that is told

Table = Sequence[tuple[float, float, complex]]


class Responses(NamedTuple):
    """Responses H(w) between the rows on chords of the complex plane, and their moduli on arcs: (n, axes)."""

    H: np.ndarray
    arc: np.ndarray

    def doubt(self, a: np.ndarray) -> float:
        """Largest share of the root mean square, of forces or of moments, that lies between chord and arc."""
        chord, arc = (np.sqrt(((a[:, None] * size) ** 2).sum(axis=0)) for size in (np.abs(self.H), self.arc))
        shares = [0.0]
        for group in (slice(0, 3), slice(3, 6)):
            total = float(np.linalg.norm(arc[group]))
            if total > 0.0:
                shares.append(float((arc[group] - chord[group]).max()) / total)
        return max(shares)


def doubt_message(share: float, what: str) -> str:
    """Words for a doubt of interpolation."""
    return (
        f"phases of neighbouring rows differ so far that the {what} between them may be {100.0 * share:.0f} % higher "
        "than interpolated (root mean square over this sea)"
    )


def response_between_rows(
    w: np.ndarray, heading: float, table: Table, depth: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Response of one axis at frequencies w and a heading, from rows (frequency, heading, H), and its modulus on arcs.

    A response whose waves are felt at the place p has the factor e^(-i k p), which turns faster the shorter the waves
    are and loses modulus on a straight line between two rows. The place of least turning is found from the rows of the
    headings beside the asked one, its factor taken out, the rest interpolated as complex numbers, which passes
    through zero where a response changes its sign, and the factor put back.
    """
    around = _headings_beside(heading, sorted({row[1] for row in table}))
    at = [sorted((row for row in table if row[1] == angle), key=lambda row: row[0]) for angle in around]
    rows = [row for each in at for row in each]
    q = _wave_vectors(np.array([row[0] for row in rows]), np.array([row[1] for row in rows]), depth)
    H = np.array([row[2] for row in rows], complex)
    first = len(at[0])
    pairs = [(k, k + 1) for k in range(len(rows) - 1) if k + 1 != first]
    beside = {row[0]: first + k for k, row in enumerate(at[1])} if len(at) > 1 else {}
    pairs += [(k, beside[row[0]]) for k, row in enumerate(at[0]) if row[0] in beside]
    p = phase_origin(q, H, pairs)
    # beyond the ends of the table nothing turns either
    inside = np.clip(w, min(row[0] for row in rows), max(row[0] for row in rows))
    rest = H * np.exp(1j * q @ p)
    chord, arc, start = [], [], 0
    for each in at:
        frequencies = [row[0] for row in each]
        own = rest[start : start + len(each)]
        chord.append(np.interp(w, frequencies, own))
        arc.append(np.interp(w, frequencies, np.abs(own)))
        start += len(each)
    share = 0.0 if len(around) == 1 else (heading - around[0]) / (around[1] - around[0])
    back = np.exp(-1j * _wave_vectors(inside, np.full(len(w), heading), depth) @ p)
    return back * ((1.0 - share) * chord[0] + share * chord[-1]), (1.0 - share) * arc[0] + share * arc[-1]


def phase_origin(q: np.ndarray, H: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Place p [m] whose factor e^(i q p) makes neighbouring responses most alike: largest sum of Re(conj(H_a) H_b).

    It is zero where no pair is left over to confirm it. Each step solves the quadratic below the sum of cosines, which
    has its slope and at least its curvature: no step makes the rows less alike. Two ascents: from zero with all pairs,
    and with the pairs of nearest wave vectors first, between which phases turn least; the better one counts.
    """
    nothing = np.zeros(2)
    a, b = np.array(pairs, int).reshape(-1, 2).T
    product, turned = np.conj(H[a]) * H[b], q[b] - q[a]
    used = np.abs(product) > 0.0
    product, turned = product[used], turned[used]
    if not len(product) or len(product) <= np.linalg.matrix_rank(turned):
        return nothing
    size, angle = np.abs(product), np.angle(product)
    size = size / size.max()

    def ascent(p: np.ndarray, some: np.ndarray) -> np.ndarray:
        d, m, phase = turned[some], size[some], angle[some]
        step = np.linalg.pinv(d.T @ (m[:, None] * d)) @ (m[:, None] * d).T
        for _ in range(SWEEPS):
            change = -step @ np.sin(phase + d @ p)
            p = p + change
            if not np.abs(d @ change).max() > TURNED:
                break
        return p

    everyone = np.argsort(np.hypot(*turned.T))
    candidates = [ascent(nothing, everyone)]
    by_parts, count = nothing, max(3, len(everyone) // 8)
    while count < len(everyone):
        by_parts = ascent(by_parts, everyone[:count])
        count *= 2
    candidates.append(ascent(by_parts, everyone))
    return max(candidates, key=lambda p: float(size @ np.cos(angle + turned @ p)))


def _wave_vectors(w: np.ndarray, heading: np.ndarray, depth: float | None) -> np.ndarray:
    """Wave vectors k (cos, sin) of frequencies and headings: (n, 2) [1/m]."""
    return wave_number(w, depth)[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)


def _headings_beside(asked: float, headings: Sequence[float]) -> list[float]:
    """The heading itself, or the two of a sorted table around it."""
    if asked in headings or asked <= headings[0] or asked >= headings[-1]:
        return [min(headings, key=lambda angle: abs(angle - asked))]
    k = next(k for k, angle in enumerate(headings) if angle > asked)
    return [headings[k - 1], headings[k]]

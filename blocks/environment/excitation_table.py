"""Wave forces by frequency and heading: rows [frequency, heading, axis, amplitude, phase], angles against the hull."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import Problem
from .response_table import Responses

ROUNDED = 1e-9  # difference of two angles [rad] that is rounding: numbers up to 1e6 lie 1.2e-10 apart
Rows = Sequence[tuple[float, ...]]


def relative_heading(asked: float, headings: Sequence[float]) -> float:
    """An angle [rad] brought by whole turns to where the sorted headings of a table begin, or beyond."""
    turn = 2.0 * math.pi
    left = (asked - headings[0]) % turn
    return headings[0] + (0.0 if turn - left <= ROUNDED else left)


def headings_of(rows: Rows) -> list[float]:
    """Headings of a table, each once, sorted [rad]."""
    return sorted({row[1] for row in rows})


def excitation_at(rows: Rows, asked: float, w: np.ndarray) -> Responses:
    """Complex wave force per metre at frequencies w and a heading: (n, 6), by straight lines between the rows."""
    X, arc = np.zeros((len(w), 6), complex), np.zeros((len(w), 6))
    if not rows:
        return Responses(X, arc)
    headings = headings_of(rows)
    asked = min(relative_heading(asked, headings), headings[-1])
    for axis in range(6):
        chords, arcs = [], []
        for heading in headings:
            own = sorted(r for r in rows if r[1] == heading and r[2] == axis + 1)
            known = np.array([(r[0], r[3] * np.exp(1j * r[4])) for r in own], complex).reshape(-1, 2)
            at, force = np.real(known[:, 0]), known[:, 1]
            chords.append(np.interp(w, at, force) if len(known) else np.zeros(len(w)))
            arcs.append(np.interp(w, at, np.abs(force)) if len(known) else np.zeros(len(w)))
        for k, (chord, moduli) in enumerate(zip(np.array(chords).T, np.array(arcs).T, strict=True)):
            X[k, axis] = np.interp(asked, headings, chord)
            arc[k, axis] = np.interp(asked, headings, moduli)
    return Responses(X, arc)


def excitation_problems(rows: Rows, asked: float) -> Iterable[Problem]:
    """A row that is given twice; a heading that the table lacks."""
    seen: set[tuple[float, ...]] = set()
    for k, row in enumerate(rows):
        if row[:3] in seen:
            mistake = "found a second row of the same frequency, heading and axis"
            yield Problem(mistake, f".excitation[{k}]", "remove one of the two")
            return
        seen.add(row[:3])
    headings = headings_of(rows)
    if not relative_heading(asked, headings) <= headings[-1] + ROUNDED:
        low, high = (math.degrees(angle) for angle in (headings[0], headings[-1]))
        against = math.degrees(math.remainder(asked, 2.0 * math.pi))
        mistake = f"waves come at {against:g} deg against the hull, headings are {low:g} to {high:g} deg"
        yield Problem(mistake, ".excitation", "add rows of this heading")

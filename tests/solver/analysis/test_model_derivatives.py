"""Kinks are looked for in a few mixed directions first: no law has one that only a look at every entry would find."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from luff.solver.analysis import model_derivatives as d

ROWS, STATES = 6, 60
SIEVE = d.SIEVE


@dataclass
class Law:
    """f = A z + each row's curve + bends |g (z - x)|, with its slopes, in the place of an operating point."""

    A: np.ndarray
    curved: np.ndarray  # how much each slope changes with its own state
    bends: list[tuple[int, np.ndarray]]  # row, g
    x: np.ndarray
    taps: list[object] = field(default_factory=list)
    full: int = 0  # slopes by all states that were asked for

    def slopes(self, points: np.ndarray, outputs: bool, ways: np.ndarray | None = None) -> np.ndarray:
        self.full += 0 if ways is not None else len(points)
        made = np.array([self._jacobian(point) for point in points])
        return made if ways is None else made @ ways

    def _jacobian(self, point: np.ndarray) -> np.ndarray:
        J = self.A + self.curved * (2.0 * point + np.sin(point))
        for row, g in self.bends:
            J[row] += g if g @ (point - self.x) >= 0.0 else -g
        return J


def law(draw: np.random.Generator, bends: list[tuple[int, np.ndarray]]) -> Law:
    sizes = 10.0 ** draw.uniform(-6, 6, (ROWS, 1))
    A = sizes * draw.normal(size=(ROWS, STATES)) * (draw.random((ROWS, STATES)) < 0.5)
    curved = sizes * draw.normal(size=(ROWS, STATES)) * 10.0 ** draw.uniform(-9, 2, (ROWS, 1))
    curved *= draw.random((ROWS, STATES)) < 0.5
    return Law(A, curved, bends, draw.normal(size=STATES) * (draw.random(STATES) < 0.7))


def judged(given: Law, sieve: float, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    monkeypatch.setattr(d, "SIEVE", sieve)
    return d.exact_derivatives(given, ()).bent  # type: ignore[arg-type]


# how a bend hangs on several states: alone, on a difference, on a sum, on the curvature of a line of nodes
STENCILS = (
    [1.0],
    [1.0, -1.0],
    [1.0, 1.0],
    [1.0, -2.0, 1.0],
    [1.0, -3.0, 3.0, -1.0],
    [1e-3, 1.0],
    [1.0, -0.999],
)


@pytest.mark.parametrize("stencil", STENCILS, ids=str)
def test_no_kink_is_missed_that_a_look_at_every_entry_finds(
    stencil: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, seen = np.random.default_rng(len(stencil)), 0
    for turn in range(120):
        plain = law(draw, [])
        row, stride = int(draw.integers(ROWS)), int(draw.integers(1, 9))
        first = int(draw.integers(STATES - stride * len(stencil)))
        g = np.zeros(STATES)
        g[first + stride * np.arange(len(stencil))] = stencil
        # from what counts as nothing to more than all else
        size = np.abs(plain.A[row]).max(initial=1e-6) * 10.0 ** (-11.0 + 13.0 * turn / 119)
        plain.bends.append((row, size * g))
        everything = judged(plain, -1.0, monkeypatch)
        assert np.array_equal(judged(plain, SIEVE, monkeypatch), everything)
        seen += everything.any()
    assert 20 < seen < 120


def test_what_is_merely_curved_is_not_looked_at_entry_by_entry() -> None:
    given = law(np.random.default_rng(5), [])
    assert not d.exact_derivatives(given, ()).bent.any()  # type: ignore[arg-type]
    assert given.full == 2


def test_what_is_not_finite_beside_the_state_is_looked_at() -> None:
    given = law(np.random.default_rng(5), [(0, np.full(STATES, np.nan))])
    with np.errstate(invalid="ignore"):
        d.exact_derivatives(given, ())  # type: ignore[arg-type]
    assert given.full == 6

"""Even and odd modes: symmetry that rounding or a weak coupling breaks, and equations over GF(2)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import luff
from luff.blocks.reduction.reduced_body import ReducedBody
from luff.solver.mechanism.mirror_symmetry import null_vectors, parities
from luff.tests.shared.flexible_models import STEEL


def plane_body() -> ReducedBody:
    """A body whose nodes lie in a plane."""
    nodes = [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 0, -0.4], [1, 0, -0.8]]
    source = {"nodes": nodes, "members": [[k, k + 1] for k in range(4)], "section": STEEL}
    return luff.reduce(source, interfaces={"frame_a": [0], "tip": [4]}, modes=8)


@pytest.mark.parametrize(("broken", "halves"), [(0.0, True), (1e-6, True), (1e-2, False)])
def test_couplings_between_even_and_odd_modes_count_above_the_bound(broken: float, halves: bool) -> None:
    """A coupling of this size, relative to the strongest strain, that breaks the symmetry of a plane."""
    body = plane_body()
    strains = body.membrane_strains()
    p, r = parities(body, strains)
    assert not r.any()  # tension is even
    assert 4 * p.sum() > body.modes  # modes across the plane, and twist
    even, odd = np.flatnonzero(p == 0)[0], np.flatnonzero(p == 1)[0]
    w = body.frequencies
    strongest = max(abs(np.linalg.eigvalsh(G / np.outer(w, w))).max() for _, G in strains)
    c, G = strains[0]
    G = G.copy()
    G[even, odd] = G[odd, even] = broken * strongest * w[even] * w[odd]
    found, _ = parities(body, [(c, G), *strains[1:]])
    assert (found[even] != found[odd]) == halves


@pytest.mark.parametrize(("broken", "halves"), [(0.7e-4, True), (0.8e-4, False)])
def test_an_entry_is_dropped_with_its_mirror_image_or_not_at_all(broken: float, halves: bool) -> None:
    """Beside strong couplings of modes alike: the root of both squares is 0.99 and 1.13 of the bound, 1e-4."""
    body = plane_body()
    odd = np.arange(body.modes) % 2
    T = np.equal.outer(odd, odd).astype(float)
    T[0, 1] = T[1, 0] = broken * abs(np.linalg.eigvalsh(T)).max()
    found, _ = parities(body, [(np.zeros(body.modes), T * np.outer(body.frequencies, body.frequencies))])
    assert found.any() == halves


def test_solutions_of_equations_over_gf2_are_those_of_trying_all() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        size = int(rng.integers(1, 7))
        rows = {int(row) for row in rng.integers(1, 1 << size, size=rng.integers(0, 6))}
        solved = {x for x in range(1 << size) if not any((row & x).bit_count() % 2 for row in rows)}
        basis = null_vectors(rows, size)
        spanned = set()
        for chosen in itertools.product((0, 1), repeat=len(basis)):
            vector = 0
            for take, one in zip(chosen, basis, strict=True):
                vector ^= one * take
            spanned.add(vector)
        assert spanned == solved
        assert len(spanned) == 1 << len(basis)  # independent

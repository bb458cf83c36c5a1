"""Geometric stiffening by membrane strains: few of them hold its energy, and its efforts are the gradient."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.kernels import model_data as f
from luff.tests.shared.flexible_models import STEEL, beam, model


def test_few_membrane_strains_hold_the_stiffening_energy(tmp_path: Path) -> None:
    """Against the squares of all modes' strains, within what one strain of 1e-4 of the largest would change: those of
    a beam that are left out are rounding.
    """
    body = beam(tmp_path / "beam.npz", modes=8)
    assert body.stress is not None
    m, w = body.modes, body.frequencies
    G = body.stress[:, :m, :m]
    strains = body.membrane_strains()
    assert (
        0 < len(strains) < m / 2
    )  # tension along the beam, uniform and as its weight makes it, and by bending
    T = 0.5 * (G + G.transpose(0, 2, 1)) / np.einsum("k,i,j->kij", w, w, w)
    largest = np.linalg.svd(T.reshape(m, -1), compute_uv=False)[0]
    rng = np.random.default_rng(5)
    for _ in range(5):
        x = rng.normal(size=m)
        x *= 1.0 / (largest * np.linalg.norm(x))  # strains of first and second order alike
        eta = x / w
        second = 0.5 * np.einsum("kij,i,j->k", T, x, x)
        full = 0.5 * np.sum((x + second) ** 2)
        found = 0.5 * x @ x + sum((s := 0.5 * eta @ G_s @ eta) * (c @ eta + 0.5 * s) for c, G_s in strains)
        left_out = 0.5 * 1e-4 * largest * (x @ x)
        assert abs(found - full) < left_out * (np.linalg.norm(x) + 0.5 * left_out)
        assert abs(full - 0.5 * x @ x) > 1e3 * abs(found - full)


MAST = {"length": 6.0, "width": 0.6, "height": 0.6, "bays": 4, "chord": STEEL, "brace": STEEL}
BOOMS: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, int]]] = {
    # nodes in the plane y = 0: modes in it are even, those across it and twist odd; tension is even
    "plane": (
        {"nodes": [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 0, -0.4], [1, 0, -0.8]]},
        {"frame_a": [0], "tip": [4]},
        (2, 0),
    ),
    "space": (
        {"nodes": [[0, 0, 0], [0.5, 0, 0], [1, 0.1, 0], [1, 0.3, -0.4], [1.2, 0, -0.8]]},
        {"frame_a": [0], "tip": [4]},
        (1, 0),
    ),
    # half a turn about its axis maps it onto itself: forces in chords are even or odd, as its modes are
    "lattice": ({"lattice": MAST}, {"frame_a": "foot", "tip": "head"}, (2, 1)),
}


@pytest.mark.parametrize("kind", [*BOOMS])
def test_efforts_of_stiffening_are_the_gradient_of_the_energy(tmp_path: Path, kind: str) -> None:
    """Of a clamped body, sum over strains of (c . eta + s)^2 / 2, s = eta . G eta / 2, by all entries of all G. Those
    between even and odd modes that rounding makes are left out: 1e-8 of the largest.
    """
    source, ends, (parities, odd) = BOOMS[kind]
    if "nodes" in source:
        source = source | {"members": [[k, k + 1] for k in range(4)], "section": STEEL}
    body = luff.reduce(source, tmp_path / "boom.npz", interfaces=ends, modes=8)
    sim = model(
        tmp_path,
        {"world": {"gravity": [0, 0, 0]}, "boom": {"type": "flexible_body", "file": "boom.npz"}},
        ["world.frame -- boom.frame_a"],
    )
    packed = sim.instance.model
    assert packed.flex[0, f.X_PARITIES] == parities
    assert packed.membrane_parity.any() == odd
    w, m = body.frequencies, body.modes
    eta = np.random.default_rng(2).normal(size=m) / w
    x = np.zeros(len(sim.state_names))
    x[[sim.state_names.index(f"boom.mode[{k}]") for k in range(m)]] = eta
    rates = [sim.state_names.index(f"boom.mode_rate[{k}]") for k in range(m)]
    found = np.asarray(sim.derivative(0.0, x))[rates] + w * w * eta
    strains = body.membrane_strains()
    assert len(strains) > 1
    expected = np.zeros(m)
    for c, G in strains:
        s = 0.5 * eta @ G @ eta
        expected -= (c @ eta + s) * (G @ eta) + s * c
    # by unit strain energy: a mode's share of the stiffness is w^2
    assert abs((found - expected) / w).max() < 1e-7 * abs(expected / w).max()

"""Corners and edges that touch, with what the kernel leaves out beforehand: against the sum over all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import luff
from luff.blocks.multibody_parts import Solid, SolidPair
from luff.solver.kernels import model_data as f
from luff.solver.kernels.touch_features import PARALLEL
from luff.tests.conftest import PLAIN

SHAPES = {
    "box": "{kind: box, size: [1.6, 1.0, 0.7], round: 0.05}",
    "plate": "{kind: box, size: [0.9, 2.4, 0.2], round: 0.08}",
    "capsule": "{kind: capsule, size: [0.4, 1.6]}",
}
PAIRS = [*itertools.combinations(SHAPES, 2), ("box", "box")]
POSES = 5 if PLAIN else 300


def compiled(a: str, b: str, exponent: float) -> luff.Simulation:
    """Two free bodies that touch with a stiffness of 1 N/m^exponent, without friction and gravity."""
    law = f"{{stiffness: 1, exponent: {exponent}, dissipation: 0}}"
    bodies = "".join(
        f"  {name}_free: {{type: free}}\n"
        f"  {name}: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {SHAPES[shape]}}}\n"
        for name, shape in (("a", a), ("b", b))
    )
    return luff.compile(
        luff.loads(
            f"luff: 1\nblocks:\n  world: {{gravity: [0, 0, 0]}}\n{bodies}"
            f"  it: {{type: touch, of: [b], against: [a], law: {law}}}\n"
            "connect: [world.frame -- a_free.frame_a, a_free.frame_b -- a.frame_a,\n"
            "  world.frame -- b_free.frame_a, b_free.frame_b -- b.frame_a]\n"
            "simulation: {stop: 1, step: 1e-3}\n"
        )
    )


def corners_apart(a: Solid, b: Solid, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Distance of each corner from the other core; (R, p) is b's pose in a. A capsule's core is a box without width."""
    return np.concatenate(
        [
            np.linalg.norm(np.maximum(abs(corners) - one.half, 0.0), axis=1)
            for one, corners in ((a, b.corners @ R.T + p), (b, (np.array(a.corners) - p) @ R))
        ]
    )


def edges_apart(a: Solid, b: Solid, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance of each edge from each of the other's, and weight: the nearest of 4 ends, or of the lines where the
    foot lies in both.
    """
    u, v = np.array(a.edges)[:, None, :], np.array(b.edges)[None, :, :]
    start, span, other, way = u[..., :3], u[..., 3:6], v[..., :3] @ R.T + p, v[..., 3:6] @ R.T
    square, size, both = (np.sum(x * y, -1) for x, y in ((span, span), (way, way), (span, way)))
    sine = 1.0 - both**2 / (square * size)
    crossed = sine > 1e-10  # what counts for less than 4e-8, the rounding of sin^2, is left out
    r = other - start
    wide = np.where(crossed, square * size * sine, 1.0)
    t = (np.sum(span * r, -1) * size - np.sum(way * r, -1) * both) / wide
    w = (np.sum(span * r, -1) * both - np.sum(way * r, -1) * square) / wide
    gap = np.linalg.norm(r + w[..., None] * way - t[..., None] * span, axis=-1)
    least = np.where((t > 0.0) & (t < 1.0) & (w > 0.0) & (w < 1.0), gap, np.inf)
    for end, first, along in (
        (start, other, way), (start + span, other, way), (other, start, span), (other + way, start, span),
    ):  # fmt: skip
        share = np.clip(np.sum((end - first) * along, -1) / np.sum(along * along, -1), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(end - first - share[..., None] * along, axis=-1))
    return least.ravel(), np.where(crossed, sine / (sine + PARALLEL), 0.0).ravel()


Distances = tuple[np.ndarray, np.ndarray, np.ndarray]


def approached(a: Solid, b: Solid, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, Distances]:
    """Place of b, moved towards a until they touch, and there distances of corners and edges, with weights."""
    reach = a.rounding + b.rounding
    found = corners_apart(a, b, R, p), *edges_apart(a, b, R, p)
    for _ in range(20):
        gap = min(found[0].min(), found[1].min())
        if gap < reach:
            break
        p = p * (1.0 - (gap - 0.6 * reach) / np.linalg.norm(p))
        found = corners_apart(a, b, R, p), *edges_apart(a, b, R, p)
    return p, found


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_energy_is_the_sum_over_all_corners_and_edges(kinds: tuple[str, str], exponent: float) -> None:
    sim = compiled(*kinds, exponent)
    (placed,) = sim.program.mechanism.elements
    assert isinstance(placed.part, SolidPair)
    a, b = placed.part.solid_a, placed.part.solid_b
    reach = a.rounding + b.rounding
    x, names = np.array(sim.x0), sim.state_names
    first, other = ("b", "a") if placed.part.frame_a.startswith("b") else ("a", "b")
    places = {body: names.index(f"{body}_free.orientation[0]") for body in "ab"}
    at = names.index(f"{other}_free.position[0]")
    rng, by_edges = np.random.default_rng(8), 0
    for k in range(POSES):
        A, B = Rotation.random(2, rng=rng)
        if k % 3 == 0:
            B = A * Rotation.from_rotvec(rng.normal(size=3) * rng.choice([1e-4, 0.02, 0.1]))
        R, p = (A.inv() * B).as_matrix(), rng.normal(size=3) * 0.8
        p, (corners, edges, weights) = approached(a, b, R, p)
        if not 1e-3 < min(corners.min(), edges.min()) < reach:
            continue  # cores meet, or they never touched
        x[at : at + 3] = A.apply(p)
        x[places[first] : places[first] + 4] = A.as_quat(scalar_first=True)
        x[places[other] : places[other] + 4] = B.as_quat(scalar_first=True)
        sim.instance.rates(0.0, x)
        depths = np.maximum(reach - np.concatenate((corners, edges)), 0.0)
        energies = depths ** (exponent + 1.0) / (exponent + 1.0)
        energies[len(corners) :] *= weights
        by_edges += energies[len(corners) :].sum() > 1e-6
        # of edges that are all but parallel the distance is known to the root of the rounding of sin^2
        stored = sim.instance.data.element_out[0, f.STORED]
        assert stored == pytest.approx(energies.sum(), rel=1e-7, abs=1e-12)
    assert PLAIN or by_edges > POSES / 5

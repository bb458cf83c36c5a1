"""Shapes that touch and their distances, in 3,000 random poses: against coal, and against their own energy."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import luff
from luff.blocks.geometry.touching_solids import TRIM
from luff.blocks.multibody_parts import Solid, SolidPair
from luff.solver.kernels import model_data as f
from luff.solver.simulation.jacobian import jacobian_of
from luff.tests.conftest import PLAIN
from luff.tests.shared.hull_mesh import write_hull

coal = pytest.importorskip("coal")
SHAPES = {
    "sphere": "{kind: sphere, size: 1.0}",
    "capsule": "{kind: capsule, size: [0.4, 1.6]}",
    "box": "{kind: box, size: [1.6, 1.0, 0.7], round: 0.05}",
    "cylinder": "{kind: cylinder, size: [1.0, 1.2], round: 0.05}",
    "mesh": "{kind: mesh, file: hull.obj, round: 0.05}",
    "plane": "{kind: plane}",
}
PAIRS = [pair for pair in itertools.combinations_with_replacement(SHAPES, 2) if pair[0] != "plane"]
POSES = 2 if PLAIN else 150


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the hull of 14 points, as triangles that face outwards."""
    path = tmp_path_factory.mktemp("shapes")
    write_hull(path / "hull.obj")
    return path


class Pair:
    """Two free bodies of 1 kg and 1 kg m^2 with a shape each, without gravity, and coal's shapes of their cores."""

    def __init__(self, a: str, b: str, block: str, folder: Path):
        text = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  a_free: {{type: free}}
  a: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {SHAPES[a]}}}
  b_free: {{type: free}}
  b: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {SHAPES[b]}}}
  it: {{{block}, of: [b], against: [a]}}
connect: [world.frame -- a_free.frame_a, a_free.frame_b -- a.frame_a, world.frame -- b_free.frame_a,
          b_free.frame_b -- b.frame_a]
simulation: {{stop: 1, step: 1e-3}}
"""
        self.sim = luff.compile(luff.loads(text, base=folder))
        (self.part,) = (placed.part for placed in self.sim.program.mechanism.elements)
        assert isinstance(self.part, SolidPair)
        self.rounding = self.part.solid_a.rounding + self.part.solid_b.rounding
        self.cores = core(self.part.solid_a), core(self.part.solid_b)
        # edges that cross at alpha, beta from corners are as near as edges that are cut t_a, t_b before them, but for
        # the least of alpha, beta and (t_a - alpha) + (t_b - beta) across the gap
        cuts = [
            TRIM * one.rounding * (one.kind != "capsule") for one in (self.part.solid_a, self.part.solid_b)
        ]
        self.hole = max(sum(cuts) / 3.0, max(cuts) / 2.0)
        self.x = np.array(self.sim.x0)
        names = self.sim.state_names
        wanted = [("position", 3), ("orientation", 4)]
        self.places = [
            [names.index(f"{body}_free.{name}[{k}]") for name, count in wanted for k in range(count)]
            for body in "ab"
        ]

    def put(self, A: Rotation, B: Rotation, p: np.ndarray) -> None:
        """Body a at the origin, body b at p."""
        for places, at, turn in zip(self.places, (np.zeros(3), p), (A, B), strict=True):
            self.x[places] = [*at, *turn.as_quat(scalar_first=True)]

    def element(self, A: Rotation, B: Rotation, p: np.ndarray) -> np.ndarray:
        """Outputs of the pair's element."""
        self.put(A, B, p)
        self.sim.instance.rates(0.0, self.x)
        return self.sim.instance.data.element_out[0].copy()

    def gap(self, A: Rotation, B: Rotation, p: np.ndarray) -> tuple[float, np.ndarray]:
        """Distance of the cores by coal, and the way from a to b along it."""
        answer = coal.DistanceResult()
        request = coal.DistanceRequest()
        request.abs_err = request.rel_err = 1e-12
        request.gjk_tolerance = 1e-12
        poses = coal.Transform3s(A.as_matrix(), np.zeros(3)), coal.Transform3s(B.as_matrix(), p)
        gap = coal.distance(self.cores[1], poses[1], self.cores[0], poses[0], request, answer)
        way = np.array(answer.getNearestPoint1()) - np.array(answer.getNearestPoint2())
        return gap, way / np.linalg.norm(way) if np.linalg.norm(way) else way


def core(solid: Solid) -> object:
    """A core without its rounding."""
    x, y, z = solid.half
    if solid.kind == "sphere":
        return coal.Sphere(1e-12)
    if solid.kind == "capsule":
        return coal.Capsule(1e-12, 2.0 * z)
    if solid.kind == "box":
        return coal.Box(2.0 * x, 2.0 * y, 2.0 * z)
    if solid.kind == "cylinder":
        return coal.Cylinder(x, 2.0 * z)
    if solid.kind == "plane":
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    corners = coal.StdVec_Vec3s()
    for corner in solid.corners:
        corners.append(np.array(corner))
    return coal.Convex.convexHull(corners, False, "Qt")


def poses(pair: Pair, a: str, seed: int, depths: tuple[float, ...]):
    """Poses in which the surfaces are this deep, as shares of the roundings; a third is nearly aligned."""
    rng = np.random.default_rng(seed)
    count = 0
    while count < POSES:
        A, B = Rotation.random(2, rng=rng)
        if a == "plane":
            A = Rotation.identity()
        elif count % 3 == 0:
            B = Rotation.from_rotvec(rng.normal(size=3) * rng.choice([0.002, 0.02, 0.1])) * A
        p = rng.normal(size=3) * 0.9
        if a == "plane":
            p[2] = abs(p[2])
        gap, way = pair.gap(A, B, p)
        if gap > 1e-3:
            p = p + way * (pair.rounding * (1.0 - rng.choice(depths)) - gap)
            gap, _ = pair.gap(A, B, p)
            if 1e-3 < gap < pair.rounding * (1.0 - min(depths)) + 1e-6:
                count += 1
                yield A, B, p, gap


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_force_is_as_deep_as_the_shapes_and_the_gradient_of_its_energy(
    kinds: tuple[str, str], folder: Path
) -> None:
    pair = Pair(kinds[1], kinds[0], "type: touch, law: {stiffness: 1, dissipation: 0}", folder)
    exact = "sphere" in kinds or "plane" in kinds
    missed = 0
    for A, B, p, gap in poses(pair, kinds[1], 5, (0.01, 0.05, 0.2, 0.6)):
        out = pair.element(A, B, p)
        depth = pair.rounding - gap
        force, torque = out[f.FORCE_ON_B : f.FORCE_ON_B + 3], out[f.TORQUE_ON_B : f.TORQUE_ON_B + 3]
        # coal's own error
        missed += not abs(out[f.DEFLECTION] - depth) < 1e-7
        hole = 0.0 if exact else math.hypot(gap, pair.hole) - gap
        if "cylinder" in kinds and not exact:
            hole += 2e-3 * pair.rounding  # no bound is known where a rim, chords within it and a side meet
        assert -hole - 1e-7 < out[f.DEFLECTION] - depth < 1e-7
        assert out[f.TOUCH_NORMAL] > 0.0
        h = 1e-6
        for axis in np.eye(3):
            moved = [pair.element(A, B, p + sign * h * axis)[f.STORED] for sign in (1.0, -1.0)]
            turns = [Rotation.from_rotvec(sign * h * axis) * B for sign in (1.0, -1.0)]
            turned = [pair.element(A, turn, p)[f.STORED] for turn in turns]
            # truncation of the difference, 1e-12 over the square of the rounding, and rounding: 1e-16 of 1 mJ
            size = float(np.linalg.norm(force))
            assert (moved[1] - moved[0]) / (2.0 * h) == pytest.approx(force @ axis, abs=1e-6 * size + 1e-11)
            assert (turned[1] - turned[0]) / (2.0 * h) == pytest.approx(
                torque @ axis, abs=1e-6 * size + 1e-11
            )
    print(f"{missed} of {POSES} miss the deepest feature")
    assert missed <= (0.1 * POSES if not exact else 0)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_clearance_is_the_least_distance_with_its_points(kinds: tuple[str, str], folder: Path) -> None:
    pair = Pair(kinds[1], kinds[0], "type: clearance", folder)
    sim = pair.sim
    columns = [column.name for column in sim.program.columns]
    speeds = [k for k, name in enumerate(sim.state_names) if "velocity" in name]
    rng = np.random.default_rng(2)
    for A, B, p, gap in poses(pair, kinds[1], 6, (-20.0, -1.0, 0.5)):
        pair.put(A, B, p)
        pair.x[speeds] = rng.normal(size=len(speeds))
        rows = dict(zip(columns, sim.instance.outputs(0.0, pair.x), strict=True))
        distance = rows["it.distance"]
        # coal's own error
        assert distance == pytest.approx(gap - pair.rounding, abs=1e-6)
        points = [
            np.array([rows[f"it.{name}[{k}]"] for k in range(3)]) for name in ("point_of", "point_against")
        ]
        assert np.linalg.norm(points[0] - points[1]) == pytest.approx(abs(distance), abs=1e-6)
        h, ahead = 1e-6, []
        for sign in (1.0, -1.0):
            x = pair.x + sign * h * sim.derivative(0.0, pair.x)
            ahead.append(dict(zip(columns, sim.instance.outputs(0.0, x), strict=True))["it.distance"])
        # rounding of 1e-10 m over the step, and what is nearest may change within it between faces that are all but
        # parallel
        assert rows["it.rate"] == pytest.approx((ahead[0] - ahead[1]) / (2.0 * h), abs=1e-3)


def test_clearance_of_overlapping_cores_is_minus_the_roundings(folder: Path) -> None:
    pair = Pair("box", "cylinder", "type: clearance", folder)
    sim = pair.sim
    columns = [column.name for column in sim.program.columns]
    row = dict(zip(columns, sim.instance.outputs(0.0, np.array(sim.x0)), strict=True))
    assert row["it.distance"] == pytest.approx(-pair.rounding)
    assert math.isfinite(row["it.rate"])


def test_derivatives_of_a_clearance_are_exact() -> None:
    sim = luff.compile(Path(luff.__file__).parent / "docs" / "examples" / "clearance.yaml")
    x = np.array(sim.x0)
    x[0] = 0.3  # beside the start, at which two corners are as near
    names = [column.name for column in sim.program.columns]
    exact = jacobian_of(sim.instance, outputs=True).jacobians(0.0, x[None])[0][0][-len(names) :]
    h = 1e-6
    for k, name in enumerate(sim.state_names):
        way = np.zeros(len(x))
        way[sim.state_names.index(name)] = h
        ahead, behind = (np.array(sim.instance.outputs(0.0, x + sign * way)) for sign in (1.0, -1.0))
        for signal in ("it.distance", "it.rate", "it.point_of[0]", "it.point_of[1]", "it.point_against[1]"):
            at = names.index(signal)
            # rounding of 1e-14 m over the step, and h^2
            assert exact[at, k] == pytest.approx((ahead[at] - behind[at]) / (2.0 * h), abs=1e-7), signal

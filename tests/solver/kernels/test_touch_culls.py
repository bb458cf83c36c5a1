"""Hulls that touch: what planes leave out before distances are known, against all features one by one."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import luff
from luff.blocks.multibody_parts import Solid, Touch
from luff.solver.kernels import model_data as f
from luff.solver.kernels.touch_features import PARALLEL
from luff.tests.conftest import PLAIN

STIFFNESS, ROUND = 1e5, 0.01
Pose = tuple[np.ndarray, np.ndarray]


def stl(path: Path, points: np.ndarray) -> None:
    """The hull of points as a binary STL file."""
    hull = ConvexHull(points)
    facets = b"".join(
        struct.pack("<12fH", *plane[:3], *points[corners].ravel(), 0)
        for corners, plane in zip(hull.simplices, hull.equations, strict=True)
    )
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(hull.simplices)) + facets)


def to_segment(x: np.ndarray, a: np.ndarray, span: np.ndarray) -> float:
    t = np.clip(span @ (x - a) / (span @ span), 0.0, 1.0)
    return float(np.linalg.norm(x - a - t * span))


def distance(solid: Solid, x: np.ndarray) -> float:
    """Signed distance of a point from a polyhedron: its faces and their edges, every one."""
    corners, faces = np.array(solid.corners), np.array(solid.faces)
    heights = faces[:, :3] @ x - faces[:, 3]
    if heights.max() <= 0.0:
        return float(heights.max())
    least = np.inf
    for h, face, loop in zip(heights, faces, solid.loops, strict=True):
        ring = corners[list(loop)]
        spans = np.roll(ring, -1, axis=0) - ring
        inside = (np.cross(spans, x - ring) @ face[:3] >= 0.0).all() and h > 0.0
        least = min(
            [least, *([h] if inside else [to_segment(x, *each) for each in zip(ring, spans, strict=True)])]
        )
    return least


def between_segments(a: np.ndarray, v: np.ndarray, b: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """Distance of two segments and sin^2 of their angle: at both ends of either, or at the common perpendicular."""
    ends = [to_segment(a, b, w), to_segment(a + v, b, w), to_segment(b, a, v), to_segment(b + w, a, v)]
    sine = 1.0 - (v @ w) ** 2 / ((v @ v) * (w @ w))
    if sine > 1e-12:
        t, u = np.linalg.lstsq(np.stack((v, -w), axis=1), b - a, rcond=None)[0]
        if 0.0 <= t <= 1.0 and 0.0 <= u <= 1.0:
            ends.append(float(np.linalg.norm(a + t * v - b - u * w)))
    return min(ends), float(sine)


def force(a: Solid, b: Solid, pose: Pose) -> float:
    """Normal force of all corners and edges; `pose` is that of b in a."""
    R, p = pose
    depths = [a.rounding + b.rounding - distance(a, R @ np.array(x) + p) for x in b.corners]
    depths += [a.rounding + b.rounding - distance(b, R.T @ (np.array(x) - p)) for x in a.corners]
    total = sum(max(s, 0.0) for s in depths)
    for first in b.edges:
        start, span = R @ np.array(first[:3]) + p, R @ np.array(first[3:6])
        for other in a.edges:
            gap, sine = between_segments(start, span, np.array(other[:3]), np.array(other[3:6]))
            total += max(first[6] + other[6] - gap, 0.0) * sine / (sine + PARALLEL)
    return STIFFNESS * total


@pytest.mark.parametrize("poses", [4, 12])
def test_no_feature_of_two_hulls_is_missed(tmp_path: Path, poses: int) -> None:
    rng = np.random.default_rng(3)
    for name, count in (("one", 14), ("two", 10)):
        points = rng.normal(size=(count, 3))
        stl(tmp_path / f"{name}.stl", points / np.linalg.norm(points, axis=1)[:, None] * [0.2, 0.15, 0.1])
    shape = "{{kind: mesh, file: {}.stl, round: {} m}}"
    sim = luff.compile(
        luff.loads(
            f"""
luff: 1
blocks:
  free: {{type: free}}
  one: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {shape.format("one", ROUND)}}}
  two: {{type: fixture, shape: {shape.format("two", ROUND)}}}
  meet: {{type: touch, of: [one], against: [two], law: {{stiffness: {STIFFNESS}}}}}
connect: [world.frame -- free.frame_a, free.frame_b -- one.frame_a]
""",
            tmp_path,
        )
    )
    (placed,) = [one for one in sim.program.mechanism.elements if isinstance(one.part, Touch)]
    part, run, touching = placed.part, sim.new_instance(), 0
    assert isinstance(part, Touch)
    b_moves = run.model.frame_row[placed.frame_b] >= 0
    for _ in range(poses // 2 if PLAIN else poses):
        turn, way = Rotation.random(rng=rng), rng.normal(size=3)
        way /= np.linalg.norm(way)
        x = np.zeros(len(sim.x0))
        q = turn.as_quat()
        # moved out along `way` until the hulls are some share of their roundings apart
        R, low, high = turn.as_matrix(), 0.0, 1.0
        for _ in range(12):
            middle = 0.5 * (low + high)
            pose = (R, middle * way) if b_moves else (R.T, -R.T @ (middle * way))
            inside = (
                max(
                    ROUND - distance(part.solid_a, pose[0] @ np.array(c) + pose[1])
                    for c in part.solid_b.corners
                )
                > 0
            )
            low, high = (middle, high) if inside else (low, middle)
        away = high + ROUND * rng.uniform(-0.5, 1.5)
        pose = (R, away * way) if b_moves else (R.T, -R.T @ (away * way))
        x[:7] = [*(away * way), q[3], *q[:3]]
        run.rates(0.0, x)
        found = run.data.element_out[0, f.TOUCH_NORMAL]
        expected = force(part.solid_a, part.solid_b, pose)
        touching += expected > 0.0
        # depths of 1e-4 m are differences of lengths of 0.1 m
        assert abs(found - expected) <= 1e-11 * STIFFNESS, (found, expected)
    assert touching >= (1 if PLAIN else poses // 4)

"""Lattices, hooks and hulls; shadows of what stands on the ground."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

import luff
from luff.blocks.geometry.body_shapes import is_closed_surface
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.decorative_shapes import diagonals, hook, hull, lattice
from luff.gui.view3d.face_arrays import Mesh, matching_counts
from luff.gui.view3d.painter import Look, Painting
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import BAR, Skin, points_of
from luff.gui.view3d.solid_faces import Faces

MAST = """luff: 1
blocks:
  mast:
    type: rfem_link
    length: 10 m
    divisions: 4
    section: {A: 0.01, I_y: 1e-4, I_z: 1e-4, J: 1e-4}
    shape: {kind: lattice, size: [10, 1, 2], at: [5, 0, 0], color: yellow}
connect: [world.frame -- mast.frame_a]
"""
POST = """luff: 1
blocks:
  post: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: box, size: [1, 1, 4], at: [0, 0, 2]}}
connect: [world.frame -- post.frame_a]
"""


def triangles(faces: Faces) -> tuple[np.ndarray, np.ndarray]:
    fans = [[face[0], face[k], face[k + 1]] for face in faces for k in range(1, len(face) - 1)]
    return np.array(fans).reshape(-1, 3), np.arange(3 * len(fans)).reshape(-1, 3)


@pytest.mark.parametrize(
    "faces", [lattice((10, 1, 2)), hook(2.0), hull((30, 8, 4))], ids=["lattice", "hook", "hull"]
)
def test_faces_enclose_a_volume_and_look_out_of_it(faces: Faces) -> None:
    assert is_closed_surface(*triangles(faces))


def test_diagonals_run_between_neighbouring_chords_from_panel_to_panel() -> None:
    for chain in diagonals((10.0, 1.0, 2.0)):
        assert len(chain) == 6  # five panels, as long as the lattice is deep
        steps = np.abs(np.diff(chain, axis=0))
        assert np.allclose(steps[:, 0], 2.0)
        assert all(sorted(step[1:]) in ([0.0, 1.0], [0.0, 2.0]) for step in steps)


def test_a_lattice_bends_with_its_link() -> None:
    scene = scene_of(luff.compile(luff.loads(MAST)))
    bars = [line for line in scene.lines if line.kind == BAR]
    assert len(bars) == 4
    assert len({row for line in bars for row in line.rows}) > 2
    straight = np.concatenate([points_of(line, scene.start) for line in bars])
    assert straight[:, 0].min() == pytest.approx(0.0, abs=1e-9)
    assert straight[:, 0].max() == pytest.approx(10.0)


def test_what_stands_on_the_ground_throws_a_shadow_from_its_foot() -> None:
    """A face that ends on the ground counts as much as one above it."""
    scene = scene_of(luff.compile(luff.loads(POST)))
    camera = Camera()
    camera.look_from("top")
    camera.fit(np.vstack((scene.points_at(scene.start), [[-2.0, 3.0, 0.0]])), 200, 200)
    dark = []
    for shadow in (False, True):
        image = QImage(200, 200, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        Painting(scene, camera, Look(grid=False, shadow=shadow), 200, 200).paint(painter, scene.start)
        painter.end()
        dark.append(image)
    where = camera.project(np.array([[-0.9, 1.25, 0.0]]), 200, 200)[0]  # away from the light
    colours = [image.pixelColor(int(where[0]), int(where[1])).lightness() for image in dark]
    assert colours[1] < colours[0]


def test_height_field_is_drawn_through_its_nodes(tmp_path: Path) -> None:
    """Of more than 4000 quadrangles some are left out, but no border."""
    heights = np.random.default_rng(3).uniform(size=(101, 151))
    np.savez(tmp_path / "ground.npz", heights=heights)
    text = """luff: 1
blocks:
  ground: {type: fixture, shape: {kind: height_field, size: [30, 10], file: ground.npz, scale: 2}}
"""
    (skin,) = scene_of(luff.compile(luff.loads(text, base=tmp_path))).skins
    assert 2000 < len(skin.faces) < 5000
    corners = np.concatenate(skin.faces)
    np.testing.assert_allclose([corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)], [[-15, -5], [15, 5]])
    columns = np.round((corners[:, 0] + 15) / 0.2).astype(int)
    rows = np.round((corners[:, 1] + 5) / 0.1).astype(int)
    np.testing.assert_allclose(corners[:, 2], 2.0 * heights[rows, columns])
    first = skin.faces[0]
    assert np.cross(first[1] - first[0], first[2] - first[0])[2] > 0.0  # seen from above


def test_parts_of_the_sides_of_a_hull_meet() -> None:
    """Its raked bow is longer from keel to deck than its sides are; each side that ends no wall is one of two parts."""
    faces = hull((10.0, 3.0, 1.0))
    walls = [k for k, face in enumerate(faces) if len(face) == 4]
    heights = [np.linalg.norm(faces[k][2] - faces[k][1]) for k in walls]
    longest = 0.5 * (min(heights) + max(heights))  # by themselves some would be parted
    counts = matching_counts(faces, longest)
    assert {counts[k][1] for k in walls} == {2}
    mesh = Mesh([Skin("hull", "bodies", [faces[k] for k in walls], 0)], longest)
    quads = mesh.local.reshape(-1, 4, 3)
    sides = np.stack((quads, np.roll(quads, -1, axis=1)), axis=2).reshape(-1, 2, 3)
    upright = sides[abs(sides[:, 0, 2] - sides[:, 1, 2]) > 0.1]
    shared = Counter(frozenset(map(tuple, side.round(6).tolist())) for side in upright)
    assert set(shared.values()) == {2}

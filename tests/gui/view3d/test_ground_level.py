"""Where the ground lies; what stands on nothing; what holds a shape that is apart from its frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

import luff
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.film import Film, film_of_run
from luff.gui.view3d.html_replay import page_data
from luff.gui.view3d.painter import Look, Painting
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.view3d.scene_shapes import BAR, TIE, points_of

LIBRARY = Path(luff.__file__).parent / "library"
# a box 2 m below the pin that it hangs on, its sides 1 m
HUNG = """luff: 1
blocks:
  world: {gravity: [0, 0, -9.81]}
  away: {type: fixed, at: [0, 0, HEIGHT]}
  pin: {type: revolute, axis: y}
  load:
    type: rigid_link
    mass: 1
    com: [0, 0, -2]
    inertia: [1, 1, 1]
    frame_b: {at: [0, 0, -2]}
    shape: {kind: box, size: [1, 1, 1], at: [0, 0, -2]}
  ground: {type: fixture, shape: {kind: plane, at: [0, 0, PLANE]}}
  below: {type: touch, of: [load], against: [ground]}
connect: [world.frame -- away.frame_a, away.frame_b -- pin.frame_a, pin.frame_b -- load.frame_a]
simulation: {stop: 0.1 s, step: 10 ms}
"""


def scene(height: float, plane: float | None = None) -> Scene:
    text = HUNG.replace("HEIGHT", str(height)).replace("PLANE", str(plane))
    if plane is None:
        text = "\n".join(line for line in text.splitlines() if "ground" not in line)
    return scene_of(luff.compile(luff.loads(text)))


def test_the_ground_is_below_all_that_is_drawn_at_the_start() -> None:
    assert scene(5.0).ground == 0.0  # what hangs above it
    assert scene(0.0).ground == pytest.approx(-2.5)
    overhead = scene_of(luff.compile(LIBRARY / "crane_overhead.yaml"))
    assert overhead.ground == pytest.approx(overhead.drawn_at(overhead.start)[:, 2].min())
    assert overhead.ground < -0.5


def test_a_plane_that_bodies_stand_on_is_the_ground() -> None:
    assert scene(0.0, plane=-3.25).ground == -3.25
    assert scene(9.0, plane=1.5).ground == 1.5


def test_a_slope_is_no_ground() -> None:
    shown = scene_of(luff.compile(LIBRARY / "crate_on_slope.yaml"))
    assert shown.planes == []


def test_shadows_fall_onto_the_ground_where_it_lies() -> None:
    """The same picture as that of the mechanism raised to z = 0, by a camera that is raised with it."""
    shown = []
    for height in (0.0, 2.5):
        drawn = scene(height)
        drawn.lines.clear()  # that from the origin
        camera = Camera(target=np.array([0, 0, height - 1.0]), distance=9.0)
        image = QImage(200, 150, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        Painting(drawn, camera, Look(grid=False, corner=False), 200, 150).paint(painter, drawn.start)
        painter.end()
        shown.append(np.frombuffer(image.constBits(), np.uint8).astype(int))
    assert drawn.ground == 0.0
    assert abs(shown[0] - shown[1]).max() <= 2  # levels, by rounding at edges
    assert shown[0].reshape(150, 200, 4)[..., :3].min(axis=2).min() < 200


def film(height: float) -> Film:
    sim = luff.compile(luff.loads(HUNG.replace("HEIGHT", str(height)).replace("PLANE", "-7")))
    return film_of_run(sim, lambda session: session.advance(steps=10))


def test_pages_have_the_same_ground() -> None:
    assert page_data(film(0.0))["ground"] == -7.0


def test_an_offset_from_the_world_is_a_dashed_line_and_no_strut() -> None:
    shown = scene(5.0)
    assert not [skin for skin in shown.skins if skin.block == "away"]
    (line,) = (line for line in shown.lines if line.block == "away")
    assert line.kind == TIE
    np.testing.assert_allclose(points_of(line, shown.start), [[0, 0, 0], [0, 0, 5]])


def test_a_shape_apart_from_its_frame_hangs_on_a_line() -> None:
    """From the pin into the box; no line to the frame in its middle, nor from one nearer than the box is long."""
    shown = scene(5.0)
    (line,) = (line for line in shown.lines if line.block == "load")
    assert line.kind == BAR
    ends = points_of(line, shown.start)
    np.testing.assert_allclose(ends[0], [0, 0, 5], atol=1e-12)
    assert abs(ends[1] - [0, 0, 3]).max() < 0.5
    longer = HUNG.replace("HEIGHT", "5").replace("PLANE", "-7").replace("size: [1, 1, 1]", "size: [1, 2, 1]")
    assert not [line for line in scene_of(luff.compile(luff.loads(longer))).lines if line.block == "load"]

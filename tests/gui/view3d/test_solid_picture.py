"""What the picture shows is what is nearest; curved surfaces are smooth, and edges are where they bend."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from luff.gui.run.run_control import RunControl
from luff.gui.view3d import depth_image
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.canvas3d import GROWN, PREPARES, Canvas3D
from luff.gui.view3d.depth_image import DepthImage
from luff.gui.view3d.face_arrays import areas_of
from luff.gui.view3d.painter import Look, Painting
from luff.gui.view3d.scene_model import Scene
from luff.gui.view3d.scene_shapes import Skin
from luff.gui.view3d.solid_faces import ball, box, cylinder
from luff.gui.view3d.stress_colours import Scale
from luff.gui.view3d.view3d_panel import View3D
from luff.solver.codegen import object_loader
from luff.tests.conftest import PLAIN
from luff.tests.gui.driver import LONG

WIDE, HIGH = 160, 120


def scene_with(**solids: list[np.ndarray]) -> Scene:
    """Solids of the world in colours of one channel each."""
    colours = ("#ff0000", "#00ff00", "#0000ff")
    skins = [
        Skin(name, colour, faces, -1) for (name, faces), colour in zip(solids.items(), colours, strict=False)
    ]
    return Scene(skins=skins, start=np.zeros((0, 12)), size=3.0)


def pixels_of(scene: Scene, camera: Camera, ratio: float = 1.0, **look: object) -> np.ndarray:
    image = QImage(round(WIDE * ratio), round(HIGH * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    shown = Look(grid=False, shadow=False, corner=False, **look)  # type: ignore[arg-type]
    Painting(scene, camera, shown, WIDE, HIGH).paint(painter, scene.start)
    painter.end()
    found = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return found[:, : image.width(), 2::-1].astype(int)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("azimuth", [-0.9, 0.4, 2.2])
def test_solids_that_pierce_each_other_show_what_a_ray_meets_first(azimuth: float, parallel: bool) -> None:
    plate = [face + np.array([0, 0, 0.1]) for face in box((3.0, 2.4, 0.1))]
    scene = scene_with(plate=plate, block=box((1.6, 1.1, 1.4)), ball=ball(np.array([0.7, 0.5, 0.4]), 0.5))
    camera = Camera(azimuth=azimuth, elevation=0.35, distance=7.0, parallel=parallel)
    painting, shown = Painting(scene, camera, Look(), WIDE, HIGH), pixels_of(scene, camera)
    channel, seen = {"plate": 0, "block": 1, "ball": 2}, set()
    for y in range(5, HIGH, 5):
        for x in range(5, WIDE, 5):
            around = {
                painting.block_at(scene.start, x + 0.5 + across, y + 0.5 + down)
                for across, down in ((0, 0), (-1.3, 0), (1.3, 0), (0, -1.3), (0, 1.3))
            }
            if len(around) == 1 and around != {""}:  # a pixel on a rim is of two colours
                (block,) = around
                seen.add(block)
                assert shown[y, x].argmax() == channel[block], (x, y)
    assert seen == set(channel)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_picture_fills_the_pixels_of_the_screen(ratio: float) -> None:
    scene = scene_with(block=box((1.0, 1.0, 1.0)))
    shown = pixels_of(scene, Camera(azimuth=0.0, elevation=0.0, distance=5.0), ratio)
    red = np.argwhere(shown[:, :, 0] > shown[:, :, 1] + 60)
    middle, wide = (red.min(axis=0) + red.max(axis=0) + 1) / 2, np.ptp(red[:, 1]) + 1
    np.testing.assert_allclose(middle, [HIGH * ratio / 2, WIDE * ratio / 2], atol=0.5)
    # its front is 4.5 m away
    expected = ratio * HIGH / (2 * 4.5 * np.tan(0.26))
    assert wide == pytest.approx(expected, abs=2.0)


def test_cylinder_is_smooth_and_has_two_rims_for_edges() -> None:
    scene = scene_with(drum=cylinder(1.0, 2.0))
    mesh, smoothing = scene.mesh, scene.smoothing
    vertices = mesh.vertices(scene.start)
    ends = vertices[np.concatenate((smoothing.edges, smoothing.ends))]
    assert len(smoothing.edges) > 40
    np.testing.assert_allclose(np.abs(ends[:, 2]), 1.0)  # none goes along the drum
    normals = smoothing.normals(areas_of(vertices))
    side = np.abs(normals[:, 2]) < 0.5
    out = vertices[side] * [1, 1, 0]
    np.testing.assert_allclose(normals[side], out / np.linalg.norm(out, axis=1)[:, None], atol=1e-6)
    np.testing.assert_allclose(np.abs(normals[~side, 2]), 1.0, atol=1e-9)


def test_box_has_its_twelve_edges_and_plane_faces() -> None:
    scene = scene_with(block=box((1.0, 1.0, 1.0)))
    vertices = scene.mesh.vertices(scene.start)
    smoothing = scene.smoothing
    along = vertices[smoothing.ends] - vertices[smoothing.edges]
    assert np.linalg.norm(along, axis=1).sum() == pytest.approx(12.0)
    assert np.abs(smoothing.normals(areas_of(vertices))).max(axis=1).min() == pytest.approx(1.0)


def test_two_blocks_that_touch_keep_their_edges() -> None:
    halves = [[face + np.array([0, 0, z]) for face in box((1.0, 1.0, 1.0))] for z in (-0.5, 0.5)]
    smoothing = scene_with(low=halves[0], high=halves[1]).smoothing
    vertices = smoothing.mesh.vertices(np.zeros((0, 12)))
    along = vertices[smoothing.ends] - vertices[smoothing.edges]
    assert np.linalg.norm(along, axis=1).sum() == pytest.approx(24.0)


def test_selected_solids_keep_colours_that_mean_something_within_a_rim() -> None:
    scene, camera = scene_with(block=box((1.0, 1.0, 1.0))), Camera()
    camera.fit(scene.points_at(scene.start), WIDE, HIGH)
    scale, painted = Scale(("#ff0000",), "", ()), frozenset({"block"})
    plain = pixels_of(scene, camera, scale=scale)
    rimmed = pixels_of(scene, camera, scale=scale, selected=painted)
    changed = (rimmed != plain).any(axis=2)
    assert changed.any()
    red = (plain[..., 0] > plain[..., 2]) & (plain[..., 1] < plain[..., 0])
    # the faces but for a pixel of smoothing at their border; without a scale they are painted
    assert (changed & red).sum() < 0.1 * red.sum()
    assert ((pixels_of(scene, camera, selected=painted) != plain).any(axis=2) & red).sum() > 0.9 * red.sum()


def test_other_pose_is_faint_behind_the_mechanism() -> None:
    scene = scene_with(block=box((0.6, 0.6, 0.6)))
    camera = Camera(azimuth=0.0, elevation=0.0, distance=5.0)
    ghost = scene.mesh.vertices(scene.start) + np.array([0.0, 0.9, 0.0])
    plain, shown = pixels_of(scene, camera), pixels_of(scene, camera, ghost=ghost)
    changed = np.abs(shown - plain).max(axis=2)
    own = plain[:, :, 0] > plain[:, :, 1] + 60
    assert changed[own].max() == 0
    assert 10 < changed.max() < 80


def test_what_has_left_for_nowhere_hides_nothing_else() -> None:
    """A face or a line without a place is not painted, the others are."""
    lines = np.array([[[0, -1, 0], [0, 1, 0]], [[0, 0, -1], [0, 0, np.nan]]])
    faces = np.array([[[0, -1, z], [0, 1, z], [0, 1, z + 0.3], [0, -1, z + 0.3]] for z in (0.2, np.inf)])
    picture = DepthImage(Camera(azimuth=0.0, elevation=0.0, distance=5.0), WIDE, HIGH, 1.0)
    picture.lines(lines.reshape(-1, 3), np.array([0xFFFF0000, 0xFF00FF00]), 3.0)
    picture.faces(faces.reshape(-1, 3), np.zeros(8), np.array([0, 1]), np.array([[0xFF0000FF], [0xFF00FF00]]))
    assert {*np.unique(picture._buffer.words & 0xFFFFFFFF).tolist()} >= {0xFFFF0000, 0xFF0000FF}
    assert 0xFF00FF00 not in picture._buffer.words & 0xFFFFFFFF


def test_large_pictures_have_fewer_samples_a_pixel(monkeypatch) -> None:
    monkeypatch.setattr(depth_image, "ENABLED", False)
    assert depth_image.samples_of(640 * 480) == 1  # painted in Python
    monkeypatch.setattr(depth_image, "ENABLED", True)
    assert depth_image.samples_of(640 * 480) == 3
    assert depth_image.samples_of(1820 * 970) == 2
    assert depth_image.samples_of(3840 * 2160) == 1


def test_view_waits_for_nobody_who_compiles(sim, qtbot, monkeypatch) -> None:
    """It says that the picture is being prepared, and shows it once the loader is free."""
    depth_image._load_beside.cache_clear()
    held, done = threading.Event(), threading.Event()

    def compile_long() -> None:
        with object_loader._lock:
            held.set()
            done.wait(LONG / 1000)

    other = threading.Thread(target=compile_long)
    other.start()
    held.wait(LONG / 1000)
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    panel.show_model(sim)
    panel.show()
    panel.canvas.grab()
    assert panel.canvas.empty_text() == ("" if PLAIN else PREPARES)
    done.set()
    other.join()
    qtbot.waitUntil(lambda: panel.canvas.empty_text() == "", timeout=LONG)


def shown_in(canvas: Canvas3D, size: float) -> None:
    scene = scene_with(block=box((size, size, size)))
    scene.size = size
    canvas.show_scene(scene)


def test_mechanism_of_another_size_is_fitted_until_a_hand_moves_the_camera(qtbot) -> None:
    canvas = Canvas3D()
    qtbot.addWidget(canvas)
    canvas.resize(300, 200)
    shown_in(canvas, 0.1)
    near = canvas.camera.distance
    shown_in(canvas, 1.1 / GROWN * 0.1)
    assert canvas.camera.distance == near
    shown_in(canvas, 0.2)  # fits no more
    assert canvas.camera.distance > 1.5 * near
    shown_in(canvas, 10.0)
    far = canvas.camera.distance
    assert far > 50 * near
    canvas.by_hand = True
    shown_in(canvas, 1.0)
    assert canvas.camera.distance == far

"""What blocks without a shape of their own look like: where they stand, how large they are, what is in view."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip

import luff
from luff.gui.document.part_stand import SHOWN_ON_A_STAND
from luff.gui.view3d.camera import FILLED, Camera, MotionExtent
from luff.gui.view3d.face_arrays import LIGHT_FROM, Mesh, areas_of, units_of
from luff.gui.view3d.painter import Look, Painting
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.view3d.scene_shapes import SPRING, Arrow, Skin, place, points_of
from luff.gui.view3d.solid_faces import box
from luff.tests.gui.driver import LONG

LIBRARY = Path(luff.__file__).parent / "library"
STAND = """luff: 1
blocks:
  stand:
    type: base_support
    mass: 100
    inertia: [10, 10, 10]
    frame_b: {at: [0, 0, 1]}
    supports:
      - {at: [1, 0.5, 0], stiffness: [1e5, 1e5, 1e5]}
      - {at: [1, -0.5, 0], stiffness: [1e5, 1e5, 1e5]}
      - {at: [-1, 0.5, 0], stiffness: [1e5, 1e5, 1e5]}
      - {at: [-1, -0.5, 0], stiffness: [1e5, 1e5, 1e5]}
  jib: {type: fixed, at: [2, 0, 3]}
  hung: {type: rigid_link, mass: 1, com: [0, 0, -4], inertia: [1, 1, 1]}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- jib.frame_a
  - jib.frame_b -- hung.frame_a
"""
HOIST = """luff: 1
blocks:
  drum_at: {type: fixed, at: [0, 0, 1]}
  over: {type: fixed, at: [3, 0, 6]}
  hang: {type: free, initial: {position: [3, 0, 2]}}
  load: {type: rigid_link, mass: 100, inertia: [1, 1, 1]}
  ground: {type: contact}
  turn: {type: bushing}
  winch: {type: winch, radius: 0.4}
  still: {type: constant, value: 0, unit: rad/s}
  rope: {type: rope, through: 1, reeving: 2, length: 20}
connect:
  - world.frame -- drum_at.frame_a
  - world.frame -- over.frame_a
  - world.frame -- hang.frame_a
  - hang.frame_b -- load.frame_a
  - drum_at.frame_b -- rope.frame_a
  - over.frame_b -- rope.sheave_1
  - load.frame_b -- rope.frame_b
  - winch.take_up -> rope.take_up
  - still.y -> winch.velocity
  - world.frame -- ground.plane
  - load.frame_a -- ground.of
  - world.frame -- turn.frame_a
  - load.frame_a -- turn.frame_b
"""


def scene(text: str) -> Scene:
    return scene_of(luff.compile(luff.loads(text)))


def corners(shown: Scene, skin: Skin) -> np.ndarray:
    return Mesh([skin]).vertices(shown.start)


def middle(points: np.ndarray) -> np.ndarray:
    return (points.min(axis=0) + points.max(axis=0)) / 2


def test_a_base_is_a_plate_across_its_supports_on_coils_that_end_on_the_ground() -> None:
    shown = scene(STAND)
    plate, *others = (corners(shown, skin) for skin in shown.skins if skin.block == "stand")
    np.testing.assert_allclose(plate[:, :2].min(axis=0), [-1, -0.5])
    np.testing.assert_allclose(plate[:, :2].max(axis=0), [1, 0.5])
    assert plate[:, 2].min() == pytest.approx(0)
    # a boom to frame_b, and a pad on the ground below each coil
    assert max(boom[:, 2].max() for boom in others) == pytest.approx(1, abs=0.1)
    coils = [points_of(line, shown.start) for line in shown.lines if line.kind == SPRING]
    assert len(coils) == 4
    for low, high in coils:
        assert low[2] < high[2] == pytest.approx(0)
        np.testing.assert_allclose(low[:2], high[:2])
        assert any(np.allclose(middle(pad)[:2], low[:2]) for pad in others)


def test_supports_above_the_lowest_layer_reach_aside() -> None:
    shown = scene(STAND.replace("at: [-1, -0.5, 0]", "at: [-1, -0.5, 2]"))
    ends = [points_of(line, shown.start) for line in shown.lines if line.kind == SPRING]
    (aside,) = (end for end in ends if end[1][2] == pytest.approx(2))
    assert aside[0][2] == pytest.approx(2)
    assert np.linalg.norm(aside[0][:2]) > np.linalg.norm(aside[1][:2])


def test_a_weld_with_an_offset_is_a_strut_and_a_mass_far_out_counts() -> None:
    shown = scene(STAND)
    (strut,) = (corners(shown, skin) for skin in shown.skins if skin.block == "jib")
    np.testing.assert_allclose(
        [strut.min(axis=0), strut.max(axis=0)], [[0, 0, 1], [2, 0, 4]], atol=0.02 * shown.size
    )
    # from the world's origin, and the mass at z = 4 - 4, up to the end of the jib
    assert shown.size == pytest.approx(np.linalg.norm([2, 0, 4]))


def test_a_frame_beside_a_boom_has_an_arm_from_the_nearest_place() -> None:
    shown = scene("""luff: 1
blocks:
  joint: {type: revolute, axis: y}
  boom: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [8, 0, 0]}, frames: {lug: {at: [3, 0, -1]}}}
connect: [world.frame -- joint.frame_a, joint.frame_b -- boom.frame_a]
""")
    main, arm = (corners(shown, skin) for skin in shown.skins if skin.block == "boom")
    assert np.ptp(main[:, 0]) == pytest.approx(8)
    np.testing.assert_allclose(middle(arm), [3, 0, -0.5], atol=1e-9)
    assert np.ptp(arm[:, 2]) == pytest.approx(1)


def test_a_platform_is_a_deck_under_all_that_stands_on_it() -> None:
    shown = scene_of(luff.compile(luff.load(LIBRARY / "crane_offshore.yaml")))
    (plate,) = (corners(shown, skin) for skin in shown.skins if skin.block == "deck")
    foot = place(shown.start, *shown.frames["slew.frame_a"])
    assert np.all(plate.min(axis=0)[:2] < foot[:2])
    assert np.all(plate.max(axis=0)[:2] > foot[:2])
    np.testing.assert_allclose(plate.min(axis=0)[:2], -plate.max(axis=0)[:2], atol=1e-9)


def test_a_rope_has_its_drum_its_sheaves_and_its_falls() -> None:
    shown = scene(HOIST)
    wheels = [corners(shown, skin) for skin in shown.skins if skin.block == "rope"]
    middles = np.array([middle(wheel) for wheel in wheels])
    sheave, drum, block = (
        wheels[int(np.linalg.norm(middles - at, axis=1).argmin())] for at in ([3, 0, 6], [0, 0, 1], [3, 0, 2])
    )
    # about y, across the plane in which the rope runs
    assert np.ptp(drum[:, 0]) == pytest.approx(0.8, rel=0.01)  # the winch's own radius
    assert np.ptp(sheave[:, 1]) < 0.5 * np.ptp(sheave[:, 0])
    assert np.ptp(block[:, 2]) > 0
    falls = [points_of(line, shown.start) for line in shown.lines if line.block == "rope"]
    assert len(falls) == 2
    np.testing.assert_allclose(np.mean(falls, axis=0), [[0, 0, 1], [3, 0, 6], [3, 0, 2]], atol=1e-9)


def test_a_tie_to_the_world_shows_while_its_block_is_selected(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(HOIST)))
    canvas = panel.canvas
    assert canvas.scene is not None
    always = {"rope", "drum_at", "over"}  # and offsets from the world
    assert {line.block for line in canvas._painting(canvas.scene).lines} == always
    canvas.select(frozenset(["turn"]))
    assert {line.block for line in canvas._painting(canvas.scene).lines} == always | {"turn"}


def test_a_point_on_a_plane_has_a_pad() -> None:
    shown = scene(HOIST)
    (pad,) = (corners(shown, skin) for skin in shown.skins if skin.block == "ground")
    assert pad[:, 2].min() == pytest.approx(2)
    np.testing.assert_allclose(middle(pad)[:2], [3, 0], atol=1e-9)


def test_a_wheel_stands_on_its_rail_between_rollers() -> None:
    text = """luff: 1
blocks:
  crane: {type: free, initial: {position: [5, 0, 1], rotate: [[z, 90 deg]]}}
  leg: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  wheel: {type: rail_wheel, radius: 0.4}
  guide: {type: guide_roller, play: 0.1}
connect: [world.frame -- crane.frame_a, crane.frame_b -- leg.frame_a, world.frame -- wheel.frame_a,
          leg.frame_a -- wheel.frame_b, world.frame -- guide.frame_a, leg.frame_a -- guide.frame_b]
"""
    shown = scene(text)
    (wheel,) = (corners(shown, skin) for skin in shown.skins if skin.block == "wheel")
    np.testing.assert_allclose(middle(wheel), [5, 0, 1.4], atol=1e-9)
    # its axle, y of the leg, lies along -x of the world
    np.testing.assert_allclose(np.ptp(wheel, axis=0), [0.2, 0.8, 0.8], rtol=0.05)
    rollers = [middle(corners(shown, skin)) for skin in shown.skins if skin.block == "guide"]
    assert sorted(abs(at[0] - 5) > 0.1 for at in rollers) == [True, True]


def test_a_rod_is_painted_behind_its_barrel() -> None:
    shown = scene_of(luff.compile(luff.load(LIBRARY / "luffing_circuit.yaml")))
    chrome = {shown.mesh.back[k] for k, colour in enumerate(shown.mesh.colours) if colour == "#c9ced4"}
    assert min(chrome) > 0


def test_faces_in_parts_cover_the_same_area_and_keep_the_outer_edges() -> None:
    whole = Mesh([Skin("b", "bodies", box((4.0, 2.0, 1.0)), 0)])
    parts = Mesh([Skin("b", "bodies", box((4.0, 2.0, 1.0)), 0)], longest=1.0)
    assert (len(whole.blocks), len(parts.blocks)) == (6, 2 * (8 + 4 + 2))
    pose = np.array([[*np.eye(3).ravel(), 0, 0, 0]])

    def area(mesh: Mesh) -> float:
        quads = mesh.vertices(pose).reshape(-1, 4, 3)
        return (
            0.5 * np.linalg.norm(np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]), axis=1).sum()
        )

    def edges(mesh: Mesh) -> float:
        quads = mesh.local.reshape(-1, 4, 3)
        return float((np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2) * mesh.edges).sum())

    assert area(parts) == pytest.approx(area(whole)) == pytest.approx(28)
    assert edges(parts) == pytest.approx(edges(whole)) == pytest.approx(2 * 4 * (4 + 2 + 1))
    np.testing.assert_allclose(
        np.unique(np.abs(units_of(areas_of(parts.vertices(pose)))), axis=0), np.eye(3)[::-1]
    )
    # the rays of a round lid are no edges: its rim is
    lid = Mesh(
        [Skin("b", "bodies", [np.array([[np.cos(a), np.sin(a), 0] for a in np.arange(16) * np.pi / 8])], 0)]
    )
    assert edges(lid) == pytest.approx(16 * 2 * np.sin(np.pi / 16))


def test_what_is_thin_casts_a_whole_shadow(qapp: QApplication) -> None:
    start = np.array([[1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 3.0]])  # 3 m above the ground
    scene = Scene([Skin("bar", "bodies", box((10.0, 0.12, 0.12)), 0)], start=start, size=10.0)
    camera, pictures = Camera(distance=20.0), []
    for shadow in (True, False):
        picture = QImage(500, 300, QImage.Format.Format_RGB32)
        painter = QPainter(picture)
        Painting(scene, camera, Look(shadow=shadow), 500, 300).paint(painter, start)
        painter.end()
        pictures.append(picture)
    bar = np.column_stack((np.linspace(-4.5, 4.5, 60), np.zeros(60), np.full(60, 3.0)))
    flat = camera.project(bar - 3.0 / LIGHT_FROM[2] * LIGHT_FROM, 500, 300).astype(int)
    shade, light = ([picture.pixelColor(x, y).lightness() for x, y, _ in flat] for picture in pictures)
    darker = np.array(light) - shade
    assert darker.min() > 0.4 * darker.max() > 0


@pytest.mark.parametrize(("width", "height"), [(800, 600), (300, 700)])
def test_what_is_fitted_fills_the_picture_to_its_margin(width: int, height: int) -> None:
    points = np.random.default_rng(4).normal(size=(200, 3)) * [3.0, 1.0, 2.0] + [5.0, -2.0, 1.0]
    camera = Camera()
    camera.fit(points, width, height)
    flat = camera.project(points, width, height)[:, :2] / [width, height] - 0.5
    low, high = flat.min(axis=0), flat.max(axis=0)
    tight = int(high.argmax())  # the other way there is room
    assert high[tight] == pytest.approx(-low[tight]) == pytest.approx(0.5 * FILLED)
    assert -low[1 - tight] <= 0.5 * FILLED


def test_nothing_is_fitted_behind_the_controls(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(STAND)), 280, 300)
    canvas = panel.canvas
    canvas.home()
    assert canvas.scene is not None
    flat = canvas.project(canvas.scene.points_at(canvas.pose))
    assert flat[:, 1].min() >= panel.trace_button.geometry().bottom()
    assert flat[:, 1].max() <= canvas.height()


def test_an_extent_grows_by_what_lies_outside_alone() -> None:
    extent = MotionExtent()
    cloud = np.random.default_rng(5).normal(size=(100, 3))
    assert extent.add(cloud, 0.0)
    assert not extent.add(0.5 * cloud, 0.0)
    assert not extent.add(np.full((1, 3), np.nan), 0.0)
    assert extent.add(np.array([[9.0, 0.0, 0.0]]), 0.5)
    assert extent.points[:, 0].max() == pytest.approx(9.5)
    assert not extent.add(np.array([[9.4, 0.0, 0.0]]), 0.5)


def test_arrows_are_in_view(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(HOIST)))
    canvas = panel.canvas
    arrow = Arrow(np.array([3.0, 0.0, 6.0]), np.array([0.0, 0.0, 4.0]))
    canvas.show_pose(canvas.pose, [arrow])
    ((x, y, _),) = canvas.project((arrow.at + arrow.vector)[None])
    assert 0 < x < canvas.width()
    assert 0 < y < canvas.height()


@pytest.mark.parametrize("traced", [False, True])
def test_all_that_a_quick_run_went_through_is_in_view_at_its_end(make_view, traced: bool) -> None:
    panel = make_view(luff.compile(luff.loads(HOIST)))
    runner = panel.runner
    canvas = panel.canvas
    assert canvas.scene is not None
    for k in range(101):  # up and down again, seen only at the end
        pose = canvas.scene.start.copy()
        pose[:, 11] += 20.0 * np.sin(np.pi * k / 100)
        runner.poses.add(0.01 * k, pose)
    panel.follow()
    if traced:
        panel._pick("load.frame_b")
    highest = canvas.scene.frames_at(runner.poses.frames[50])
    flat = canvas.project(highest)
    assert np.all((flat[:, :2] > 0) & (flat[:, :2] < (canvas.width(), canvas.height())))


def test_a_part_says_how_it_is_seen(make_window, qtbot) -> None:
    window = make_window((LIBRARY / "bridge_crane.yaml").read_text())
    qtbot.waitUntil(lambda: window.running.badge.text().startswith("Part"), timeout=LONG)
    assert window.view3d.canvas.empty_text() == SHOWN_ON_A_STAND


def test_the_mouse_tells_what_is_under_it(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(STAND)))
    canvas = panel.canvas

    def told(point: list[float]) -> str:
        ((x, y, _),) = canvas.project(np.array([point]))
        at = QPoint(round(x), round(y))
        QApplication.sendEvent(canvas, QHelpEvent(QEvent.Type.ToolTip, at, canvas.mapToGlobal(at)))
        return QToolTip.text()

    assert told([1.0, 0.0, 2.5]) == "jib"
    assert told([2.0, 0.0, 4.0]) == "hung.frame_b"
    assert canvas.tip_at(QPointF(2, 358)) == ""


def test_hidden_shapes_are_not_drawn() -> None:
    text = """luff: 1
blocks:
  free: {type: free}
  body: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: box, size: [1, 1, 1]},
         shapes: {hull: {kind: box, size: [2, 2, 2], hidden: HIDDEN}}}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
"""
    for hidden, count in (("false", 2), ("true", 1)):
        scene = scene_of(luff.compile(luff.loads(text.replace("HIDDEN", hidden))))
        assert len([skin for skin in scene.skins if skin.block == "body"]) == count

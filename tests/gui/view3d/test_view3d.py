"""The 3-D view: geometry against closed forms, and a picture that shows it."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainterPath, QPolygonF
from PySide6.QtTest import QTest

import luff
from luff.gui.document.document import Document
from luff.gui.run.run_control import RunControl
from luff.gui.run.run_history import History
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.face_arrays import Mesh
from luff.gui.view3d.load_overlays import KINDS, LONGEST, Reactions
from luff.gui.view3d.painter import faces_as_path
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import place
from luff.gui.view3d.solid_faces import ball, box, capsule, cylinder, prism
from luff.gui.view3d.view3d_panel import View3D
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG

ARM = """luff: 1
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: -30 deg}}
  upper: {type: rigid_link, mass: 2 kg, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  slide: {type: prismatic, axis: x, initial: {position: 0.25}}
  fore: {type: rigid_link, mass: 1 kg, com: [0.3, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [0.6, 0, 0]}}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- slide.frame_a
  - slide.frame_b -- fore.frame_a
"""


@pytest.fixture(scope="module")
def sim():
    return luff.compile(luff.loads(ARM))


def test_frames_stand_where_the_joints_put_them(sim) -> None:
    scene = scene_of(sim)
    tip = place(scene.start, *scene.frames["fore.frame_b"])
    # a turn of -30 degrees about y lifts the x axis by 30 degrees
    reach = 1 + 0.25 + 0.6
    expected = [reach * math.cos(math.pi / 6), 0, reach * math.sin(math.pi / 6)]
    np.testing.assert_allclose(tip, expected, atol=1e-12)
    assert scene.size == pytest.approx(reach)


def test_a_closed_mechanism_stands_closed_before_it_runs() -> None:
    library = Path(luff.__file__).parent / "library"
    scene = scene_of(luff.compile(luff.load(library / "crane_knuckle_boom.yaml")))
    for boom in ("inner", "outer"):
        pins = [
            place(scene.start, *scene.frames[f"{boom}.{port}"])
            for port in ("boom.rod_pin", "cylinder.frame_b")
        ]
        np.testing.assert_allclose(*pins, atol=1e-9)


BEAM = """luff: 1
blocks:
  wall: {type: fixed}
  beam:
    type: rfem_link
    length: 2 m
    section: {shape: rectangle, width: 50 mm, height: 10 mm}
    E: 70 GPa
    G: 26 GPa
    rho: 2700 kg/m^3
    divisions: 10
connect: [world.frame -- wall.frame_a, wall.frame_b -- beam.frame_a]
initial: {solve: static}
"""


def test_flexible_link_bends_as_a_beam_does() -> None:
    scene = scene_of(luff.compile(luff.loads(BEAM)))
    (skin,) = (skin for skin in scene.skins if skin.block == "beam")
    mesh = Mesh([skin])
    corners = mesh.vertices(scene.start)
    sides = corners[:-8].reshape(-1, 4, 4, 3)  # four between two rings, without the lids
    rings = [*sides[:, :, 0], sides[-1, :, 3]]
    x, y, z = np.array([ring.mean(axis=0) for ring in rings]).T
    assert np.abs(y).max() < 1e-12
    assert np.ptp(corners[:, 1]) == pytest.approx(0.05)
    # Euler-Bernoulli under its own weight: w(x) = q x^2 (6 L^2 - 4 L x + x^2) / (24 E I)
    load, stiffness = 2700 * 0.05 * 0.01 * 9.81, 70e9 * 0.05 * 0.01**3 / 12
    expected = -load * x**2 * (6 * 4 - 8 * x + x**2) / (24 * stiffness)
    assert len(x) > 8
    assert x[-1] == pytest.approx(2.0, rel=0.01)  # the tip comes nearer as the beam bends
    # ten rigid pieces instead of a curve, and 4.5 % of its length is a large deflection
    np.testing.assert_allclose(z, expected, atol=0.02 * 0.0907)


@pytest.mark.parametrize(
    ("joint", "drawn"), [("spherical", 1), ("spherical, coordinates: quaternion", 1), ("free", 0)]
)
def test_a_ball_joint_is_a_ball_by_angles_and_by_a_quaternion(joint: str, drawn: int) -> None:
    scene = scene_of(
        luff.compile(
            luff.loads(f"""luff: 1
blocks:
  pin: {{type: {joint}}}
  bob: {{type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]
""")
        )
    )
    assert sum(skin.block == "pin" for skin in scene.skins) == drawn


def test_model_without_a_mechanism_says_so(qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    assert "once it compiles" in panel.canvas.empty_text()
    panel.show_model(luff.compile(luff.loads("luff: 1\nblocks: {s: {type: sine}}\n")))
    assert "no mechanism" in panel.canvas.empty_text()
    panel.canvas.home()
    panel.show_model(luff.compile(luff.loads(ARM)))
    assert panel.canvas.empty_text() == ""


def test_mesh_moves_with_its_rows(sim) -> None:
    scene = scene_of(sim)
    before = scene.mesh.vertices(scene.start).copy()
    moved = scene.start.copy()
    moved[:, 9:] += [1.0, 2.0, 3.0]
    after = scene.mesh.vertices(moved)
    shift = after[: len(scene.mesh.rows)] - before[: len(scene.mesh.rows)]
    inside = scene.mesh.rows >= 0
    np.testing.assert_allclose(shift[inside], np.tile([1.0, 2.0, 3.0], (inside.sum(), 1)), atol=1e-12)


def volume(faces: list[np.ndarray]) -> float:
    """By the divergence theorem: positive when all faces look outwards."""
    total = 0.0
    for face in faces:
        for k in range(1, len(face) - 1):
            total += float(face[0] @ np.cross(face[k], face[k + 1])) / 6
    return total


@pytest.mark.parametrize("axis", [[0, 0, 2.0], [1.0, 0, 0], [0.3, -0.5, 0.8]])
def test_solids_are_closed_and_look_outwards(axis: list[float]) -> None:
    end = np.array(axis)
    sides = 10
    section = 0.5 * sides * 0.2**2 * math.sin(2 * math.pi / sides)
    found = volume(prism(np.zeros(3), end, 0.2, sides))
    assert found == pytest.approx(section * float(np.linalg.norm(end)))
    # a coarse ball inscribed in its sphere
    sphere = 4 / 3 * math.pi * 0.5**3
    assert 0.85 * sphere < volume(ball(end, 0.5)) < sphere
    assert volume(box((2.0, 3.0, 4.0))) == pytest.approx(24)
    wall = 16 / 2 * math.sin(math.pi / 8) * 0.5**2 * 2  # sixteen sides
    assert volume(cylinder(1.0, 2.0)) == pytest.approx(wall)
    assert volume(capsule(1.0, 2.0)) == pytest.approx(wall + volume(capsule(1.0, 0.0)))


def test_camera_projects_the_target_to_the_middle_and_keeps_right_handed() -> None:
    camera = Camera(target=np.array([1.0, 2.0, 3.0]))
    (x, y, depth), *_ = camera.project(np.array([[1.0, 2.0, 3.0]]), 400, 300)
    assert (x, y) == (200, 150)
    assert depth == pytest.approx(camera.distance)
    right, up, towards = camera.axes()
    np.testing.assert_allclose(np.cross(right, up), towards, atol=1e-12)
    # an upright line stays upright, its upper end above
    low, high = camera.project(np.array([[1.0, 2.0, 2.9], [1.0, 2.0, 3.1]]), 400, 300)
    assert high[1] < low[1]
    assert high[0] == pytest.approx(low[0])


def test_panel_shows_the_model_orbits_traces_and_plays(sim, qtbot) -> None:
    runner = RunControl()
    panel = View3D(runner)
    qtbot.addWidget(panel)
    panel.resize(480, 360)
    panel.show()
    empty = panel.canvas.grab().toImage()
    panel.show_model(sim)
    shown = panel.canvas.grab().toImage()
    assert shown != empty
    azimuth = panel.canvas.camera.azimuth
    canvas = panel.canvas
    QTest.mousePress(
        canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, canvas.rect().center()
    )
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.camera.azimuth != azimuth
    canvas.home()
    assert canvas.camera.azimuth == azimuth
    scene = canvas.scene
    assert scene is not None
    for k in range(20):
        pose = scene.start.copy()
        pose[:, 9] += 0.1 * k
        runner.poses.add(0.05 * k, pose)
    panel.follow()
    tip = place(canvas.pose, *scene.frames["fore.frame_b"])
    x, y, _ = canvas.project(tip[None, :])[0]
    assert canvas.frame_at(QPointF(x, y)) == "fore.frame_b"
    panel._pick("fore.frame_b")
    assert len(canvas.trace) == 20
    np.testing.assert_allclose(canvas.trace[-1] - canvas.trace[0], [1.9, 0, 0], atol=1e-12)
    panel.slider.setValue(4)
    assert len(canvas.trace) == 5
    np.testing.assert_array_equal(canvas.pose, runner.poses.frames[4])
    panel.play.setChecked(True)
    qtbot.waitUntil(lambda: not panel.play.isChecked(), timeout=LONG)
    assert panel.slider.value() == 19
    # an edit shows the mechanism at its start, and the slider stands there
    panel.show_model(sim)
    np.testing.assert_array_equal(canvas.pose, scene.start)
    assert (panel.slider.value(), panel.label.text()) == (0, "t = 0 s")


def test_view_steps_back_when_the_mechanism_leaves_it_unless_turned_by_hand(sim, qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    panel.resize(480, 360)
    panel.show()
    panel.show_model(sim)
    canvas = panel.canvas
    assert canvas.scene is not None
    np.testing.assert_allclose(
        canvas.scene.frames_at(canvas.pose),
        [place(canvas.pose, row, point) for row, point in canvas.scene.frames.values()],
    )
    near = canvas.camera.distance
    away = canvas.scene.start.copy()
    away[:, 9] += 30.0
    canvas.show_pose(away)
    far = canvas.camera.distance
    assert far > 2 * near
    flat = canvas.project(canvas.scene.frames_at(away))
    assert np.all((flat[:, 0] > 0) & (flat[:, 0] < canvas.width()))
    canvas.show_pose(canvas.scene.start)
    assert canvas.camera.distance == far  # it does not follow to and fro
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    further = canvas.scene.start.copy()
    further[:, 9] -= 90.0
    canvas.show_pose(further)
    assert canvas.camera.distance == far
    canvas.home()
    assert canvas.camera.distance > far


SHAPED = """luff: 1
blocks:
  low: {type: rigid_link, shape: {kind: box, size: [0.2, 0.4, 0.6], at: [0, 0, 1], color: "#c04020"}}
  rig: {type: ./arm.yaml}
connect: [world.frame -- low.frame_a, low.frame_b -- rig.base]
"""
PART = """luff: 1
ports: {base: turn.frame_a}
blocks:
  turn: {type: revolute, axis: z}
  ball: {type: rigid_link, shape: {kind: sphere, size: 0.5, at: [2, 0, 1], density: 1000}}
connect: [turn.frame_b -- ball.frame_a]
"""


def shown_at(canvas, point: list[float]) -> QPointF:
    x, y, _ = canvas.project(np.array([point]))[0]
    return QPointF(x, y)


def test_shapes_stand_where_they_are_put_in_their_colours(tmp_path) -> None:
    (tmp_path / "arm.yaml").write_text(PART)
    scene = scene_of(luff.compile(luff.loads(SHAPED, base=tmp_path)))
    corners = scene.mesh.vertices(scene.start)
    box = corners[
        [k for k, quad in enumerate(scene.mesh.blocks) for k in range(4 * k, 4 * k + 4) if quad == "low"]
    ]
    np.testing.assert_allclose([box.min(axis=0), box.max(axis=0)], [[-0.1, -0.2, 0.7], [0.1, 0.2, 1.3]])
    assert {skin.colour for skin in scene.skins if skin.block == "low"} == {"#c04020"}
    (ball_skin,) = (skin for skin in scene.skins if skin.block == "rig.ball")
    far = np.linalg.norm(np.concatenate(ball_skin.faces) - [2, 0, 1], axis=1)
    np.testing.assert_allclose(far, 0.25)


def test_canvas_and_3d_view_select_alike(tmp_path, qtbot, monkeypatch) -> None:
    (tmp_path / "arm.yaml").write_text(PART)
    (tmp_path / "top.yaml").write_text(SHAPED)
    window = Window(Document(luff.load(tmp_path / "top.yaml")))
    qtbot.addWidget(window)
    monkeypatch.setattr(window.files, "may_close", lambda _: True)
    window.tabs.show()
    view = window.view3d
    qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=LONG)
    canvas = view.canvas
    canvas.resize(500, 400)
    canvas.home()
    click = lambda at, keys=Qt.KeyboardModifier.NoModifier: QTest.mouseClick(  # noqa: E731
        canvas, Qt.MouseButton.LeftButton, keys, at.toPoint()
    )
    plain = canvas.grab().toImage()
    click(shown_at(canvas, [0, 0, 1]))
    assert window.view.canvas.selected_blocks() == ["low"]
    assert canvas.grab().toImage() != plain
    # a part of a composite stands for it
    click(shown_at(canvas, [2, 0, 1]), Qt.KeyboardModifier.ShiftModifier)
    assert sorted(window.view.canvas.selected_blocks()) == ["low", "rig"]
    click(QPointF(8, 390))
    assert window.view.canvas.selected_blocks() == []
    window.view.canvas.select(["rig"])
    assert canvas.look.selected == {"rig"}
    window.editing.open_block("rig")
    click(shown_at(canvas, [2, 0, 1]))
    assert window.view.canvas.selected_blocks() == ["ball"]
    assert canvas.look.selected == {"rig.ball"}


def test_named_views_fit_the_mechanism(sim, qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    panel.resize(480, 360)
    panel.show()
    panel.show_model(sim)
    canvas = panel.canvas
    for key, seen in ((Qt.Key.Key_1, (0, 2)), (Qt.Key.Key_2, (1, 2)), (Qt.Key.Key_3, (0, 1))):
        QTest.keyClick(canvas, key)
        flat = canvas.project(canvas.scene.points_at(canvas.pose))
        assert np.all((flat[:, :2] > 0) & (flat[:, :2] < (canvas.width(), canvas.height())))
        for axis in range(3):  # across the picture, or up, or away from the eye
            tip = canvas.project(
                np.array([canvas.camera.target, canvas.camera.target + 0.1 * np.eye(3)[axis]])
            )
            assert (np.linalg.norm(np.diff(tip[:, :2], axis=0)) > 4) == (axis in seen)


def test_all_that_may_be_shown_beside_changes_the_picture(sim, qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    panel.resize(480, 360)
    panel.show()
    panel.show_model(sim)
    panel.canvas.show_pose(panel.canvas.pose + np.eye(12)[11] * 0.3)
    for name, action in panel.shown_beside.items():
        if name in (*KINDS, "contacts", "stresses", "water"):
            continue  # these need a run, or a sea
        before = panel.canvas.grab().toImage()
        action.trigger()
        assert panel.canvas.grab().toImage() != before, action.text()


def test_playback_keeps_to_the_chosen_speed(sim, qtbot, monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(
        "luff.gui.view3d.view3d_panel.time",
        SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0]),
    )
    runner = RunControl()
    panel = View3D(runner)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_model(sim)
    for k in range(101):
        runner.poses.add(0.1 * k, panel.canvas.scene.start)
    panel.follow()
    panel.slider.setValue(0)
    panel.play.setChecked(True)
    panel._timer.stop()
    now[0] += 1.0
    panel._tick()
    assert panel.slider.value() == 10
    panel.speed.setCurrentIndex(panel.speed.findData(5.0))
    now[0] += 1.0
    panel._tick()
    assert panel.slider.value() == 60


HELD = """luff: 1
blocks:
  wall: {type: fixed, rotate: [[y, 90 deg]], at: [1, 0, 2]}
  hinge: {type: revolute, axis: x, initial: {position: 30 deg}}
  bob: {type: rigid_link, mass: 3 kg, com: [1, 0, 0], inertia: [1, 1, 1]}
connect: [world.frame -- wall.frame_a, wall.frame_b -- hinge.frame_a, hinge.frame_b -- bob.frame_a]
"""


def test_arrows_show_what_joints_carry_in_the_world() -> None:
    """Weights pull down, and the joint holds them up, in whatever axes it says so."""
    sim = luff.compile(luff.loads(HELD))
    session = sim.start(stop=0.2)
    session.film = 1
    while session.advance(0.1) == "running":
        pass
    times, poses = session.take_film()
    stamps, rows = session.take()
    history = History(session.columns)
    history.append(stamps, rows)
    scene = scene_of(sim)
    reactions = Reactions(scene, history)
    arrows = {}
    for kind in ("forces", "torques"):
        found = reactions.arrows(kind, float(times[3]), poses[3])
        arrows[kind] = dict(zip(reactions.names[kind], found, strict=False))
    # the com lies on the hinge's axis, which hangs straight down: nothing moves
    up = arrows["forces"]["hinge"]
    np.testing.assert_allclose(up.at, [1, 0, 2], atol=1e-9)
    np.testing.assert_allclose(up.vector, [0, 0, LONGEST * scene.size], atol=1e-6)
    assert arrows["torques"] == {}  # rounding is drawn no larger than it is
    assert Reactions(scene, history).arrows("forces", 99.0, poses[3]) == []


def test_forces_of_a_run_are_in_the_picture_on_demand(qtbot) -> None:
    sim = luff.compile(luff.loads(HELD))
    runner = RunControl()
    panel = View3D(runner)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_model(sim)
    columns = [f"hinge.total_force[{k}]" for k in range(3)]
    runner.run = SimpleNamespace(history=History(columns), poses=runner.poses)
    runner.history.append(np.array([0.0, 0.1]), np.array([[-30.0, 0, 0], [0, 0, 60.0]]))
    for k in range(2):
        runner.poses.add(0.1 * k, panel.canvas.scene.start)
    panel.follow()
    panel.shown_beside["forces"].trigger()
    plain = panel.canvas.grab().toImage()
    panel.slider.setValue(0)
    assert len(panel.canvas.look.arrows) == 1
    assert panel.canvas.grab().toImage() != plain
    panel.shown_beside["forces"].trigger()
    assert panel.canvas.look.arrows == []


@pytest.mark.parametrize("count", [1, 3])
def test_faces_read_as_one_path_are_those_added_one_by_one(count) -> None:
    faces = np.random.default_rng(0).uniform(0.0, 10.0, (count, 4, 2))
    expected = QPainterPath()
    expected.setFillRule(Qt.FillRule.WindingFill)
    for face in faces.tolist():
        expected.addPolygon(QPolygonF([QPointF(*corner) for corner in face]))
        expected.closeSubpath()
    assert faces_as_path(faces) == expected


def test_an_edit_keeps_the_camera_unless_nothing_would_be_in_the_picture(make_window, qtbot) -> None:
    window = make_window(ARM.replace("revolute, axis: y, initial: {position: -30 deg}", "free"))
    window.tabs.resize(1500, 950)
    window.panels.show("3-D View")
    view, document = window.view3d, window.document
    canvas, camera = view.canvas, view.canvas.camera
    qtbot.waitUntil(lambda: view.model is not None, timeout=LONG)

    def edited(work) -> tuple[float, ...]:
        before = view.model
        work()
        qtbot.waitUntil(lambda: view.model is not before, timeout=LONG)
        return camera.azimuth, camera.elevation, camera.distance, *camera.target

    start = canvas.scene.start
    canvas.home()
    seen = camera.azimuth, camera.elevation, camera.distance, *camera.target
    assert camera.shows(canvas.scene.points_at(start), canvas.width(), canvas.height(), canvas.top)
    # three times as long, so that its end leaves the picture, and with a block more
    assert edited(lambda: document.set_value("upper.frame_b.at", [3, 0, 0])) == seen
    assert not camera.shows(
        canvas.scene.points_at(canvas.scene.start), canvas.width(), canvas.height(), canvas.top
    )
    assert edited(lambda: document.set_value("fore.frame_b.at", [0.7, 0, 0])) == seen
    assert edited(document.undo.undo) == seen
    assert edited(document.undo.undo) == seen
    # out of sight altogether: fitted as far as Space fits it
    gone = edited(lambda: document.set_value("shoulder.initial.position", [100, 0, 0]))
    assert gone[:2] == seen[:2]
    assert edited(lambda: document.set_value("slide.initial.position", 0.5)) == gone
    for _ in range(2):
        edited(document.undo.undo)
    assert camera.distance > 10 * seen[2]
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert (camera.azimuth, camera.elevation, camera.distance, *camera.target) == pytest.approx(seen)


def test_space_fits_from_the_side_that_is_looked_from_home_turns_too(sim, qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    panel.resize(480, 360)
    panel.show()
    panel.show_model(sim)
    canvas, camera = panel.canvas, panel.canvas.camera
    QTest.keyClick(canvas, Qt.Key.Key_2)
    side, near = camera.azimuth, camera.distance
    away = canvas.scene.start.copy()
    away[:, 9:] += 100.0
    canvas.show_pose(away)
    assert camera.distance > 10 * near
    panel.show_model(sim)  # after an edit the motion before it is none to fit
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    QTest.mouseClick(panel.fit, Qt.MouseButton.LeftButton)
    assert (camera.azimuth, camera.distance) == (side, pytest.approx(near))
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert camera.azimuth != side


def test_nothing_is_in_the_picture_where_one_of_its_edges_parts_it_from_all_points() -> None:
    camera = Camera(azimuth=-math.pi / 2, elevation=0.0, distance=5.0)
    near = camera.project(np.zeros((1, 3)), 400, 300)[0]
    assert tuple(near[:2]) == (200, 150)
    box_ = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    # half of the picture's height at the target is 5 tan 0.35 = 1.83 m, half of its width a third more: 2.43 m
    for away, missed in (
        ([0, 0, 0], False), ([4.9, 0, 0], True), ([-4.9, 0, 0], True), ([2.9, 0, 0], False),
        ([0, 0, 3.3], True), ([0, 0, -3.3], True), ([0, 0, 2.9], False), ([0, -6.1, 0], True), ([0, -5.0, 0], False),
    ):  # fmt: skip
        assert camera.misses(box_ + away, 400, 300) == missed, away
    assert not camera.misses(100 * box_, 400, 300)  # from within
    assert camera.misses(1e-3 * box_, 400, 300)  # 300 px / 3.65 m: less than a pixel
    assert not camera.misses(0.1 * box_, 400, 300)
    assert camera.misses(box_ + np.array([0, 0, 2.2]), 400, 300, top=100.0)
    assert not camera.misses(box_ + np.array([0, 0, 1.2]), 400, 300, top=100.0)

"""The 3-D view: geometry against closed forms, and a picture that shows it."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

import luff
from luff.gui.document.document import Document
from luff.gui.run.run_control import RunControl
from luff.gui.run.run_history import History
from luff.gui.view3d.body_faces import clustered
from luff.gui.view3d.face_arrays import Mesh
from luff.gui.view3d.load_overlays import KINDS, LONGEST, Reactions
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.scene_shapes import place
from luff.gui.view3d.solid_faces import ball, box, capsule, cylinder, prism
from luff.gui.view3d.view3d_panel import View3D
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.view3d.arm_model import ARM
from luff.tests.gui.view3d.shown_run import show_run


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


def test_a_fine_mesh_keeps_one_vertex_of_each_cell() -> None:
    """By a slow twin: the first of a cell, cells in order, and each triangle between three of them once, in order."""
    draw = np.random.default_rng(1)
    vertices = draw.random((900, 3)) * [0.2, 1.0, 3.0]
    faces = draw.integers(0, len(vertices), (3000, 3))
    kept, triangles = clustered(vertices, faces, len(faces) - 1)
    low = vertices.min(axis=0)
    side = (vertices.max(axis=0) - low).max() / 64
    cells = [tuple(math.floor(share) for share in (vertex - low) / side) for vertex in vertices]
    order = sorted(set(cells))
    assert kept.tolist() == [cells.index(cell) for cell in order]
    number = {cell: k for k, cell in enumerate(order)}
    merged = (tuple(number[cells[k]] for k in face) for face in faces)
    assert [*map(tuple, triangles.tolist())] == sorted({face for face in merged if len(set(face)) == 3})
    assert len(kept) < len(vertices)
    assert clustered(vertices, faces)[1] is faces  # as few as may be drawn


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
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton)
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
    panel._pick("fore.frame_a")
    for way in canvas.look.trails:
        np.testing.assert_allclose(way[-1] - way[0], [1.9, 0, 0], atol=1e-12)
    assert [len(way) for way in canvas.look.trails] == [20, 20]
    panel.slider.setValue(4)
    assert [len(way) for way in canvas.look.trails] == [5, 5]
    np.testing.assert_allclose(canvas.look.trails[0][0], tip - [1.9, 0, 0], atol=1e-12)
    panel._pick("fore.frame_b")
    assert panel.traces.names == ["fore.frame_a"]
    np.testing.assert_array_equal(canvas.pose, runner.poses.frames[4])
    panel.play.setChecked(True)
    qtbot.waitUntil(lambda: not panel.play.isChecked(), timeout=LONG)
    assert panel.slider.value() == 19
    # an edit shows the mechanism at its start, and the slider stands there
    panel.show_model(sim)
    np.testing.assert_array_equal(canvas.pose, scene.start)
    assert (panel.slider.value(), panel.label.text()) == (0, "t = 0.000 s")


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


def test_all_that_may_be_shown_beside_changes_the_picture(panel: View3D) -> None:
    panel.canvas.show_pose(panel.canvas.pose + np.eye(12)[11] * 0.3)
    for name, action in panel.shown_beside.items():
        if name in (*KINDS, "contacts", "stresses", "water"):
            continue  # these need a run, or a sea
        before = panel.canvas.grab().toImage()
        action.trigger()
        assert panel.canvas.grab().toImage() != before, action.text()


def test_playback_keeps_to_the_chosen_speed(panel: View3D, monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(
        "luff.gui.view3d.view3d_panel.time",
        SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0]),
    )
    for k in range(101):
        panel.runner.poses.add(0.1 * k, panel.canvas.scene.start)
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


def test_forces_of_a_run_are_in_the_picture_on_demand(make_view) -> None:
    panel = make_view(luff.compile(luff.loads(HELD)))
    show_run(panel, [f"hinge.total_force[{k}]" for k in range(3)], [[-30.0, 0, 0], [0, 0, 60.0]])
    panel.shown_beside["forces"].trigger()
    plain = panel.canvas.grab().toImage()
    panel.slider.setValue(0)
    (arrow,) = panel.canvas.look.arrows
    assert panel.canvas.grab().toImage() != plain
    # the mouse on it tells whose it is and its own size, not that of the longest
    (x, y, _), (_, beside, _) = panel.canvas.project(np.array([arrow.at + 0.5 * arrow.vector, arrow.at]))
    assert panel.canvas.tip_at(QPointF(x, y)) == "hinge.total_force: 30 N"
    assert "total_force" not in panel.canvas.tip_at(QPointF(x, max(y, beside) + 20))
    panel.shown_beside["forces"].trigger()
    assert panel.canvas.look.arrows == []

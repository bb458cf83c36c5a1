"""The camera that a netlist keeps: written on demand, exactly undone, and where the window, films and pages begin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.film import film_of_run
from luff.gui.view3d.film_encoding import Shot, pictures
from luff.gui.view3d.html_replay import write_page
from luff.gui.view3d.mounted_camera import MountedCamera, apply_view, kept
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.window.main_window import Window
from luff.solver.diagram.view_section import CAB, FOLLOW, TIP
from luff.solver.simulation.session import Session
from luff.tests.browser import browser_path, opened
from luff.tests.gui.driver import LONG
from luff.tests.gui.view3d.test_mounted_camera import SLEWING


def placed(camera: Camera) -> np.ndarray:
    return np.array([*camera.eye, *camera.axes()[2]])


def shown(window: Window, qtbot) -> None:
    qtbot.waitUntil(lambda: window.view3d.canvas.scene is not None, timeout=LONG)


@pytest.mark.parametrize(
    "mount",
    [None, MountedCamera("boom.frame_b", FOLLOW), MountedCamera("boom.cab", CAB), MountedCamera("boom", TIP)],
)
def test_kept_camera_is_taken_again(mount: MountedCamera | None) -> None:
    """To the digits that are written: a thousandth of the distance, or a ten-thousandth of a radian."""
    if mount is not None and mount.camera == TIP:
        mount = MountedCamera("boom.frame_b", TIP)
    camera, scene = Camera(distance=7.0, target=np.array([1.0, 0.5, 0.2])), first_scene("")
    if mount is not None:
        mount.carry(camera, scene, scene.start)
    camera.orbit(40, -30)
    camera.zoom(1.3)
    if mount is not None:
        mount.carry(camera, scene, scene.start)
    raw = kept(camera, mount)
    again, view = Camera(), luff.compile(luff.loads(f"{SLEWING}view: {raw}\n")).program.flat.view
    assert view is not None
    other = apply_view(again, view, scene)
    assert other == mount
    if other is not None:
        other.carry(again, scene, scene.start)
    np.testing.assert_allclose(placed(again), placed(camera), atol=1e-3 * camera.distance)


def first_scene(view: str) -> Scene:
    return scene_of(luff.compile(luff.loads(SLEWING + view)))


def test_tip_looks_down_and_turns_with_its_boom_only_about_the_vertical() -> None:
    """The cab's x axis points 30 degrees up: a camera on its place looks down all the same."""
    camera, scene = Camera(), first_scene("")
    MountedCamera("boom.cab", TIP).carry(camera, scene, scene.start)
    np.testing.assert_allclose(camera.eye, [0.5, 0.3, 1], atol=1e-12)
    _, up, towards = camera.axes()
    np.testing.assert_allclose(towards, [0, 0, 1], atol=0.03)  # HIGHEST is a fiftieth of a radian off
    np.testing.assert_allclose(up, [0, 1, 0], atol=0.03)  # what is ahead of the frame


def test_keep_this_view_is_written_undone_and_opened_with(
    make_window: Callable[..., Window], tmp_path: Path, qtbot
) -> None:
    text = SLEWING.replace("simulation:", "simulation:  # as it was\n ")
    window = make_window(text, tmp_path / "slewing.yaml")
    shown(window, qtbot)
    canvas, document = window.view3d.canvas, window.top
    canvas.attach_camera(MountedCamera("boom.cab", CAB))
    canvas.repaint()
    canvas.camera.orbit(-60, 20)
    canvas.repaint()
    assert not document.modified
    (keep,) = (a for a in window.view3d.views.menu().actions() if a.text() == "Keep This View")
    keep.trigger()
    written = document.diagram.to_yaml()
    assert written.startswith(text)
    assert "view: {camera: cab, of: boom.cab, to: [" in written
    other = make_window(written)
    shown(other, qtbot)
    begun = other.view3d.canvas
    assert begun.mount == canvas.mount
    begun.resize(canvas.size())
    begun.repaint()
    np.testing.assert_allclose(placed(begun.camera), placed(canvas.camera), atol=1e-3)
    begun.show_pose(begun.pose)  # nothing stands it back
    np.testing.assert_allclose(placed(begun.camera), placed(canvas.camera), atol=1e-3)
    document.undo.undo()
    assert document.diagram.to_yaml() == text


def to_end(session: Session) -> None:
    while session.advance() == "running":
        pass


VIEW = "view: {camera: follow, of: boom, from: [0, -9, 3], to: [0, 0, 1]}\n"


def test_films_and_pages_begin_with_it_unless_a_side_is_asked_for(tmp_path: Path) -> None:
    film = film_of_run(luff.compile(luff.loads(SLEWING + VIEW)), to_end)
    first = next(pictures(film, Shot(200, 120), lambda k, n: True))
    assert not np.array_equal(first, next(pictures(film, Shot(200, 120, view="front"), lambda k, n: True)))
    turned = film_of_run(luff.compile(luff.loads(SLEWING)), to_end)
    assert not np.array_equal(first, next(pictures(turned, Shot(200, 120), lambda k, n: True)))
    browser = browser_path()
    if browser is None:
        pytest.skip("no browser on this machine; a film's first picture is tested above")
    write_page(film, tmp_path / "page.html")
    luff.export_page(luff.loads(SLEWING + VIEW), tmp_path / "model.html")
    with opened(browser, tmp_path / "profile") as page:
        page.open(f"{(tmp_path / 'page.html').as_uri()}#t=0.5")
        assert page.ask("document.body.dataset.time") == "0.500"
        sight = np.array(page.ask("stage.sight()"))
        tip = np.array([4 * np.cos(0.5), 4 * np.sin(0.5), 0])
        # single precision of the poses in a page, and turns between two of them
        np.testing.assert_allclose(sight, np.tile(tip, 2) + np.array([0, -9, 3, 0, 0, 1]), atol=1e-4)
        page.open((tmp_path / "model.html").as_uri())
        page.ask("luff.ready")
        page.until("document.body.dataset.drawn")
        np.testing.assert_allclose(page.ask("stage.sight()"), [4, -9, 3, 4, 0, 1], atol=1e-4)
        assert page.ask("document.getElementById('side').selectedIndex") == -1
        page.ask("look('')")
        assert page.ask("stage.sight()") != [4, -9, 3, 4, 0, 1]

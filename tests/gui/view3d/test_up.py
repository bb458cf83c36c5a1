"""`view: {up: y}`: a machine that was built with y upwards looks like one with z upwards."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

import luff
from luff.gui.view3d.camera import UP, Camera
from luff.gui.view3d.film import Film, film_of_run
from luff.gui.view3d.film_encoding import Shot, pictures
from luff.gui.view3d.html_replay import write_page
from luff.gui.view3d.mounted_camera import CAB, FOLLOW, MountedCamera, kept
from luff.solver.simulation.session import Session
from luff.tests.browser import browser_path, opened

# the frame of the post has its z axis upwards in both
ARM = """
luff: 1
blocks:
  world: {gravity: GRAVITY}
  post: {type: fixed, rotate: [[x, TURN deg]]}
  slew: {type: revolute, axis: z, initial: {position: 0.4, velocity: 1}}
  arm:
    type: rigid_link
    mass: 2
    com: [0.3, 0, 0.5]
    inertia: [1, 1, 1]
    frame_b: {at: [1, 0.2, 0.6]}
    shape: {kind: box, size: [1, 0.2, 0.3], at: [0.4, 0, 0.5]}
connect: [world.frame -- post.frame_a, post.frame_b -- slew.frame_a, slew.frame_b -- arm.frame_a]
simulation: {stop: 0.5 s, step: 10 ms}
"""
UPRIGHT = ARM.replace("GRAVITY", "[0, 0, -9.81]").replace("TURN", "0")
LYING = ARM.replace("GRAVITY", "[0, -9.81, 0]").replace("TURN", "-90")


def film(text: str) -> Film:
    def to_end(session: Session) -> None:
        while session.advance() == "running":
            pass

    return film_of_run(luff.compile(luff.loads(text)), to_end)


def picture(text: str, **ways: str) -> np.ndarray:
    shown = next(pictures(film(text), Shot(240, 160, **ways), lambda k, n: True)).astype(float)
    shown[76:, :84] = 0.0  # axes of the world
    return shown


@pytest.mark.parametrize("up", UP)
def test_the_axis_that_is_up_points_upwards_in_the_picture(up: str) -> None:
    axis = (1.0 if up[0] != "-" else -1.0) * np.eye(3)["xyz".index(up[-1])]
    camera = Camera(up=up)
    feet, head = camera.project(np.array([np.zeros(3), axis]), 400, 300)
    assert head[1] < feet[1] - 10
    assert head[0] == pytest.approx(feet[0])
    right, upwards, towards = camera.axes()
    assert np.linalg.det(np.array([right, upwards, towards])) == pytest.approx(1.0)


@pytest.mark.parametrize("ways", [{}, {"view": "front"}, {"follow": "arm"}, {"inside": "arm"}])
def test_films_of_both_are_alike(ways: dict[str, str]) -> None:
    """Ground, light, shadow and camera, too; a rounded edge of a face may differ by some levels."""
    upright, lying = picture(UPRIGHT, **ways), picture(LYING + "view: {up: y}\n", **ways)
    assert abs(upright - lying).mean() < 0.1
    assert abs(upright - lying).max() < 40.0
    if "inside" not in ways:  # nothing but the ground is ahead
        assert abs(upright - picture(LYING, **ways)).max() > 40.0


def test_pages_of_both_are_alike(tmp_path: Path) -> None:
    browser = browser_path()
    if browser is None:
        pytest.skip("no browser on this machine; films are compared above")
    shown = []
    with opened(browser, tmp_path / "profile") as page:
        for k, (text, inside) in enumerate(
            [
                (UPRIGHT, ""),
                (LYING + "view: {up: y}\n", ""),
                (UPRIGHT, "arm"),
                (LYING + "view: {up: y}\n", "arm"),
            ]
        ):
            write_page(film(text), tmp_path / f"{k}.html", inside=inside)
            page.open(f"{(tmp_path / f'{k}.html').as_uri()}#t=0.5")
            assert page.ask("document.body.dataset.time") == "0.500"
            code = page.ask("document.querySelector('canvas').toDataURL()").partition(",")[2]
            image = QImage.fromData(base64.b64decode(code)).convertToFormat(QImage.Format.Format_RGB32)
            shown.append(np.frombuffer(image.constBits(), np.uint8).astype(float))
    assert abs(shown[0] - shown[1]).mean() < 0.1
    assert abs(shown[2] - shown[3]).mean() < 0.1
    assert abs(shown[0] - shown[2]).mean() > 1.0


def test_a_kept_view_keeps_what_is_up() -> None:
    sim = luff.compile(luff.loads(LYING + "view: {up: y}\n"))
    view = sim.program.flat.view
    assert view is not None
    assert view.up == "y"
    camera = Camera(up="y")
    mount = MountedCamera("arm.frame_b", FOLLOW, place=np.zeros(3))
    for mounted in (None, mount, MountedCamera("arm.frame_b", CAB, place=np.zeros(3))):
        written = kept(camera, mounted)
        assert written["up"] == "y"
        again = luff.compile(luff.loads(f"{LYING}view: {written}\n")).program.flat.view
        assert again is not None
        assert again.up == "y"


def test_a_camera_without_its_frame_is_told() -> None:
    for text, told in (
        ("{up: w}", "expected one of z, y, x"),
        ("{up: y, of: arm}", "found of, and no camera that it goes with"),
        ("{up: y, from: [1, 2, 3]}", "found from, and no camera"),
    ):
        with pytest.raises(luff.LuffError, match=told):
            luff.compile(luff.loads(f"{LYING}view: {text}\n"))

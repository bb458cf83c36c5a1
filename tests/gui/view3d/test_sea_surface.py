"""A sea in 3-D: as high as its block says, the same in films, shaded by what is over it, and off at a switch."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

import luff
from luff.gui.run.run_control import RunControl
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.face_arrays import Mesh
from luff.gui.view3d.film import film_of_run
from luff.gui.view3d.html_replay import write_page
from luff.gui.view3d.painter import Look, Painting
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.view3d.view3d_panel import View3D
from luff.tests.browser import browser_path, opened

# a post in water that is not deep, beside where phases count from
AFLOAT = """luff: 1
blocks:
  sea: {type: waves, Hs: 0.4 m, Tp: 4 s, direction: 30 deg, position: [1, 2], depth: 6 m, seed: 3, fade_in: 2 s}
  deck: {type: platform}
  foot: {type: fixed, at: [0.5, 0.2, 0.8]}
  post: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: box, size: [0.2, 0.2, 2], at: [0, 0, 1]}}
connect:
  - world.frame -- deck.frame_a
  - deck.frame_b -- foot.frame_a
  - foot.frame_b -- post.frame_a
  - sea.trajectory -> deck.heave
simulation: {stop: 3 s, step: 10 ms}
"""
ASHORE = "\n".join(line for line in AFLOAT.splitlines() if "sea" not in line)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(luff.compile(luff.loads(AFLOAT)))


def painted(scene: Scene, camera: Camera | None = None, **shown: object) -> bytes:
    camera = camera or Camera()
    camera.fit(scene.points_at(scene.start), 200, 150)
    image = QImage(200, 150, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    Painting(scene, camera, Look(**shown), 200, 150).paint(painter, scene.start)  # type: ignore[arg-type]
    painter.end()
    return bytes(image.constBits())


def test_water_is_as_high_as_its_block_says_where_it_stands(scene: Scene) -> None:
    """A record's rows are at times of their own; between lines of the sheet its height is straight."""
    result = luff.compile(luff.loads(AFLOAT)).run()
    water, rows = scene.water, range(0, len(result.time), 40)
    assert water is not None
    there = np.array([[1.0, 2.0, 0.0]])
    levels = [water.at(result.time[row], np.array([0, 0, 9.0])).level(there)[0] for row in rows]
    np.testing.assert_allclose(levels, result["sea.elevation"][list(rows)], atol=0.003)
    assert np.ptp(levels) > 0.1


def test_films_have_the_same_water(scene: Scene, tmp_path: Path) -> None:
    browser = browser_path()
    assert browser is not None
    film = film_of_run(luff.compile(luff.loads(AFLOAT)), lambda session: session.advance(steps=300))
    write_page(film, tmp_path / "sea.html")
    assert film.scene.water is not None
    surface = film.scene.water.at(2.5, np.array([0, 0, 9.0]))
    with opened(browser, tmp_path / "profile") as page:
        page.open((tmp_path / "sea.html").as_uri() + "#t=2.5")
        page.until("document.body.dataset.time === '2.500'")
        for x, y in [(0.0, 0.0), (-1.3, 0.7), (2.0, -2.0), (99.0, 0.0)]:
            level = surface.level(np.array([[x, y, 0.0]]))[0]
            assert page.ask(f"stage.level({x}, {y})") == pytest.approx(level, abs=1e-6)


# parts of the most that water changes a picture: a border would be all of it between two rows
SOFT = 0.25


@pytest.mark.parametrize("elevation", [0.2, 0.32, 0.6, 1.2, 1.55])
def test_water_ends_in_haze_and_not_at_a_border(scene: Scene, elevation: float) -> None:
    """Along the picture's left side, where no body is: as plain as the sky above the horizon, and no edge below it."""
    camera = Camera(elevation=elevation)
    wet, dry = (
        np.frombuffer(painted(scene, camera, time=2.5, corner=False, grid=False, water=water), np.uint8)
        .reshape(150, 200, 4)[:, 0, :3]
        .astype(int)
        for water in (True, False)
    )
    share = abs(wet - dry).sum(axis=1) / abs(wet - dry).sum(axis=1).max()
    assert abs(np.diff(share)).max() < SOFT
    assert share[-1] > 0.8
    if elevation < 0.25:  # the picture reaches beyond the horizon
        assert share[0] == 0.0


def test_water_is_without_end_at_any_distance(scene: Scene) -> None:
    assert scene.water is not None
    for distance in (0.1, 1.0, 5.0, 50.0):
        end = scene.water.along[-1] - scene.water.along.mean()
        assert scene.water.seen(np.array(end), distance * scene.water.reach) < 1 / 256


def test_waves_go_on_outwards_as_far_as_strips_show_them(scene: Scene) -> None:
    assert scene.water is not None
    shares = scene.water.shares
    middle = len(shares) // 2
    assert (shares[middle - 39 : middle + 40] == 1.0).all()
    assert (np.diff(shares[middle + 40 :], axis=0) <= 0.0).all()
    assert shares[0].max() == shares[-1].max() == 0.0


def test_pages_have_the_same_haze(tmp_path: Path) -> None:
    """Down the page's left side; its strips and gradients are the browser's, and its picture is of another size."""
    browser = browser_path()
    assert browser is not None
    film = film_of_run(luff.compile(luff.loads(AFLOAT)), lambda session: session.advance(steps=300))
    write_page(film, tmp_path / "sea.html", theme="light")
    column = "(() => [...canvas.getContext('2d').getImageData(1, 0, 1, canvas.height).data])()"
    with opened(browser, tmp_path / "profile") as page:
        page.open((tmp_path / "sea.html").as_uri() + "#t=2.5")
        page.until("document.body.dataset.time === '2.500'")
        page.ask("(stage.turn(0, -0.12), show(), 1)")
        sides = np.array(page.ask(column)).reshape(-1, 4)[:, :3]
    steps = abs(np.diff(sides, axis=0)).sum(axis=1)
    assert steps.max() < SOFT * abs(sides[-1] - sides[0]).sum()
    assert abs(sides[-1] - sides[0]).sum() > 150


# the picture of a later time, after that of an earlier one
DRAWN = "(now = 0, show(), now = 2.5, show(), canvas.toDataURL())"
# as if pictures that are laid over it had no bounds: they are cleared and laid as a whole
WHOLE = """(() => { const kind = CanvasRenderingContext2D.prototype, { clearRect, drawImage } = kind;
    kind.clearRect = function () { clearRect.call(this, 0, 0, this.canvas.width, this.canvas.height); };
    kind.drawImage = function (one, ...at) {
        drawImage.call(this, one, ...(at.length === 8 ? [0, 0, this.canvas.width, this.canvas.height] : at)); }; })()"""


def pixels(code: str) -> np.ndarray:
    """Levels of a picture that a canvas gives."""
    image = QImage.fromData(base64.b64decode(code.partition(",")[2]))
    image = image.convertToFormat(QImage.Format.Format_RGB32)  # whose bytes are read while it lives
    return np.frombuffer(image.constBits(), np.uint8).astype(int)


@pytest.mark.parametrize("text", [AFLOAT, ASHORE], ids=["afloat", "ashore"])
def test_nothing_of_water_and_shadow_lies_outside_of_what_is_laid(tmp_path: Path, text: str) -> None:
    browser = browser_path()
    assert browser is not None
    film = film_of_run(luff.compile(luff.loads(text)), lambda session: session.advance(steps=300))
    write_page(film, tmp_path / "film.html")
    with opened(browser, tmp_path / "profile") as page:
        page.open((tmp_path / "film.html").as_uri() + "#t=2.5")
        page.until("document.body.dataset.time === '2.500'")
        bounded = pixels(page.ask(DRAWN))
        page.ask(WHOLE)
        # a part of a picture is scaled with a rounding of its own
        assert abs(pixels(page.ask(DRAWN)) - bounded).max() <= 1


def test_water_moves_and_can_be_switched_off(scene: Scene) -> None:
    assert painted(scene, time=2.5) != painted(scene, time=3.0)
    assert painted(scene, time=2.5, water=False) == painted(scene, time=3.0, water=False)
    assert scene_of(luff.compile(luff.loads(ASHORE))).water is None


def test_the_view_offers_water_where_there_is_a_sea(qtbot) -> None:
    panel = View3D(RunControl())
    qtbot.addWidget(panel)
    for text, there in ((AFLOAT, True), (ASHORE, False)):
        panel.show_model(luff.compile(luff.loads(text)))
        assert panel.shown_beside["water"].isVisible() == there


def test_a_deck_in_a_sea_is_a_hull_as_high_as_what_stands_on_it(scene: Scene) -> None:
    def corners(shown: Scene) -> np.ndarray:
        return Mesh([skin for skin in shown.skins if skin.block == "deck"]).vertices(shown.start)

    hull = corners(scene)
    assert hull[:, 2].max() == pytest.approx(0.8)
    assert hull[:, 2].min() < -0.3
    assert corners(scene_of(luff.compile(luff.loads(ASHORE))))[:, 2].max() == pytest.approx(0.0)


def test_shadow_falls_on_the_water_and_on_no_body_before_it(scene: Scene) -> None:
    camera = Camera(azimuth=2.4)  # from behind, where the shadow falls
    camera.fit(scene.points_at(scene.start), 200, 150)
    plain, shaded = (
        np.frombuffer(painted(scene, camera, time=2.5, shadow=shadow), np.uint8).reshape(150, 200, 4)
        for shadow in (False, True)
    )
    darker = (plain.astype(int) - shaded)[:, :, :3].max(axis=2)
    painting = Painting(scene, camera, Look(), 200, 150)
    blocks = []
    for y, x in np.argwhere(darker > 0)[::8]:
        around = {painting.block_at(scene.start, x + a, y + b) for a in (-2, 0.5, 3) for b in (-2, 0.5, 3)}
        blocks += around if len(around) == 1 else ()  # a shadow is soft where a body begins
    assert blocks.count("") > 20
    assert "post" not in blocks

"""File > Export Animation, from the menu to the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtWidgets import QFileDialog, QProgressDialog

from luff.gui.window.dialogs.animation_dialog import Exporting
from luff.tests.gui.driver import LONG

PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 1}}
  bob: {type: rigid_link, shape: {kind: sphere, size: 0.3, at: [0, 0, -1], density: 1000}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]
simulation: {stop: 0.3 s, step: 1 ms, output_step: 10 ms}
"""


@pytest.fixture
def ran(make_window, qtbot):
    window = make_window(PENDULUM)
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    qtbot.waitUntil(lambda: window.view3d.canvas.scene is not None, timeout=LONG)
    return window


def save_as(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


def test_menu_films_the_last_run(ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export = ran.actions_["export_animation"]
    save_as(monkeypatch, tmp_path / "swing")
    export.trigger()
    assert "const data = {" in (tmp_path / "swing.html").read_text()
    save_as(monkeypatch, tmp_path / "swing.gif")
    export.trigger()
    with Image.open(tmp_path / "swing.gif") as image:
        assert image.size == (1280, 720)
        assert image.n_frames == 10  # 0.3 s, both ends
        image.seek(9)
        red, green, blue = np.asarray(image.convert("RGB"))[620:, :80].astype(int).transpose(2, 0, 1)
        for one, others in ((red, (green, blue)), (green, (red, blue)), (blue, (red, green))):
            assert (one - np.maximum(*others)).max() > 40  # each axis of the world keeps its colour
    # cancelled: nothing stays
    monkeypatch.setattr(QProgressDialog, "wasCanceled", lambda _: True)
    save_as(monkeypatch, tmp_path / "off.gif")
    export.trigger()
    assert "cancelled" in ran.message_label.text()
    save_as(monkeypatch, tmp_path / "odd.avi")
    export.trigger()
    assert "expected .html, .mp4, .gif" in ran.message_label.text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["swing.gif", "swing.html"]


def test_a_film_is_offered_beside_its_model(ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[str] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda _, __, start, *___: offered.append(start) or ("", "")
    )
    ran.document.save(tmp_path / "swing.yaml")
    for key in ("export_animation", "save_result"):
        ran.actions_[key].trigger()
    assert [Path(start).parent for start in offered] == [tmp_path] * 2
    assert Path(offered[0]).suffix == ".html"
    assert ".yaml" not in offered[0]


def test_without_a_run_there_is_nothing_to_film(make_window) -> None:
    window = make_window(PENDULUM)
    assert Exporting(window).film() is None
    window.actions_["export_animation"].trigger()
    assert "no finished run" in window.message_label.text()


def test_film_is_what_the_view_plays_back(ran) -> None:
    film = Exporting(ran).film()
    assert film is not None
    np.testing.assert_array_equal(film.times, ran.runner.poses.times)
    np.testing.assert_array_equal(film.poses[-1], ran.runner.poses.frames[-1])

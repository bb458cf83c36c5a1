"""Ways of frames and a second run in films: where they are in a page, and that pictures show them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import luff
from luff.gui.view3d.film import film_of_result, with_extras
from luff.tests.browser import browser_path, opened
from luff.tests.cli.test_animate import numbers, page
from luff.tests.process import call

# a wheel that turns evenly, seen from the front
WHEEL = """luff: 1
name: wheel
blocks:
  plan: {type: ramp, slope: 1}
  pin: {type: revolute, axis: y, driven: true}
  arm: {type: rigid_link, mass: 1, frame_b: {at: [1, 0, 0]}, shape: {size: [1, 0.05, 0.05], at: [0.5, 0, 0]}}
connect:
  - plan.trajectory -> pin.follow
  - world.frame -- pin.frame_a
  - pin.frame_b -- arm.frame_a
simulation: {stop: 3 s, step: 10 ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("trails")
    (made / "wheel.yaml").write_text(WHEEL)
    call("run", "wheel.yaml", "-o", "one.h5", cwd=made)
    call("run", "wheel.yaml", "-o", "half.h5", "--set", "plan.slope=0.5", cwd=made)
    return made


def test_a_page_has_the_way_of_a_frame_and_the_other_run(folder: Path) -> None:
    call("animate", "one.h5", "half.h5", "--trail", "arm", "-o", "a.html", cwd=folder)
    data = page(folder / "a.html")
    (trail,) = data["trails"]
    assert trail["name"] == "arm.frame_b"
    t = numbers(data["times"])
    way = numbers(trail["points"]).reshape(-1, 3)
    np.testing.assert_allclose(way, np.stack([np.cos(t), 0 * t, -np.sin(t)], axis=1), atol=1e-6)  # 32 bits
    ghost = data["ghost"]
    poses = numbers(ghost["poses"]).reshape(-1, ghost["rows"], 7)
    half = np.arccos(
        np.clip(abs(poses[:, -1, 0] * poses[0, -1, 0] + (poses[:, -1, 1:4] * poses[0, -1, 1:4]).sum(1)), 0, 1)
    )
    np.testing.assert_allclose(2 * half, 0.5 * numbers(ghost["times"]), atol=2e-3)  # of 32 bits near 1
    assert len(numbers(ghost["corner_rows"], "<i4")) == len(numbers(data["corner_rows"], "<i4"))


def blue(pixels: np.ndarray) -> int:
    """Points of the first trail's colour, #0072B2."""
    return int((abs(pixels.astype(int) - [0, 0x72, 0xB2]).max(axis=2) < 40).sum())


def test_a_gif_draws_the_way_up_to_now(folder: Path) -> None:
    words = ("--size", "200x200", "--fps", "2", "--view", "front")
    call("animate", "one.h5", "--trail", "arm.frame_b", "-o", "a.gif", *words, cwd=folder)
    with Image.open(folder / "a.gif") as image:
        counts = []
        for k in range(image.n_frames):
            image.seek(k)
            counts.append(blue(np.asarray(image.convert("RGB"))))
    assert all(np.diff(counts) > 0)
    assert counts[-1] - counts[0] > 100  # of what else is blue; half a circle of 84 points


def test_a_second_run_shows_in_pictures_and_is_in_view(folder: Path) -> None:
    film, other = (film_of_result(luff.read(folder / f"{name}.h5"), folder) for name in ("one", "half"))
    both = with_extras(film, (), other)
    assert len(both.points()) == len(film.points()) + len(other.points())
    for name, against in (("a", ()), ("b", ("half.h5",))):
        call(
            "animate", "one.h5", *against, "-o", f"{name}.gif", "--size", "200x200", "--fps", "1", cwd=folder
        )
    last = []
    for name in "ab":
        with Image.open(folder / f"{name}.gif") as image:
            image.seek(image.n_frames - 1)
            last.append(np.asarray(image.convert("RGB")).astype(int))
    assert (abs(last[1] - last[0]).max(axis=2) > 8).sum() > 50


def test_a_page_draws_them_in_a_browser(folder: Path, tmp_path: Path) -> None:
    browser = browser_path()
    if browser is None:
        pytest.skip("no browser on this machine; the page's data is tested above")
    words = ("--view", "front", "--theme", "light")
    call("animate", "one.h5", "half.h5", "--trail", "arm", "-o", "seen.html", *words, cwd=folder)
    call("animate", "one.h5", "-o", "bare.html", *words, cwd=folder)
    with opened(browser, tmp_path) as shown:
        pictures = []
        for name, t in (("seen", 0.0), ("seen", 1.0), ("seen", 3.0), ("bare", 3.0)):
            shown.open(
                f"{(folder / name).with_suffix('.html').as_uri()}?{t}#t={t}"
            )  # a new address, so that it begins anew
            pictures.append(shown.picture()[:-60, :, :3])  # without the bar, which is blue too
    start, early, late, bare = map(blue, pictures)
    assert abs(start - bare) < 50  # of what else is blue
    assert bare + 100 < early < late
    # the same camera: the half that stays behind differs by its faded arm
    assert (abs(pictures[2].astype(int) - pictures[3]).max(axis=2) > 8).sum() > 500


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("one.h5 --trail hook", 1, "hook: there is no such frame"),
        ("one.h5 wheel.yaml", 2, "expected a result (.h5)"),
    ],
)
def test_mistakes_are_told(words: str, code: int, told: str, folder: Path) -> None:
    assert told in call("animate", *words.split(), "-o", "x.html", cwd=folder, code=code).stderr

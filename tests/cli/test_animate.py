"""Films: where the bodies of a recorded run are, and pages, GIFs and MP4s as a user makes them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import luff
from luff.gui.view3d.film import film_of_result
from luff.gui.view3d.html_replay import page_data
from luff.gui.view3d.row_poses import quaternions_of, rotations_of
from luff.tests.browser import browser_path, opened
from luff.tests.process import call

LIBRARY = Path(luff.__file__).parent / "library"

# a rod that swings, a ball that flies and tumbles, and a spring between them
THROWN = """luff: 1
name: a </script> thrown & swung
blocks:
  pin: {type: revolute, axis: y, initial: {position: 40 deg, velocity: 2}}
  rod: {type: rigid_link, frame_b: {at: [1, 0, 0]}, shape: {size: [1, 0.1, 0.1], at: [0.5, 0, 0], density: 500}}
  flight:
    type: free
    initial: {position: [1, 1, 1], velocity: [0, 1, 3], angular_velocity: [1, 9, 2], rotate: [[x, 50 deg]]}
  ball: {type: rigid_link, shape: {size: [0.2, 0.3, 0.4], density: 1000, color: red}}
  spring: {type: line_spring, stiffness: 5 N/m, free_length: 1 m}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - world.frame -- flight.frame_a
  - flight.frame_b -- ball.frame_a
  - rod.frame_b -- spring.frame_a
  - spring.frame_b -- ball.frame_a
simulation: {stop: 0.5 s, step: 1 ms, output_step: 20 ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a run whose mass was set by hand."""
    made = tmp_path_factory.mktemp("films")
    (made / "thrown.yaml").write_text(THROWN)
    call("run", "thrown.yaml", "-o", "thrown.h5", "--set", "rod.frame_b.at=[1.5, 0, 0]", cwd=made)
    return made


@pytest.mark.parametrize("name", ["crane_gpme", "crane_knuckle_boom", "thrown"])
def test_a_result_tells_where_all_bodies_were(name: str, folder: Path) -> None:
    """Loops, a base on springs, a flexible boom, a free body: as the run itself saw them."""
    path = folder / f"{name}.yaml" if name == "thrown" else LIBRARY / f"{name}.yaml"
    sim = luff.compile(luff.load(path))
    session = sim.start(stop=0.2)
    session.film = 1
    while session.advance(0.1) == "running":
        pass
    times, frames = session.take_film()
    stamps, rows = session.take()
    result = luff.Result(stamps, session.columns, rows, netlist=sim.program.flat.netlist, units=sim.units)
    film = film_of_result(result, path.parent)
    assert len(film.times) > 5
    place = np.searchsorted(times, film.times[1:] - 1e-9)
    np.testing.assert_allclose(film.times[1:], times[place])
    np.testing.assert_allclose(film.poses[1:], frames[place], atol=2e-9)


def test_quaternions_come_back_as_the_rotations_that_they_were() -> None:
    seed = 7
    q = np.random.default_rng(seed).normal(size=(200, 4))
    q[:4] = np.eye(4)  # half turns too
    R = rotations_of(q)
    np.testing.assert_allclose(rotations_of(quaternions_of(R)), R, atol=1e-14, err_msg=f"seed {seed}")


def page(path: Path) -> dict:
    (found,) = re.findall(r"^const data = (\{.*\});$", path.read_text(), re.MULTILINE)
    return json.loads(found)


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def test_a_page_holds_geometry_and_poses_of_the_run_that_was_made(folder: Path) -> None:
    call("animate", "thrown.h5", "-o", "thrown.html", cwd=folder)
    text = (folder / "thrown.html").read_text()
    assert "<title>a &lt;/script&gt; thrown &amp; swung</title>" in text
    assert "http" not in re.sub(r"^const data.*$", "", text, flags=re.MULTILINE)  # no network
    data = page(folder / "thrown.html")
    result = luff.read(folder / "thrown.h5")
    assert data["name"] == "a </script> thrown & swung"
    times = numbers(data["times"])
    np.testing.assert_allclose(times, result.time, atol=1e-6)
    poses = numbers(data["poses"]).reshape(len(times), data["rows"], 7)
    flown = result["flight.position"]
    assert any(np.allclose(poses[:, row, 4:], flown, atol=1e-5) for row in range(data["rows"]))
    # what was set by hand when it ran holds here as well: the end of the rod, where the spring begins
    (spring,) = data["lines"]
    assert max(map(np.linalg.norm, spring["points"])) == pytest.approx(1.5)
    heights = np.array(data["hull"])[:, 2]
    assert heights.min() < -1.0
    assert heights.max() > 1.4


def test_a_page_plays_in_a_browser(folder: Path, tmp_path: Path) -> None:
    browser = browser_path()
    if browser is None:
        pytest.skip("no browser on this machine; the page's data is tested above")
    call("animate", "thrown.h5", "-o", "seen.html", "--view", "front", "--theme", "dark", cwd=folder)
    address = (folder / "seen.html").as_uri()
    with opened(browser, tmp_path) as page:
        page.open(f"{address}#t=0.2")
        assert page.ask("document.body.dataset.time") == "0.200"
        assert int(page.ask("document.body.dataset.drawn")) > 10  # faces and pieces of lines
        early = page.picture()
        assert early.mean() < 100  # dark
    with opened(browser, tmp_path / "again") as page:
        page.open(address)
        # by itself, to its end
        page.until("document.body.dataset.time === '0.500' && play.textContent === '\u25b6'")
        late = page.picture()
        # a frame may bear a time before that of the click: the clock stands, and never goes back
        assert page.ask("run(true), tick(performance.now() - 5), now") == 0
    # the red ball has flown its arc, and is lower than after 0.2 s
    reds = [np.argwhere((seen[..., 0] > 100) & (seen[..., 1:].max(axis=2) < 80)) for seen in (early, late)]
    assert min(map(len, reds)) > 20
    assert reds[1][:, 0].mean() > reds[0][:, 0].mean() + 5  # px


def test_a_gif_shows_the_motion(folder: Path) -> None:
    call(
        "animate",
        "thrown.yaml",
        "-o",
        "a.gif",
        "--size",
        "161x120",
        "--fps",
        "10",
        "--speed",
        "0.5",
        cwd=folder,
    )
    with Image.open(folder / "a.gif") as image:
        assert image.size == (160, 120)
        assert image.n_frames == 11  # both ends
        assert image.info["duration"] == 100
        frames = []
        for k in (0, 10):
            image.seek(k)
            frames.append(np.asarray(image.convert("RGB")).astype(int))
    assert np.abs(frames[1] - frames[0]).max() > 60
    red = lambda pixels: (pixels[:, :, 0] > pixels[:, :, 1] + 60).sum()  # noqa: E731
    assert min(map(red, frames)) > 5  # the ball in its colour
    assert not list(folder.glob("*.partial*"))


def test_an_mp4_has_all_pictures(folder: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    call("animate", "thrown.h5", "-o", "a.mp4", "--size", "320x180", cwd=folder)
    frames, seconds = ffmpeg.count_frames_and_secs(str(folder / "a.mp4"))
    assert (frames, seconds) == (13, pytest.approx(0.52))


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("thrown.h5 -o a.avi", 2, "expected .html, .mp4, .gif"),
        ("thrown.h5 -o a.gif --size 10", 2, "--size: found"),
        ("thrown.h5 -o a.gif --follow nobody", 1, "there is no such frame"),
        ("thrown.h5 --set rod.frame_b.at=2", 2, "whose run is over"),
        ("few.h5", 1, "does not hold flight.position[0], flight.position[1]"),
        ("signals.yaml", 1, "no mechanism to show"),
    ],
)
def test_mistakes_are_told(words: str, code: int, told: str, folder: Path) -> None:
    if not (folder / "few.h5").exists() and "few" in words:
        (folder / "few.yaml").write_text(THROWN + "record: [pin.position]\n")
        call("run", "few.yaml", "-o", "few.h5", cwd=folder)
    (folder / "signals.yaml").write_text(
        "luff: 1\nblocks: {s: {type: sine}}\nsimulation: {stop: 1 s, step: 0.1 s}\n"
    )
    done = call("animate", *words.split(), cwd=folder, code=code)
    assert told in done.stderr


def test_a_film_between_its_poses_turns_and_moves_evenly(folder: Path) -> None:
    film = film_of_result(luff.read(folder / "thrown.h5"), folder)
    halves = (film.times[1:] + film.times[:-1]) / 2
    found = film.at(np.sort(np.concatenate((film.times, halves))))
    np.testing.assert_allclose(found[::2], film.poses, atol=1e-12)
    R = found[1::2, :, :9].reshape(-1, 3, 3)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)
    ends = film.poses[:, :, 9:]
    np.testing.assert_allclose(found[1::2, :, 9:], (ends[1:] + ends[:-1]) / 2, atol=1e-12)
    assert page_data(film)["rows"] == film.poses.shape[1]

"""`render` of environments, made by name as users of Gymnasium do, alone and side by side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.solver.batch.gym.test_environment import SEEN, TROLLEY

gymnasium = pytest.importorskip("gymnasium")

NAME = "luff/Netlist-v0"
COUNT = 9  # a group in lanes, and one by itself
ABOUT = {"actions": {"force": (-30, 30)}, "observations": SEEN, "duration": 2.0}
PUSH = np.linspace(-30.0, 30.0, COUNT).astype(np.float32)[:, None]


@pytest.fixture(scope="module")
def sim() -> luff.Simulation:
    assert luff.gym.Env.metadata["render_modes"] == ["rgb_array"]
    return luff.compile(luff.loads(TROLLEY))


def seen(picture: np.ndarray) -> np.ndarray:
    """Where something dark stands in a picture, but for the axes in its corner: rows and columns."""
    dark = picture[40:].mean(axis=2) < 140.0
    dark[-80:, :80] = False
    return np.argwhere(dark)


def test_pictures_of_lanes_are_those_of_single_environments(sim: luff.Simulation) -> None:
    many = gymnasium.make_vec(NAME, num_envs=COUNT, model=sim, render_mode="rgb_array", **ABOUT)
    ones = [gymnasium.make(NAME, model=sim, render_mode="rgb_array", **ABOUT) for _ in (0, COUNT - 1)]
    many.reset(seed=0)
    for one in ones:
        one.reset(seed=0)
    first = many.render()
    assert len(first) == COUNT
    for _ in range(20):
        many.step(PUSH)
        for one, push in zip(ones, PUSH[[0, -1]], strict=True):
            one.step(push)
    pictures, expected = many.render(), [one.render() for one in ones]
    assert expected[0].shape == (480, 640, 3)
    assert expected[0].dtype == np.uint8
    np.testing.assert_array_equal(pictures[0], expected[0])
    np.testing.assert_array_equal(pictures[-1], expected[-1])
    assert not np.array_equal(pictures[0], first[0])
    assert not np.array_equal(pictures[0], pictures[1])
    assert many.metadata["render_fps"] == ones[0].metadata["render_fps"] == 20


def test_a_window_can_follow_pictures(tmp_path: Path) -> None:
    """A process has one Qt application, which the first picture makes."""
    (tmp_path / "trolley.yaml").write_text(TROLLEY)
    script = f"""
import luff
from PySide6.QtWidgets import QLabel

env = luff.gym.Env(luff.compile(luff.load("trolley.yaml")), **{ABOUT}, render_mode="rgb_array")
env.reset(seed=0)
env.render()
print(QLabel("of a window").text())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "of a window\n", done.stderr


def test_what_moves_away_stays_in_the_picture(sim: luff.Simulation) -> None:
    env = luff.gym.Env(sim, **ABOUT, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    for _ in range(39):
        env.step(np.array([30.0]))
    assert env.session.outputs[0] > 5.0  # m, several times the size of it all
    after = env.render()
    for picture in (before, after):
        rows, columns = seen(picture).T
        assert len(rows) > 100
        assert 0 < columns.min() < columns.max() < 639


def test_a_model_with_other_parameters_is_drawn_as_it_is_now(sim: luff.Simulation) -> None:
    env = luff.gym.Env(sim, **ABOUT, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    env.reset(options={"parameters": {"load.com": [0, 0, -3]}})
    assert not np.array_equal(env.render(), before)


def test_pictures_of_many_are_one_for_stable_baselines(sim: luff.Simulation) -> None:
    many = luff.gym.VectorEnv(sim, 3, **ABOUT, render_mode="rgb_array")
    env = luff.gym.VecEnv(many)
    env.reset()
    picture, single = env.render(), np.asarray(many.render())
    assert picture is not None
    assert picture.shape == (960, 1280, 3)
    assert np.array_equal(picture[480:, :640], single[2])
    assert not picture[480:, 640:].any()


def test_drawing_that_was_not_asked_for_is_an_error(sim: luff.Simulation) -> None:
    for made in (luff.gym.Env(sim, **ABOUT), luff.gym.VectorEnv(sim, 2, **ABOUT)):
        made.reset(seed=0)
        with pytest.raises(luff.RunError, match='render_mode="rgb_array"'):
            made.render()
    with pytest.raises(luff.RunError, match='found "human", expected rgb_array'):
        luff.gym.Env(sim, **ABOUT, render_mode="human")
    with pytest.raises(luff.RunError, match='found "ansi", expected rgb_array'):
        luff.gym.VectorEnv(sim, 2, **ABOUT, render_mode="ansi")

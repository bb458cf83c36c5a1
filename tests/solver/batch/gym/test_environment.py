"""`luff.gym.Env`: Gymnasium's own checker, episodes that repeat, ends of all kinds, every misuse."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff

gymnasium = pytest.importorskip("gymnasium")

PAGE = (Path(luff.__file__).parent / "docs" / "learning.md").read_text(encoding="utf-8")
TROLLEY = re.findall(r"^```yaml[^\n]*\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[0]
SEEN = {"place": (-5, 5), "speed": (-5, 5), "angle": (-3, 3), "rate": (-9, 9)}


def env(**changes):
    about = {"actions": {"force": (-1, 1)}, "observations": SEEN, **changes}
    return luff.gym.Env(luff.loads(TROLLEY), **about)


def test_gymnasiums_checker_has_nothing_to_say() -> None:
    from gymnasium.utils.env_checker import check_env

    made = env(
        reward=lambda y, u: -abs(y["angle"]) - u["force"] ** 2,
        randomise=lambda draw: {"rope.initial.position": draw.uniform(0.2, 0.4)},
    )
    check_env(made, skip_render_check=True)


def test_an_episode_is_the_run_with_the_same_forces() -> None:
    made = env(reward=lambda y, u: 10 * y["angle"] + u["force"])
    seen, info = made.reset(seed=4)
    np.testing.assert_allclose(seen, [0, 0, 0.3, 0], atol=1e-7)  # float32
    session = luff.compile(luff.loads(TROLLEY)).start()
    draw = np.random.default_rng(7)
    for k in range(160):
        force = draw.uniform(-1, 1)
        expected = [session.step([force]) for _ in range(5)][-1]
        seen, reward, terminated, truncated, info = made.step(np.array([force]))
        np.testing.assert_array_equal(seen, expected.astype(np.float32))
        assert reward == pytest.approx(10 * expected[2] + force, rel=1e-12)
        assert info["time"] == pytest.approx(0.05 * (k + 1))
        assert (terminated, truncated) == (False, k == 159)


def test_a_seed_repeats_an_episode_and_options_set_parameters() -> None:
    made = env(randomise=lambda draw: {"rope.initial.position": draw.uniform(0.2, 0.4)})
    first, about = made.reset(seed=3)
    other, _ = made.reset()
    again, _ = made.reset(seed=3)
    assert first[2] == again[2] == np.float32(about["parameters"]["rope.initial.position"])
    assert other[2] != first[2]
    made.reset(options={"parameters": {"trolley.mass": 1e9}})
    assert abs(made.step(np.array([1.0]))[0][1]) < 1e-8


def test_environments_of_one_simulation_do_not_meet() -> None:
    """What one draws for its episode is no business of the others' episodes under way."""
    sim = luff.compile(luff.loads(TROLLEY))

    def made() -> luff.gym.Env:
        drawn = {"randomise": lambda draw: {"load.mass": draw.uniform(1.0, 4.0)}}
        return luff.gym.Env(sim, {"force": (-1, 1)}, SEEN, **drawn)

    alone, one, other = made(), made(), made()
    force = np.array([0.7])
    alone.reset(seed=1)
    expected = [alone.step(force)[0] for _ in range(20)]
    one.reset(seed=1)
    found = []
    for k in range(20):
        other.reset(seed=k)
        other.step(force)
        found.append(one.step(force)[0])
    np.testing.assert_array_equal(found, expected)
    assert sim.overrides == {}


def test_what_ends_an_episode() -> None:
    made = env(terminated=lambda y: y["speed"] > 0.05, duration=0.2, control_step=0.1)
    made.reset()
    ends = [made.step(np.array([1.0]))[2:4] for _ in range(2)]
    assert ends == [(False, False), (False, True)]
    fast = env(actions={"force": (-1e3, 1e3)}, terminated=lambda y: y["speed"] > 0.05)
    fast.reset()
    assert fast.step(np.array([100.0]))[2]
    wild = env(observations=["angle"])
    wild.reset(options={"parameters": {"rail.damping": 1e6}})  # far too stiff for the step
    terminated, info = False, {}
    for _ in range(160):
        _, _, terminated, _, info = wild.step(np.array([1.0]))
        if terminated:
            break
    assert terminated
    assert "not finite" in info["failed"]
    assert wild.reset()[0][0] == np.float32(0.3)


WRONG = [
    ({"actions": {"forse": (-1, 1)}}, "force"),
    ({"actions": {"force": (1, -1)}}, "bounds"),
    ({"observations": ["angel"]}, "angle"),
    ({"control_step": 0.015}, "control_step"),
    ({"duration": 0.01}, "duration"),
]


@pytest.mark.parametrize(("changes", "what"), WRONG)
def test_wrong_use_is_one_clear_error(changes, what: str) -> None:
    with pytest.raises(luff.LuffError) as caught:
        env(**changes)
    assert what in str(caught.value)


def test_without_gymnasium_the_error_says_what_to_install() -> None:
    script = "import sys; sys.modules['gymnasium'] = None; import luff; luff.gym"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert 'pip install "luff[gym]"' in done.stderr


def test_an_action_of_a_wrong_shape_is_an_error() -> None:
    made = env()
    made.reset()
    with pytest.raises(luff.RunError, match="shape"):
        made.step(np.zeros(2))


def test_an_episode_starts_at_a_given_or_drawn_state() -> None:
    made = env(
        randomise=lambda draw: {"rail.velocity": draw.uniform(1.0, 2.0), "load.mass": draw.uniform(1, 3)}
    )
    seen, about = made.reset(seed=2, options={"state": {"rope.position": -0.1}})
    drawn: Any = about["parameters"]
    assert {*drawn} == {"rail.velocity", "load.mass", "rope.position"}
    np.testing.assert_array_equal(seen, np.float32([0.0, drawn["rail.velocity"], -0.1, 0.0]))
    assert made.sim.get("load.mass") == drawn["load.mass"]
    own = luff.compile(
        luff.loads(TROLLEY), set={"load.mass": drawn["load.mass"], "rope.initial.position": -0.1}
    )
    session = own.start(x0={"rail.velocity": drawn["rail.velocity"]})
    expected = [session.step([0.5]) for _ in range(5)][-1]
    np.testing.assert_array_equal(made.step(np.array([0.5]))[0], expected.astype(np.float32))
    seen, _ = env().reset(options={"state": [1.0, 0.2, 0.0, 0.0]})
    over, about = made.reset(options={"state": {"rail.velocity": 0.25}})
    assert (over[1], about["parameters"]["rail.velocity"]) == (0.25, 0.25), (
        "what is given stands over what is drawn"
    )
    names = luff.compile(luff.loads(TROLLEY)).state_names
    values = dict(zip(names, [1.0, 0.2, 0.0, 0.0], strict=True))
    np.testing.assert_array_equal(
        seen,
        np.float32(
            [values[f"{joint}.{what}"] for joint in ("rail", "rope") for what in ("position", "velocity")]
        ),
    )
    with pytest.raises(luff.RunError, match='a reset has no option "sate"'):
        made.reset(options={"sate": {}})
    again, _ = made.reset(seed=2)
    assert again[2] == np.float32(0.3), "the state of one reset is not that of the next"


def test_times_have_units() -> None:
    made = env(control_step="20 ms", duration="0.1 s")
    made.reset()
    assert [made.step(np.array([0.0]))[3] for _ in range(5)] == [False] * 4 + [True]


@pytest.mark.parametrize("name", ["luff.gym:Env", "luff.gym:luff/Netlist-v0"])
def test_gymnasium_makes_it_by_name_in_a_fresh_process(name: str, tmp_path: Path) -> None:
    (tmp_path / "trolley.yaml").write_text(TROLLEY)
    script = (
        "import gymnasium, sys\n"
        f"env = gymnasium.make({name!r}, model='trolley.yaml', actions={{'force': (-1, 1)}})\n"
        "print(type(env.unwrapped).__module__, round(float(env.reset(seed=0)[0][2]), 3))\n"
        "import luff.gym\n"
        "print(luff.gym.Env is type(env.unwrapped), 'PySide6' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["luff.gui.view3d.gym_rendering", "0.3", "True", "False"], done.stderr

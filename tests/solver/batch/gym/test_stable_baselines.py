"""`luff.gym.VecEnv` beside single environments in a loop such as Stable-Baselines3's own vector has."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.tests.solver.batch.gym.test_environment import TROLLEY

pytest.importorskip("gymnasium")

COUNT = 6
ABOUT = {
    "actions": {"force": (-30.0, 30.0)},
    "reward": lambda y, u: -(y["angle"] ** 2) - 1e-4 * u["force"] ** 2,
    "terminated": lambda y: abs(y["speed"]) > 0.4,
    "randomise": lambda draw: {"rope.position": draw.uniform(0.2, 0.4)},
    "duration": 0.3,
}


@pytest.fixture
def sim() -> luff.Simulation:
    return luff.compile(luff.loads(TROLLEY))


def test_steps_are_those_of_single_environments_that_start_anew_at_their_end(sim: luff.Simulation) -> None:
    many = luff.gym.VecEnv(luff.gym.VectorEnv(sim, COUNT, **ABOUT))
    single = [luff.gym.Env(sim, **ABOUT) for _ in range(COUNT)]
    assert many.seed(5) == [5, 6, 7, 8, 9, 10]
    seen = many.reset()
    assert seen.tolist() == [env.reset(seed=5 + k)[0].tolist() for k, env in enumerate(single)]
    actions, over = np.random.default_rng(2), set[bool]()
    for _ in range(20):
        given = actions.uniform(-30.0, 30.0, (COUNT, 1))
        seen, rewards, ends, infos = many.step(given)
        for k, env in enumerate(single):
            last, reward, terminated, truncated, _ = env.step(given[k])
            assert rewards[k] == np.float32(reward)
            assert ends[k] == (terminated or truncated)
            assert infos[k]["TimeLimit.truncated"] == (truncated and not terminated)
            if ends[k]:
                over.add(terminated)
                assert infos[k]["terminal_observation"].tolist() == last.tolist()
                last, begun = env.reset()
                assert many.reset_infos[k]["parameters"] == begun["parameters"]
            assert seen[k].tolist() == last.tolist()
    assert over == {True, False}


def test_an_end_by_the_netlist_has_its_reason(sim: luff.Simulation) -> None:
    about = {**ABOUT, "terminated": None, "randomise": lambda draw: {"rail.velocity": 1e200}}
    env = luff.gym.VecEnv(luff.gym.VectorEnv(sim, 2, **about))
    env.reset()
    *_, ends, infos = env.step(np.zeros((2, 1)))
    assert ends.all()
    assert all("not finite" in info["failed"] for info in infos)


def test_single_environments_are_asked_and_set_by_their_numbers(sim: luff.Simulation) -> None:
    env = luff.gym.VecEnv(luff.gym.VectorEnv(sim, 3, **ABOUT))
    assert env.has_attr("randomise")
    assert not env.has_attr("nothing")
    env.set_attr("randomise", lambda draw: {"rope.position": 0.25}, indices=[0, 2])
    env.set_options({"parameters": {"load.mass": 3.0}})
    angles = env.reset()[:, 2]
    assert angles[[0, 2]].tolist() == [0.25, 0.25]
    assert angles[1] != 0.25
    assert [each.get("load.mass") for each in env.get_attr("sim")] == [3.0] * 3
    assert env.env_is_wrapped(object, indices=1) == [False]
    assert env.get_attr("render_mode") == [None] * 3
    assert env.render() is None
    with pytest.raises(luff.LuffError, match="go together"):
        env.env_method("step", np.zeros(1))
    with pytest.raises(luff.LuffError, match="expected a mapping"):
        env.set_options([{}, {}, {}])

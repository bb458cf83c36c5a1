"""`luff.gym.VectorEnv` beside Gymnasium's own vector of single environments, whatever a lane does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import luff
from luff.solver.codegen.transforms.entry_point_variants import LANES
from luff.tests.conftest import PLAIN
from luff.tests.solver.batch.gym.test_environment import SEEN, TROLLEY

gymnasium = pytest.importorskip("gymnasium")

DRIVE = {"force": (-30.0, 30.0)}
WILD = 1e6  # a damping that no step of 10 ms is stable with
COUNT = 11  # some groups, and three that are left over
SINE = TROLLEY.replace(
    "  rail: {", "  sway: {type: sine, amplitude: 2, frequency: 0.7 Hz}\n  rail: {"
).replace("  - inputs.force -> rail.effort", "  - sway.y -> rope.effort\n  - inputs.force -> rail.effort")


def reward(y, u):
    return -(y["angle"] ** 2) - 1e-4 * u["force"] ** 2


def fast(y):
    return abs(y["speed"]) > 0.4


def drawn(draw: np.random.Generator) -> dict[str, object]:
    return {"rope.initial.position": draw.uniform(0.2, 0.4)}


def about(**changes):
    return {
        "actions": DRIVE,
        "observations": SEEN,
        "reward": reward,
        "terminated": fast,
        "randomise": drawn,
        "duration": 0.3,
        **changes,
    }


@pytest.fixture(scope="module")
def trolley() -> luff.Simulation:
    return luff.compile(luff.loads(TROLLEY))


def beside(sim: luff.Simulation, mode: str, steps: int, **changes) -> Iterator[tuple]:
    """Steps of both with the same actions, which have to be the same."""
    args = about(**changes)
    one = gymnasium.vector.SyncVectorEnv(
        [lambda: luff.gym.Env(sim, **args) for _ in range(COUNT)], autoreset_mode=mode
    )
    two = luff.gym.VectorEnv(sim, COUNT, **args, autoreset_mode=mode)
    expected, got = one.reset(seed=5), two.reset(seed=5)
    same(expected, got)
    draw = np.random.default_rng(2)
    for _ in range(steps):
        action = draw.uniform(-30, 30, (COUNT, 1)).astype(np.float32)
        expected, got = one.step(action), two.step(action)
        same(expected, got)
        yield two, one, got


def same(expected, got) -> None:
    mine, theirs = dict(got[-1]), dict(expected[-1])
    # arrays in an array of objects
    np.testing.assert_equal([*mine.pop("final_obs", [])], [*theirs.pop("final_obs", [])])
    np.testing.assert_equal(mine, theirs)
    for mine, theirs in zip(got[:-1], expected[:-1], strict=True):
        # a square is rounded otherwise by Python than by numpy; all that is no reward has the same bits
        np.testing.assert_allclose(mine, theirs, rtol=1e-15 if mine.dtype == float else 0, atol=0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_are_those_of_single_environments(trolley: luff.Simulation, mode: str) -> None:
    """Ends at different times, each followed by a start of its own."""
    ended = cut = 0
    together = []
    for two, _, (_, _, terminations, truncations, _) in beside(trolley, mode, 16):
        ended, cut = ended + terminations.sum(), cut + truncations.sum()
        together.append(sum(two._env_lanes.inside[:LANES]))
    assert ended > 3
    assert cut > 3
    assert PLAIN or np.mean(together) > LANES - 1  # also those that begin anew


def test_a_lane_that_fails_ends_its_episode_alone(trolley: luff.Simulation) -> None:
    def damping(draw: np.random.Generator) -> dict[str, object]:
        return {"rail.damping": WILD if draw.uniform() < 0.2 else 2.0}

    failed = 0
    for _, _, (_, _, terminations, _, infos) in beside(
        trolley, "NextStep", 10, randomise=damping, terminated=None
    ):
        failed += terminations.sum()
        assert list(infos.get("_failed", np.zeros(COUNT, bool))) == list(terminations)
    assert failed > 0


def test_a_condition_of_the_netlist_ends_the_episode() -> None:
    sim = luff.compile(
        luff.loads(TROLLEY.replace("stop: 8 s", "stop: 8 s, stop_when: rail.velocity above 0.15 m/s"))
    )
    ends = 0
    for _, _, (_, _, terminations, _, infos) in beside(sim, "NextStep", 8, terminated=None, randomise=None):
        ends += terminations.sum()
        assert [bool(why) for why in infos.get("ended", [False] * COUNT)] == list(terminations)
    assert ends > 3


def test_a_model_that_hangs_on_time_knows_the_age_of_each_episode() -> None:
    assert sum(got[2].sum() for *_, got in beside(luff.compile(luff.loads(SINE)), "NextStep", 12)) > 3


def test_some_are_reset_and_the_others_wait(trolley: luff.Simulation) -> None:
    made = luff.gym.VectorEnv(
        trolley, COUNT, **about(duration=0.1, terminated=None), autoreset_mode="Disabled"
    )
    still = np.zeros((COUNT, 1))
    made.reset(seed=1)
    made.step(still)
    mask = np.arange(COUNT) % 2 == 0
    seen, infos = made.reset(options={"reset_mask": mask, "parameters": {"rope.initial.position": 0.25}})
    np.testing.assert_array_equal(seen[mask, 2], np.float32(0.25))
    assert list(infos["_time"]) == list(mask)
    assert list(made.step(still)[3]) == list(~mask)
    with pytest.raises(luff.RunError, match="environment 1 is at the end"):
        made.step(still)
    made.reset(options={"reset_mask": ~mask})
    assert list(made.step(still)[3]) == list(mask)


def test_lanes_threads_and_normalised_actions_change_no_bit(trolley: luff.Simulation) -> None:
    ways = [
        luff.gym.VectorEnv(trolley, 20, **about(terminated=None), **more)
        for more in ({}, {"lanes": False}, {"threads": 2}, {"normalise": True})
    ]
    rows = []
    for way, scale in zip(ways, (1, 1, 1, 30), strict=True):
        way.reset(seed=3)
        action = np.random.default_rng(4).integers(-30, 30, (20, 1)) / scale
        rows.append([way.step(action)[0] for _ in range(5)])
        way.close()
    for row in rows[1:3]:
        np.testing.assert_array_equal(row, rows[0])
    np.testing.assert_allclose(rows[3], rows[0], rtol=1e-6)  # k / 30 * 30, rounded, in single precision
    assert ways[3].single_action_space == gymnasium.spaces.Box(-1, 1, (1,))
    assert ways[0].action_space.shape == (20, 1)


def test_a_registered_environment_is_made_by_its_name(trolley: luff.Simulation) -> None:
    kwargs = about(model=luff.loads(TROLLEY))
    gymnasium.register(
        "Swing-v0", entry_point=luff.gym.Env, vector_entry_point=luff.gym.VectorEnv, kwargs=kwargs
    )
    try:
        made = gymnasium.make_vec("Swing-v0", num_envs=4, duration=0.1)
        counted = gymnasium.wrappers.vector.RecordEpisodeStatistics(made)
        counted.reset(seed=0)
        counted.step(np.zeros((4, 1), np.float32))
        *_, infos = counted.step(np.zeros((4, 1), np.float32))
        assert infos["episode"]["l"].tolist() == [2] * 4
        one = gymnasium.make("Swing-v0")
        assert one.reset(seed=0)[0].shape == (4,)
    finally:
        del gymnasium.registry["Swing-v0"]


WRONG = [
    ({"terminated": lambda y: y["speed"] > 0.1 and y["place"] > 1}, "write np.where"),
    ({"reward": lambda y, u: np.zeros(3)}, "reward"),
    ({"normalise": True, "actions": {"force": (-np.inf, 1.0)}}, "force"),
    ({"num_envs": 0}, "num_envs"),
]


@pytest.mark.parametrize(("changes", "what"), WRONG)
def test_wrong_use_is_one_clear_error(trolley: luff.Simulation, changes, what: str) -> None:
    def use() -> None:
        made = luff.gym.VectorEnv(trolley, **{"num_envs": 2, **about(**changes)})
        made.reset()
        made.step(np.zeros((2, 1)))

    with pytest.raises(luff.RunError, match=what):
        use()


def test_calls_out_of_order_are_errors(trolley: luff.Simulation) -> None:
    made = luff.gym.VectorEnv(trolley, 2, **about())
    with pytest.raises(luff.RunError, match="before the first reset"):
        made.step(np.zeros((2, 1)))
    with pytest.raises(luff.RunError, match="first reset"):
        made.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(luff.RunError, match="seeds"):
        made.reset(seed=[1, 2, 3])
    made.reset()
    with pytest.raises(luff.RunError, match="shape"):
        made.step(np.zeros(2))


@pytest.mark.parametrize("lanes", [True, False])
def test_states_are_those_of_single_environments(trolley: luff.Simulation, lanes: bool) -> None:
    angles = np.linspace(-0.3, 0.3, COUNT)
    args = about(randomise=None, terminated=None)
    many = luff.gym.VectorEnv(trolley, COUNT, **args, lanes=lanes)
    many.reset()  # with which an episode of no state begins later
    rows = np.tile(trolley.x0, (COUNT, 1))
    rows[:, trolley.state_names.index("rope.position")] = angles
    action = np.full((COUNT, 1), 3.0)
    for given in ({"rope.position": angles}, rows):
        seen, _ = many.reset(options={"state": given})
        np.testing.assert_array_equal(seen[:, 2], angles.astype(np.float32))
        seen = many.step(action)[0]
        for k in range(COUNT):
            one = luff.gym.Env(trolley, **args)
            one.reset(options={"state": {"rope.position": float(angles[k])}})
            np.testing.assert_array_equal(one.step(action[k])[0], seen[k])
    seen, _ = many.reset()
    np.testing.assert_array_equal(seen[:, 2], np.float32(0.3))
    with pytest.raises(
        luff.RunError, match=rf"^state: found states of shape \(2, 4\), expected \({COUNT}, 4\)"
    ):
        many.reset(options={"state": rows[:2]})

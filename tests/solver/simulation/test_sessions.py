"""Sessions: sampled blocks and starts after `set`, the first sample, what is left after a failure, units."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.results.result import read_result

HOLDS = """
luff: 1
blocks:
  wave: {type: sine, frequency: 5, phase: 1}
  fast: {type: zero_order_hold, sample_time: 0.02}
  slow: {type: zero_order_hold, sample_time: 0.07}
  x: {type: integrator, initial: 2}
  k: {type: gain, k: 3}
connect: [wave.y -> fast.u, wave.y -> slow.u, fast.y -> k.u, k.y -> x.u]
simulation: {stop: 1, step: 0.01}
"""


def test_sampled_blocks_keep_their_sample_times_when_a_parameter_is_set_in_mid_run() -> None:
    sim = luff.compile(luff.loads(HOLDS))
    # the run's own step, which the netlist does not know, decides how many steps a sample takes
    session = sim.start(step=0.005)
    session.advance(steps=30)
    sim.set("k.k", -1.0)
    while session.advance(steps=17) == "running":
        pass
    times, rows = session.take()
    steps = np.round(times / 0.005).astype(int)
    for name, every in (("fast", 4), ("slow", 14)):
        expected = np.sin(5 * 0.005 * (steps // every * every) + 1)
        np.testing.assert_allclose(rows[:, session.columns.index(f"{name}.y")], expected, atol=1e-14)
    # the gain changed at step 30, between two samples
    rate = np.where(np.arange(200) < 30, 3.0, -1.0) * np.sin(5 * 0.005 * (np.arange(200) // 4 * 4) + 1)
    assert rows[-1, session.columns.index("x.y")] == pytest.approx(2 + 0.005 * rate.sum(), rel=1e-12)


def test_a_start_that_is_set_is_where_the_next_run_begins_and_no_other() -> None:
    sim = luff.compile(luff.loads(HOLDS))
    under_way = sim.start()
    before = sim.x0.copy()
    assert before.tolist() == [2.0]
    sim.set("x.initial", 7)
    assert sim.x0.tolist() == [7.0]
    assert sim.evaluate()["x.y"] == 7.0
    assert sim.run(stop=0.01)["x.y"][0] == 7.0
    under_way.advance(steps=1)
    # of a run under way the state is its own
    assert under_way.x[0] == pytest.approx(2 + 0.01 * 3 * np.sin(1.0), rel=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_sampled_blocks_take_their_first_sample_at_the_start(method: str) -> None:
    sim = luff.compile(luff.loads(HOLDS))
    for step in (0.01, 0.001):
        result = sim.run(stop=0.1, step=step, output_step=0.01, method=method)
        for name in ("fast", "slow"):
            assert result[f"{name}.y"][0] == pytest.approx(np.sin(1.0), abs=1e-15)
        # and the first step already goes by it
        assert result["x.y"][1] == pytest.approx(2 + 0.01 * 3 * np.sin(1.0), rel=1e-9)


WILD = """
luff: 1
blocks:
  x: {type: integrator, initial: 1}
  square: {type: product}
  calm: {type: integrator}
  one: {type: constant, value: 1}
connect: [x.y -> square.u1, x.y -> square.u2, square.y -> x.u, one.y -> calm.u]
simulation: {stop: 3, step: 0.001, output_step: 0.1}
"""


@pytest.mark.parametrize("method", ["rk4", "implicit", "euler"])
def test_after_a_failure_the_state_is_the_last_good_one(method: str) -> None:
    sim = luff.compile(luff.loads(WILD))
    session = sim.start(method=method)
    while session.advance() == "running":
        pass
    assert session.status == "failed"
    assert np.all(np.isfinite(session.x))
    # the clock of a state that runs with the time says when that was
    assert session.x[1] == pytest.approx(session.time, abs=1e-9)
    # one more step from there is the one that fails
    again = sim.start(method=method)
    again.advance(steps=session.done)
    assert again.status == "running"
    assert again.x.tolist() == session.x.tolist()
    times, _ = session.take()
    assert times[-1] <= session.time < times[-1] + 0.1 + 1e-9


def test_accelerations_have_their_units() -> None:
    text = """
luff: 1
blocks:
  slide: {type: prismatic, axis: x}
  pin: {type: revolute, axis: y}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}
  eye: {type: frame_sensor}
  law: {type: motion_law, unit: m, end_value: 1, duration: 1}
  split: {type: split_trajectory}
connect: [world.frame -- slide.frame_a, slide.frame_b -- pin.frame_a, pin.frame_b -- bob.frame_a,
          bob.frame_b -- eye.frame_b, law.y -> split.u]
simulation: {stop: 10 ms, step: 1 ms}
"""
    sim = luff.compile(luff.loads(text))
    wanted = {
        "slide.position": "m",
        "slide.velocity": "m/s",
        "slide.acceleration": "m/s^2",
        "pin.position": "rad",
        "pin.velocity": "rad/s",
        "pin.acceleration": "rad/s^2",
        "pin.trajectory.acceleration": "rad/s^2",
        "slide.trajectory.acceleration": "m/s^2",
        "law.y.rate": "m/s",
        "law.y.acceleration": "m/s^2",
        "eye.acceleration[0]": "m/s^2",
        "eye.angular_acceleration[0]": "rad/s^2",
    }
    units = sim.units
    assert {name: units.get(name) for name in wanted} == wanted
    assert {name: sim.run().units.get(name) for name in wanted} == wanted


class Tired(Exception):
    pass


@pytest.mark.parametrize("suffix", ["h5", None])
def test_a_progress_callback_that_fails_is_heard_and_leaves_a_closed_file(
    suffix: str | None, tmp_path: Path
) -> None:
    sim = luff.compile(
        luff.loads("luff: 1\nblocks: {ramp: {type: ramp}}\nsimulation: {stop: 1000, step: 1 ms}\n")
    )
    output = tmp_path / f"run.{suffix}" if suffix else None
    seen: list[float] = []

    def fail(session: luff.Session) -> None:
        seen.append(session.time)
        if len(seen) == 2:
            raise Tired

    with pytest.raises(Tired):
        sim.run(output=output, progress=fail)
    assert len(seen) == 2
    if output is None:
        return
    result = read_result(output)
    # every row up to the callback, and why there are no more
    assert result.status == "failed"
    assert "Tired" in result.message
    assert result.time[-1] == pytest.approx(seen[-1], abs=1e-9)
    np.testing.assert_allclose(result["ramp.y"], result.time, atol=1e-9)
    output.rename(tmp_path / "moved.h5")  # nothing holds it
    (tmp_path / "moved.h5").unlink()


def test_a_pickled_session_goes_on_in_another_process(tmp_path: Path) -> None:
    sim = luff.compile("library/crane_knuckle_boom.yaml")
    session = sim.start(stop=0.5)
    session.advance(steps=30)
    (tmp_path / "session.pickle").write_bytes(pickle.dumps(session))
    script = (
        "import pickle, numpy as np\n"
        "session = pickle.load(open('session.pickle', 'rb'))\n"
        "while session.advance() == 'running': pass\n"
        "times, rows = session.take()\n"
        "np.savez('rows.npz', times=times, rows=rows)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    while session.advance() == "running":
        pass
    times, rows = session.take()
    with np.load(tmp_path / "rows.npz") as seen:
        np.testing.assert_array_equal(seen["times"], times)
        np.testing.assert_array_equal(seen["rows"], rows)


def test_later_values_reach_a_pickled_session_of_the_same_simulation() -> None:
    sim = luff.compile("library/templates/pendulum.yaml")
    session = sim.start(x0={"pin.velocity": 1.0})
    session.step(steps=10)
    again = pickle.loads(pickle.dumps(session))
    for each in (session, again):
        each.sim.set("rod.mass", 7.0)
    np.testing.assert_array_equal(session.step(steps=10), again.step(steps=10))
    np.testing.assert_array_equal(session.reset(), again.reset())


def test_a_session_whose_program_is_gone_is_not_pickled() -> None:
    sim = luff.compile(
        luff.loads(
            "luff: 1\nblocks: {one: {type: constant}, late: {type: delay, delay: 10 ms}}\n"
            "connect: [one.y -> late.u]\nsimulation: {stop: 1 s, step: 1 ms}\n"
        )
    )
    session = sim.start()
    sim.set("late.delay", 0.5)
    with pytest.raises(
        luff.RunError, match="pickle: the form of the model was changed since this session began"
    ):
        pickle.dumps(session)

"""The run loop: sampled blocks, loops, failures, output times, sessions."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import luff


def compiled(
    blocks: str, connect: str = "", simulation: str = "stop: 1, step: 0.01", **more: str
) -> luff.Simulation:
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{connect}]\nsimulation: {{{simulation}}}\n"
    return luff.compile(luff.loads(text + "".join(f"{key}: {value}\n" for key, value in more.items())))


def test_changes_given_as_a_mapping_say_how_they_are_given() -> None:
    netlist = luff.loads("luff: 1\nblocks: {one: {type: constant}}\n")
    with pytest.raises(luff.LuffError, match=r"files: found a mapping, expected folders .write .*set=\{"):
        luff.compile(netlist, {"one.value": 2})  # type: ignore[arg-type]
    assert luff.compile(netlist, **{"one.value": 2}).run()["one.y"][0] == 2.0


# --- sampled blocks ---------------------------------------------------------------------------------------------------


def test_zero_order_hold_runs_at_its_own_multiple_of_the_step() -> None:
    sim = compiled(
        """
  sine: {type: sine, frequency: 3}
  fast: {type: zero_order_hold, sample_time: 0.02}
  slow: {type: zero_order_hold, sample_time: 0.07}""",
        "sine.y -> fast.u, sine.y -> slow.u",
    )
    result = sim.run()
    steps = np.arange(101)
    for name, every in (("fast", 2), ("slow", 7)):
        expected = np.sin(3 * 0.01 * (steps // every * every))
        np.testing.assert_allclose(result[f"{name}.y"], expected, atol=1e-14)


def test_sample_time_follows_another_step() -> None:
    sim = compiled(
        "\n  ramp: {type: ramp}\n  hold: {type: zero_order_hold, sample_time: 0.1}", "ramp.y -> hold.u"
    )
    result = sim.run(step=0.025, output_step=0.025)
    np.testing.assert_allclose(result["hold.y"], np.arange(41) // 4 * 0.1, atol=1e-14)


def test_held_signal_is_constant_within_a_step() -> None:
    """An integrator behind a hold sums rectangles, exactly: RK4 must see no change between its stages."""
    sim = compiled(
        """
  sine: {type: sine, frequency: 3}
  hold: {type: zero_order_hold, sample_time: 0.05}
  sum: {type: integrator}""",
        "sine.y -> hold.u, hold.y -> sum.u",
    )
    result = sim.run()
    expected = sum(0.05 * math.sin(3 * 0.05 * k) for k in range(20))
    assert result["sum.y"][-1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("delay", [0.1, 0.123])
def test_delay_is_second_order_in_the_step(delay: float) -> None:
    errors = []
    for step in (0.01, 0.005):
        sim = compiled(
            f"\n  sine: {{type: sine, frequency: 5}}\n  late: {{type: delay, delay: {delay}}}",
            "sine.y -> late.u",
            f"stop: 1, step: {step}",
        )
        result = sim.run()
        expected = np.where(result.time >= delay, np.sin(5 * (result.time - delay)), 0.0)
        errors.append(np.abs(result["late.y"] - expected)[result.time > delay + 0.02].max())
    # linear between steps: (w h)^2 / 8 at worst, nothing where the delay is a multiple of the step
    assert errors[0] < 25 * 0.01**2 / 8 + 1e-12
    assert errors[1] < 25 * 0.005**2 / 8 + 1e-12


def test_delay_within_a_loop_solves_the_delay_differential_equation() -> None:
    """x' = -x(t - 1), x = 1 before: x = 1 - t until t = 1, then 1 - t + (t - 1)^2 / 2."""
    sim = compiled(
        """
  x: {type: integrator, initial: 1}
  late: {type: delay, delay: 1, initial: 1}
  minus: {type: gain, k: -1}""",
        "x.y -> late.u, late.y -> minus.u, minus.y -> x.u",
        "stop: 2, step: 0.01",
    )
    result = sim.run()
    t = result.time
    expected = np.where(t < 1, 1 - t, 1 - t + (np.maximum(t, 1) - 1) ** 2 / 2)
    # straight lines between steps are exact for the first second, and x is a parabola only afterwards
    np.testing.assert_allclose(result["x.y"], expected, atol=1e-10)


def test_rate_limit_follows_a_jump_at_its_rates() -> None:
    sim = compiled(
        """
  pulse: {type: pulse, height: 1, start: 0.1, duration: 0.4}
  limit: {type: rate_limit, rising: 5, falling: 2}""",
        "pulse.y -> limit.u",
    )
    result = sim.run()
    t = result.time
    expected = np.where(t < 0.5 - 1e-9, np.clip(5 * (t - 0.1), 0, 1), np.clip(1 - 2 * (t - 0.5), 0, 1))
    # it reacts within the step in which the input jumps
    assert np.abs(result["limit.y"] - expected).max() <= 5 * 0.01 + 1e-12


def test_noise_is_held_repeatable_and_normal() -> None:
    blocks = (
        "\n  a: {type: noise, sample_time: 0.02, seed: 7}\n  b: {type: noise, sample_time: 0.02, seed: 8}"
    )
    sim = compiled(blocks, "", "stop: 40, step: 0.01")
    first, again = sim.run(), sim.run(step=0.005)
    a, b = first["a.y"], first["b.y"]
    np.testing.assert_array_equal(a[0:-1:2], a[1::2])
    np.testing.assert_array_equal(a, again["a.y"])
    draws = a[:-1:2]
    # 2000 draws: standard errors of mean 0.022, of deviation 0.016, of the correlation 0.022; four of each
    assert abs(draws.mean()) < 0.09
    assert draws.std() == pytest.approx(1, abs=0.064)
    assert abs(np.corrcoef(draws, b[:-1:2])[0, 1]) < 0.09
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 0.09


def test_input_shaper_leaves_a_pendulum_at_rest() -> None:
    w = 5.0
    blocks = f"""
  law: {{type: motion_law, end_value: 1, duration: 0.4}}
  shape: {{type: input_shaper, shaper: zv, frequency: {w}}}
  split: {{type: split_trajectory}}
  swing: {{type: transfer_function, num: [{w * w}], den: [1, 0, {w * w}]}}
  rough: {{type: transfer_function, num: [{w * w}], den: [1, 0, {w * w}]}}
  direct: {{type: split_trajectory}}"""
    wires = "law.y -> shape.u, shape.y -> split.u, split.value -> swing.u, law.y -> direct.u, direct.value -> rough.u"
    result = compiled(blocks, wires, "stop: 3, step: 0.002").run()
    after = result.time > 0.4 + math.pi / w + 0.01
    assert np.ptp(result["rough.y"][after]) > 0.3
    # nothing left but the quintics' error at the steps
    assert np.ptp(result["swing.y"][after]) < 1e-6


# --- loops ------------------------------------------------------------------------------------------------------------


def test_algebraic_loop_names_its_cycle() -> None:
    with pytest.raises(luff.CompileError, match="algebraic loop") as caught:
        compiled(
            """
  sum: {type: sum, signs: "+-"}
  gain: {type: gain, k: 3}
  other: {type: gain, k: 2}
  ramp: {type: ramp}""",
            "ramp.y -> sum.u1, sum.y -> gain.u, gain.y -> other.u, other.y -> sum.u2",
        )
    message = str(caught.value)
    assert all(name in message for name in ("sum", "gain", "other"))
    assert "ramp" not in message
    assert "delay" in message  # how to break it


@pytest.mark.parametrize(
    "breaker",
    [
        "{type: transfer_function, num: [1], den: [0.1, 1]}",
        "{type: integrator}",
        "{type: zero_order_hold, sample_time: 0.01}",
        "{type: delay, delay: 0.05}",
        "{type: state_space, A: [[-1]], B: [[1]], C: [[1]]}",
    ],
)
def test_loop_through_a_state_or_a_memory_is_fine(breaker: str) -> None:
    sim = compiled(
        f'\n  sum: {{type: sum, signs: "+-"}}\n  one: {{type: constant}}\n  it: {breaker}',
        "one.y -> sum.u1, sum.y -> it.u, it.y -> sum.u2",
    )
    assert np.all(np.isfinite(sim.run()["it.y"]))


def test_feedthrough_is_tracked_per_scalar() -> None:
    """Both ways through one mux, one demux and one system with a sparse D: rings of blocks, none of scalars."""
    sim = compiled(
        """
  mux: {type: mux, sizes: [1, 1]}
  demux: {type: demux, sizes: [1, 1]}
  back: {type: gain, k: 2}
  one: {type: constant, value: 3}
  system: {type: state_space, A: [[-1]], B: [[0, 0]], C: [[1], [0]], D: [[0, 0], [5, 0]]}
  split: {type: demux, sizes: [1, 1]}
  join: {type: mux, sizes: [1, 1]}""",
        "one.y -> mux.u1, mux.y -> demux.u, demux.y1 -> back.u, back.y -> mux.u2, "
        "join.y -> system.u, system.y -> split.u, split.y2 -> join.u2, one.y -> join.u1",
    )
    values = sim.evaluate()
    assert values["demux.y2"] == 6
    assert values["split.y2"] == 15


def test_dense_d_is_a_loop() -> None:
    with pytest.raises(luff.CompileError, match="algebraic loop"):
        compiled(
            """
  system: {type: state_space, A: [[-1]], B: [[0, 0]], C: [[1], [0]], D: [[0, 0], [5, 1]]}
  split: {type: demux, sizes: [1, 1]}
  join: {type: mux, sizes: [1, 1]}
  one: {type: constant}""",
            "join.y -> system.u, system.y -> split.u, split.y2 -> join.u2, one.y -> join.u1",
        )


def test_joint_s_acceleration_fed_back_to_its_effort_is_an_algebraic_loop() -> None:
    with pytest.raises(luff.CompileError, match="algebraic loop"):
        compiled(
            """
  pin: {type: revolute, axis: y}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1]}
  gain: {type: gain, k: 0.1}""",
            "world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a, pin.acceleration -> gain.u, gain.y -> pin.effort",
        )


# --- failures ---------------------------------------------------------------------------------------------------------


def test_non_finite_state_stops_the_run_keeps_rows_and_is_named() -> None:
    sim = compiled(
        """
  calm: {type: integrator, initial: 1}
  wild: {type: integrator, initial: 1}
  square: {type: product}
  next: {type: integrator}""",
        "wild.y -> square.u1, wild.y -> square.u2, square.y -> wild.u, wild.y -> next.u, calm.y -> calm.u",
        "stop: 3, step: 0.001",
    )
    with pytest.raises(luff.RunError) as caught:
        sim.run()
    message = str(caught.value)
    assert "wild.x" in message
    assert "next" not in message
    result = caught.value.result  # type: ignore[attr-defined]
    assert result.status == "failed"
    # x = 1 / (1 - t) is infinite at t = 1, and RK4 gets over it by a few steps only
    assert 1.0 <= result.time[-1] < 1.1
    assert np.all(np.isfinite(result["wild.y"]))
    early = result.time < 0.9
    np.testing.assert_allclose(result["wild.y"][early], 1 / (1 - result.time[early]), rtol=1e-8)


def test_rate_that_is_not_finite_at_the_start_is_named() -> None:
    sim = compiled(
        """
  x: {type: integrator, initial: 0}
  f: {type: expression, inputs: [x], expr: "1/x"}""",
        "x.y -> f.x, f.y -> x.u",
    )
    with pytest.raises(luff.RunError, match=r"x\.x"):
        sim.run()


# --- times ------------------------------------------------------------------------------------------------------------


def test_stop_between_two_steps_is_reached_by_one_more() -> None:
    result = compiled("\n  ramp: {type: ramp}", "", "stop: 0.095, step: 0.02").run()
    np.testing.assert_allclose(result.time, [0, 0.02, 0.04, 0.06, 0.08, 0.1], atol=1e-15)


def test_output_step_thins_the_rows() -> None:
    sim = compiled("\n  ramp: {type: ramp}", "", "stop: 1, step: 0.01, output_step: 0.25")
    np.testing.assert_allclose(sim.run().time, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(sim.run(output_step=0.5)["ramp.y"], [0, 0.5, 1])


def test_output_step_that_no_steps_fill_is_refused() -> None:
    sim = compiled("\n  ramp: {type: ramp}")
    with pytest.raises(luff.RunError, match="multiple of the step"):
        sim.run(output_step=0.025)


def test_unknown_method_is_refused_with_a_suggestion() -> None:
    sim = compiled("\n  ramp: {type: ramp}")
    with pytest.raises(luff.RunError, match="rk4"):
        sim.run(method="rk5")


# --- inputs and sessions ----------------------------------------------------------------------------------------------


def test_open_input_takes_its_default_or_is_an_error() -> None:
    sim = compiled(
        """
  pin: {type: revolute, axis: y, initial: {position: 0.5}}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1]}""",
        "world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a",
    )
    assert sim.derivative(0, sim.x0)[1] == pytest.approx(-9.81 * math.sin(0.5))
    with pytest.raises(luff.LuffError, match=r"gain\.u"):
        compiled("\n  gain: {type: gain}")


def test_run_is_the_same_in_any_chunks() -> None:
    sim = compiled(
        """
  sine: {type: sine, frequency: 7}
  late: {type: delay, delay: 0.05}
  lag: {type: transfer_function, num: [1], den: [0.1, 1]}
  hold: {type: zero_order_hold, sample_time: 0.03}""",
        "sine.y -> late.u, late.y -> hold.u, hold.y -> lag.u",
    )
    whole = sim.run()
    session = sim.start()
    rng = np.random.default_rng(3)
    while session.advance(steps=int(rng.integers(1, 12))) == "running":
        pass
    times, rows = session.take()
    np.testing.assert_array_equal(times, whole.time)
    np.testing.assert_array_equal(rows[:, session.columns.index("lag.y")], whole["lag.y"])


def test_runs_do_not_remember_each_other() -> None:
    sim = compiled(
        "\n  ramp: {type: ramp}\n  late: {type: delay, delay: 0.3, initial: -1}\n  x: {type: integrator}",
        "ramp.y -> late.u, late.y -> x.u",
    )
    np.testing.assert_array_equal(sim.run()["x.y"], sim.run()["x.y"])


def test_progress_may_cancel_and_what_was_computed_stays() -> None:
    sim = compiled("\n  ramp: {type: ramp}", "", "stop: 1000, step: 0.001")
    seen = []

    def stop_at_once(session: luff.Session) -> bool:
        seen.append(session.progress)
        return False

    result = sim.run(progress=stop_at_once)
    assert result.status == "cancelled"
    assert len(seen) == 1
    assert 0 < result.time[-1] < 1000
    np.testing.assert_allclose(result["ramp.y"], result.time)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_adaptive_integrators_see_sampled_blocks_as_fixed_steps_do(method: str) -> None:
    sim = compiled(
        """
  sine: {type: sine, frequency: 3}
  hold: {type: zero_order_hold, sample_time: 0.05}
  sum: {type: integrator}""",
        "sine.y -> hold.u, hold.y -> sum.u",
    )
    # rectangles are integrated exactly by both
    np.testing.assert_allclose(sim.run(method=method)["sum.y"], sim.run()["sum.y"], atol=1e-12)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_signal_that_is_no_number_is_told_once(method: str) -> None:
    root = "\n  ramp: {type: ramp, slope: -1, offset: 0.5}\n  root: {type: expression, inputs: [u], expr: sqrt(u)}"
    sim = compiled(root, "ramp.y -> root.u", f"stop: 1, step: 0.01, method: {method}")
    session = sim.start()
    while session.advance(steps=7) == "running":
        pass
    assert session.status == "finished"
    assert session.notes == ["root.y is not a finite number at t = 0.51 s"]


def test_first_step_loads_nothing_that_it_does_not_use() -> None:
    """What each of these takes to load is a tenth of a first step, or more."""
    code = """
import sys, luff
model = "luff: 1\\nblocks: {s: {type: sine}, g: {type: gain}}\\nconnect: [s.y -> g.u]\\n"
session = luff.compile(luff.loads(model)).start()
session.advance(steps=1)
unused = "importlib.metadata email xml.etree html socket scipy h5py matplotlib numba".split()
print(session.done, *(name for name in unused if name in sys.modules))
"""
    ran = subprocess.run([sys.executable, "-c", code], check=True, text=True, capture_output=True)
    assert ran.stdout.split() == ["1"]

"""Levers and buttons: closed forms of dead band, curve and rate; what happens without the device; their inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import luff

LEVERS = """
luff: 1
blocks:
  levers: {type: joystick, VALUES}
simulation: {stop: 1, step: 1 ms}
"""


def run(
    values: str, u: Callable[[float], object], lost: Callable[[float], float] | float = 0.0
) -> luff.Result:
    sim = luff.compile(luff.loads(LEVERS.replace("VALUES", values)))
    return sim.run(inputs={"levers_u": u, "levers_lost": lost})  # type: ignore[dict-item]


def test_joystick_has_dead_band_and_curve() -> None:
    """s = (|u| - d) / (1 - d), f = (1 - e) s + e s^3, odd, from 0 at the dead band to 1 at the end and beyond."""
    d, e = 0.1, 0.4
    result = run(
        f"axes: [x], dead_band: {d}, expo: {e}, scale: 3, rest: 0.5", lambda t: -1.25 + 2.5 * round(t, 3)
    )
    u = np.clip(-1.25 + 2.5 * np.round(result.time, 3), -1, 1)
    s = np.maximum(np.abs(u) - d, 0) / (1 - d)
    want = 0.5 + 3 * np.sign(u) * ((1 - e) * s + e * s**3)
    # a row shows what held in the step before it
    np.testing.assert_allclose(result["levers.y"][1:], want[:-1], atol=1e-12)
    assert result["levers.y"][-1] == 3.5
    inside = np.abs(u[:-1]) < d - 1e-9
    assert inside.sum() > 50
    assert set(result["levers.y"][1:][inside]) == {0.5}


def test_joystick_keeps_to_its_rate() -> None:
    result = run("axes: [x], dead_band: 0, rate: 4", lambda t: 1.0 if 0.1 <= t < 0.6 else 0.0)
    y = result["levers.y"]
    assert np.abs(np.diff(y)).max() == pytest.approx(4e-3, rel=1e-9)
    assert y[np.searchsorted(result.time, 0.35 + 2e-3)] == 1.0  # 0.25 s for the way
    assert y[np.searchsorted(result.time, 0.85 + 2e-3)] == 0.0


def test_lost_device_rests_until_its_lever_was_in_the_middle() -> None:
    """It is held while the device is gone: nothing moves when it is back, until it has passed the middle."""
    result = run(
        "axes: [x], scale: 2, rest: 0.25, dead_band: 0.1",
        lambda t: 0.0 if 0.5995 < t < 0.6495 else 1.0,
        lambda t: float(0.1995 < t < 0.3995),
    )
    y, t = result["levers.y"], result.time
    moves = (t < 0.2005) | (t > 0.6505)
    assert set(y[moves]) == {2.25}
    assert set(y[~moves]) == {0.25}
    (told,) = result.remarks
    assert told.path == "levers"
    assert "the device was lost at t = 0.201 s, and its outputs went to rest" in told.message


def test_run_without_a_device_stays_at_rest_and_says_nothing() -> None:
    result = luff.compile(luff.loads(LEVERS.replace("VALUES", "axes: [x, y], rest: [1, 2]"))).run()
    assert (result["levers.y"] == [1.0, 2.0]).all()
    assert not result.remarks


def test_buttons_are_held_or_toggle() -> None:
    text = """
luff: 1
blocks:
  held: {type: joystick_buttons, buttons: [1, 3]}
  toggled: {type: joystick_buttons, buttons: [2], toggle: true, start: 1}
simulation: {stop: 1, step: 10 ms}
"""
    sim = luff.compile(luff.loads(text))
    assert sim.inputs == ["held_u[0]", "held_u[1]", "held_lost", "toggled_u", "toggled_lost"]
    press = lambda t: float(round(t, 2) % 0.4 >= 0.2)  # noqa: E731  # from 0.2 and 0.6 on, for 0.2 s
    result = sim.run(
        inputs={
            "held_u": lambda t: [press(t), 0.0],
            "toggled_u": press,
            "held_lost": lambda t: float(t > 0.895),
            "toggled_lost": lambda t: float(t > 0.895),
        }
    )
    t = np.round(result.time - 0.01, 2)[1:]  # of the step before the row
    held = (t % 0.4 >= 0.2 - 1e-9) & (t < 0.9 - 1e-9)
    assert (result["held.y[0]"][1:] == held).mean() > 0.97  # at edges 0.6 % 0.4 rounds either way
    assert not result["held.y[1]"].any()
    toggled = result["toggled.y"]
    assert toggled[0] == 1.0
    assert list(toggled[np.flatnonzero(np.diff(toggled)) + 1]) == [0.0, 1.0]
    assert toggled[-1] == 1.0  # without the device it stays


def test_declared_input_gives_the_joystick_its_default() -> None:
    text = LEVERS.replace("VALUES", "axes: [x], dead_band: 0") + "inputs: {levers_u: {default: 0.5}}\n"
    sim = luff.compile(luff.loads(text))
    assert sim.inputs == ["levers_u", "levers_lost"]
    assert set(sim.run()["levers.y"]) == {0.5}


def test_wire_takes_the_place_of_the_input() -> None:
    text = LEVERS.replace("VALUES", "axes: [x], dead_band: 0") + "connect: [hand.y -> levers.u]\n"
    text = text.replace("blocks:", "blocks:\n  hand: {type: constant, value: 0.25}")
    sim = luff.compile(luff.loads(text))
    assert sim.inputs == ["levers_lost"]
    assert set(sim.run()["levers.y"]) == {0.25}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("axes: [q]", "expected a list of names out of x, y"),
        ("axes: []", "found no axis, expected one or more"),
        ("axes: [x, y], scale: [1, 2, 3]", "found 3 numbers for 2 axes"),
        ("axes: [x], dead_band: 1", "expected a number >= 0 and < 1"),
    ],
)
def test_wrong_parameters_are_told_once(values: str, message: str) -> None:
    with pytest.raises(luff.LuffError) as caught:
        luff.compile(luff.loads(LEVERS.replace("VALUES", values)))
    assert [message in str(problem) for problem in caught.value.problems] == [True], caught.value


def test_joystick_of_a_nested_netlist_wants_wires(tmp_path: Path) -> None:
    (tmp_path / "cab.yaml").write_text(LEVERS.replace("VALUES", "axes: [x]") + "ports: {y: levers.y}\n")
    (tmp_path / "outer.yaml").write_text("luff: 1\nblocks: {cab: {type: ./cab.yaml}}\n")
    with pytest.raises(luff.LuffError, match="missing wire"):
        luff.compile(luff.load(tmp_path / "outer.yaml"))

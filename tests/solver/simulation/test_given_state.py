"""Starts at a state of one's own: `sim.start(x0=...)`, `sim.run(x0=...)`, `session.reset(x0)`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import luff
from luff import RunError
from luff.tests.shared.loop_cases import FOUR_BAR

PENDULUM = "library/templates/pendulum.yaml"
SAMPLED = """
luff: 1
blocks:
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2 kg}
  held: {type: unit_delay, sample_time: 0.1 s}
  count: {type: integrator}
connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a, rail.position -> held.u, held.y -> count.u]
outputs: {place: rail.position, held: held.y, sum: count.y}
simulation: {stop: 1 s, step: 0.1 s}
"""
TURNING = """
luff: 1
blocks: {joint: {type: free}, body: {type: rigid_link, mass: 1 kg, inertia: [1, 2, 3]}}
connect: [world.frame -- joint.frame_a, joint.frame_b -- body.frame_a]
simulation: {stop: 0.1 s, step: 1 ms}
"""


def test_a_run_from_a_state_is_the_run_of_a_netlist_that_starts_there() -> None:
    expected = luff.compile(
        PENDULUM, set={"pin.initial.position": "20 deg", "pin.initial.velocity": -1.5}
    ).run(stop=0.5)
    sim = luff.compile(PENDULUM)
    for x0 in ([np.radians(20.0), -1.5], {"pin.position": "20 deg", "pin.velocity": -1.5}):
        result = sim.run(stop=0.5, x0=x0)
        for name in expected:
            np.testing.assert_array_equal(result[name], expected[name])
    assert sim.x0[0] == pytest.approx(np.pi / 3, rel=1e-12), "the model keeps its own start"


def test_named_states_stand_on_top_of_the_others() -> None:
    session = luff.compile(PENDULUM).start(x0={"pin.velocity": 2})
    np.testing.assert_allclose(session.x[:2], [np.pi / 3, 2.0], rtol=1e-12)


def test_sampled_blocks_see_the_given_state_once() -> None:
    """A cart that rolls at 1 m/s from x = 5 m: the delay shows 0 and then each place, a sample late."""
    sim = luff.compile(luff.loads(SAMPLED))
    session = sim.start(x0={"rail.position": 5.0, "rail.velocity": 1.0})
    for _ in range(2):  # again after a reset
        seen = [session.outputs, *(session.step() for _ in range(3))]
        places, held, sums = np.array(seen).T
        np.testing.assert_allclose(places, [5.0, 5.1, 5.2, 5.3], rtol=1e-14)
        np.testing.assert_allclose(held, [0.0, 5.0, 5.1, 5.2], rtol=1e-14)
        np.testing.assert_allclose(sums, [0.0, 0.0, 0.5, 1.01], rtol=1e-13)  # constant between samples
        session.reset()
    assert session.reset({"rail.position": -1.0}).tolist() == [-1.0, 0.0, 0.0]
    assert session.reset().tolist() == [-1.0, 0.0, 0.0], "the state holds for later resets"


def test_loops_follow_on_their_branch() -> None:
    """The angle between rod and rocker of a four-bar by the law of cosines, over most of a turn of its crank."""
    sim = luff.compile(luff.loads(FOUR_BAR))
    assert sim.state_names == ["A.position", "A.velocity"]
    side = np.sign(sim.evaluate()["C.position"])
    for angle in np.linspace(0.6, 4.6, 6):
        seen = sim.start(x0={"A.position": angle}).outputs[sim.outputs.index("C.position")]
        reach = np.hypot(2.0 - np.cos(angle), np.sin(angle))
        between = np.arccos((2.3**2 + 1.6**2 - reach**2) / (2 * 2.3 * 1.6))
        assert seen == pytest.approx(side * between, abs=1e-8)  # loops are closed to 1e-10 m


def test_a_state_out_of_reach_of_the_loops_is_refused() -> None:
    dependent = {"simulation.constraints.dependent": ["A.position", "B.position"]}
    sim = luff.compile(luff.loads(FOUR_BAR), set=dependent)
    session = sim.start()
    before = session.outputs
    with pytest.raises(RunError, match=r"^x0: the loops cannot be closed at this state"):
        session.reset(
            {"C.position": 0.0}
        )  # rod on rocker: the crank would have to be 0.7 m from the ground's pin
    np.testing.assert_array_equal(session.reset(), before)


def test_states_that_are_all_given_have_to_meet_the_constraints() -> None:
    sim = luff.compile(luff.loads(FOUR_BAR), set={"simulation.constraints.method": "baumgarte"})
    sim.start(x0=sim.x0)
    with pytest.raises(
        RunError, match=r"^x0: found constraints open by 0\.\d+ \(m or rad\), expected at most 1e-06"
    ):
        sim.start(x0={"A.position": 0.7})


@pytest.mark.parametrize(
    ("x0", "message"),
    [
        (
            [0.1],
            r"^x0: found 1 states, expected 2 \(the order is that of sim.state_names: pin.position, pin.velocity\)",
        ),
        ([0.1, np.nan], r"^x0\.pin\.velocity: found nan, expected a finite number"),
        ({"pin.positon": 1.0}, r'there is no state "pin\.positon" \(did you mean "pin\.position"'),
        ({"pin.position": "1 m"}, r'^x0\.pin\.position: found "1 m" \(m\), expected a quantity in rad'),
        ({"pin.position": None}, r"^x0\.pin\.position: found a NoneType, expected a number"),
    ],
)
def test_a_state_that_cannot_be_meant_is_named(x0: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        luff.compile(PENDULUM).start(x0=x0)


def test_a_dependent_coordinate_is_no_state() -> None:
    with pytest.raises(RunError, match="a dependent coordinate follows from the others"):
        luff.compile(luff.loads(FOUR_BAR)).start(x0={"B.position": 1.0})


def test_orientations_are_unit_quaternions() -> None:
    """Half a turn about z, spun about it: psi grows by the rate."""
    sim = luff.compile(luff.loads(TURNING))
    assert sim.state_names[3:7] == [f"joint.orientation[{k}]" for k in range(4)]
    x0 = sim.x0.copy()
    x0[3:7] = [0.0, 0.0, 0.0, 1.0 + 1e-7]
    session = sim.start(x0=x0)
    np.testing.assert_allclose(session.x[3:7], [0, 0, 0, 1], atol=1e-15)
    with pytest.raises(
        RunError, match=r"x0\.joint\.orientation: found a quaternion of length 0\.5, expected 1"
    ):
        sim.start(x0={"joint.orientation[0]": 0.5})


def test_starts_beside_each_other_and_snapshots() -> None:
    sim = luff.compile(PENDULUM)
    session = sim.start(x0=[1.0, 0.0])
    session.step(steps=5)
    mark = session.snapshot()
    ahead = session.step(steps=5)
    session.reset([0.2, 0.0])
    session.restore(mark)
    np.testing.assert_array_equal(session.step(steps=5), ahead)
    np.testing.assert_array_equal(sim.start().outputs, luff.compile(PENDULUM).start().outputs)

"""Bodies whose feet slide: closed forms of friction under a pull and a moment, and what catches a body that slides."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.initial.sliding_feet import friction_bounds, push_change
from luff.solver.initial.static_report import NoEquilibrium
from luff.tests.process import call
from luff.tests.shared.friction_of_feet import share_held

WEIGHT, MU, A, B = 10e3 * 9.81, 0.2, 2.0, 1.5
# four feet at (+-A, +-B) carry a quarter of the weight each; all acts in their plane
STAND = """luff: 1
parameters: {{pull: {pull}, turn: {turn}}}
blocks:
  stand:
    type: base_support
    mass: 10 t
    inertia: [1e4, 1e4, 1e4]
    one_sided: true
    grip: 0.2
    supports:
      - {{at: [2, 1.5, {step}], stiffness: [1e7, 1e7, 1e8], damping: [1e5, 1e5, 1e6]}}
      - {{at: [2, -1.5, {step}], stiffness: [1e7, 1e7, 1e8], damping: [1e5, 1e5, 1e6]}}
      - {{at: [-2, 1.5, 0], stiffness: [1e7, 1e7, 1e8], damping: [1e5, 1e5, 1e6]}}
      - {{at: [-2, -1.5, 0], stiffness: [1e7, 1e7, 1e8], damping: [1e5, 1e5, 1e6]}}
  rope: {{type: constant, value: [=pull, 0, 0]}}
  winch: {{type: applied_force}}
  twist: {{type: constant, value: [0, 0, =turn]}}
  slewing: {{type: applied_torque}}
{more}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- winch.frame_b
  - stand.frame_b -- slewing.frame_b
  - rope.y -> winch.force
  - twist.y -> slewing.torque
{wires}
initial: {{solve: static}}
simulation: {{stop: 1 s, step: 1 ms, method: implicit}}
"""


def netlist(pull: float = 0.0, turn: float = 0.0, more: str = "", wires: str = "", step: float = 0.0) -> str:
    return STAND.format(pull=pull, turn=turn, more=more, wires=wires, step=step)


def standing(**limit: float) -> luff.Diagram:
    return luff.loads(netlist(**limit))


@pytest.mark.parametrize(
    "limit",
    [{"pull": MU * WEIGHT}, {"turn": MU * WEIGHT * math.hypot(A, B)}],
    ids=["pull: mu m g", "turn: mu m g r"],
)
def test_feet_hold_up_to_their_friction(limit: dict[str, float]) -> None:
    """Just below they stick, elastically; just above, the answer says which share of the load friction holds."""
    below = luff.compile(standing(**{name: 0.99 * value for name, value in limit.items()}))
    report = below.program.static
    assert report is not None
    assert (report.unstable, report.undecided, report.neutral, report.notes()) == ([], [], [], [])
    assert abs(below.evaluate()["stand.x"]) < 1e-3
    for factor in (1.01, 3.0):
        above = standing(**{name: factor * value for name, value in limit.items()})
        with pytest.raises(NoEquilibrium, match="stand: slides on its supports: friction holds") as caught:
            luff.compile(above)
        assert caught.value.verdict == "slides"
        told = float(str(caught.value).partition("holds ")[2].partition(" %")[0])
        assert told == pytest.approx(100.0 / factor, rel=2e-4)


def test_feet_on_a_step_hold_up_to_their_friction() -> None:
    """All slide alike under the pull: whatever the step shifts between pushes, friction holds mu m g."""
    held = luff.compile(luff.loads(netlist(0.99 * MU * WEIGHT, step=0.4)))
    assert abs(held.evaluate()["stand.x"]) < 1e-3
    with pytest.raises(NoEquilibrium, match=r"friction holds 99\.01 %") as caught:
        luff.compile(luff.loads(netlist(1.01 * MU * WEIGHT, step=0.4)))
    assert caught.value.verdict == "slides"


def test_what_slides_against_a_bumper_rests_there_and_says_so(tmp_path: Path) -> None:
    """The feet hold mu m g of 1.1 mu m g; the bumper, 5 mm ahead, takes the rest."""
    more = """  wall: {type: fixed, at: [0.505, 0, 0], rotate: [[y, -90 deg]]}
  bumper: {type: contact, radius: 0.5, law: {stiffness: 1e7}}"""
    wires = """  - world.frame -- wall.frame_a
  - wall.frame_b -- bumper.plane
  - stand.frame_b -- bumper.of"""
    text = netlist(1.1 * MU * WEIGHT, 0.0, more, wires)
    diagram = luff.loads(text)
    caught = luff.compile(diagram)
    assert caught.evaluate()["bumper.normal_force"] == pytest.approx(0.1 * MU * WEIGHT, rel=1e-6)
    path = tmp_path / "stand.yaml"
    path.write_text(text)
    told = " ".join(call("static", path.name, cwd=tmp_path).stderr.split())
    assert (
        "it slides on its supports: friction holds 90.91 % of what acts across them, and rests where" in told
    )
    # with less it does not come to the bumper
    assert luff.compile(diagram, pull=0.9 * MU * WEIGHT).evaluate()["bumper.normal_force"] == 0.0


def test_feet_beside_a_spring_to_the_ground_are_not_told_to_slide() -> None:
    """The spring takes what friction does not: 20 kN/m hold 0.1 mu m g at 98 mm."""
    more = "  tie: {type: bushing, stiffness: [20e3, 0, 0]}"
    wires = "  - world.frame -- tie.frame_a\n  - stand.frame_b -- tie.frame_b"
    tied = luff.compile(luff.loads(netlist(1.1 * MU * WEIGHT, 0.0, more, wires)))
    assert tied.evaluate()["stand.x"] == pytest.approx(0.1 * MU * WEIGHT / 20e3, rel=1e-6)
    assert tied.program.static is not None
    assert tied.program.static.notes() == []


# --- limit analysis --------------------------------------------------------------------------------------------------


def test_bounds_of_friction_enclose_a_linear_programme(seed: int) -> None:
    """Feet, limits and loads by chance, against the largest share by linear programming over 256-sided polygons."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n = int(rng.integers(2, 7))
        feet, limits = rng.uniform(-4.0, 4.0, (n, 2)), rng.uniform(0.0, 1e5, n) * (rng.random(n) < 0.8)
        limits[:2] += 1e3
        load = rng.normal(size=3) * [1e4, 1e4, 3e4]
        moments = np.column_stack((-feet[:, 1], feet[:, 0]))
        jacobians = np.dstack((np.tile([1.0, 0.0], (n, 1)), np.tile([0.0, 1.0], (n, 1)), moments))
        found = friction_bounds(jacobians, limits, load)
        wanted = share_held(feet, limits, load)
        # a polygon of 256 sides within the circle is 8e-5 less
        assert found.lower <= wanted * (1.0 + 1e-4), seed
        assert found.upper >= wanted * (1.0 - 1e-6), seed
        assert found.lower >= 1.0 or found.upper < 1.0 or found.upper - found.lower < 1e-3, seed


@pytest.mark.parametrize("size", [2, 3])
def test_pushes_change_less_than_their_bound_on_any_springs(size: int, seed: int) -> None:
    """Springs of any stiffness under a rigid body that sinks and tilts, by its own equations."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(200):
        n = int(rng.integers(size, 9))
        tilts = np.column_stack((np.ones(n), rng.uniform(-4.0, 4.0, (n, size - 1))))
        if size == 3 and rng.random() < 0.5:  # two rows of feet, at an angle
            turn = rng.uniform(-3.0, 3.0)
            tilts[:, 1:] = np.column_stack((tilts[:, 1], np.where(np.arange(n) % 2, 1.3, -1.3))) @ [
                [math.cos(turn), math.sin(turn)],
                [-math.sin(turn), math.cos(turn)],
            ]
        worth, k = rng.uniform(0.0, 1.0, n), 10.0 ** rng.uniform(4.0, 9.0, n)
        force, moment = rng.uniform(0.0, 1e3, 2)
        way = rng.normal(size=size - 1)
        load = np.array([force, *(moment * way / np.linalg.norm(way))])
        change = k * (tilts @ np.linalg.solve((tilts.T * k) @ tilts, load))
        share = abs(worth @ change) / push_change(tilts, worth, force, moment)
        shares.append(share)
        # the equations lose digits with the spread of stiffness, 1e5, and feet near a line
        assert share <= 1.0 + 1e-6, seed
    assert max(shares) > 0.3, seed

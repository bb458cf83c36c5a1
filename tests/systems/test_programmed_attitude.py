"""Attitudes that constraints hold: a planar arm against its reduced equation, bodies in space against free ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff.tests.shared.compile_text import plain

ARM = """
luff: 1
blocks:
  world: {gravity: [0, -9.81, 0]}
  a: {type: revolute, axis: z, initial: {position: 0.3, velocity: 0.7}}
  one: {type: rigid_link, mass: 3, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  b: {type: revolute, axis: z}
  two: {type: rigid_link, mass: 2, com: [0.4, 0.1, 0], inertia: [0.1, 0.1, 0.15]}
  hold: {type: programmed_constraint, rotations: [z]MORE}
  energy: {type: energy_sensor}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- one.frame_a
  - one.frame_b -- b.frame_a
  - b.frame_b -- two.frame_a
  - two.frame_a -- hold.frame
simulation: {stop: 2 s, step: 1 ms, output_step: 20 ms, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
def test_a_planar_arm_whose_last_link_does_not_turn(method: str) -> None:
    """The second body only travels: (I1 + m1 c1^2 + m2 l^2) a'' = -(m1 c1 + m2 l) g cos(a)."""
    result = luff.compile(luff.loads(ARM.replace("METHOD", method).replace("MORE", ""))).run()
    inertia, weight = 0.2 + 3 * 0.25 + 2.0, (1.5 + 2.0) * 9.81

    def rates(_t: float, s: np.ndarray) -> list[float]:
        return [s[1], -weight * np.cos(s[0]) / inertia]

    known = solve_ivp(rates, (0, 2), [0.3, 0.7], "DOP853", result.time, rtol=1e-12, atol=1e-12).y[0]
    # Baumgarte's poles of 100 1/s leave an error of the step
    assert result["a.position"] == pytest.approx(known, abs=1e-7 if method == "baumgarte" else 1e-9)
    assert result["a.position"] + result["b.position"] == pytest.approx(
        0.0, abs=1e-7 if method == "baumgarte" else 1e-12
    )
    # the moment that holds it: m2 (c x (a - g)) of the second body about its pin
    swing = -weight * np.cos(result["a.position"]) / inertia
    rate = result["a.velocity"]
    ax = -np.sin(result["a.position"]) * swing - np.cos(result["a.position"]) * rate**2
    ay = np.cos(result["a.position"]) * swing - np.sin(result["a.position"]) * rate**2
    moment = 2 * (0.4 * (ay + 9.81) - 0.1 * ax)
    assert abs(result["hold.multiplier"]) == pytest.approx(abs(moment), abs=1e-4)
    assert result.quality["energy"]["relative_residual"] < 1e-8


def test_a_drive_holds_the_attitude_that_the_other_joint_disturbs() -> None:
    text = ARM.replace("METHOD", "reduced").replace("MORE", ", realised_by: [b]")
    result = luff.compile(luff.loads(text)).run()
    assert result["a.position"] + result["b.position"] == pytest.approx(0.0, abs=1e-12)
    # without a couple between world and body, the drive's reaction acts on the first link
    inertia, weight = 0.2 + 3 * 0.25 + 2.0, (1.5 + 2.0) * 9.81
    start = -(weight * np.cos(0.3) + result["hold.effort"][0]) / inertia
    values = plain(text).evaluate()
    assert values["a.acceleration"] == pytest.approx(start, rel=1e-9)


BODY = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  yaw: {type: revolute, axis: z, driven: true}
  turn: {type: sine, amplitude: 0.8, frequency: 2 rad/s, unit: rad}
  table: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  it: {type: free, initial: {position: [1, 0, 0], angular_velocity: [0, 0, 0]}}
  body: {type: rigid_link, mass: 2, inertia: [0.1, 0.2, 0.3]}
  hold: {type: programmed_constraint, rotations: AXES}
connect:
  - turn.trajectory -> yaw.follow
  - world.frame -- yaw.frame_a
  - yaw.frame_b -- table.frame_a
  - world.frame -- it.frame_a
  - it.frame_b -- body.frame_a
  - body.frame_a -- hold.frame
  - table.frame_a -- hold.base
simulation: {stop: 1 s, step: 1 ms, output_step: 20 ms, constraints: {method: projected}}
"""


@pytest.mark.parametrize("axes", ["[x, y, z]", "[z, y]", "[x, z]"])
def test_a_body_keeps_its_attitude_to_a_base_that_turns(axes: str) -> None:
    """It turns with the base about z, so that the couple is that of a body with I_z about its axis."""
    text = BODY.replace("AXES", axes).replace("angular_velocity: [0, 0, 0]", "angular_velocity: [0, 0, 1.6]")
    result = luff.compile(luff.loads(text)).run()
    w, z = result["it.orientation[0]"], result["it.orientation[3]"]
    assert 2 * np.arctan2(z, w) == pytest.approx(result["yaw.position"], abs=1e-9)
    assert abs(result["it.orientation[1]"]).max() < 1e-9
    assert abs(result["it.orientation[2]"]).max() < 1e-9
    assert result["it.position[0]"] == pytest.approx(1.0, abs=1e-12)
    couple = np.sort(
        abs(np.array([result[f"hold.multiplier[{k}]"] for k in range(axes.count(",") + 1)])), axis=0
    )
    assert couple[-1] == pytest.approx(abs(0.3 * 0.8 * 4 * np.sin(2 * result.time)), abs=1e-6)
    assert couple[:-1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("rotations: [z]", 'rotations: [z], relation: "x"', "both rotations and a relation"),
        ("rotations: [z]", "rotations: [w]", "w"),
        ("rotations: [z]", "rotations: [z], realised_by: [a, b]", "2 drives for 1"),
    ],
)
def test_an_attitude_that_cannot_be_is_told(old: str, new: str, told: str) -> None:
    text = ARM.replace("METHOD", "reduced").replace("MORE", "")
    with pytest.raises(luff.LuffError, match=told):
        plain(text.replace(old, new))

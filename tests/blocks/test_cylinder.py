"""Cylinders: where they may stand, what they say when they cannot, and that they carry the same loads in any plane."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

import luff
from luff.blocks import CompileError, LuffError
from luff.tests.shared.compile_text import outputs, plain, rates

ARM = """
luff: 1
name: arm on a cylinder
blocks:
  pin: {{type: revolute, axis: {axis}, {pin}}}
  arm:
    type: rigid_link
    mass: 100 kg
    com: {com}
    inertia: [20, 20, 20]
    frames: {{rod: {{at: {rod}}}}}
  foot: {{type: fixed, at: {foot}}}
  push: {{type: constant, value: 4000}}
  lift:
    type: hydraulic_cylinder
    axis: {axis}
    barrel: {{length: 0.8 m, mass: 20 kg, com: [0, 0, 0.3], inertia: [2, 2, 0.1]}}
    piston: {{mass: 10 kg, com: [0, 0, -0.4], inertia: [1, 1, 0.05]}}
    {lift}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- arm.frame_a
  - world.frame -- foot.frame_a
  - foot.frame_b -- lift.frame_a
  - arm.rod -- lift.frame_b
  - push.y -> lift.effort
"""


def arm(**more: str) -> str:
    """A boom on a pin at the origin, pushed up by a cylinder that stands in front of it."""
    values = {
        "axis": "x",
        "com": "[0, 1, 0]",
        "rod": "[0, 1.2, 0.1]",
        "foot": "[0, 0.5, -1]",
        "pin": "cut: false",
    }
    return ARM.format(**{**values, "lift": "", **more})


def test_extension_follows_from_the_link_it_moves() -> None:
    values = plain(arm(pin="initial: {position: 0.4}")).evaluate()
    c, s = math.cos(0.4), math.sin(0.4)
    rod = np.array([0.0, 1.2 * c - 0.1 * s, 1.2 * s + 0.1 * c])
    line = rod - [0.0, 0.5, -1.0]
    # closed to rounding of numbers of size one
    assert values["lift.position"] == pytest.approx(np.linalg.norm(line) - 0.8, abs=1e-12)
    assert values["lift.angle"] == pytest.approx(math.atan2(-line[1], line[2]), abs=1e-12)
    assert values["lift.tilt"] == pytest.approx(0.0, abs=1e-12)


def test_link_follows_from_a_given_extension_that_becomes_a_state() -> None:
    sim = plain(arm(lift="initial: {position: 0.7 m, velocity: 0.1 m/s}"))
    assert sim.state_names == ["lift.position", "lift.velocity"]
    assert sim.x0 == pytest.approx([0.7, 0.1], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_turned_mechanism_moves_alike(seed: int) -> None:
    """The same arm built in any orientation, with gravity turned along, has the same accelerations and loads."""
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)

    def turned(x: float, y: float, z: float) -> str:
        return str((R @ [x, y, z]).tolist())

    text = arm(
        axis=turned(1, 0, 0), com=turned(0, 1, 0), rod=turned(0, 1.2, 0.1), foot=turned(0, 0.5, -1),
        lift="initial: {position: 0.7}",
    )  # fmt: skip
    gravity = str((R @ [0, 0, -9.81]).tolist())
    text = text.replace("blocks:\n", f"blocks:\n  world: {{type: world, gravity: {gravity}}}\n")
    # the turned arm has the same shape on either side of its pin: start it on the side of the original
    start = plain(arm(lift="initial: {position: 0.7}")).evaluate()
    text = text.replace("cut: false", f"guess: {{position: {start['pin.position']}}}")
    there = plain(text).evaluate()
    # both are solved to rounding; loads are some 1e3 N
    for name in ("pin.position", "pin.acceleration", "lift.acceleration", "lift.normal_force"):
        assert there[name] == pytest.approx(start[name], rel=1e-9, abs=1e-9), name
    for port in ("lift.pin_a_force", "lift.pin_b_force"):
        np.testing.assert_allclose(outputs(there, port), R @ outputs(start, port), rtol=1e-9, atol=1e-6)


def test_pins_balance_the_cylinder_as_a_whole() -> None:
    """At rest the pins share its weight, and the rod end's axial load is the effort less the piston's weight."""
    sim = plain(
        arm(lift="initial: {position: 0.7, velocity: 0}", com="[0, 0, 0]").replace("value: 4000", "value: 0")
    )
    values = sim.evaluate()
    a, b = outputs(values, "lift.pin_a_force"), outputs(values, "lift.pin_b_force")
    # link axes: the foot stands along the world, the arm is turned by the pin
    c, s = math.cos(values["pin.position"]), math.sin(values["pin.position"])
    b = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ b
    swing, reach = values["lift.angle"], 1.5
    u, across = (
        np.array([0, -math.sin(swing), math.cos(swing)]),
        np.array([0, -math.cos(swing), -math.sin(swing)]),
    )
    acc = rates(sim)["lift.velocity"]
    axial = -b @ u
    assert axial == pytest.approx(10 * (acc + 9.81 * u[2]), rel=1e-9)
    assert -a @ u == pytest.approx(20 * 9.81 * u[2], rel=1e-9)
    # moments about the barrel's pin: of the rod end, of both weights, and the angular momentum's rate
    inertia = 2 + 20 * 0.3**2 + 1 + 10 * (reach - 0.4) ** 2
    moment = -(20 * 0.3 + 10 * (reach - 0.4)) * 9.81 * across[2] - b @ across * reach
    angular = moment / inertia
    total = a + b + np.array([0, 0, 30 * 9.81])
    motion = -20 * 0.3 * angular * across - 10 * ((reach - 0.4) * angular * across + acc * u)
    np.testing.assert_allclose(total, motion, atol=1e-9 * 300)


@pytest.mark.parametrize("position", [3.0, -0.75])
def test_out_of_reach_names_block_and_lengths(position: float) -> None:
    with pytest.raises(CompileError) as error:
        plain(arm(lift=f"initial: {{position: {position}}}"))
    problem = error.value.problems[0]
    assert problem.path == "lift"
    assert f"{0.8 + position:g} m" in problem.message
    b1, b2 = math.hypot(0.5, 1.0), math.hypot(1.2, 0.1)
    assert f"from {abs(b1 - b2):.6g} to {b1 + b2:.6g} m" in problem.message


def test_two_given_lengths_that_contradict_are_told() -> None:
    with pytest.raises(CompileError, match="its links allow"):
        plain(arm(pin="initial: {position: 0.4}", lift="initial: {position: 0.2}"))


@pytest.mark.parametrize(
    ("lift", "words"),
    [
        ("initial: {position: -0.9}", "no pin distance"),
        ("{initial: {position: 0.5}, limits: {lower: 0, upper: 0.4}}", "beyond the limits"),
    ],
)
def test_impossible_extensions_are_told_before_compiling(lift: str, words: str) -> None:
    lift = lift.strip("{}") if lift.startswith("{") else lift
    lines = "limits: {lower: 0, upper: 0.4}\n    initial: {position: 0.5}" if "limits" in lift else lift
    with pytest.raises(LuffError, match=words):
        luff.compile(luff.loads(arm(lift=lines)))


def test_energy_is_kept_while_it_swings() -> None:
    text = arm(lift="initial: {position: 0.7}").replace("value: 4000", "value: 0")
    result = luff.compile(luff.loads(text)).run(stop=0.5, step=1e-3)
    # RK4 at 1 ms on motions of a few rad/s: h^4 leaves 1e-9
    assert result.quality["energy"]["relative_residual"] < 1e-9
    assert np.ptp(result["lift.position"]) > 0.1


FALL = """
luff: 1
blocks:
  rail: {{type: prismatic, axis: z, initial: {{position: 2 m}}}}
  load: {{type: rigid_link, mass: 500, inertia: [1, 1, 1]}}
  lift:
    type: hydraulic_cylinder
    barrel: {{length: 0.8 m, mass: 20 kg, com: [0, 0, 0.3], inertia: [2, 2, 0.1]}}
    piston: {{mass: 10 kg, com: [0, 0, -0.4], inertia: [1, 1, 0.05]}}
    {lift}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- load.frame_a
  - world.frame -- lift.frame_a
  - load.frame_a -- lift.frame_b
simulation: {{stop: 1 s, step: 1 ms, output_step: 1 ms}}
"""
# hardly a spring
OIL = """fluid: {bore: 60 mm, rod: 59 mm, stroke: 1.5 m, dead_cap: 1000 l, bulk_modulus: 1e6, initial: {cap: 0}}
    initial: {position: 1.2}"""
STOPS = "limits: {lower: 0, upper: 1.5 m, stiffness: 1e8, damping: 1e5}"


def told(lift: str, method: str) -> list[str]:
    session = luff.compile(luff.loads(FALL.format(lift=lift))).start(method=method)
    while session.advance() == "running":
        pass
    return [str(note) for note in session.remarks if "no cylinder can" in note.message]


@pytest.mark.parametrize("method", ["rk4", "implicit", "dop853"])
@pytest.mark.parametrize(
    ("lift", "drop", "words"),
    [
        ("damping: 0", 2.0, r"lift: its pins meet at t = ([\d.]+) s \(position -0.8 m\), and it goes on by ([\d.]+) m"),
        # told from 1 % of the stroke on, and counted from its end
        (OIL, 1.215, r"lift: leaves its stroke of 1.5 m at t = ([\d.]+) s, and goes ([\d.]+) m"),
    ],
    ids=["pins", "stroke"],
)  # fmt: skip
def test_cylinder_that_leaves_its_stroke_is_told(lift: str, drop: float, words: str, method: str) -> None:
    """A load falls onto a cylinder without stops."""
    (note,) = told(lift, method)
    found = re.search(words, note)
    assert found is not None, note
    time, beyond = map(float, found.groups())
    # pins that meet are a singular position, which steps of fixed length pass in one stretch of some of them
    passed = 1.5e-2 if drop == 2.0 and method != "dop853" else 2e-3
    assert time == pytest.approx(math.sqrt(2 * drop / 9.81), abs=passed)
    assert beyond == pytest.approx(0.5 * 9.81 - (drop if drop == 2.0 else 1.2), rel=6e-3)  # the oil's spring
    assert "give it end stops: limits" in note


def test_cylinder_on_end_stops_is_not_told_of_its_stroke() -> None:
    fluid = f"{OIL}\n    {STOPS}"
    assert told(fluid, "implicit") == []
    (note,) = told(fluid.replace("1e8", "2e4"), "implicit")
    assert "make its end stops stiffer" in note


# a load thrown against an end stop that gives way by centimetres, or thrown back by it; oil leaves by wide orifices
INTO_STOP = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  rail: {{type: prismatic, axis: z, initial: {{position: {start} m, velocity: {speed} m/s}}}}
  load: {{type: rigid_link, mass: 500}}
  lift:
    type: hydraulic_cylinder
    barrel: {{length: 0.8 m, mass: 1e-3}}
    piston: {{mass: 1e-3}}
    fluid: {{bore: 60 mm, rod: 40 mm, stroke: 0.5 m, dead_cap: {dead} l, dead_rod: {dead} l,
             initial: {{cap: 20 bar, rod: 20 bar}}}}
    limits: {{lower: 0, upper: 0.5 m, stiffness: 2e5, damping: 0}}
  from_cap: {{type: orifice, area: 4e-4}}
  from_rod: {{type: orifice, area: 4e-4}}
  tank: {{type: tank}}
  flow: {{type: expression, inputs: [a, b], expr: a + b}}
  power: {{type: expression, inputs: [p, a, q, b], expr: p*a + q*b}}
  left: {{type: integrator}}
  heat: {{type: integrator}}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- load.frame_a
  - world.frame -- lift.frame_a
  - load.frame_a -- lift.frame_b
  - lift.cap -- from_cap.a
  - lift.rod -- from_rod.a
  - from_cap.b -- tank.port
  - from_rod.b -- tank.port
  - from_cap.flow -> flow.a
  - from_rod.flow -> flow.b
  - flow.y -> left.u
  - lift.cap_pressure -> power.p
  - from_cap.flow -> power.a
  - lift.rod_pressure -> power.q
  - from_rod.flow -> power.b
  - power.y -> heat.u
simulation: {{stop: 0.4 s, step: {step} ms, output_step: 10 ms, method: {method}}}
"""


@pytest.mark.parametrize("dead", [1.0, 0.05], ids=["roomy", "nearly empty"])
@pytest.mark.parametrize("end", ["retracted", "extended"])
@pytest.mark.parametrize("way", ["in", "out"])
@pytest.mark.parametrize(
    ("method", "step", "off"), [("rk4", 0.005, 1e-6), ("implicit", 0.05, 1e-4), ("implicit", 0.5, 0.05)]
)
def test_oil_and_energy_are_kept_in_an_end_stop(
    dead: float, end: str, way: str, method: str, step: float, off: float
) -> None:
    """What has left a cylinder was in it, however far its piston is pressed into a stop; and so are energies."""
    sign, border = (-1.0, 0.0) if end == "retracted" else (1.0, 0.5)
    position = border + sign * (0.05 if way == "out" else -0.02)
    text = INTO_STOP.format(
        start=0.8 + position, speed=sign * 1.5 * (way == "in"), dead=dead, step=step, method=method
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", luff.ModelWarning)  # oil is torn, and steps are long
        result = luff.compile(luff.loads(text)).run()
    pressed = np.max(sign * (result["lift.position"] - border))
    # beyond half of the dead volume, if that is small
    assert pressed > (0.02 if dead == 1.0 else 0.5 * dead * 1e-3 / (math.pi / 4 * 0.06**2))
    # the piston sweeps 140 cm^3 and more within the stop
    moved = result["lift.oil"] + result["left.y"] - result["lift.oil"][0]
    assert np.max(abs(moved)) < off * 1e-4
    energy = result.quality["energy"]
    mechanical = sum(energy["end"].values()) - sum(energy["start"].values())
    stored = result["lift.stored_energy"][-1] - result["lift.stored_energy"][0]
    if step == 0.05:
        # 250 J and more go to and fro; oil that leaves takes along what compresses it and its gas, 0.1 % of the work
        assert abs(mechanical + stored + result["heat.y"][-1]) < 0.5

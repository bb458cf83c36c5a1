"""Controllers that call the inverse dynamics: what they promise is checked on the accelerations that follow."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks import CompileError
from luff.solver.program.inverse_dynamics_operations import rank_of_rates
from luff.tests.shared.compile_text import plain

ARM = """
luff: 1
name: two links in a plane
blocks:
  one: {type: revolute, axis: y, initial: {position: 0.3, velocity: ONE}, stiffness: K1, rest: 0.1, damping: 5}
  upper: {type: rigid_link, mass: 10, com: [0.4, 0, 0], inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  two: {type: revolute, axis: y, initial: {position: 0.5, velocity: TWO}}
  lower: {type: rigid_link, mass: 4, com: [0.3, 0, 0], inertia: [0.5, 0.5, 0.5], frame_b: {at: [0.8, 0, 0]}}
  spring: {type: line_spring, stiffness: KL, damping: 30, free_length: 0.2}
  post: {type: fixed, at: [0.2, 0, 1]}
CONTROL
connect:
  - world.frame -- one.frame_a
  - one.frame_b -- upper.frame_a
  - upper.frame_b -- two.frame_a
  - two.frame_b -- lower.frame_a
  - world.frame -- post.frame_a
  - post.frame_b -- spring.frame_a
  - lower.frame_b -- spring.frame_b
WIRES
"""

LINKAGE = """
luff: 1
name: four bars
blocks:
  crank: {type: revolute, axis: y, initial: {position: 0.4, velocity: ONE}}
  a: {type: rigid_link, mass: 3, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, 1]}}
  elbow: {type: revolute, axis: y, guess: {position: 1.2}, stiffness: K1, damping: 2}
  b: {type: rigid_link, mass: 5, com: [0, 0, 0.8], inertia: [0.4, 0.4, 0.4], frame_b: {at: [0, 0, 2]}}
  knee: {type: spherical}
  foot: {type: fixed, at: [1.8, 0, 0]}
  rocker: {type: revolute, axis: y, guess: {position: 0.2}}
  c: {type: rigid_link, mass: 4, com: [0, 0, 0.6], inertia: [0.2, 0.2, 0.2], frame_b: {at: [0, 0, 1.5]}}
CONTROL
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- a.frame_a
  - a.frame_b -- elbow.frame_a
  - elbow.frame_b -- b.frame_a
  - world.frame -- foot.frame_a
  - foot.frame_b -- rocker.frame_a
  - rocker.frame_b -- c.frame_a
  - c.frame_b -- knee.frame_a
  - b.frame_b -- knee.frame_b
WIRES
"""


def model(text: str, law: str, drives: list[str], more: str = "", **words: float | str) -> str:
    """The mechanism with a controller of these drives and their efforts wired."""
    control = f"  control: {{type: {law}, drives: [{', '.join(drives)}]{more}}}\n"
    wires = "".join(f"  - control.effort[{k}] -> {name}.effort\n" for k, name in enumerate(drives))
    if law == "computed_torque":
        control += (
            "  target: {type: motion_law, unit: rad, start_value: START, end_value: END, duration: 2 s}\n"
        )
        wires += "  - target.y -> control.target\n"
    text = text.replace("CONTROL\n", control).replace("WIRES\n", wires)
    for name, value in {"ONE": 0.0, "TWO": 0.0, "K1": 0.0, "KL": 0.0, **words}.items():
        text = text.replace(name, str(value))
    return text


@pytest.mark.parametrize(("pin", "line"), [(0.0, 0.0), (200.0, 0.0), (200.0, 300.0)])
def test_compensated_arm_stays(pin: float, line: float) -> None:
    values = plain(model(ARM, "gravity_compensation", ["one", "two"], K1=pin, KL=line)).evaluate()
    # efforts of 100 N m on inertias of 1 kg m^2, to rounding
    assert values["one.acceleration"] == pytest.approx(0.0, abs=1e-11)
    assert values["two.acceleration"] == pytest.approx(0.0, abs=1e-11)
    assert abs(values["control.effort[0]"]) > 10


def test_compensation_knows_contacts_and_not_what_touches() -> None:
    """10 kg that push with 10 N into a contact, with 40 N into a plane as a box on four corners."""
    text = """
luff: 1
blocks:
  lift: {type: prismatic, axis: z}
  mass: {type: rigid_link, mass: 10, inertia: [1, 1, 1],
         shape: {kind: box, size: [0.1, 0.1, 0.1], at: [0, 0, 0.04], round: 0.02}}
  floor: {type: fixture, shape: {kind: plane}}
  hold: {type: gravity_compensation, drives: [lift]}
  PAD
connect: [world.frame -- lift.frame_a, lift.frame_b -- mass.frame_a, "hold.effort[0] -> lift.effort", WIRES]
"""
    pad = "pad: {type: contact, radius: 0.01, law: {stiffness: 1e3}}"
    wires = "world.frame -- pad.plane, mass.frame_a -- pad.of"
    met = plain(text.replace("PAD", pad).replace("WIRES", wires)).evaluate()
    assert met["hold.effort"] == pytest.approx(98.1 - 10.0, rel=1e-12)
    pad = "pad: {type: touch, of: [mass], against: [floor], law: {stiffness: 1e3}}"
    touched = plain(text.replace("PAD", pad).replace(", WIRES", "")).evaluate()
    assert touched["hold.effort"] == pytest.approx(98.1, rel=1e-12)
    assert touched["pad.normal_force"] == pytest.approx(40.0, rel=1e-9)


@pytest.mark.parametrize(("pin", "line"), [(0.0, 0.0), (200.0, 300.0)])
def test_compensation_ignores_motion_and_leaves_it_alone(pin: float, line: float) -> None:
    drives = ["one", "two"]
    still = plain(model(ARM, "gravity_compensation", drives, K1=pin, KL=line)).evaluate()
    text = model(ARM, "gravity_compensation", drives, ONE=2.0, TWO=-3.0, K1=pin, KL=line)
    moving = plain(text).evaluate()
    for k in range(2):
        effort = still[f"control.effort[{k}]"]
        assert moving[f"control.effort[{k}]"] == pytest.approx(effort, rel=1e-12)
        # the dynamics that follow must be those of constant efforts of the same size
        text = text.replace("connect:\n", f"  push{k}: {{type: constant, value: {effort!r}}}\nconnect:\n")
        text = text.replace(f"control.effort[{k}]", f"push{k}.y")
    free = plain(text.replace("  control: {type: gravity_compensation, drives: [one, two]}\n", "")).evaluate()
    for name in ("one.acceleration", "two.acceleration", "spring.force", "one.total_force[0]"):
        assert moving[name] == pytest.approx(free[name], rel=1e-11), name


@pytest.mark.parametrize("law", ["gravity_compensation", "computed_torque"])
def test_the_order_of_drives_does_not_matter(law: str) -> None:
    ends = {"START": "[0.3, 0.3]", "END": "[1, 1]", "ONE": 1.0, "TWO": -2.0, "K1": 100}
    one, other = (
        plain(model(ARM, law, drives, **ends)).evaluate(0.5) for drives in (["one", "two"], ["two", "one"])
    )
    for k in range(2):
        effort = other[f"control.effort[{1 - k}]"]
        assert abs(effort) > 1
        assert one[f"control.effort[{k}]"] == pytest.approx(effort, rel=1e-11)


def test_passive_links_count_as_held() -> None:
    """One drive, two freedoms: the moment of all weights about the driven pin."""
    values = plain(model(ARM, "gravity_compensation", ["one"])).evaluate()
    lever = 10 * 0.4 * math.cos(0.3) + 4 * (math.cos(0.3) + 0.3 * math.cos(0.8))
    # a turn about +y lowers the tip: the drive pulls the other way
    assert values["control.effort"] == pytest.approx(-9.81 * lever, rel=1e-12)


@pytest.mark.parametrize("drive", ["crank", "rocker", "elbow"])
@pytest.mark.parametrize("stiffness", [0.0, 50.0])
def test_one_drive_holds_a_closed_loop(drive: str, stiffness: float) -> None:
    values = plain(model(LINKAGE, "gravity_compensation", [drive], K1=stiffness)).evaluate()
    for name in ("crank", "elbow", "rocker"):
        # efforts of 50 N m on inertias of 1 kg m^2, with loops closed to 1e-12
        assert values[f"{name}.acceleration"] == pytest.approx(0.0, abs=1e-9)


RESTING = """
luff: 1
name: an arm whose end presses on something, or into water
blocks:
  one: {type: revolute, axis: y, initial: {position: 0.3, velocity: ONE}}
  arm: {type: rigid_link, mass: 10, com: [0.4, 0, 0], inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  ground: {type: fixed, at: [0, 0, -0.29]}
BLOCK
CONTROL
connect:
  - world.frame -- one.frame_a
  - one.frame_b -- arm.frame_a
  - world.frame -- ground.frame_a
WIRES
"""


@pytest.mark.parametrize("rate", [0.0, 0.5])
@pytest.mark.parametrize(
    ("block", "frames"),
    [
        (
            "{type: pad, grip: 0, soil: {area: 0.1, curve: [[0.1, 1e5]]}, damping: 1e4}",
            ("frame_a", "frame_b"),
        ),
        ("{type: contact, law: {stiffness: 1e5, exponent: 1, dissipation: 1}}", ("plane", "of")),
    ],
)
def test_what_the_arm_rests_on_carries_its_share(block: str, frames: tuple[str, str], rate: float) -> None:
    text = RESTING.replace("BLOCK", f"  under: {block}")
    wires = f"  - ground.frame_b -- under.{frames[0]}\n  - arm.frame_b -- under.{frames[1]}\nWIRES\n"
    values = plain(
        model(text.replace("WIRES\n", wires), "gravity_compensation", ["one"], ONE=rate)
    ).evaluate()
    # 1e5 N/m at the arm's end, at rest: dampers do not count
    push = 1e5 * (math.sin(0.3) - 0.29)
    moment = (push - 10 * 9.81 * 0.4) * math.cos(0.3)
    assert values["control.effort"] == pytest.approx(moment, rel=1e-12)


@pytest.mark.parametrize("wired", [True, False])
@pytest.mark.parametrize("law", ["gravity_compensation", "computed_torque"])
def test_water_that_a_load_moves_is_none_of_the_controllers(law: str, wired: bool) -> None:
    """Its share comes from signals: efforts are those of a dry load, however often the model is evaluated."""

    def arm(level: float) -> luff.Simulation:
        water = "{type: splash_zone, height: 0.4, volume: 0.05, area: 1, added_mass: 80, level: LEVEL}"
        text = RESTING.replace("BLOCK", f"  water: {water}").replace("LEVEL", str(level))
        text = text.replace("WIRES\n", "  - arm.frame_b -- water.frame_b\nWIRES\n")
        text = model(text, law, ["one"], ONE=1.5, START=0.3, END=1.0)
        return plain(text if wired else text.replace("  - control.effort[0] -> one.effort\n", ""))

    wet, dry = arm(-0.2), arm(-5.0).evaluate()
    for _ in range(2):
        values = wet.evaluate()
        assert values["water.wetted[0]"] > 0.2
        assert values["control.effort"] == pytest.approx(dry["control.effort"], rel=1e-12)


@pytest.mark.parametrize(("law", "known"), [("gravity_compensation", 0.0), ("computed_torque", 1.0)])
def test_shapes_that_touch_are_known_to_computed_torque_alone(law: str, known: float) -> None:
    touch = "{type: touch, of: [arm], against: [floor], law: {stiffness: 1e5, exponent: 1}}"
    text = RESTING.replace(
        "BLOCK", f"  floor: {{type: fixture, shape: {{kind: plane, at: [0, 0, -0.3]}}}}\n  touch: {touch}"
    )
    text = text.replace(
        "{at: [1, 0, 0]}}", "{at: [1, 0, 0]}, shape: {kind: sphere, size: 0.2, at: [1, 0, 0]}}"
    )
    values = plain(model(text, law, ["one"], START=0.3, END=1.0)).evaluate()
    # a sphere of 0.1 m about the arm's end
    push = 1e5 * (0.1 + math.sin(0.3) - 0.3)
    assert values["touch.normal_force"] == pytest.approx(push, rel=1e-12)
    moment = (known * push - 10 * 9.81 * 0.4) * math.cos(0.3)
    assert values["control.effort"] == pytest.approx(moment, rel=1e-12)


def test_computed_torque_gives_the_wanted_accelerations() -> None:
    gains = ", kp: [9, 25], kd: 4"
    ends = {"START": "[0.31, 0.45]", "END": "[1.0, -0.5]"}
    sim = plain(
        model(ARM, "computed_torque", ["one", "two"], gains, ONE=2.0, TWO=-3.0, K1=100, KL=200, **ends)
    )
    for t in (0.0, 0.7):
        values = sim.evaluate(t)
        for k, (name, kp) in enumerate((("one", 9.0), ("two", 25.0))):
            q, v, a = (values[f"target.y{part}[{k}]"] for part in ("", ".rate", ".acceleration"))
            error, rate = q - values[f"{name}.position"], v - values[f"{name}.velocity"]
            wanted = a + 4 * rate + kp * error
            assert values[f"{name}.acceleration"] == pytest.approx(wanted, rel=1e-10, abs=1e-10)


# the loop gives the elbow an acceleration of its own
DEPENDENT = LINKAGE + "simulation: {constraints: {dependent: [elbow, rocker]}}\n"


@pytest.mark.parametrize(
    ("text", "drive"),
    [(ARM, "one"), (ARM, "two"), (LINKAGE, "crank"), (LINKAGE, "elbow"), (DEPENDENT, "elbow")],
)
def test_one_drive_gets_its_acceleration_and_the_rest_follows(text: str, drive: str) -> None:
    """On the arm this is partial feedback linearisation, on the linkage there is nothing left to follow."""
    text = model(text, "computed_torque", [drive], ONE=1.0, K1=20, START="0.2", END="0.9")
    values = plain(text).evaluate(0.5)
    q, v, a = (values[f"target.y{part}"] for part in ("", ".rate", ".acceleration"))
    wanted = a + 20 * (v - values[f"{drive}.velocity"]) + 100 * (q - values[f"{drive}.position"])
    assert values[f"{drive}.acceleration"] == pytest.approx(wanted, rel=1e-9)


def test_computed_torque_decays_as_its_gains_say() -> None:
    """Critically damped, w = 5 1/s, from an error of 0.01: e = 0.01 (1 + w t) exp(-w t)."""
    text = model(LINKAGE, "computed_torque", ["crank"], ", kp: 25, kd: 10", START="0.41", END="0.41")
    result = luff.compile(luff.loads(text)).run(stop=1.0, step=1e-3, output_step=0.5)
    # RK4 with w h = 0.005
    assert 0.41 - result["crank.position"][-1] == pytest.approx(0.01 * 6 * math.exp(-5), rel=1e-8)


@pytest.mark.parametrize("realised_by", ["ideal", "[two]"])
def test_programmed_constraint_counts_as_one(realised_by: str) -> None:
    """The arm's tip is held on a line, ideally or by a drive: one drive is enough for what is left."""
    line = f'  line: {{type: programmed_constraint, relation: "z + 0.8", realised_by: {realised_by}}}\n'
    text = model(ARM, "gravity_compensation", ["one"])
    text = text.replace("connect:\n", f"{line}connect:\n  - lower.frame_b -- line.frame\n")
    text = text.replace("initial: {position: 0.5, velocity: 0.0}", "guess: {position: 0.5}")
    values = plain(text).evaluate()
    assert values["one.acceleration"] == pytest.approx(0.0, abs=1e-9)
    assert abs(values["line.multiplier"]) > 1.0


def test_small_levers_make_no_drives_dependent() -> None:
    """Two drives, one of whose rates are 1e-10 m/rad: rows count by their directions, not by their units."""
    assert rank_of_rates(np.array([[1e-10, 2e-10], [1.0, -1.0]])) == 2
    assert rank_of_rates(np.array([[1e-10, 2e-10], [1.0, 2.0]])) == 1


@pytest.mark.parametrize(
    ("text", "drives", "words"),
    [
        (ARM, ["one", "three"], "is not a joint with one coordinate"),
        (LINKAGE, ["crank", "rocker"], "rocker is not independent of crank"),
    ],
)
def test_drives_that_cannot_be(text: str, drives: list[str], words: str) -> None:
    text = model(text, "gravity_compensation", drives)
    text = text.replace("  - control.effort[1] -> three.effort\n", "")
    with pytest.raises(CompileError, match=words) as error:
        plain(text)
    assert error.value.problems[0].path == "control.drives"

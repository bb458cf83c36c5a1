"""Shafts against closed forms, against the same train wired by signals, and in an account of their energy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.tests.conftest import sized
from luff.tests.shared.loop_cases import FOUR_BAR

LIBRARY = Path(luff.__file__).parent / "library"


def run(blocks: str, wires: str, stop: float, step: float) -> luff.Result:
    return luff.compile(luff.loads(netlist(blocks, wires, stop, step))).run()


def netlist(blocks: str, wires: str, stop: float = 1.0, step: float = 1e-3) -> str:
    return f"""
luff: 1
blocks:
{blocks}
connect: [{wires}]
simulation: {{stop: {stop}, step: {step}, output_step: {stop / 100!r}}}
"""


def test_two_inertias_on_a_shaft_ring_as_their_closed_form() -> None:
    I, J, k, start = 0.3, 0.5, 120.0, 4.0
    found = run(
        f"""
  one: {{type: shaft_inertia, inertia: {I}, initial_speed: {start}}}
  between: {{type: shaft_spring, stiffness: {k}, damping: 0}}
  other: {{type: shaft_inertia, inertia: {J}}}
""",
        "one.shaft -- between.a, between.b -- other.shaft",
        1.0,
        1e-4,
    )
    w = math.sqrt(k * (1.0 / I + 1.0 / J))
    together = I * start / (I + J)
    # RK4 with w h = 0.0025: (w h)^4 / 120 of an amplitude for each radian, 8e-12 in all
    np.testing.assert_allclose(found["between.twist_angle"], start / w * np.sin(w * found.time), atol=1e-9)
    wanted = together + (start - together) * np.cos(w * found.time)
    np.testing.assert_allclose(found["one.speed"], wanted, rtol=0.0, atol=1e-9 * start)
    energy = found["one.energy"] + found["between.energy"] + found["other.energy"]
    np.testing.assert_allclose(energy, 0.5 * I * start**2, rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "drives"),
    [({"lift.start": 0}, True), ({"lift.height": 0}, False)],
    ids=["the motor lifts", "the arm falls and drives the motor"],
)
def test_train_on_shafts_moves_as_the_one_wired_by_signals(values: dict[str, float], drives: bool) -> None:
    """Rounding alone differs: torques are added up in another order."""
    signals, shafts = (
        luff.compile(LIBRARY / f"{name}.yaml", **values, **{"released.start": 0}).run(stop=sized(0.5, 0.04))
        for name in ("drive_train", "drive_train_shafts")
    )
    pairs = {"pivot.position": "", "rotor.speed": "gear.speed", "gearbox.torque": "gear.effort"}
    for here, there in {**pairs, "motor.current": "", "gearbox.twist_angle": "gear.twist_angle"}.items():
        wanted = signals[there or here]
        np.testing.assert_allclose(shafts[here], wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max())
    power = (shafts["gearbox.torque"] * shafts["pivot.velocity"])[-1]
    assert (power > 1e-3) if drives else (power < -1e-3)


def test_teeth_are_told_as_what_switches() -> None:
    found = luff.compile(LIBRARY / "drive_train_shafts.yaml").program.switches
    assert ("gearbox", "teeth") in [(switch.block, switch.what) for switch in found]


LEDGER = """
  V: {type: pulse, height: 24, duration: 1.2 s}
  shut: {type: step, start: 1.2 s}
  motor: {type: shaft_motor, resistance: 0.5, inductance: 0.02, constant: 0.3}
  rotor: {type: shaft_inertia, inertia: 0.01, bearing: 1e-3}
  brake: {type: shaft_brake, torque: 4, stiffness: 100, damping: 0.1, stribeck: 5, sticking: 1.2}
  gearbox: {type: gearbox, ratio: -8, stiffness: 500, damping: 2, backlash: 0.02, efficiency: 0.8}
  clutch: {type: clutch, torque: 30, stiffness: 300, damping: 1, stribeck: 1}
  wheel: {type: shaft_inertia, inertia: 0.4, bearing: 0.5}
  drum: {type: shaft_inertia, inertia: 0.2, initial_speed: 2}
  heat: {type: sum, signs: +++++}
  work: {type: integrator}
  lost: {type: integrator}
"""
LEDGER_WIRES = """V.y -> motor.voltage, shut.y -> brake.closed, motor.shaft -- rotor.shaft, brake.shaft -- motor.shaft,
  rotor.shaft -- gearbox.a, gearbox.b -- wheel.shaft, wheel.shaft -- clutch.a, clutch.b -- drum.shaft,
  rotor.loss -> heat.u1, brake.loss -> heat.u2, gearbox.loss -> heat.u3, wheel.loss -> heat.u4, clutch.loss -> heat.u5,
  motor.power -> work.u, heat.y -> lost.u"""


def test_account_of_motor_gear_brake_and_clutch_closes() -> None:
    """Work of the motor = what moves and bends + what rubs, through run-up, play, both efficiencies and a stop."""
    found = run(LEDGER, LEDGER_WIRES, sized(2.0, 0.06), 2e-5)
    stored = sum(found[f"{name}.energy"] for name in ("rotor", "gearbox", "wheel", "drum"))
    work = np.abs(found["work.y"]).max()
    assert work > sized(100.0, 0.1)
    if found.time[-1] > 1.5:
        assert found["gearbox.torque"].max() > 10.0 > -10.0 > found["gearbox.torque"].min()
    residual = found["work.y"] - (stored - stored[0]) - found["lost.y"]
    assert np.abs(residual).max() < 1e-8 * work
    # teeth and bearings never give anything back
    for name in ("rotor", "gearbox", "wheel"):
        assert found[f"{name}.loss"].min() > -1e-9 * work


def test_clutch_slips_at_its_torque_and_sticks_at_the_common_speed() -> None:
    I, J, M, start = 0.4, 0.6, 12.0, 30.0
    found = run(
        f"""
  one: {{type: shaft_inertia, inertia: {I}, initial_speed: {start}}}
  clutch: {{type: clutch, torque: {M}, stiffness: 2e3, damping: 40}}
  other: {{type: shaft_inertia, inertia: {J}}}
""",
        "one.shaft -- clutch.a, clutch.b -- other.shaft",
        1.0,
        5e-5,
    )
    one, other, t = found["one.speed"], found["other.speed"], found.time
    momentum = I * one + J * other
    np.testing.assert_allclose(momentum, I * start, rtol=1e-11)  # 20,000 steps of rounding
    slips = start / (M * (1.0 / I + 1.0 / J))
    # after the bristles have bent, which takes M / k / start = 0.2 ms
    early = (t > 0.02) & (t < 0.9 * slips)
    assert early.sum() > 30
    assert np.polyfit(t[early], one[early], 1)[0] == pytest.approx(-M / I, rel=1e-9)
    assert np.polyfit(t[early], other[early], 1)[0] == pytest.approx(M / J, rel=1e-9)
    late = t > slips + 0.2
    np.testing.assert_allclose(one[late], I * start / (I + J), rtol=1e-6)
    assert np.abs(found["clutch.effort"][late]).max() < 1e-3 * M


@pytest.mark.parametrize("closed", [1.0, 0.5])
def test_brake_that_closes_at_rest_moves_nothing_and_then_holds(closed: float) -> None:
    """Run up, stopped by the drive, closed, loaded: bristles that stayed bent would throw it back."""
    k, weight = 1e4, 40.0
    found = run(
        f"""
  push: {{type: table, data: [[0, 0], [0.25, 20], [0.5, 0], [0.75, -20], [1, 0], [2, 0], [2.2, {weight}]]}}
  shut: {{type: step, start: 1.5, height: {closed}}}
  source: {{type: torque_source}}
  wheel: {{type: shaft_inertia, inertia: 2}}
  turned: {{type: integrator}}
  brake: {{type: shaft_brake, torque: 100, stiffness: {k}, damping: 200}}
""",
        "push.y -> source.torque, shut.y -> brake.closed, source.shaft -- wheel.shaft, brake.shaft -- wheel.shaft, "
        "wheel.speed -> turned.u",
        5.0,
        1e-3,
    )
    t, turned = found.time, found["turned.y"]
    assert found["wheel.speed"].max() > 2.0
    rests = (t > 1.0 - 1e-9) & (t < 2.0)
    assert np.abs(found["wheel.speed"][rests]).max() < 1e-12
    assert np.abs(found["brake.effort"][rests]).max() < 1e-9
    # half closed it carries half of its torque, and that is more than the weight: it bends by weight / k, and stays
    assert turned[-1] - turned[np.searchsorted(t, 1.9)] == pytest.approx(weight / k, rel=1e-6)
    assert np.ptp(turned[t > 4.0]) < 1e-9
    assert found["brake.effort"][-1] == pytest.approx(-weight, rel=1e-6)


@pytest.mark.parametrize(
    ("drive", "more"),
    [
        ("{type: shaft_motor, resistance: 0.5, inductance: 0.02, constant: 0.3}", "V.y -> drive.voltage"),
        ("{type: shaft_motor, model: curve, curve: [[0, 9], [40, 0]]}", "V.y -> drive.command"),
        ("{type: torque_source}", "V.y -> drive.torque"),
        ("{type: shaft_brake, torque: 3, stiffness: 100}", "V.y -> drive.closed"),
    ],
)
def test_housing_bears_what_the_shaft_gets(drive: str, more: str) -> None:
    """Between two free inertias the momentum stays nought; on the ground a housing is the same as none."""
    spun = 10.0 if "brake" in drive else 0.0
    blocks = f"""
  V: {{type: constant, value: 5}}
  drive: {drive}
  rotor: {{type: shaft_inertia, inertia: 0.2, initial_speed: {spun}}}
  case: {{type: shaft_inertia, inertia: 0.7}}
"""
    wires = f"{more}, drive.shaft -- rotor.shaft"
    free = run(blocks, f"{wires}, drive.housing -- case.shaft", 0.5, 1e-4)
    assert np.abs(free["case.speed"][-1]) > 0.5
    np.testing.assert_allclose(
        0.2 * free["rotor.speed"] + 0.7 * free["case.speed"], 0.2 * spun, rtol=0.0, atol=1e-12
    )
    # against each other they move as one inertia of 1 / (1 / 0.2 + 1 / 0.7) does on the ground
    slip = free["rotor.speed"] - free["case.speed"]
    one = run(blocks.replace("0.2", repr(0.2 * 0.7 / 0.9)), wires, 0.5, 1e-4)
    np.testing.assert_allclose(slip, one["rotor.speed"], rtol=0.0, atol=1e-9 * np.abs(slip).max())
    if "torque_source" in drive:
        np.testing.assert_allclose(free["drive.speed"], slip, rtol=0.0, atol=1e-12)
    held = blocks.replace("case: {type: shaft_inertia, inertia: 0.7}", "case: {type: speed_source}")
    still, open_ = (
        run(f"{held}  zero: {{type: constant, value: 0}}\n", f"{wires}, zero.y -> case.speed{end}", 0.5, 1e-4)
        for end in (", drive.housing -- case.shaft", "")
    )
    np.testing.assert_array_equal(still["rotor.speed"], open_["rotor.speed"])
    assert still["case.torque"][-1] == pytest.approx(
        0.2 * np.gradient(still["rotor.speed"], still.time)[-1], rel=0.02
    )


JOINT = """
  joint: {type: revolute, axis: z}
  wheel: {type: rigid_link, mass: 5, inertia: [2, 2, 2]}
"""


def test_shaft_and_effort_of_a_joint_add_up() -> None:
    found = run(
        JOINT
        + "  M: {type: constant, value: 3}\n  N: {type: constant, value: 5}\n  source: {type: torque_source}\n",
        "world.frame -- joint.frame_a, joint.frame_b -- wheel.frame_a, M.y -> joint.effort, N.y -> source.torque, "
        "source.shaft -- joint.shaft",
        1.0,
        1e-3,
    )
    np.testing.assert_allclose(found["joint.velocity"], 4.0 * found.time, atol=1e-12)
    assert found.quality["energy"]["drives"] == pytest.approx(0.5 * 2.0 * 16.0, rel=1e-9)


def test_speed_source_gives_the_torque_that_its_inertia_needs() -> None:
    """Over a stiff shaft, a wheel that is led as a t / 2 feels I a in the end."""
    found = run(
        f"{JOINT}  w: {{type: ramp, slope: 0.5}}\n  lead: {{type: speed_source}}\n"
        "  shaft: {type: shaft_spring, stiffness: 1e4, damping: 200}\n",
        "world.frame -- joint.frame_a, joint.frame_b -- wheel.frame_a, w.y -> lead.speed, lead.shaft -- shaft.a, "
        "shaft.b -- joint.shaft",
        1.0,
        1e-3,
    )
    assert found["lead.torque"][-1] == pytest.approx(2.0 * 0.5, rel=1e-9)
    assert found["lead.power"][-1] == pytest.approx(0.5 * found["lead.torque"][-1], rel=1e-12)


@pytest.mark.parametrize("radius", [0.2, -0.2])
def test_rack_moves_a_slide_and_feels_its_mass(radius: float) -> None:
    """A torque on the pinion: a = M / r / m; a wheel beside the slide would need a shaft_spring."""
    found = run(
        f"""
  slide: {{type: prismatic, axis: x}}
  mass: {{type: rigid_link, mass: 5, inertia: [1, 1, 1]}}
  M: {{type: constant, value: 3}}
  source: {{type: torque_source}}
  rack: {{type: rack, radius: {radius}}}
""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, M.y -> source.torque, "
        "source.shaft -- rack.shaft, slide.velocity -> rack.velocity, rack.effort -> slide.effort",
        1.0,
        1e-3,
    )
    np.testing.assert_allclose(found["slide.velocity"], 3.0 / radius / 5.0 * found.time, atol=1e-12)
    np.testing.assert_allclose(found["source.speed"], found["slide.velocity"] / radius, rtol=1e-12)


def test_shaft_turns_a_joint_that_closes_a_loop() -> None:
    """Whichever joint of a loop it is, it stays a coordinate: the same motion as by its effort."""
    for joint in "ABCD":
        motions = []
        for source, wire in (
            ("{type: gain}", f"M.y -> drive.u\n  - drive.y -> {joint}.effort"),
            ("{type: torque_source}", f"M.y -> drive.torque\n  - drive.shaft -- {joint}.shaft"),
        ):
            blocks = f"blocks:\n  M: {{type: constant, value: 4}}\n  drive: {source}"
            text = FOUR_BAR.replace("blocks:", blocks).replace("connect:", f"connect:\n  - {wire}")
            motions.append(luff.compile(luff.loads(text)).run(stop=sized(0.3, 0.02)))
        np.testing.assert_allclose(motions[1]["A.position"], motions[0]["A.position"], rtol=1e-12)


def test_part_has_shafts_as_ports(tmp_path: Path) -> None:
    (tmp_path / "drive.yaml").write_text("""
luff: 1
ports: {out: gearbox.b, torque: source.torque}
blocks:
  source: {type: torque_source}
  rotor: {type: shaft_inertia, inertia: 0.01}
  gearbox: {type: gearbox, ratio: 10, stiffness: 1e4, damping: 100}
connect: [source.shaft -- rotor.shaft, rotor.shaft -- gearbox.a]
""")
    (tmp_path / "whole.yaml").write_text(
        netlist(
            f"{JOINT}  drive: {{type: ./drive.yaml}}\n  M: {{type: constant, value: 0.6}}",
            "world.frame -- joint.frame_a, joint.frame_b -- wheel.frame_a, M.y -> drive.torque, "
            "drive.out -- joint.shaft",
            1.0,
            2e-4,
        )
    )
    found = luff.compile(luff.load(tmp_path / "whole.yaml")).run()
    half = found.time > 0.5
    slope = np.polyfit(found.time[half], found["joint.velocity"][half], 1)[0]
    assert slope == pytest.approx(6.0 / (2.0 + 0.01 * 100.0), rel=1e-6)


@pytest.mark.parametrize(
    ("wires", "message", "fix"),
    [
        (
            "one.shaft -- other.shaft",
            "one.shaft and other.shaft both give the speed of one node",
            "shaft_spring",
        ),
        ("one.shaft -- spring.a", "nothing is wired to this shaft", "spring.b"),
        (
            "one.shaft -- spring.a, spring.b -- brake.shaft",
            "nothing gives the speed where it meets brake.shaft",
            "inertia",
        ),
        (
            "one.shaft -- gain.u",
            "is a signal input and cannot be wired to one.shaft, a shaft",
            "torque_source",
        ),
        ("one.shaft -- world.frame", "is a frame and cannot be wired to one.shaft, a shaft", "revolute"),
        (
            "one.shaft -> spring.a",
            "is a shaft: found -> to spring.a, expected --",
            "write one.shaft -- spring.a",
        ),
        ("one.shaft -- volume.port", "is a hydraulic port and cannot be wired to one.shaft, a shaft", ""),
    ],
)
def test_wrong_shafts_are_refused_with_one_clear_error(wires: str, message: str, fix: str) -> None:
    blocks = """
  one: {type: shaft_inertia}
  other: {type: shaft_inertia}
  spring: {type: shaft_spring}
  brake: {type: shaft_brake}
  gain: {type: gain}
  volume: {type: volume}
"""
    kept = "\n".join(line for line in blocks.splitlines() if line.strip().partition(":")[0] in wires)
    with pytest.raises(LuffError) as caught:
        luff.compile(luff.loads(netlist(kept, wires)))
    errors = [problem for problem in caught.value.problems if problem.severity == "error"]
    assert len(errors) == 1
    assert message in str(errors[0])
    assert fix in str(errors[0])
    assert errors[0].mark is not None


def test_a_shaft_counts_its_angle_where_it_is_asked_to() -> None:
    """Constant torque: w = w0 + T t / I, angle = a0 + w0 t + T t^2 / (2 I), to which RK4 is exact."""
    blocks = """
  push: {type: constant, value: 3}
  drive: {type: torque_source}
  counts: {type: shaft_inertia, inertia: 0.5, initial_speed: 2, with_angle: true, initial_angle: 90 deg}
  plain: {type: shaft_inertia, inertia: 0.5, initial_speed: 2}
"""
    sim = luff.compile(luff.loads(netlist(blocks, "push.y -> drive.torque, drive.shaft -- counts.shaft")))
    assert "plain.angle" not in sim.signal_names
    assert sorted(sim.state_names) == ["counts.turned", "counts.w", "plain.w"]
    found = sim.run()
    t = found.time
    np.testing.assert_allclose(found["counts.speed"], 2 + 6 * t, rtol=1e-13)
    np.testing.assert_allclose(found["counts.angle"], np.pi / 2 + 2 * t + 3 * t**2, rtol=1e-13)
    assert found.units["counts.angle"] == "rad"


def test_a_shaft_without_angle_turns_steadily_in_equilibrium() -> None:
    blocks = """
  push: {type: constant, value: 3}
  drive: {type: torque_source}
  wheel: {type: shaft_inertia, bearing: 0.5, initial_speed: 1}
"""
    sim = luff.compile(luff.loads(netlist(blocks, "push.y -> drive.torque, drive.shaft -- wheel.shaft")))
    np.testing.assert_allclose(luff.equilibrium(sim), [6.0], rtol=1e-12)

"""Programmed and servo constraints, and conditions on velocities, against closed forms and forward dynamics."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import plain, rates
from luff.tests.shared.loop_cases import FOUR_BAR, LED_TIP
from luff.tests.shared.maximal_coordinates import Twin

ELLIPSE = """
luff: 1
name: double pendulum on an ellipse
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, initial: {position: -0.4, velocity: 0.6}, damping: DAMPING}
  upper: {type: rigid_link, mass: 3, com: [0.4, 0, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, guess: {position: 0.8}, damping: DAMPING}
  lower: {type: rigid_link, mass: 2, com: [0.6, 0.1, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1.2, 0, 0]}}
  path: {type: programmed_constraint, relation: "(x/a)^2 + (y/b)^2 - 1", constants: {a: 1.9, b: 1.1}}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- upper.frame_a
  - upper.frame_b -- B.frame_a
  - B.frame_b -- lower.frame_a
  - lower.frame_b -- path.frame
simulation: {stop: 3 s, step: 1 ms, output_step: 10 ms, gpme_delta_q: DELTA, constraints: {method: METHOD}}
"""


def ellipse(damping: float = 0.0, delta: str = "false", method: str = "reduced") -> str:
    text = ELLIPSE.replace("DAMPING", str(damping)).replace("DELTA", delta)
    return text.replace("METHOD", method)


def tip(result: luff.Result) -> tuple[np.ndarray, np.ndarray]:
    a, b = result["A.position"], result["A.position"] + result["B.position"]
    return np.cos(a) + 1.2 * np.cos(b), np.sin(a) + 1.2 * np.sin(b)


@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
def test_power_balances_on_an_ellipse(method: str) -> None:
    result = luff.compile(luff.loads(ellipse(0.5, method=method))).run()
    energy = result.quality["energy"]
    assert energy["dissipated"] > 1.0
    # Baumgarte's poles of 100 1/s are ten times as fast as the motion: the step is long for them
    assert energy["relative_residual"] < (1e-7 if method == "baumgarte" else 1e-8)
    # an ideal constraint that stands still does no work; off it, a little is done
    assert abs(energy["constraints"]) < (1e-12 if method == "reduced" else 1e-7) * energy["dissipated"]
    x, y = tip(result)
    off = abs((x / 1.9) ** 2 + (y / 1.1) ** 2 - 1).max()
    assert off < (1e-8 if method == "baumgarte" else 1e-11)


def test_the_printed_gpme_loses_what_its_dampers_take_twice() -> None:
    """Differentiating sum Q_i qd_i by the rates adds Delta-Q: linear dampers count twice, and their power once.

    So the balance is short of exactly what the dampers take: 14 % of the largest energy here.
    """
    quality = {}
    for delta in ("false", "true"):
        quality[delta] = luff.compile(luff.loads(ellipse(0.5, delta))).run().quality["energy"]
    printed = quality["true"]
    assert quality["false"]["relative_residual"] < 1e-8
    assert printed["relative_residual"] > 0.02
    assert printed["residual"] == pytest.approx(-printed["dissipated"], rel=1e-6)


def test_the_printed_gpme_is_a_model_with_dampers_of_twice_the_size() -> None:
    twice = rates(plain(ellipse(1.0)))
    assert rates(plain(ellipse(0.5, "true"))) == pytest.approx(twice, rel=1e-12)
    assert rates(plain(ellipse(0.5))) != pytest.approx(twice, rel=1e-3)
    # without dampers there is nothing to add
    assert rates(plain(ellipse(0.0, "true"))) == rates(plain(ellipse()))


def test_dampers_between_frames_are_of_twice_the_size_as_well() -> None:
    def damped(damping: float, delta: str) -> dict[str, float]:
        text = ellipse(0.0, delta).replace(
            "connect:\n",
            f"  damper: {{type: line_spring, stiffness: 20, damping: {damping}, free_length: 1}}\n"
            "  post: {type: fixed, at: [1.5, 1.2, 0]}\nconnect:\n  - world.frame -- post.frame_a\n"
            "  - post.frame_b -- damper.frame_a\n  - damper.frame_b -- lower.frame_b\n",
        )
        return rates(plain(text))

    assert damped(3.0, "true") == pytest.approx(damped(6.0, "false"), rel=1e-11)
    assert damped(3.0, "true")["A.velocity"] != pytest.approx(damped(3.0, "false")["A.velocity"], rel=1e-3)


def test_the_multiplier_of_a_relation_is_that_of_bodies_with_six_freedoms() -> None:
    sim = plain(ellipse())
    values = sim.evaluate()
    twin = Twin(sim)
    a = values["A.position"]
    b = a + values["B.position"]
    x, y = math.cos(a) + 1.2 * math.cos(b), math.sin(a) + 1.2 * math.sin(b)
    wa, wb = values["A.velocity"], values["A.velocity"] + values["B.velocity"]
    v = np.array([-math.sin(a) * wa - 1.2 * math.sin(b) * wb, math.cos(a) * wa + 1.2 * math.cos(b) * wb])
    gradient = np.array([2 * x / 1.9**2, 2 * y / 1.1**2, 0.0])
    bend = 2 * (v[0] / 1.9) ** 2 + 2 * (v[1] / 1.1) ** 2
    twin.follow(("lower", "frame_b"), gradient, 0.0, -bend)
    answer = twin.solve()
    assert values["path.multiplier"] == pytest.approx(answer.multipliers[0], rel=1e-9)
    for joint in ("A", "B"):
        found = [values[f"{joint}.constraint_force[{k}]"] for k in range(3)]
        assert found == pytest.approx(answer.constraint[joint][:3].tolist(), abs=1e-8)


MOVING = (
    """
luff: 1
name: a tip that is led
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, guess: {position: -0.4}}
  upper: {type: rigid_link, mass: 3, com: [0.4, 0, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, guess: {position: 0.8}}
  lower: {type: rigid_link, mass: 2, com: [0.6, 0.1, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1.2, 0, 0]}}
"""
    + LED_TIP
    + "simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms}\n"
)

SKATE = """
luff: 1
name: knife edge on a slope
blocks:
  world: {gravity: [3, 0, -9]}
  x: {type: prismatic, axis: x, initial: {position: 0, velocity: 0}}
  y: {type: prismatic, axis: y, initial: {position: 0}}
  turn: {type: revolute, axis: z, initial: {position: 0, velocity: 1.3}}
  blade: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.3]}
  edge: {type: programmed_constraint, relation: "vx*sin(w*t) - vy*cos(w*t)", constants: {w: 1.3}}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- y.frame_a
  - y.frame_b -- turn.frame_a
  - turn.frame_b -- blade.frame_a
  - blade.frame_a -- edge.frame
simulation: {stop: 2 s, step: STEP, output_step: 2 s, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
def test_a_knife_edge_slides_down_a_cycloid_at_fourth_order(method: str) -> None:
    """x = g sin^2(w t) / 2 w^2, y = g (w t - sin(w t) cos(w t)) / 2 w^2 (Neimark and Fufaev 1972, ch. II)."""
    w, g, t = 1.3, 3.0, 2.0
    wanted = [
        g * math.sin(w * t) ** 2 / (2 * w * w),
        g * (w * t - math.sin(w * t) * math.cos(w * t)) / (2 * w * w),
    ]
    errors = []
    # Baumgarte's poles of 200 1/s ask for short steps
    for step in ("10 ms", "5 ms") if method == "baumgarte" else ("40 ms", "20 ms", "10 ms"):
        result = luff.compile(luff.loads(SKATE.replace("STEP", step).replace("METHOD", method))).run()
        errors.append(
            max(abs(result[f"{k}.position"][-1] - value) for k, value in zip("xy", wanted, strict=True))
        )
    # sixteen times fewer at half the step
    assert min(one / other for one, other in itertools.pairwise(errors)) > 11.0, errors
    assert errors[-1] < 1e-6


def test_a_condition_on_velocities_gives_a_rate_and_no_coordinate() -> None:
    sim = plain(SKATE.replace("STEP", "10 ms").replace("METHOD", "reduced"))
    assert sim.summary["degrees_of_freedom"] == 2
    assert [name for name in sim.state_names if name.endswith("position")] == [
        "x.position",
        "y.position",
        "turn.position",
    ]
    assert sum(name.endswith("velocity") for name in sim.state_names) == 2


def test_drives_that_realise_a_path_do_what_the_tree_needs() -> None:
    sim = plain(MOVING.replace("REALISED", "[A, B]"))
    assert sim.summary["degrees_of_freedom"] == 0
    for t in (0.0, 0.37, 0.8):
        values = sim.evaluate(t, [])
        # the same efforts on the open tree, from the same state, give the same accelerations
        body = MOVING
        lines = [
            line for line in body.splitlines() if not any(word in line for word in ("lead", "along", "up:"))
        ]
        text = "\n".join(lines).replace(
            "connect:", "  one: {type: constant}\n  two: {type: constant}\nconnect:"
        )
        text = text.replace("simulation:", "  - one.y -> A.effort\n  - two.y -> B.effort\nsimulation:")
        efforts = {"one.value": values["lead.effort[0]"], "two.value": values["lead.effort[1]"]}
        tree = plain(text, **efforts)
        state = [values[f"{joint}.{part}"] for part in ("position", "velocity") for joint in "AB"]
        found = tree.derivative(t, state)[2:]
        assert found == pytest.approx(
            [values["A.acceleration"], values["B.acceleration"]], rel=1e-9, abs=1e-9
        )
        # and no force acts on the tip: the upper pin carries what the tree's pin does
        assert tree.evaluate(t, state)["A.constraint_force[0]"] == pytest.approx(
            values["A.constraint_force[0]"], rel=1e-9
        )


def test_an_ideal_constraint_pushes_where_drives_do_not() -> None:
    ideal, servo = plain(MOVING.replace("REALISED", "ideal")), plain(MOVING.replace("REALISED", "[A, B]"))
    one, other = ideal.evaluate(0.3, []), servo.evaluate(0.3, [])
    for name in ("A.acceleration", "B.acceleration"):
        assert one[name] == pytest.approx(other[name], rel=1e-9)
    assert "lead.effort[0]" not in one
    # power of the ideal force along the path is that of the drives
    result = luff.compile(luff.loads(MOVING.replace("REALISED", "ideal"))).run()
    driven = luff.compile(luff.loads(MOVING.replace("REALISED", "[A, B]"))).run()
    work, drives = result.quality["energy"]["constraints"], driven.quality["energy"]["drives"]
    assert work == pytest.approx(drives, rel=1e-8)
    assert abs(work) > 5.0
    for found in (result, driven):
        assert found.quality["energy"]["relative_residual"] < 1e-8


TROLLEY = """
luff: 1
name: trolley
blocks:
  world: {gravity: [0, 0, -9.81]}
  rail: {type: prismatic, axis: x, initial: {position: 0, velocity: 0}}
  cart: {type: rigid_link, mass: 20, inertia: [1, 1, 1]}
  pin: {type: revolute, axis: y, GIVEN}
  rope: {type: rigid_link, mass: 5, com: [0, 0, -2], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, POINT]}}
  plan: {type: motion_law, law: poly7, duration: 2 s, start_value: START, end_value: END}
  lead: {type: programmed_constraint, components: [x], realised_by: [DRIVE]}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- cart.frame_a
  - cart.frame_a -- pin.frame_a
  - pin.frame_b -- rope.frame_a
  - rope.frame_b -- lead.frame
  - plan.y -> lead.target
simulation: {stop: 3 s, step: 1 ms, output_step: 10 ms}
"""


def trolley(point: float, drive: str = "rail") -> str:
    text = (
        TROLLEY.replace("POINT", str(point)).replace("DRIVE", drive).replace("GIVEN", "guess: {position: 0}")
    )
    return text.replace("START", "0 m").replace("END", "1 m")


def test_internal_dynamics_of_a_servo_constraint_are_named() -> None:
    sim = plain(trolley(-1.0))
    assert sim.summary["internal"] == ["rail.position"]
    assert sim.summary["degrees_of_freedom"] == 1
    assert plain(MOVING.replace("REALISED", "[A, B]")).summary["internal"] == []


def test_a_led_point_above_the_centre_of_percussion_swings_and_below_it_falls_away() -> None:
    """The load as a pendulum about the led point: stable while that stands above the centre of percussion."""
    percussion = -(0.1 + 5 * 2**2) / (5 * 2)
    above = luff.compile(luff.loads(trolley(percussion + 0.5))).run()
    assert abs(above["pin.position"]).max() < 1.0
    with pytest.raises(luff.RunError, match="lead: a loop cannot be closed after t = 0") as error:
        luff.compile(luff.loads(trolley(percussion - 0.2))).run()
    # it leans until the rail's force moves the point no more: a row of 10 ms before, it is well on its way
    assert abs(error.value.result["pin.position"][-1]) > 0.2  # type: ignore[attr-defined]


def test_a_drive_that_cannot_reach_its_constraint_is_named() -> None:
    text = MOVING.replace("components: [x, y], realised_by: REALISED", "components: [z], realised_by: [A]")
    text = text.replace("  - up.y -> lead.target[1]\n", "").replace("lead.target[0]", "lead.target")
    with pytest.raises(luff.LuffError, match="lead: over-constrained"):
        plain(text)
    percussion = -(0.1 + 5 * 2**2) / (5 * 2)
    with pytest.raises(luff.LuffError, match="rail cannot reach"):
        plain(trolley(percussion))


@pytest.mark.parametrize("scale", [1e-9, 1e8])
def test_a_drive_reaches_what_is_light_or_heavy(scale: float) -> None:
    """Whether a drive reaches its constraint is a matter of directions: the same of all masses a billion times."""
    bodies = (("20", "1"), ("5", "0.1"))

    def scaled(point: float) -> str:
        text = trolley(point)
        for mass, inertia in bodies:
            text = text.replace(f"mass: {mass},", f"mass: {float(mass) * scale!r},")
            turning = ", ".join([repr(float(inertia) * scale)] * 3)
            text = text.replace(f"inertia: [{inertia}, {inertia}, {inertia}]", f"inertia: [{turning}]")
        return text

    assert plain(scaled(-1.0)).summary["internal"] == ["rail.position"]
    with pytest.raises(luff.LuffError, match="rail cannot reach"):
        plain(scaled(-(0.1 + 5 * 2**2) / (5 * 2)))


def test_dependent_coordinates_can_be_named() -> None:
    for named, states in (("A", ["B.position", "B.velocity"]), ("B", ["A.position", "A.velocity"])):
        text = ellipse().replace("{method: reduced}", f"{{dependent: [{named}]}}")
        assert plain(text).state_names == states
    with pytest.raises(luff.LuffError, match='no coordinate is called "C"'):
        plain(ellipse().replace("{method: reduced}", "{dependent: [C]}"))


def test_a_relation_is_checked_before_it_runs() -> None:
    for relation, words in (
        ("floor(x)", "no second derivative"),
        ("x^y", "an exponent that varies"),
        ("x + q", "q"),
        ("ax^2 + x", "linear in the accelerations"),
    ):
        with pytest.raises(luff.LuffError, match=words):
            plain(ellipse().replace("(x/a)^2 + (y/b)^2 - 1", relation))


CARTS = """
luff: 1
name: a cart on a cart, led at the top
blocks:
  world: {gravity: [0, 0, 0]}
  lower: {type: prismatic, axis: x}
  truck: {type: rigid_link, mass: 9, inertia: [1, 1, 1]}
  upper: {type: prismatic, axis: x}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  law: {type: sine, amplitude: 2, frequency: 3 rad/s, unit: m}
  lead: {type: programmed_constraint, components: [x], relative: RELATIVE}
connect:
  - world.frame -- lower.frame_a
  - lower.frame_b -- truck.frame_a
  - truck.frame_a -- upper.frame_a
  - upper.frame_b -- load.frame_a
  - load.frame_a -- lead.frame
  - law.trajectory -> lead.target
simulation: {constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("relative", ["true", "false"])
@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
def test_rates_that_are_open_start_as_slow_as_can_be(method: str, relative: str) -> None:
    """The load must start with 6 m/s. Of v1 + v2 = 6 the least 10 v1^2 + 1 v2^2, by the mass that each slide moves."""
    values = plain(CARTS.replace("METHOD", method).replace("RELATIVE", relative)).evaluate()
    assert values["lower.velocity"] == pytest.approx(6 / 11, rel=1e-9)
    assert values["upper.velocity"] == pytest.approx(60 / 11, rel=1e-9)


def test_a_prescribed_motion_that_a_loop_forbids_is_told_as_such() -> None:

    text = FOUR_BAR.replace(
        "A: {type: revolute, initial: {position: 0.6, velocity: 2.0}}", "A: {type: revolute, driven: true}"
    )
    text = text.replace("B: {type: revolute, guess: {position: 0.3}}", "B: {type: revolute, driven: true}")
    law = "{type: sine, amplitude: 0.3, frequency: 2 rad/s, offset: OFFSET, unit: rad}"
    start = plain(FOUR_BAR).evaluate()
    for name in "AB":
        own = law.replace("OFFSET", repr(start[f"{name}.position"]))
        text = text.replace(
            "connect:", f"  turn{name}: {own}\nconnect:\n  - turn{name}.trajectory -> {name}.follow"
        )
    with pytest.raises(luff.LuffError, match="the prescribed motion contradicts translation along") as caught:
        plain(text)
    assert "prescribe a motion that the other constraints allow" in str(caught.value)


BOTH = """
luff: 1
name: an arm that is driven at its root and led at its tip
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, driven: true}
  turn: {type: sine, amplitude: 0.3, frequency: 2 rad/s, offset: -0.4, unit: rad}
  upper: {type: rigid_link, mass: 3, com: [0.4, 0, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, initial: {position: 0.8}}
  lower: {type: rigid_link, mass: 2, com: [0.6, 0.1, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1.2, 0, 0]}}
  C: {type: revolute, initial: {position: 0.5, velocity: 1}}
  last: {type: rigid_link, mass: 1, com: [0.6, 0.1, 0], inertia: [0.05, 0.2, 0.2], frame_b: {at: [1.2, 0, 0]}}
  up: {type: sine, amplitude: 0.2, frequency: 3 rad/s, unit: m}
  lead: {type: programmed_constraint, components: [x], relative: true}
connect:
  - world.frame -- A.frame_a
  - turn.trajectory -> A.follow
  - A.frame_b -- upper.frame_a
  - upper.frame_b -- B.frame_a
  - B.frame_b -- lower.frame_a
  - lower.frame_b -- C.frame_a
  - C.frame_b -- last.frame_a
  - last.frame_b -- lead.frame
  - up.trajectory -> lead.target
simulation: {stop: 0.5 s, step: 0.5 ms, output_step: 1 ms, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
def test_a_drive_and_a_moving_constraint_both_stand_in_the_energy_balance(method: str) -> None:
    result = luff.compile(luff.loads(BOTH.replace("METHOD", method))).run()
    energy = result.quality["energy"]
    # fourth order at half a millisecond; the arm folds on the way, where one coordinate tells little of the others
    assert energy["relative_residual"] < 1e-6
    drive = result["A.required_effort"] * result["A.velocity"]
    lead = result["lead.multiplier"] * 0.6 * np.cos(3 * result.time)
    # trapezoids of a millisecond, over powers of 120 W that swing within a tenth of a second
    assert np.trapezoid(drive + lead, result.time) == pytest.approx(energy["constraints"], abs=5e-4)
    assert min(abs(np.trapezoid(each, result.time)) for each in (drive, lead)) > 1.0


@pytest.mark.parametrize("size", ["1e-6", "1", "1e11"])
@pytest.mark.parametrize("order", ["one two", "two one"])
def test_a_drive_has_nothing_to_do_where_an_ideal_constraint_holds_the_same(size: str, order: str) -> None:
    """x = z twice, by a drive and by itself: the bead slides at g / 2 on the wire, whatever the unit and the order."""
    lines = {
        "one": f'one: {{type: programmed_constraint, relation: "{size}*(x - z)", realised_by: [a]}}',
        "two": 'two: {type: programmed_constraint, relation: "x - z"}',
    }
    both = "\n  ".join(lines[name] for name in order.split())
    diagram = luff.loads(f"""
luff: 1
blocks:
  a: {{type: prismatic, axis: x}}
  b: {{type: prismatic, axis: z}}
  body: {{type: rigid_link, mass: 2}}
  {both}
connect: [world.frame -- a.frame_a, a.frame_b -- b.frame_a, b.frame_b -- body.frame_a, body.frame_a -- one.frame,
  body.frame_a -- two.frame]
simulation: {{stop: 0.01 s, step: 1 ms}}
""")
    with pytest.warns(luff.ModelWarning, match=r"one: over-constrains relation \(already held by two\)"):
        found = luff.compile(diagram).run()
    assert found["a.acceleration"][-1] == pytest.approx(-9.81 / 2.0, rel=1e-9)
    assert found["one.effort"][-1] == 0.0

"""Equilibria against closed forms, and what there is to say about what holds a model and what does not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import luff
from luff.cli import app
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.initial.assembly import Assembler
from luff.solver.initial.static_forces import StaticForces
from luff.tests.shared.compile_text import plain
from luff.tests.shared.loop_cases import SLIDER_CRANK, slider_crank_by_hand

PENDULUM = """
luff: 1
name: pendulum
blocks:
  slew: {type: revolute, axis: z}
  king: {type: rigid_link, mass: 5, com: [0, 0, 1], inertia: [1, 1, 1], frame_b: {at: [0, 0, 2]}}
  pin: {type: revolute, axis: y, guess: {position: 0.3}, stiffness: 20, rest: 0.4}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.1]}
connect:
  - world.frame -- slew.frame_a
  - slew.frame_b -- king.frame_a
  - king.frame_b -- pin.frame_a
  - pin.frame_b -- rod.frame_a
initial: {solve: static}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(text: str, *options: str, code: int = 0):
    Path("model.yaml").write_text(text)
    done = CliRunner().invoke(app, ["static", "model.yaml", *options])
    assert done.exit_code == code, done.output
    return done


def test_a_free_body_tells_its_angles(folder: Path) -> None:
    """Hung at its origin, a body turns its centre of mass below: tan(phi) = -0.3/0.4."""
    done = call(
        """
luff: 1
blocks:
  place: {type: free}
  body: {type: rigid_link, mass: 10, com: [0, 0.3, -0.4], inertia: [1, 1, 1]}
  hook: {type: bushing, stiffness: [1e4, 1e4, 1e4]}
connect:
  - world.frame -- place.frame_a
  - place.frame_b -- body.frame_a
  - world.frame -- hook.frame_a
  - body.frame_a -- hook.frame_b
""",
        "--json",
    )
    found = json.loads(done.output)
    assert found["positions"]["place.position[2]"] == pytest.approx(-98.1 / 1e4, rel=1e-8)
    # balanced to 1e-10 of the largest force of 98 N, over a stiffness of 49 N m/rad
    assert found["positions"]["place.phi"] == pytest.approx(-math.atan(0.75), abs=1e-9)
    assert found["positions"]["place.theta"] == pytest.approx(0.0, abs=1e-9)
    assert found["units"]["place.phi"] == "rad"


def test_a_spring_and_gravity_balance() -> None:
    found = plain(PENDULUM).static()
    # 20 (q - 0.4) + 2 g 0.5 sin q = 0
    wanted = brentq(lambda q: 20 * (q - 0.4) + 9.81 * math.sin(q), 0.0, 1.0, xtol=1e-14)
    # balanced to 1e-10 of the largest force of 70 N, over a stiffness of 30 N m/rad
    assert found["positions"]["pin.position"] == pytest.approx(wanted, abs=1e-9)
    assert found["neutral"] == ["slew.position"]
    assert found["units"] == {"slew.position": "rad", "pin.position": "rad"}


DRIVEN = PENDULUM.replace(
    "connect:",
    """  push: {type: constant, value: 20}
  side: {type: constant, value: [3, 0, 0]}
  pull: {type: applied_force}
connect:
  - push.y -> slew.effort
  - rod.frame_b -- pull.frame_b
  - side.y -> pull.force""",
)


@pytest.mark.usefixtures("folder")
def test_what_signals_exert_is_told_where_it_is_left_out_or_taken_at_the_start() -> None:
    told = json.loads(call(DRIVEN, "--json").stdout)
    assert told["left_out"] == ["the drive effort on slew.position (a joint that is held keeps its position)"]
    assert told["at_start"] == ["pull"]
    lines = call(DRIVEN).stdout.splitlines()
    assert lines[:3] == [
        "at rest",
        "left out: the drive effort on slew.position (a joint that is held keeps its position)",
        "forces as signals give them at t = 0: pull",
    ]
    held = json.loads(call(DRIVEN, "--json", "--hold", "slew").stdout)
    assert held["left_out"] == []  # the effort that holds is told in its place
    rubs = PENDULUM.replace("pin: {", "pin: {friction: {model: LAW, mu_s: 0.3, load: 100 N}, ")
    assert rubs != PENDULUM
    sticks = json.loads(call(rubs.replace("LAW", "elastoplastic"), "--json").stdout)
    assert sticks["left_out"] == ["the friction on pin.position, which may hold it elsewhere too"]
    assert json.loads(call(rubs.replace("LAW", "coulomb"), "--json").stdout)["left_out"] == []  # it creeps
    assert "left out" not in call(PENDULUM).stdout


@pytest.mark.usefixtures("folder")
def test_a_model_without_bodies_has_no_statics() -> None:
    told = call("luff: 1\nblocks: {x: {type: integrator, initial: 1}}\nconnect: [x.y -> x.u]\n").stdout
    assert told.splitlines()[0] == "no body moves in this model; states of signals have no part in statics"


@pytest.mark.parametrize("q", [0.4, 1.1, 2.5])
def test_a_held_crank_of_a_loop_carries_what_the_textbook_says(q: float) -> None:
    text = SLIDER_CRANK.replace("position: 0.7, velocity: 5.0", f"position: {q}")
    text = text.replace(
        "axis: x, guess: {position: 0.7}", "axis: x, guess: {position: 0.7}, stiffness: 300, rest: 0.5"
    )
    found = plain(text + "initial: {solve: static, hold: [A]}\n").static()
    book = slider_crank_by_hand()
    x, slope, _ = (f(q) for f in book.coordinates["slide"])
    wanted = book.pull(q) + 300 * (x - 0.5) * slope
    assert found["held"] == {"A.position": pytest.approx(wanted, rel=1e-9)}
    assert found["positions"]["slide.position"] == pytest.approx(x, abs=1e-11)


def test_a_loop_finds_its_own_equilibrium() -> None:
    text = SLIDER_CRANK.replace("initial: {position: 0.7, velocity: 5.0}", "guess: {position: 0.7}")
    text = text.replace(
        "axis: x, guess: {position: 0.7}", "axis: x, guess: {position: 0.7}, stiffness: 300, rest: 0.65"
    )
    found = plain(text + "initial: {solve: static}\n").static()
    book = slider_crank_by_hand()
    x, slope, _ = book.coordinates["slide"]
    q = found["positions"]["A.position"]
    # the largest force at rest is about 60 N
    assert book.pull(q) + 300 * (x(q) - 0.65) * slope(q) == pytest.approx(0.0, abs=1e-7)
    assert found["unstable"] == []


def test_a_pendulum_on_its_head_falls_to_the_side_where_it_rests() -> None:
    text = PENDULUM.replace(
        "guess: {position: 0.3}, stiffness: 20, rest: 0.4", f"guess: {{position: {math.pi}}}"
    )
    found = plain(text).static()
    assert math.cos(found["positions"]["pin.position"]) == pytest.approx(1.0, abs=1e-12)


STOP = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, limits: {lower: -FAR m, stiffness: 1e5 N/m, width: 1 mm}}
  body: {type: rigid_link, mass: 10 kg}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
"""


@pytest.mark.parametrize("far", [3.0, 15.0, 300.0])
def test_a_stop_far_below_catches_what_falls(far: float) -> None:
    """98.1 N on 1e5 N/m sink by 0.98 mm, and by no more than the width of 1 mm over which the stop fades in on top."""
    at = plain(STOP.replace("FAR", repr(far))).static()["positions"]["slide.position"]
    assert 0.0 < -far - at < 98.1 / 1e5 + 1e-3


def test_a_stop_beyond_all_steps_is_not_taken_for_none() -> None:
    with pytest.raises(luff.LuffError, match="short of its end stop") as caught:
        plain(STOP.replace("FAR", "5000")).static()
    assert caught.value.verdict == "unknown"  # type: ignore[attr-defined]
    with pytest.raises(luff.LuffError, match=r"nothing holds slide\.position") as caught:
        plain(STOP.replace("lower: -FAR m", "upper: 1 m")).static()
    assert caught.value.verdict == "loose"  # type: ignore[attr-defined]


@pytest.mark.parametrize("side", ["lower: -0.3 mm", "upper: 0.3 mm", ""])
def test_a_slide_with_a_stop_beside_it_is_not_neutral(side: str) -> None:
    """Free to one side alone: whether it stays there is not known of a push."""
    law = f", limits: {{{side}, stiffness: 1e6 N/m, width: 0.1 mm}}" if side else ""
    text = STOP.replace("axis: z, limits: {lower: -FAR m, stiffness: 1e5 N/m, width: 1 mm}", f"axis: x{law}")
    found = plain(text).static()
    wanted = ([], ["slide.position"]) if side else (["slide.position"], [])
    assert (found["neutral"], found["undecided"]) == wanted


def test_nothing_that_holds_is_an_error_with_words() -> None:
    with pytest.raises(luff.LuffError, match=r"nothing holds slide\.position \(-29\.43 N\).*initial.*hold"):
        plain(
            """
luff: 1
blocks:
  slide: {type: prismatic, axis: z}
  stone: {type: rigid_link, mass: 3, inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- stone.frame_a]
initial: {solve: static}
"""
        )


def test_command_prints_what_holds_and_what_does_not(folder: Path) -> None:
    done = call(PENDULUM)
    assert (
        "in neutral equilibrium, where no stiffness holds it and no force moves it: slew.position"
        in done.stdout
    )
    assert "pin.position = " in done.stdout
    done = call(PENDULUM, "--hold", "slew")
    assert "held, with an effort of" in done.stdout
    assert "neutral" not in done.stdout


FREE = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  free: {type: free}
  body: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
initial: {solve: static}
"""


def test_turns_of_a_free_body_have_names() -> None:
    axes = range(3)
    names = [*(f"free.position[{k}]" for k in axes), *(f"free.angular_velocity[{k}]" for k in axes)]
    assert sorted(plain(FREE).static()["neutral"]) == sorted(names)


def test_a_cylinder_that_is_held_turns_about_its_pins() -> None:
    """What its own `initial` closes closes with `hold`, which keeps its length and not the angles of its barrel."""
    library = luff.load(LIBRARY / "crane_knuckle_boom_hydraulic.yaml")
    given = luff.compile(library, **{"initial.solve": "static"}).static()
    held = luff.compile(library, **{"initial.solve": "static", "initial.hold": ["inner.cylinder"]}).static()
    for name, value in given["positions"].items():
        assert held["positions"][name] == pytest.approx(value, abs=1e-9)
    assert abs(given["positions"]["inner.cylinder.angle"]) > 0.1
    assert held["held"]["inner.cylinder.position"] == pytest.approx(given["held"]["inner.cylinder.position"])


TABLE = """
luff: 1
blocks:
  stand:
    type: base_support
    mass: 1000
    com: [0.5, 0, 1]
    inertia: [500, 500, 500]
    KIND
    supports:
      - {at: [2, 1, 0], stiffness: [1e6, 1e6, 1e7]}
      - {at: [2, -1, 0], stiffness: [1e6, 1e6, 1e7]}
      - {at: [-2, 0, 0], stiffness: [1e6, 1e6, 1e7]}
connect: [world.frame -- stand.frame_a]
initial: {solve: static}
"""


@pytest.mark.parametrize("kind", ["", "one_sided: true", "linearised: true"])
def test_statics_tell_the_forces_of_supports(kind: str, folder: Path) -> None:
    """Three legs: by moments, those in front carry 2.5 / 4 of the weight, and they move 0.3 mm."""
    text = TABLE.replace("KIND", kind)
    found = plain(text).static()["supports"]
    weight = 1000 * 9.81
    wanted = {"stand.force_1": 2.5 / 8, "stand.force_2": 2.5 / 8, "stand.force_3": 1.5 / 4}
    assert {name: force[2] for name, force in found.items()} == {
        name: pytest.approx(share * weight, rel=1e-3) for name, share in wanted.items()
    }
    values = plain(text).evaluate()
    for name, force in found.items():
        assert [values[f"{name}[{k}]"] for k in range(3)] == pytest.approx(force, rel=1e-6, abs=1e-6)
    assert "stand.force_3: [" in call(text).stdout
    assert json.loads(call(text, "--json").stdout)["supports"] == {
        name: pytest.approx(force) for name, force in found.items()
    }


def test_command_writes_json(folder: Path) -> None:
    done = call(PENDULUM, "--json", "-o", "rest.json", "--set", "pin.stiffness=0")
    found = json.loads(done.stdout)
    assert found == json.loads(Path("rest.json").read_text())
    assert found["status"] == "fine"
    assert found["positions"]["pin.position"] == pytest.approx(0.0, abs=1e-9)
    assert done.stderr == ""


def test_command_fails_in_words_and_by_exit_codes(folder: Path) -> None:
    text = PENDULUM.replace(
        "type: revolute, axis: y, guess: {position: 0.3}, stiffness: 20, rest: 0.4", "type: prismatic"
    )
    done = call(text, code=1)
    assert "nothing holds pin.position" in done.stderr
    found = json.loads(call(text, "--json", code=1).stdout)
    assert found["status"] == "error"
    assert "hold it" in found["problems"][0]["fix"]
    assert "expected .json" in call(PENDULUM, "-o", "rest.txt", code=2).stderr
    assert "slow" in call(PENDULUM, "--hold", "slow", code=2).stderr


def test_a_run_begins_where_the_command_says(folder: Path) -> None:
    sim = plain(PENDULUM)
    assert sim.evaluate()["pin.position"] == sim.static()["positions"]["pin.position"]
    assert abs(sim.evaluate()["pin.acceleration"]) < 1e-8  # 1e-9 rad times 30 N m/rad over 0.7 kg m^2


ROD = """luff: 1
blocks:
  pin: {type: revolute, axis: y, damping: 5}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], frames: {tip: {at: [0, 0, -1]}}}
BLOCKS
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, rod.tip -- push.frame_b, WIRES]
initial: {solve: static}
simulation: {stop: 0.1 s, step: 10 ms}
"""
# a rod that hangs, 2 kg with its centre 0.5 m down: about the pin its weight holds 9.81 N*m sin q back
LOADED = {
    "force": ("push: {type: applied_force}", -math.atan2(5.0, 9.81)),
    "torque": ("push: {type: applied_torque}", math.asin(5.0 / 9.81)),
    "along the rod's x": ("push: {type: applied_force, resolve: b}", -math.asin(5.0 / 9.81)),
}


@pytest.mark.parametrize("kind", LOADED)
def test_start_at_rest_feels_forces_that_signals_give(kind: str) -> None:
    block, angle = LOADED[kind]
    port, value = ("torque", [0, 5, 0]) if kind == "torque" else ("force", [5, 0, 0])
    blocks = f"  {block}\n  load: {{type: constant, value: {value}}}"
    text = ROD.replace("BLOCKS", blocks).replace("WIRES", f"load.y -> push.{port}")
    result = luff.compile(luff.loads(text)).run()
    # the residual left is 1e-10 of the largest force
    assert result["pin.position"][[0, -1]] == pytest.approx([angle, angle], abs=1e-9)


def test_start_at_rest_feels_forces_that_signals_give_by_place() -> None:
    """A torque -30 (q + 1) N m by a wire: it rests where 30 (q + 1) + 9.81 sin q = 0, and stays there."""
    blocks = """  push: {type: applied_torque}
  back: {type: expression, inputs: [u], expr: -30*(u + 1)}
  none: {type: constant}
  vector: {type: mux, sizes: [1, 1, 1]}"""
    wires = "pin.position -> back.u, none.y -> vector.u1, back.y -> vector.u2, none.y -> vector.u3"
    wires += ", vector.y -> push.torque"
    text = ROD.replace("BLOCKS", blocks).replace("WIRES", wires)
    result = luff.compile(luff.loads(text)).run()
    angle = brentq(lambda q: 30.0 * (q + 1.0) + 9.81 * math.sin(q), -1.0, 0.0)
    # the residual left is 1e-10 of the largest torque
    assert result["pin.position"][[0, -1]] == pytest.approx([angle, angle], abs=1e-9)


TILTED = """
luff: 1
blocks:
  world: {gravity: [0.03164812887780189, -0.028782543616427705, -9.809906725403739]}
  stand:
    type: base_support
    mass: 20 t
    com: [0.3572008287571071, 0.9740710381297394, 2.356918545537599]
    inertia: [6e4, 6e4, 6e4]
    one_sided: true
    supports:
      - {at: [-1.1466, 1.9211, 0], stiffness: [5e6, 5e6, 1e7]}
      - {at: [-1.6253, -1.7524, 0], stiffness: [5e6, 5e6, 1e7]}
      - {at: [3.6531, -0.8154, 0], stiffness: [5e6, 5e6, 1e7]}
connect: [world.frame -- stand.frame_a]
initial: {solve: static}
simulation: {stop: 1 s, step: 1 ms}
"""


def test_a_body_on_tilted_ground_rests_where_its_feet_hold_it() -> None:
    """Three feet: their pushes by moments about the feet, from where the resultant of the weight meets the ground."""
    found = plain(TILTED).static()
    gravity = [0.03164812887780189, -0.028782543616427705, -9.809906725403739]
    com = [0.3572008287571071, 0.9740710381297394, 2.356918545537599]
    x, y = (com[k] - com[2] * gravity[k] / gravity[2] for k in range(2))
    feet = np.array([[-1.1466, -1.6253, 3.6531], [1.9211, -1.7524, -0.8154], [1.0, 1.0, 1.0]])
    shares = np.linalg.solve(feet, [x, y, 1.0])
    pushes = [found["supports"][f"stand.force_{k}"][2] for k in (1, 2, 3)]
    # it leans by 3e-3, which brings the load 8 mm out
    assert pushes == pytest.approx((shares * 20e3 * -gravity[2]).tolist(), rel=5e-3, abs=1e3)
    assert found["unstable"] == found["undecided"] == []


def test_the_command_flies_the_runs_beside_its_answer(folder: Path) -> None:
    done = call(TILTED, "--confirm")
    assert "confirmed by runs: 2 of 2 agree" in done.stdout
    told = json.loads(call(TILTED, "--confirm", "--json").stdout)
    assert [run["seen"] for run in told["confirmed"]] == ["comes back", "comes back"]
    assert "confirmed" not in json.loads(call(TILTED, "--json").stdout)


CUBIC = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  vessel: {type: base_support, mass: 1000, inertia: [500, 500, 500], coordinates: [theta],
    rotational: {law: cubic, stiffness: [0, 1e6, 0]}}
connect: [world.frame -- vessel.frame_a]
initial: {solve: static}
"""


def test_what_only_higher_orders_hold_is_not_called_stable(folder: Path) -> None:
    """A cubic spring has no stiffness at zero; nothing at all is another case, and is told as that."""
    found = plain(CUBIC).static()
    assert (found["undecided"], found["neutral"]) == (["vessel.theta"], [])
    assert "whether it is stable is not known" in call(CUBIC).stdout
    free = plain(CUBIC.replace("1e6", "0")).static()
    assert (free["undecided"], free["neutral"]) == ([], ["vessel.theta"])


@pytest.mark.parametrize(("angle", "change"), [(0.4, 0.05), (0.5 * math.pi - 0.05, 0.05), (0.4, 0.9)])
def test_a_loop_is_closed_by_its_independent_constraints_or_by_all(angle: float, change: float) -> None:
    """Four bars with equal sides, over-constrained out of their plane: a short step, one to the dead centre at 90 deg,
    where the square system is singular, and one too long for it, which all constraints close in shorter ones."""
    netlist = luff.loads(PARALLELOGRAM)
    sim = luff.compile(netlist, angle=angle)
    start = sim.program.starts[0]
    component = sim.program.components[0]
    rest = StaticForces(
        Assembler(component.mechanism, component.table, start.model, start.data),
        np.zeros(len(start.data.q), bool),
    )
    rest.split()
    assert len(rest.independent) == 1
    q = start.data.q.copy()
    rest.step(np.array([change]))
    left = rest.assembler.evaluate()[0]
    assert abs(left).max() < 1e-12
    moved = start.data.q[rest.independent] - q[rest.independent]
    assert moved == pytest.approx([change], abs=1e-15)


PARALLELOGRAM = """luff: 1
parameters: {angle: 0.4}
blocks:
  left: {type: revolute, axis: y, initial: {position: =angle}}
  foot: {type: fixed, at: [2, 0, 0]}
  right: {type: revolute, axis: y, guess: {position: =angle}}
  crank: {type: rigid_link, mass: 1, frame_b: {at: [0, 0, 1]}}
  rocker: {type: rigid_link, mass: 1, frame_b: {at: [0, 0, 1]}}
  coupler: {type: rigid_link, mass: 1, frame_b: {at: [2, 0, 0]}}
  a: {type: revolute, axis: y, guess: {position: =-angle}}
  b: {type: revolute, axis: y, guess: {position: =angle}}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- crank.frame_a
  - world.frame -- foot.frame_a
  - foot.frame_b -- right.frame_a
  - right.frame_b -- rocker.frame_a
  - crank.frame_b -- a.frame_a
  - a.frame_b -- coupler.frame_a
  - coupler.frame_b -- b.frame_a
  - b.frame_b -- rocker.frame_b
"""

"""Loads of rubbing joints against bodies with six freedoms each; states, notes and errors of friction."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.kernels.joint_friction import follows_from_no_friction
from luff.solver.kernels.model_data import DENSE, O_SOLVER, SCHUR
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.friction_cases import slider
from luff.tests.shared.maximal_coordinates import Twin

LAW = "mu_s: 0.3, mu_k: 0.2, stribeck: 0.1, sigma_0: 100, sigma_1: 0.3, sigma_2: 0.02"
PIN = f"friction: {{model: lugre, {LAW}, diameter: 0.1}}"
SLIDE = f"friction: {{model: lugre, {LAW}}}"

CRANE = f"""
luff: 1
name: spatial tree
blocks:
  world: {{type: world, gravity: [0.5, -1, -9.81]}}
  hull: {{type: free, initial: {{velocity: [0.2, 0.1, -0.3], angular_velocity: [0.1, -0.2, 0.3], rotate: [[x, 0.2]]}}}}
  deck: {{type: rigid_link, mass: 20, com: [0.1, 0, 0.2], inertia: [3, 4, 5], frame_b: {{at: [0, 0, 0.5]}}}}
  slew: {{type: revolute, axis: z, initial: {{position: 0.3, velocity: 0.7}}, {PIN}}}
  king: {{type: rigid_link, mass: 5, com: [0, 0.1, 0.4], inertia: [1, 1, 0.5],
          frame_b: {{at: [0, 0, 1], rotate: [[x, 90 deg]]}}, frames: {{side: {{at: [0.3, 0, 0]}}}}}}
  luffing: {{type: revolute, axis: [0, 0.6, 0.8], initial: {{position: -0.4, velocity: -1.3}}, {PIN}}}
  boom: {{type: rigid_link, mass: 3, com: [0.5, 0, 0], inertia: [0.1, 0.5, 0.5], frame_b: {{at: [1, 0, 0]}}}}
  reach: {{type: prismatic, axis: x, initial: {{position: 0.2, velocity: 0.5}}, {SLIDE}}}
  jib: {{type: rigid_link, mass: 1, com: [0.2, 0.1, 0], inertia: [0.1, 0.1, 0.1]}}
  flap: {{type: revolute, axis: y, initial: {{position: 0.5, velocity: 2.0}}, {PIN}}}
  wing: {{type: rigid_link, mass: 2, com: [0.3, 0, 0.1], inertia: [0.1, 0.1, 0.1]}}
  rail: {{type: prismatic, axis: z, initial: {{velocity: -0.4}}, friction: {{model: coulomb, mu_s: 0.4, mu_k: 0.3}}}}
  trolley: {{type: rigid_link, mass: 1, com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1]}}
connect:
  - world.frame -- hull.frame_a
  - hull.frame_b -- deck.frame_a
  - deck.frame_b -- slew.frame_a
  - slew.frame_b -- king.frame_a
  - king.frame_b -- luffing.frame_a
  - luffing.frame_b -- boom.frame_a
  - boom.frame_b -- reach.frame_a
  - reach.frame_b -- jib.frame_a
  - king.side -- flap.frame_b
  - flap.frame_a -- wing.frame_a
  - wing.frame_a -- rail.frame_a
  - rail.frame_b -- trolley.frame_a
"""

# a crank, a rod with a universal and a ball joint, and a slide: nothing is held twice
LOOP = f"""
luff: 1
name: spatial slider crank
simulation: {{constraints: {{method: METHOD}}}}
blocks:
  world: {{type: world, gravity: [0, -9.81, -1]}}
  crank: {{type: revolute, axis: z, initial: {{position: 0.6, velocity: 3.0}}, {PIN}}}
  wheel: {{type: rigid_link, mass: 2, com: [0.1, 0, 0.02], inertia: [0.01, 0.02, 0.02], frame_b: {{at: [0.2, 0, 0]}}}}
  hook: {{type: universal, axis_a: z, axis_b: y}}
  rod: {{type: rigid_link, mass: 1, com: [0.3, 0.01, 0], inertia: [0.01, 0.03, 0.03], frame_b: {{at: [0.6, 0, 0]}}}}
  ball: {{type: spherical, cut: true}}
  slide: {{type: prismatic, axis: x, guess: {{position: 0.7}}, {SLIDE}}}
  block: {{type: rigid_link, mass: 3, com: [0, 0.02, 0], inertia: [0.01, 0.01, 0.01]}}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- wheel.frame_a
  - wheel.frame_b -- hook.frame_a
  - hook.frame_b -- rod.frame_a
  - rod.frame_b -- ball.frame_a
  - ball.frame_b -- block.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- block.frame_a
"""

FLAT = f"""
luff: 1
name: flat slider crank
blocks:
  world: {{type: world, gravity: [0, -9.81, 0]}}
  crank: {{type: revolute, axis: z, initial: {{position: 0.6, velocity: 5.0}}, {PIN}}}
  wheel: {{type: rigid_link, mass: 2, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02], frame_b: {{at: [0.2, 0, 0]}}}}
  pin: {{type: revolute, axis: z, guess: {{position: -0.9}}, {PIN}}}
  rod: {{type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03], frame_b: {{at: [0.6, 0, 0]}}}}
  wrist: {{type: revolute, axis: z}}
  slide: {{type: prismatic, axis: x}}
  block: {{type: rigid_link, mass: 3, inertia: [0.01, 0.01, 0.01]}}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- wheel.frame_a
  - wheel.frame_b -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - rod.frame_b -- wrist.frame_a
  - wrist.frame_b -- block.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- block.frame_b
"""


def bristle_state(sim: luff.Simulation, seed: int = 3) -> np.ndarray:
    """The initial state with bent bristles."""
    x, rng = sim.x0.copy(), np.random.default_rng(seed)
    for k, name in enumerate(sim.state_names):
        if name.endswith(".bristle"):
            x[k] = 2e-3 * rng.normal()
    return x


def grips(sim: luff.Simulation, x: np.ndarray, values: dict[str, float]) -> dict[str, float]:
    """mu d/2 or mu of every rubbing joint, by the laws as they are written in the literature."""
    found = {}
    for name, block in sim.program.flat.blocks.items():
        law = block.values.get("friction")
        if law is None:
            continue
        v = values[f"{name}.velocity"]
        g = law.mu_k + (law.mu_s - law.mu_k) * np.exp(-((v / law.stribeck) ** 2))
        if law.model == "coulomb":
            mu = g * np.tanh(10 * v / law.stribeck)
        else:
            z = x[sim.state_names.index(f"{name}.bristle")]
            mu = law.sigma_0 * z + law.sigma_1 * (v - law.sigma_0 * abs(v) * z / g) + law.sigma_2 * v
        found[name] = mu * (1.0 if block.type_name == "prismatic" else law.diameter / 2)
    return found


def rubbing_twin(sim: luff.Simulation, grip: dict[str, float]) -> tuple[Any, dict[str, float]]:
    """Bodies with six freedoms each; friction is put on as a load, again and again until the loads stand."""
    twin = Twin(sim)
    loads = dict.fromkeys(grip, 0.0)
    for _ in range(100):
        answer = twin.solve({name: -grip[name] * loads[name] for name in grip})
        change = 0.0
        for name in grip:
            axis = np.array(sim.program.flat.blocks[name].values["axis"], float)
            force = answer.constraint[name][:3]  # on b, in b's axes
            new = float(np.linalg.norm(force - axis * (axis @ force)))
            change, loads[name] = max(change, abs(new - loads[name])), new
        if change < 1e-13 * max(loads.values()):
            return answer, loads
    raise AssertionError("the twin's loads do not settle")


def check_against_twin(sim: luff.Simulation) -> None:
    x = bristle_state(sim)
    values = sim.evaluate(0.0, x)
    grip = grips(sim, x, values)
    answer, loads = rubbing_twin(sim, grip)
    assert answer.unbalanced < 1e-8
    scale = max(loads.values())
    for name, load in loads.items():
        # the twin solves a larger system, by least squares
        assert values[f"{name}.normal_force"] == pytest.approx(load, abs=1e-9 * scale), name
        assert values[f"{name}.friction"] == pytest.approx(-grip[name] * load, abs=1e-9 * scale), name
        # the ledger: what the joint transmits along its axis is friction, and is no constraint force
        kind = "force" if sim.program.flat.blocks[name].type_name == "prismatic" else "torque"
        axis = np.array(sim.program.flat.blocks[name].values["axis"], float)
        total, constraint = (outputs(values, f"{name}.{part}_{kind}") for part in ("total", "constraint"))
        assert axis @ total == pytest.approx(values[f"{name}.friction"], abs=1e-9 * scale), name
        assert axis @ constraint == pytest.approx(0.0, abs=1e-9 * scale), name


def test_loads_of_a_spatial_tree_agree_with_bodies_of_six_freedoms() -> None:
    sim = plain(CRANE)
    check_against_twin(sim)
    from luff.solver.kernels.model_data import NORMAL

    normal = {
        sim.program.mechanism.joints[row.joint].block: sim.instance.data.row[i, NORMAL]
        for i, row in enumerate(sim.program.mechanism.rows)
    }
    values = sim.evaluate(0.0, bristle_state(sim))
    for name in ("slew", "luffing", "reach", "flap", "rail"):
        # the load that friction was computed with is the load that the reactions show
        assert normal[name] == pytest.approx(values[f"{name}.normal_force"], rel=1e-12)


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
@pytest.mark.parametrize("solver", [DENSE, SCHUR])
def test_loads_of_a_loop_agree_with_bodies_of_six_freedoms(method: str, solver: int) -> None:
    sim = solved_by(plain(LOOP.replace("METHOD", method)), solver)
    assert sim.program.report is not None
    assert sim.program.report.free - sim.program.report.rank == 1
    assert not any("load of this joint is not unique" in note for note in sim.notes)
    check_against_twin(sim)


def test_loads_of_pins_in_a_flat_loop_are_unique_though_it_is_over_constrained() -> None:
    sim = plain(FLAT)
    assert sim.program.report is not None
    assert sim.program.report.redundant
    assert not any(
        "load of this joint is not unique" in note for note in sim.notes
    )  # internal forces act along the pins
    check_against_twin(sim)


def test_a_slide_in_a_flat_loop_has_no_unique_load_and_says_so() -> None:
    sim = plain(FLAT.replace("{type: prismatic, axis: x}", f"{{type: prismatic, axis: x, {SLIDE}}}"))
    noted = [note for note in sim.notes if "load of this joint is not unique" in note]
    assert len(noted) == 1
    assert noted[0].startswith("slide.friction")
    # bushings that share the load: no force out of the plane, where nothing asks for one
    values = sim.evaluate(0.0, bristle_state(sim))
    assert values["slide.constraint_force[2]"] == pytest.approx(0.0, abs=1e-9)
    assert values["slide.normal_force"] == pytest.approx(abs(values["slide.constraint_force[1]"]), rel=1e-9)


def solved_by(sim: luff.Simulation, solver: int) -> luff.Simulation:
    """The same model through the reduced mass matrix, or through the Schur complement of long chains."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("luff.solver.initial.initial_state.cheapest_solver", lambda *_: solver)
        made = luff.Simulation(sim.diagram, sim.overrides)
    assert made.program.model.option[O_SOLVER] == solver
    return made


def test_a_driven_joint_rubs_and_its_drive_pays() -> None:
    text = f"""
luff: 1
name: driven
blocks:
  world: {{type: world, gravity: [0, -9.81, 0]}}
  turn: {{type: revolute, axis: z, driven: true, {PIN}}}
  arm: {{type: rigid_link, mass: 3, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.05], frame_b: {{at: [0.7, 0, 0]}}}}
  swing: {{type: revolute, axis: z, initial: {{position: 0.3, velocity: 1.0}}, {PIN}}}
  leg: {{type: rigid_link, mass: 2, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.03]}}
  law: {{type: motion_law, unit: rad, law: poly5, legs: [{{to: [2.0], duration: 2 s}}]}}
connect:
  - world.frame -- turn.frame_a
  - turn.frame_b -- arm.frame_a
  - arm.frame_b -- swing.frame_a
  - swing.frame_b -- leg.frame_a
  - law.y -> turn.follow
"""
    rubbing, smooth = plain(text), plain(text.replace(PIN, "damping: 0"))
    x = bristle_state(rubbing)
    values = rubbing.evaluate(0.8, x)
    grip = grips(rubbing, x, values)
    assert values["turn.velocity"] > 0.5
    for name in ("turn", "swing"):
        assert values[f"{name}.friction"] == pytest.approx(
            -grip[name] * values[f"{name}.normal_force"], rel=1e-12
        )
    # the drive supplies what it would without friction on either joint, and both frictions beside it
    free = smooth.evaluate(0.8, x[:2])
    inertia = 0.03 + 2 * 0.04  # of the leg about its pin
    change = values["swing.acceleration"] - free["swing.acceleration"]
    assert change == pytest.approx(values["swing.friction"] / inertia, rel=1e-9)
    arm = 0.7 * 2 * 0.2 * np.cos(values["swing.position"])  # coupling of the two angles
    needed = free["turn.required_effort"] + (inertia + arm) * change - values["turn.friction"]
    assert values["turn.required_effort"] == pytest.approx(needed, rel=1e-9)


def test_bristles_are_states_behind_the_mechanical_ones_in_every_method() -> None:
    for method, ahead in (("reduced", 2), ("baumgarte", 8), ("projected", 8)):
        sim = plain(LOOP.replace("METHOD", method))
        assert sim.state_names[ahead:] == ["crank.bristle", "slide.bristle"]
        assert sim.program.state_units[ahead:] == ["rad", "m"]


def test_outputs_of_friction_exist_where_there_is_friction() -> None:
    names = {
        model: set(plain(slider({"model": model, "load": "3 N"})).signal_names)
        for model in ("none", "viscous", "dahl")
    }
    for model, power, bristle in (("none", False, False), ("viscous", True, False), ("dahl", True, True)):
        assert ("slide.friction_power" in names[model]) == power
        assert ("slide.bristle" in names[model]) == bristle
        assert {"slide.friction", "slide.normal_force"} <= names[model]


def test_a_parameter_of_friction_can_be_set_and_a_law_changed() -> None:
    sim = plain(
        slider({"model": "viscous", "load": "10 N", "sigma_2": 0.1}, initial=", initial: {velocity: 2.0}")
    )
    assert sim.evaluate()["slide.friction"] == pytest.approx(-2.0)
    sim.set("slide.friction.sigma_2", 0.3)
    assert sim.evaluate()["slide.friction"] == pytest.approx(-6.0)
    sim.set("slide.friction.model", "none")
    assert sim.evaluate()["slide.friction"] == 0.0
    sim.set("slide.friction.model", "lugre")
    assert "slide.bristle" in sim.state_names


def test_stiff_bristles_are_noted_before_and_during_a_run() -> None:
    f = {"model": "lugre", "load": "1 N", "mu_s": 0.2, "mu_k": 0.1, "sigma_0": 1000.0}
    fast = luff.compile(luff.loads(slider(f, initial=", initial: {velocity: 1.0}")))
    assert len(fast.notes) == 1  # 1000 * 1 * 1e-3 / 0.1 = 10 > 2.78
    for words in ("slide.friction", "1 m/s", "method: implicit", "0.00028 s"):
        assert words in fast.notes[0]
    assert fast.start(stop=0.01).notes == []  # said before
    assert luff.compile(luff.loads(slider(f, initial=", initial: {velocity: 0.2}"))).notes == []

    slow = luff.compile(luff.loads(slider(f, "{type: constant, value: 3}")))
    assert slow.notes == []
    session = slow.start(stop=0.5, step=1e-3, method="rk4")
    while session.advance(steps=64) == "running":
        pass
    assert len(session.notes) == 1  # once, however long it lasts
    assert "step of 0.001 s" in session.notes[0]
    session = slow.start(stop=0.5, step=1e-3, method="implicit")
    while session.advance(steps=64) == "running":
        pass
    assert session.notes == []


def test_impossible_and_doubtful_parameters_are_told() -> None:
    with pytest.raises(luff.LuffError, match="mu_k: found 0, expected more than 0: lugre divides by it"):
        plain(slider({"model": "lugre", "mu_k": 0}))
    with pytest.raises(luff.LuffError, match="mu_s: found 0, expected more than 0: dahl divides by it"):
        plain(slider({"model": "dahl", "mu_s": 0}))
    sim = plain(slider({"model": "coulomb", "mu_s": 0.1, "mu_k": 0.2}))
    assert [
        str(problem) for problem in sim.program.flat.warnings if "mu_k 0.2 above mu_s 0.1" in str(problem)
    ]


def test_runs_through_a_loop_lose_what_friction_takes() -> None:
    sim = luff.compile(luff.loads(LOOP.replace("METHOD", "reduced")))
    result = sim.run(stop=0.5, step=1e-4, output_step=1e-2)
    energy = result.quality["energy"]
    assert energy["friction"] > 0.1 * energy["start"]["kinetic"]
    assert energy["relative_residual"] < 1e-7  # fourth order at bristle rates of 1500 per second
    assert result.quality["newton_euler_residual"] < 1e-9
    assert result.quality["constraint_violation"] < 1e-11


PRINT = """
import json, sys
import luff, numpy as np
answers = []
for text in json.load(sys.stdin):
    sim = luff.compile(luff.loads(text))
    x = sim.x0 + 1e-3 * np.sin(np.arange(len(sim.x0)))
    answers.append([sim.derivative(0.3, x).tolist(), sim.evaluate(0.3, x)])
print(json.dumps(answers))
"""


def test_friction_is_the_same_without_the_compiler() -> None:
    texts = json.dumps([CRANE, FLAT.replace("axis: x}", f"axis: x, {SLIDE}}}")])
    answers = []
    for off in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": off}
        done = subprocess.run(
            [sys.executable, "-c", PRINT],
            input=texts,
            env=environment,
            check=True,
            text=True,
            capture_output=True,
        )
        answers.append(json.loads(done.stdout))
    for (rates, values), (plain_rates, plain_values) in zip(*answers, strict=True):
        # compiled code fuses products and sums: rounding differs
        np.testing.assert_allclose(rates, plain_rates, rtol=1e-9, atol=1e-9)
        assert values == pytest.approx(plain_values, rel=1e-9, abs=1e-9)


def test_loads_have_a_balance_where_no_share_of_the_friction_is_singular() -> None:
    """1 + s G is singular at s = -1/g for each real eigenvalue g of G: at no 0 <= s <= 1 where none is <= -1."""

    def balance(G: np.ndarray) -> bool:
        k = len(G)
        pivots = np.zeros((64, k), np.int64)
        d = SimpleNamespace(balance=np.vstack([np.eye(k) + G, G]), solve=np.zeros(k + 3), part=pivots)
        with np.errstate(all="ignore"):
            return bool(follows_from_no_friction(d, k))

    # two joints that jam by themselves: their determinant is above zero
    assert not balance(np.diag([-1.1, -1.2]))
    assert not balance(np.diag([-1.0]))
    assert balance(np.array([[0.0, 9.0], [-9.0, 0.0]]))  # +-9j
    assert not balance(np.array([[np.nan]]))
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(300):
        G = rng.normal(size=(k := int(rng.integers(1, 6)), k)) * rng.choice([0.3, 1.0, 3.0])
        g = np.linalg.eigvals(G)
        jams = np.flatnonzero((g.imag == 0.0) & (g.real <= -1.0))
        seen.add((len(jams), balance(G)))
    assert seen == {(0, True), (1, False), (2, False), (3, False)}

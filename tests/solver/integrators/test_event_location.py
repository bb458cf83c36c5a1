"""`events: locate`: no method loses its order where a force bends or a signal jumps at a state."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff.tests.process import call

Rates = Callable[[float, np.ndarray, bool], Sequence[float]]
Bend = Callable[[float, np.ndarray, bool], float]

RELAY = """
luff: 1
blocks:
  r: {type: relay, lower: -0.2, upper: 0.3, low: 1, high: -1.5}
  e: {type: expression, inputs: [v, x], expr: v - sin(3*x) + 0.4*cos(7*t)}
  x: {type: integrator, initial: 0.05}
connect: [x.y -> r.u, r.y -> e.v, x.y -> e.x, e.y -> x.u]
simulation: {stop: 1, step: 0.01}
"""
LIMIT = """
luff: 1
blocks:
  u: {type: saturation, lower: -0.3, upper: 0.4}
  e: {type: expression, inputs: [v, x], expr: 0.3*v - sin(6*x) + cos(9*t)}
  g: {type: gain, k: -3}
  x: {type: integrator, initial: 0.5}
connect: [x.y -> g.u, g.y -> u.u, u.y -> e.v, x.y -> e.x, e.y -> x.u]
simulation: {stop: 1, step: 0.01}
"""
CONTROLLER = """
luff: 1
blocks:
  zero: {type: constant, value: 0}
  rate: {type: constant, value: 0}
  u: {type: pd, kp: 3, lower: -0.3, upper: 0.4}
  e: {type: expression, inputs: [v, x], expr: 0.3*v - sin(6*x) + cos(9*t)}
  m: {type: make_trajectory}
  x: {type: integrator, initial: 0.5}
connect: [zero.trajectory -> u.target, x.y -> m.value, rate.y -> m.rate, rate.y -> m.acceleration, m.y -> u.measured,
          u.effort -> e.v, x.y -> e.x, e.y -> x.u]
simulation: {stop: 1, step: 0.01}
"""
BALL = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, initial: {position: 0.05}}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  floor: {type: contact, law: {stiffness: 2e2, dissipation: 0.3}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, world.frame -- floor.plane,
          load.frame_a -- floor.of]
simulation: {stop: 0.4, step: 1e-3}
"""
STOP = """
luff: 1
blocks:
  slide: {type: prismatic, axis: x, damping: 0.3, initial: {position: 0, velocity: 1},
          limits: {upper: 0.13, lower: -0.1, stiffness: 500, damping: 1, width: 0.02}}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a]
simulation: {stop: 0.4, step: 1e-3}
"""
ROPE = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, initial: {position: -1, velocity: 1}}
  load: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  rope: {type: rope, EA: 2e2, length: 1}
connect: [world.frame -- slide.frame_a, slide.frame_b -- load.frame_a, world.frame -- rope.frame_a,
          load.frame_a -- rope.frame_b]
simulation: {stop: 0.4, step: 1e-3}
"""


def relay(x: np.ndarray, above: bool) -> bool:
    return bool(x[0] > (-0.2 if above else 0.3))


def pulled(t: float, x: np.ndarray, above: bool) -> list[float]:
    return [(-1.5 if above else 1.0) - math.sin(3.0 * x[0]) + 0.4 * math.cos(7.0 * t)]


def limited(t: float, x: np.ndarray, above: bool) -> list[float]:
    return [0.3 * min(max(-3.0 * x[0], -0.3), 0.4) - math.sin(6.0 * x[0]) + math.cos(9.0 * t)]


def bounced(t: float, x: np.ndarray, above: bool) -> list[float]:
    push = 2e2 * -x[0] * max(1.0 - 0.3 * x[1], 0.0) if x[0] < 0.0 else 0.0
    return [x[1], push - 9.81]


def stopped(t: float, x: np.ndarray, above: bool) -> list[float]:
    depth, side = (x[0] - 0.13, 1.0) if x[0] > 0.0 else (-0.1 - x[0], -1.0)
    shown = min(max(depth / 0.02, 0.0), 1.0)
    s = depth * shown * (2.0 - shown) if depth < 0.02 else depth
    push = max(500.0 * s + shown * side * x[1], 0.0)
    return [x[1], -0.3 * x[1] - side * push]


def let_go(t: float, x: np.ndarray, above: bool) -> float:
    """Positive while the stop pushes."""
    depth, side = (x[0] - 0.13, 1.0) if x[0] > 0.0 else (-0.1 - x[0], -1.0)
    left = 500.0 * depth * (2.0 - min(max(depth / 0.02, 0.0), 1.0)) + side * x[1]
    return depth * left if depth > 0.0 else depth


def hung(t: float, x: np.ndarray, above: bool) -> list[float]:
    return [x[1], 2e2 * max(-x[0] - 1.0, 0.0) - 9.81]


def exact(rates: Rates, start: list[float], bends: list[Bend], stop: float) -> np.ndarray:
    """The last state, solved from one bend to the next by a method with a step of its own."""
    t, x, above = 0.0, np.array(start), False
    for _ in range(40):
        above = relay(x, above)
        found = solve_ivp(
            rates, (t, stop), x, "DOP853", args=(above,), rtol=1e-13, atol=1e-15, max_step=0.01,
            events=[ended(bend) for bend in bends],
        )  # fmt: skip
        t, x = found.t[-1], found.y[:, -1]
        if found.status == 0:
            return x
        # beyond the bend, by less than anything that is compared
        t, x = t + 1e-13, x + 1e-13 * np.array(rates(t, x, above))
    raise AssertionError("more bends than expected")


def ended(bend: Bend) -> Bend:
    def event(t: float, x: np.ndarray, above: bool) -> float:
        return bend(t, x, above)

    event.terminal = True  # type: ignore[attr-defined]
    return event


CASES: dict[str, tuple[str, Rates, list[float], list[Bend], dict[str, float]]] = {
    "relay": (
        RELAY, pulled, [0.05], [lambda t, x, above: x[0] - (-0.2 if above else 0.3)],
        {"euler": 0.01, "heun": 0.01, "implicit": 0.01, "rk4": 0.02},
    ),
    "saturation": (
        LIMIT, limited, [0.5], [lambda t, x, above: x[0] - 0.1, lambda t, x, above: x[0] + 0.4 / 3.0],
        {"euler": 0.005, "heun": 0.01, "implicit": 0.01, "rk4": 0.02},
    ),
    "controller": (
        CONTROLLER, limited, [0.5], [lambda t, x, above: x[0] - 0.1, lambda t, x, above: x[0] + 0.4 / 3.0],
        {"euler": 0.005, "heun": 0.01, "implicit": 0.01, "rk4": 0.02},
    ),
    "contact": (
        BALL, bounced, [0.05, 0.0], [lambda t, x, above: x[0]],
        {"euler": 1e-3, "heun": 2e-3, "implicit": 2e-3, "rk4": 4e-3},
    ),
    "stop": (
        STOP, stopped, [0.0, 1.0],
        [let_go, lambda t, x, above: max(x[0] - 0.15, -0.12 - x[0])],
        {"euler": 5e-4, "heun": 2.5e-4, "implicit": 2e-3, "rk4": 2e-3},
    ),
    "rope": (
        ROPE, hung, [-1.0, 1.0], [lambda t, x, above: -x[0] - 1.0],
        {"euler": 5e-4, "heun": 2e-3, "implicit": 2e-3, "rk4": 4e-3},
    ),
}  # fmt: skip
ORDER = {"euler": 1, "heun": 2, "implicit": 3, "rk4": 4}


def end_of(sim: luff.Simulation, method: str, step: float, events: str = "locate") -> np.ndarray:
    session = sim.start(method=method, step=step, output_step=step, events=events)
    while session.advance() == "running":
        pass
    assert session.status == "finished", session.message
    return session.x.copy()


@pytest.mark.parametrize("name", CASES)
def test_order_holds_across_bends_and_jumps_at_states(name: str) -> None:
    text, rates, start, bends, longest = CASES[name]
    sim = luff.compile(luff.loads(text))
    wanted = exact(rates, start, bends, sim.settings.stop)
    for method, order in ORDER.items():
        steps = longest[method] / np.array([1.0, 2.0, 4.0, 8.0])
        errors = [abs(end_of(sim, method, float(h))[: len(wanted)] - wanted).max() for h in steps]
        slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        assert slope == pytest.approx(order, abs=0.1), (method, errors)


def test_without_it_the_order_is_lost_and_the_run_says_so() -> None:
    text, rates, start, bends, _ = CASES["relay"]
    sim = luff.compile(luff.loads(text))
    wanted = exact(rates, start, bends, sim.settings.stop)
    # a hundred steps are as good as their luck: some jump falls next to a step
    assert abs(end_of(sim, "rk4", 0.005, "step") - wanted).max() > 1e-3
    assert abs(end_of(sim, "rk4", 0.005) - wanted).max() < 1e-9
    session = sim.start()
    session.advance(steps=10**6)
    (note,) = session.remarks
    assert note.path == "r"
    assert "within a step" in note.message
    assert "simulation: {events: locate}" in note.message
    session = sim.start(events="locate")
    session.advance(steps=10**6)
    assert session.remarks == []


def test_rows_stand_on_the_grid_and_chunks_leave_no_trace() -> None:
    sim = luff.compile(luff.loads(BALL.replace("step: 1e-3", "step: 1e-3, events: locate")))
    result = sim.run()
    np.testing.assert_allclose(result.time, 1e-3 * np.arange(401), rtol=1e-12)
    session = sim.start()
    while session.advance(steps=7) == "running":
        pass
    np.testing.assert_array_equal(session.x[:2], [result["slide.position"][-1], result["slide.velocity"][-1]])
    session.reset()
    session.step(steps=120)
    mark = session.snapshot()
    first = session.step(steps=200), session.x.copy()
    session.restore(mark)
    session.step(steps=200)
    np.testing.assert_array_equal(session.x, first[1])


def test_what_chatters_is_told_and_comes_to_its_end() -> None:
    """x' = -sign(x) cannot leave zero: each part of a step ends at once."""
    text = """
luff: 1
blocks:
  r: {type: relay, lower: 0, upper: 0, low: 1, high: -1}
  x: {type: integrator, initial: 0.0035}
connect: [r.y -> x.u, x.y -> r.u]
simulation: {stop: 0.2, step: 1e-3, events: locate}
"""
    session = luff.compile(luff.loads(text)).start()
    while session.advance() == "running":
        pass
    assert abs(session.x[0]) < 1e-3
    (note,) = [each for each in session.remarks if "switches" in each.message]
    assert note.path == "r"
    assert "relay with a band" in note.message


FOUR_BAR = """
luff: 1
blocks:
  crank: {type: revolute, axis: y, initial: {position: 0.4, velocity: 2}, limits: {lower: 0.3, upper: 0.5,
          stiffness: 300, damping: 0, width: 0.05}}
  a: {type: rigid_link, mass: 1, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.02], frame_b: {at: [0, 0, -0.4]}}
  knee: {type: revolute, axis: y, guess: {position: 1.2}}
  b: {type: rigid_link, mass: 1, com: [0, 0, -0.3], inertia: [0.02, 0.02, 0.02], frame_b: {at: [0, 0, -0.9]}}
  foot: {type: fixed, at: [1, 0, 0]}
  rocker: {type: revolute, axis: y}
  c: {type: rigid_link, mass: 1, com: [0, 0, -0.3], inertia: [0.02, 0.02, 0.02], frame_b: {at: [0, 0, -0.6]}}
  pin: {type: spherical, cut: true}
connect: [world.frame -- crank.frame_a, crank.frame_b -- a.frame_a, a.frame_b -- knee.frame_a,
          knee.frame_b -- b.frame_a,
          world.frame -- foot.frame_a, foot.frame_b -- rocker.frame_a, rocker.frame_b -- c.frame_a,
          b.frame_b -- pin.frame_a, c.frame_b -- pin.frame_b]
simulation: {stop: 1, step: 1e-3, constraints: {method: %s}}
"""


@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_stops_in_a_closed_mechanism_cost_no_energy(method: str) -> None:
    sim = luff.compile(luff.loads(FOUR_BAR % method))
    session = sim.start(events="locate")
    while session.advance() == "running":
        pass
    quality = session.quality()
    assert max(session.take()[1][:, session.columns.index("crank.position")]) > 0.5  # the stop was met
    # RK4: (w h)^5 of the stop's 40 rad/s or so, a thousand times
    assert quality["energy"]["relative_residual"] < 3e-8
    assert quality["constraint_violation"] < 1e-9


def test_command_line_takes_it_and_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "relay.yaml"
    path.write_text(RELAY)
    assert "within a step" in call("run", path, cwd=tmp_path).stderr
    located = json.loads(call("run", path, "--events", "locate", "--json", cwd=tmp_path).stdout)
    assert located["warnings"] == []
    found = call("run", path, "--events", "find", cwd=tmp_path, code=2).stderr
    assert "--events" in found
    assert "locate" in found
    said = call("run", path, "--events", "locate", "--method", "radau", cwd=tmp_path).stderr
    assert "events are not located with radau" in said
    with pytest.raises(luff.LuffError, match="locate"):
        luff.compile(path).start(events="find")


def test_plain_python_takes_the_same_steps(tmp_path: Path) -> None:
    (tmp_path / "ball.yaml").write_text(BALL.replace("stop: 0.4, step: 1e-3", "stop: 0.2, step: 5e-3"))
    code = "import luff; print(luff.compile('ball.yaml').run(events='locate')['slide.position'][-1].hex())"
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            check=True,
            text=True,
            capture_output=True,
        ).stdout
        for flag in ("0", "1")
    ]
    # powers may differ in the last bits, and 40 steps carry them on
    assert float.fromhex(found[0]) == pytest.approx(float.fromhex(found[1]), rel=1e-12)

"""Release: loads let go fly on, and are caught by an impact; momentum, energy and time against closed forms."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import luff
from luff.blocks import CompileError, RunError
from luff.tests.process import call

G = 9.81
SWINGING = """
luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 40 deg}}
  arm: {type: rigid_link, mass: 20, inertia: [5, 5, 5], frame_b: {at: [0, 0, -5]}}
  hook: {type: release, time: 0.7 s}
  load: {type: rigid_link, mass: 100, inertia: [10, 12, 14]}
  seen: {type: frame_sensor}
connect: [world.frame -- pin.frame_a, pin.frame_b -- arm.frame_a, arm.frame_b -- hook.frame_a,
          hook.frame_b -- load.frame_a, load.frame_a -- seen.frame_b]
simulation: {stop: 1.5 s, step: 1 ms}
"""
# three bodies that float without weight; the hook opens and closes every 0.2 s
FLOATING = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  base: {type: free, initial: {velocity: [1, 0.3, 0], angular_velocity: [0.2, 0.1, 0.4]}}
  hull: {type: rigid_link, mass: 30, inertia: [5, 6, 7], com: [0.1, 0.2, 0]}
  pin: {type: revolute, axis: y, initial: {velocity: 1}}
  arm: {type: rigid_link, mass: 20, inertia: [5, 5, 5], frame_b: {at: [0, 0, -5]}}
  hook: {type: release, again: true, initial: {held: false, position: [0.1, 0.2, -0.3], rotate: [[x, 0.4]],
         velocity: [0.5, -1, 2], angular_velocity: [1, 2, 3]}}
  load: {type: rigid_link, mass: 100, inertia: [10, 12, 14], com: [0.1, 0.05, -0.2]}
  open: {type: pulse, period: 0.2, duration: 0.1}
  s_hull: {type: frame_sensor}
  s_arm: {type: frame_sensor}
  s_load: {type: frame_sensor}
connect: [world.frame -- base.frame_a, base.frame_b -- hull.frame_a, hull.frame_b -- pin.frame_a,
          pin.frame_b -- arm.frame_a, arm.frame_b -- hook.frame_a, hook.frame_b -- load.frame_a, open.y -> hook.open,
          hull.frame_a -- s_hull.frame_b, arm.frame_a -- s_arm.frame_b, load.frame_a -- s_load.frame_b]
simulation: {stop: 0.5 s, step: 1 ms}
"""
BODIES = {
    "hull": (30.0, (5.0, 6.0, 7.0), (0.1, 0.2, 0.0)),
    "arm": (20.0, (5.0, 5.0, 5.0), (0.0, 0.0, 0.0)),
    "load": (100.0, (10.0, 12.0, 14.0), (0.1, 0.05, -0.2)),
}


def momenta(result: luff.Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Linear momentum, angular momentum about the world's origin, kinetic energy of the three bodies at each row."""
    linear = np.zeros((len(result.time), 3))
    angular, energy = linear.copy(), np.zeros(len(result.time))
    for name, (mass, inertia, com) in BODIES.items():
        seen = {
            port: result[f"s_{name}.{port}"]
            for port in ("position", "rotation", "velocity", "angular_velocity")
        }
        R = Rotation.from_euler("ZYX", seen["rotation"]).as_matrix()
        arm, w = R @ np.array(com), seen["angular_velocity"]
        v = seen["velocity"] + np.cross(w, arm)
        spin = np.einsum("kij,j,klj,kl->ki", R, inertia, R, w)
        linear += mass * v
        angular += mass * np.cross(seen["position"] + arm, v) + spin
        energy += 0.5 * mass * (v * v).sum(axis=1) + 0.5 * (w * spin).sum(axis=1)
    return linear, angular, energy


@pytest.mark.parametrize("events", ["step", "locate"])
def test_a_swinging_load_let_go_flies_the_parabola(events: str) -> None:
    result = luff.compile(luff.loads(SWINGING)).run(events=events)
    first = int(np.argmin(result["hook.holds"]))
    assert result.time[first] == pytest.approx(0.7, abs=1e-12)
    t = (result.time[first:] - 0.7)[:, None]
    p, v, w = (result[f"seen.{name}"] for name in ("position", "velocity", "angular_velocity"))
    flight = p[first] + v[first] * t - [0.0, 0.0, 0.5 * G] * t * t
    # Runge-Kutta of order four on the coordinates relative to the arm that swings on
    np.testing.assert_allclose(p[first:], flight, atol=1e-10)
    np.testing.assert_allclose(w[first:], np.broadcast_to(w[first], w[first:].shape), atol=1e-10)
    # nothing jumps where it lets go: rates change by no more than a step of the largest acceleration
    assert abs(v[first] - v[first - 1]).max() < 2.0 * G * 1e-3
    assert abs(w[first] - w[first - 1]).max() < 2.0 * G / 5.0 * 1e-3
    assert not result["hook.total_force"][first:].round(9).any()
    # while it holds: weight and centripetal force of the load, by the pendulum's speed
    k = first - 1
    along = p[k] / 5.0
    force = 100.0 * (G * np.array([0.0, 0.0, 1.0]) + result["seen.acceleration"][k])
    carried = Rotation.from_euler("y", result["pin.position"][k]).apply(result["hook.total_force"][k])
    np.testing.assert_allclose(carried, force, rtol=1e-9, atol=1e-6)
    assert carried @ along == pytest.approx(-100.0 * (-G * along[2] + v[k] @ v[k] / 5.0), rel=1e-9)
    assert result.quality["newton_euler_residual"] < 1e-9


def test_impacts_keep_momentum_and_lose_what_the_ledger_says() -> None:
    """No force acts from outside: both momenta stay over two catches; the kinetic energy lost is the dissipation."""
    result = luff.compile(luff.loads(FLOATING)).run()
    linear, angular, energy = momenta(result)
    holds = result["hook.holds"]
    caught = np.flatnonzero(np.diff(holds) > 0.0)
    assert result.time[caught + 1] == pytest.approx([0.1, 0.3, 0.5], abs=1e-9)
    for now in (linear, angular):
        jump = (now[caught + 1] - now[caught])[:2]
        # a step of the integrator lies between the rows; over it and the impact
        assert abs(jump).max() < 3e-12 * abs(now).max()
        # Runge-Kutta of order four over 0.5 s
        np.testing.assert_allclose(now, np.broadcast_to(now[0], now.shape), rtol=1e-9, atol=1e-9)
    while_held = holds[1:] * holds[:-1] > 0.0
    for name in ("velocity", "angular_velocity"):
        assert not result[f"hook.{name}"][1:][while_held].any()
    assert energy[caught] - energy[caught + 1] == pytest.approx([76.299425, 10.898195, 10.427468], rel=1e-6)
    lost = result.quality["energy"]["dissipated"]
    assert lost == pytest.approx(energy[0] - energy[-1], rel=1e-10)
    assert abs(result.quality["energy"]["residual"]) < 1e-9 * energy[0]


def events_of(text: str, step: str, stop: str) -> luff.Result:
    """A run whose hook opens for 1 ms and holds for 1 ms, in turn."""
    text = text.replace("period: 0.2, duration: 0.1", "period: 2 ms, duration: 1 ms")
    text = re.sub(r"stop: .*\}", f"stop: {stop}, step: {step}, output_step: 1 ms}}", text)
    return luff.compile(luff.loads(text)).run()


def test_ten_thousand_events_keep_momentum_and_energy() -> None:
    """Bodies that float: a spring throws the load off again each time."""
    spring = "spring: {type: line_spring, stiffness: 20, free_length: 2}\n  open:"
    text = FLOATING.replace("open:", spring, 1).replace("open.y ->", "hull.frame_a -- spring.frame_a, "
                                                        "load.frame_a -- spring.frame_b, open.y ->")  # fmt: skip
    left = []
    for step in ("1 ms", "0.5 ms", "0.25 ms"):
        result = events_of(text, step, "10 s")
        assert np.count_nonzero(np.diff(result["hook.holds"])) >= 9999
        *both, energy = momenta(result)
        drift = [abs(now - now[0]).max() / abs(now).max() for now in both]
        left.append([*drift, abs(result.quality["energy"]["residual"]) / energy.max()])
        for now in both:
            # an event and the steps of the 1 ms around it: rounding, and that of angles made rotations again
            assert abs(np.diff(now, axis=0)).max() < 5e-13 * abs(now).max()
        assert result.quality["energy"]["dissipated"] > 100.0
    # 2.8e-11 at 1 ms is the integrator's: a method of order four leaves a sixteenth at half the step; the events leave
    # rounding, so that all of 10,000 stay below 1e-12
    assert all(half < one / 10.0 for one, half in zip(*left[:2], strict=True))
    assert max(left[2]) < 1e-12


HANGING = """
luff: 1
blocks:
  world: {planar: true}
  pin: {type: revolute, axis: y, initial: {position: 40 deg}}
  arm: {type: rigid_link, mass: 20, inertia: [5, 5, 5], frame_b: {at: [0, 0, -5]}}
  hook: {type: release, again: true}
  load: {type: rigid_link, mass: 100, inertia: [10, 12, 14], com: [0.1, 0, -0.2], frames: {com: {at: [0.1, 0, -0.2]}}}
  open: {type: pulse, period: 0.2, duration: 0.1}
  s_arm: {type: frame_sensor}
  s_load: {type: frame_sensor}
  moment: {type: expression, inputs: [x], expr: 100*9.81*x, unit: N*m}
  impulse: {type: integrator}
connect: [world.frame -- pin.frame_a, pin.frame_b -- arm.frame_a, arm.frame_b -- hook.frame_a,
          hook.frame_b -- load.frame_a, arm.frame_a -- s_arm.frame_b, load.com -- s_load.frame_b, open.y -> hook.open,
          "s_load.position[0] -> moment.x", moment.y -> impulse.u]
simulation: {stop: 10 s, step: 1 ms}
"""


def test_ten_thousand_events_of_a_swinging_load_keep_the_moment_of_momentum() -> None:
    """About the pin, whose reaction has no moment there: it changes by that of the load's weight, and nothing else."""
    result = events_of(HANGING, "1 ms", "10 s")
    assert np.count_nonzero(np.diff(result["hook.holds"])) >= 9999
    p, v, w = (result[f"s_load.{name}"] for name in ("position", "velocity", "angular_velocity"))
    turning = 12.0 * w[:, 1] + 100.0 * (p[:, 2] * v[:, 0] - p[:, 0] * v[:, 2])
    turning += 5.0 * result["s_arm.angular_velocity"][:, 1]
    # r x m g about y is +m g x; Runge-Kutta of order four is below rounding here: (w h)^5 = 5e-15 a step
    kept = turning - result["impulse.y"]
    assert abs(kept - kept[0]).max() < 1e-12 * abs(turning).max()
    energy = result.quality["energy"]
    assert energy["dissipated"] > 1.0
    assert abs(energy["residual"]) < 1e-12 * 0.5 * 100.0 * (v * v).sum(axis=1).max()


PARALLELOGRAM = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  left: {type: revolute, axis: y, initial: {position: 20 deg, velocity: 2}}
  crank: {type: rigid_link, mass: 5, com: [0, 0, 1], inertia: [1, 2, 1], frame_b: {at: [0, 0, 2]}}
  upper: {type: revolute, axis: y}
  coupler: {type: rigid_link, mass: 12, com: [1.5, 0, 0], inertia: [1, 7, 7], frame_b: {at: [3, 0, 0]}}
  other: {type: revolute, axis: y, cut: true}
  ground: {type: fixed, at: [3, 0, 0]}
  right: {type: revolute, axis: y}
  rocker: {type: rigid_link, mass: 5, com: [0, 0, 1], inertia: [1, 2, 1], frame_b: {at: [0, 0, 2]}}
  hook: {type: release, again: true, initial: {held: false, position: [1, 0, 0.4], velocity: RATE}}
  load: {type: rigid_link, mass: 8, com: [0, 0, 0.3], inertia: [3, 3, 3]}
  open: {type: pulse, duration: 1 ms}
connect: [world.frame -- left.frame_a, left.frame_b -- crank.frame_a, crank.frame_b -- upper.frame_a,
          upper.frame_b -- coupler.frame_a, coupler.frame_b -- other.frame_a, other.frame_b -- rocker.frame_b,
          world.frame -- ground.frame_a, ground.frame_b -- right.frame_a, right.frame_b -- rocker.frame_a,
          coupler.frame_a -- hook.frame_a, hook.frame_b -- load.frame_a, open.y -> hook.open]
simulation: {stop: 0.2 s, step: 1 ms, constraints: {method: METHOD}}
"""


@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_a_coupler_that_catches_a_load_at_rest(method: str) -> None:
    """A parallelogram's coupler does not turn: I = 2 (I_c + m l^2 / 4) + m_coupler l^2 takes up m l^2."""
    speed, a = 2.0, math.radians(20.0)
    # at rest in the world: against the coupler, which moves along the circle
    rate = [-2.0 * speed * math.cos(a), 0.0, 2.0 * speed * math.sin(a)]
    text = PARALLELOGRAM.replace("METHOD", method).replace("RATE", str(rate))
    result = luff.compile(luff.loads(text)).run()
    before = 2.0 * (2.0 + 5.0) + 12.0 * 4.0
    # the load moves at most by its rest over a step, the crank turns by 2e-3 rad within it
    after = result["left.velocity"][2]
    assert after == pytest.approx(speed * before / (before + 8.0 * 4.0), rel=1e-9)
    np.testing.assert_allclose(result["left.velocity"][2:], after, rtol=1e-9)
    lost = 0.5 * before * speed**2 - 0.5 * (before + 32.0) * after**2
    assert result.quality["energy"]["dissipated"] == pytest.approx(lost, rel=1e-8)
    assert result.quality["constraint_violation"] < 1e-9


ROPE = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  left: {type: prismatic, axis: x}
  anchor: {type: rigid_link, mass: 50, inertia: [1, 1, 1]}
  right: {type: prismatic, axis: x, initial: {position: 10.05}}
  shackle: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  hook: {type: release, time: 0.1 s}
  load: {type: rigid_link, mass: 30, inertia: [1, 1, 1]}
  rope: {type: rope, EA: 1e6, length: 10}
  seen: {type: frame_sensor}
connect: [world.frame -- left.frame_a, left.frame_b -- anchor.frame_a, world.frame -- right.frame_a,
          right.frame_b -- shackle.frame_a, shackle.frame_a -- hook.frame_a, hook.frame_b -- load.frame_a,
          anchor.frame_a -- rope.frame_a, shackle.frame_a -- rope.frame_b, load.frame_a -- seen.frame_b]
simulation: {stop: 0.2 s, step: 0.1 ms}
"""


def test_a_stretched_rope_springs_back_from_a_load_let_go() -> None:
    result = luff.compile(luff.loads(ROPE)).run()
    first = int(np.argmin(result["hook.holds"]))
    # two masses on a spring k = EA / l, taut: x'' = -k x (1/50 + 1/32)
    w, t = math.sqrt(1e5 * (1.0 / 50.0 + 1.0 / 32.0)), result.time[:first]
    stretch = (result["right.position"] - result["left.position"])[:first] - 10.0
    taut = t < 0.5 * math.pi / w
    np.testing.assert_allclose(stretch[taut], 0.05 * np.cos(w * t[taut]), atol=1e-9)
    momentum = (
        50.0 * result["left.velocity"] + 2.0 * result["right.velocity"] + 30.0 * result["seen.velocity"][:, 0]
    )
    # kg m/s of about 100; what RK4 leaves is the same for all three
    assert abs(momentum).max() < 1e-10
    # without a force the load keeps its speed
    np.testing.assert_allclose(
        result["seen.velocity"][first:, 0], result["seen.velocity"][first, 0], rtol=1e-11
    )
    energy = result.quality["energy"]
    assert abs(energy["residual"]) < 1e-6 * 0.5 * 1e5 * 0.05**2


def test_ten_thousand_events_on_a_taut_rope_keep_the_momentum() -> None:
    """Both ends are drawn apart by 2 to 8 kN: their sum keeps its momentum, and the rope does not get slack."""
    text = ROPE.replace("time: 0.1 s", "again: true")
    more = "  open: {type: pulse, period: 0.2, duration: 0.1}\n  zero: {type: constant, value: 0}\n"
    wires = "open.y -> hook.open, anchor.frame_a -- back.frame_b, shackle.frame_a -- ahead.frame_b"
    for name, sign in (("back", "-"), ("ahead", "")):
        more += f"  {name}: {{type: applied_force}}\n"
        more += f'  {name}_pull: {{type: expression, inputs: [], expr: "{sign}(5000 + 3000*sin(200*t))", unit: N}}\n'
        wires += f', "{name}_pull.y -> {name}.force[0]"'
        wires += "".join(f', "zero.y -> {name}.force[{axis}]"' for axis in (1, 2))
    text = text.replace("  seen:", more + "  seen:").replace("connect: [", f"connect: [{wires}, ")
    left = []
    for step in ("0.2 ms", "0.1 ms"):
        result = events_of(text, step, "10 s")
        assert np.count_nonzero(np.diff(result["hook.holds"])) >= 9999
        assert result["rope.tension"].min() > 0.0
        momentum = np.array([50.0 * result["left.velocity"], 2.0 * result["right.velocity"],
                             30.0 * result["seen.velocity"][:, 0]])  # fmt: skip
        # a sum of the states: any Runge-Kutta method keeps it, and so do the events
        assert abs(momentum.sum(axis=0)).max() < 1e-12 * abs(momentum).max()
        energy = result.quality["energy"]
        assert energy["dissipated"] > 1000.0
        left.append(abs(energy["residual"]))
    # order four again: what the ledger lacks is the integrator's, 4e-9 of what is lost at 0.1 ms
    assert left[1] < left[0] / 10.0
    assert left[1] < 1e-8 * energy["dissipated"]


# a load that hangs still under a force that grows by RATE: m g + RATE t, limited
LIMIT = """
luff: 1
blocks:
  hook: {type: release, force: 1500 N}
  load: {type: rigid_link, mass: 100, inertia: [1, 1, 1]}
  push: {type: applied_force}
  ramp: {type: ramp, slope: -1000}
  zero: {type: constant, value: 0}
  seen: {type: frame_sensor}
connect: [world.frame -- hook.frame_a, hook.frame_b -- load.frame_a, load.frame_a -- push.frame_b,
          "zero.y -> push.force[0]", "zero.y -> push.force[1]", "ramp.y -> push.force[2]", load.frame_a -- seen.frame_b]
simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms}
"""


def fallen(limit: float, t: float, slope: float = 1000.0, mass: float = 100.0) -> tuple[float, float]:
    """Time at which the pin breaks, and place of the load at t."""
    begin = (limit - mass * G) / slope
    after = t - begin
    # g + slope t / m, twice integrated from the break on
    return begin, -(G + slope * begin / mass) * after**2 / 2.0 - slope / mass * after**3 / 6.0


def test_a_pin_breaks_at_its_force() -> None:
    sim = luff.compile(luff.loads(LIMIT))
    begin, place = fallen(1500.0, 1.0)
    located = sim.run(events="locate")
    assert located["seen.position"][-1, 2] == pytest.approx(place, rel=1e-9)
    # at the next step of the grid without
    held = sim.run(output_step=1e-3)
    first = int(np.argmin(held["hook.holds"]))
    assert 0.0 <= held.time[first] - begin <= 2e-3
    assert abs(held["hook.total_force"][first - 1, 2]) == pytest.approx(1500.0, abs=2.0)


def test_slopes_go_through_the_break() -> None:
    """The time of the break follows limit and mass: so does all that comes behind it."""
    table = luff.sensitivity(
        luff.compile(luff.loads(LIMIT)), ["hook.force", "load.mass"], ["seen.position[2]"]
    )
    h = 1e-3
    by_limit = (fallen(1500.0 + h, 1.0)[1] - fallen(1500.0 - h, 1.0)[1]) / (2.0 * h)
    by_mass = (fallen(1500.0, 1.0, mass=100.0 + h)[1] - fallen(1500.0, 1.0, mass=100.0 - h)[1]) / (2.0 * h)
    assert table.slopes[0, -1, 0] == pytest.approx(by_limit, rel=1e-7)
    assert table.slopes[1, -1, 0] == pytest.approx(by_mass, rel=1e-7)


def test_lanes_let_go_each_at_its_own_force() -> None:
    sim = luff.compile(luff.loads(LIMIT))
    limits = np.array([1100.0, 1300.0, 1500.0, 1700.0, 5000.0])
    one, many = (
        luff.batch(sim, {"hook.force": limits}, "*", lanes=lanes, threads=1) for lanes in (False, True)
    )
    np.testing.assert_array_equal(many["seen.position[2]"], one["seen.position[2]"])
    fell = one["seen.position[2]"][..., -1]
    np.testing.assert_allclose(fell[:4], [fallen(limit, 1.0)[1] for limit in limits[:4]], rtol=5e-3)
    assert fell[4] == 0.0


def test_what_a_release_cannot_do_is_refused_by_name(tmp_path: Path) -> None:
    twice = SWINGING.replace(
        "connect: [", "connect: [world.frame -- tie.frame_a, tie.frame_b -- load.frame_a, "
    )
    twice = twice.replace("  seen:", "  tie: {type: release}\n  seen:")
    with pytest.raises(
        CompileError, match=r"hook: frame_b of a release is nearer .* or a loop goes through it"
    ):
        luff.compile(luff.loads(twice))
    led = SWINGING.replace("  seen:", "  rail: {type: programmed_constraint, relation: y}\n  seen:")
    led = led.replace("connect: [", "connect: [load.frame_a -- rail.frame, ")
    with pytest.raises(CompileError, match=r"hook: a loop or a constraint goes through this release"):
        luff.compile(luff.loads(led))
    with pytest.raises(
        RunError, match=r"hook: found a release, whose coordinates are states also while it holds"
    ):
        luff.modes(luff.compile(luff.loads(SWINGING)))
    thrown = SWINGING.replace("time: 0.7 s", "initial: {velocity: [1, 0, 0]}")
    with pytest.raises(luff.NetlistError, match=r"hook.initial.velocity: found velocity where b is held"):
        luff.compile(luff.loads(thrown))
    (tmp_path / "swing.yaml").write_text(SWINGING)
    told = call("export", "swing.yaml", "-o", "swing.fmu", cwd=tmp_path, code=1).stderr
    assert "hook: a release changes rates at an instant" in told

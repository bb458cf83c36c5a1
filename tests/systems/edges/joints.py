"""Joints, their stops, springs and friction at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterable[Compared]
G = 9.81
POINT = "{type: rigid_link, mass: 2}"


def rails(axis: str = "x", **kinds: str) -> tuple[str, str]:
    """Bodies of 2 kg on rails side by side, and their wires."""
    blocks = "".join(
        f"\n  {n}: {{type: prismatic, axis: {axis}, {text}}}\n  {n}_body: {POINT}"
        for n, text in kinds.items()
    )
    wires = ", ".join(f"world.frame -- {n}.frame_a, {n}.frame_b -- {n}_body.frame_a" for n in kinds)
    return blocks, wires


@edge(
    "prismatic",
    *rails(
        free="initial: {position: 1, velocity: -3}",
        spring="stiffness: 200, rest: -0.5, initial: {position: 0}",
        critical="stiffness: 200, damping: 40, initial: {position: 1, velocity: 0}",
        over="stiffness: 200, damping: 104, initial: {position: 1, velocity: 0}",
        heavy="stiffness: 200, armature: 6, initial: {position: 1, velocity: 0}",
        damped="damping: 4, initial: {velocity: -2}",
    ),
    step=2e-3,
)
def slides_with_and_without_springs(r: R) -> Answers:
    t = r.time
    yield "free", r["free.position"], 1 - 3 * t, 1e-12
    yield "about its rest", r["spring.position"], -0.5 + 0.5 * np.cos(10 * t), 1e-6
    yield "critical", r["critical.position"], (1 + 10 * t) * np.exp(-10 * t), 1e-6
    yield "beyond critical", r["over.position"], (50 * np.exp(-2 * t) - 2 * np.exp(-50 * t)) / 48, 1e-5
    yield "with a rotor", r["heavy.position"], np.cos(5 * t), 1e-6
    yield "damped alone", r["damped.velocity"], -2 * np.exp(-2 * t), 1e-8


@edge(
    "prismatic",
    *rails(
        "z",
        deep="limits: {lower: 0, stiffness: 1e4, damping: 300, width: 0.001}",
        soft="limits: {lower: 0, stiffness: 1e4, damping: 300, width: 0.01}",
        shut="limits: {lower: 0, upper: 1e-9, stiffness: 1e4, damping: 300, width: 0.001}",
        above="limits: {upper: -1, stiffness: 1e4, damping: 300}, initial: {position: -1, velocity: 1}",
    ),
    step=1e-3,
    stop=2.0,
)
def end_stops_that_carry_a_load(r: R) -> Answers:
    late, rest = r.time > 1.5, 2 * G / 1e4
    yield "deeper than its width", r["deep.position"][late], -rest, 1e-8
    # s = d^2 (2 - d/w)/w = F/k within the width
    u = np.roots([-1, 2, 0, -rest / 0.01])
    d = 0.01 * next(x.real for x in u if abs(x.imag) < 1e-9 and 0 < x.real < 1)
    yield "within its width", r["soft.position"][late], -d, 1e-6
    yield "limits that meet", r["shut.position"][late], -rest, 1e-8
    t = r.time
    yield "with gravity", np.diff(r["above.velocity"][t > 0.2]) / np.diff(t[t > 0.2]), -G, 1e-6


LAWS = {
    "coulomb": "stribeck: 1e-3",
    "dahl": "sigma_0: 3e3, gamma: 1",
    "lugre": "sigma_0: 3e3, sigma_1: 1, sigma_2: 0, stribeck: 1e-3",
    "elastoplastic": "sigma_0: 3e3, sigma_1: 1, sigma_2: 0, stribeck: 1e-3",
}
BOTH = {f"{law}_{way}": (law, way) for law in LAWS for way in ("ahead", "back")}


@edge(
    "prismatic",
    *rails(
        **{
            n: f"friction: {{model: {law}, mu_s: 0.3, mu_k: 0.3, {LAWS[law]}}},"
            f" initial: {{velocity: {1 if way == 'ahead' else -1}}}"
            for n, (law, way) in BOTH.items()
        },
        none="friction: {model: viscous, sigma_2: 0.01, load: 500 N}, initial: {velocity: 1}",
        idle="friction: {model: elastoplastic, load: 0 N}, initial: {velocity: 1}",
    ),
    step=1e-4,
    rows=1e-2,
    stop=0.8,
)
def blocks_that_slide_to_rest_both_ways(r: R) -> Answers:
    a = 0.3 * G
    t = np.minimum(r.time, 1 / a)
    way = t - a * t**2 / 2
    for n, (law, direction) in BOTH.items():
        sign = 1 if direction == "ahead" else -1
        # coulomb is smooth through zero by 1e-3 m/s; bristles bend by 0.1 mm
        yield n, sign * r[f"{n}.position"], way, 2e-3 if law == "coulomb" else 5e-4
    yield "viscous alone", r["none.velocity"], np.exp(-0.01 * 500 / 2 * r.time), 1e-9
    yield "no load", r["idle.velocity"], 1.0, 1e-12


@edge(
    "revolute",
    """
  plan: {type: sine, amplitude: 0.5, frequency: 3 rad/s, phase: 90 deg}
  pin: {type: revolute, axis: y, driven: true, damping: 2, armature: 0.5}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
""",
    "plan.trajectory -> pin.follow, world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a",
    stop=3.0,
)
def effort_of_a_pendulum_that_is_led(r: R) -> Answers:
    q = 0.5 * np.cos(3 * r.time)
    v, a = -1.5 * np.sin(3 * r.time), -9 * q
    yield "position", r["pin.position"], q, 1e-12
    yield "effort", r["pin.required_effort"], (0.1 + 0.5 + 0.5) * a + 2 * v + 2 * G * 0.5 * np.sin(q), 1e-9


@edge(
    "spherical free frame_sensor world",
    """
  world: {gravity: [0, 0, 0]}
  top: {type: free, initial: {angular_velocity: [0.3, 0, 5]}}
  body: {type: rigid_link, mass: 2, inertia: [0.2, 0.2, 0.4]}
  eye: {type: frame_sensor}
  ball: {type: spherical, initial: {psi_rate: 5}}
  disc: {type: rigid_link, mass: 2, com: [0.3, 0, 0], inertia: [0.2, 0.2, 0.4]}
  rim: {type: frame_sensor}
""",
    "world.frame -- top.frame_a, top.frame_b -- body.frame_a, body.frame_a -- eye.frame_b, world.frame -- ball.frame_a,"
    " ball.frame_b -- disc.frame_a, disc.frame_a -- rim.frame_b",
    step=2e-3,
    stop=2.0,
)
def tops_without_torque(r: R) -> Answers:
    # in the world w = L/I_1 + (1 - I_3/I_1) w_3 e_3: e_3 goes round L at |L|/I_1
    L = np.array([0.2 * 0.3, 0, 0.4 * 5])
    rate = np.hypot(L[0], L[2]) / 0.2
    n = L / np.linalg.norm(L)
    cos = n[2]
    e3 = np.array([0, 0, 1.0])
    turned = [
        e3 * np.cos(rate * t) + np.cross(n, e3) * np.sin(rate * t) + n * cos * (1 - np.cos(rate * t))
        for t in r.time
    ]
    w = np.array([L / 0.2 + (1 - 2) * 5 * e for e in turned])
    for k in range(3):
        yield f"angular velocity {k}", r[f"eye.angular_velocity[{k}]"], w[:, k], 1e-5
    yield (
        "force of a disc out of balance",
        np.hypot(r["ball.constraint_force[0]"], r["ball.constraint_force[1]"]),
        2 * 0.3 * 25,
        1e-8,
    )


@edge(
    "universal",
    """
  world: {gravity: [0, 0, 0]}
  it: {type: universal, axis_a: x, axis_b: y, damping: 2, initial: {alpha: 0, beta: 0, beta_rate: -4}}
  body: {type: rigid_link, mass: 2, inertia: [0.5, 0.5, 0.5]}
  stiff: {type: universal, axis_a: x, axis_b: y, stiffness: 50, initial: {alpha: 0.1, beta: 0}}
  other: {type: rigid_link, mass: 2, inertia: [0.5, 0.5, 0.5]}
""",
    "world.frame -- it.frame_a, it.frame_b -- body.frame_a, world.frame -- stiff.frame_a,"
    " stiff.frame_b -- other.frame_a",
    step=2e-3,
)
def hooke_joints_about_one_axis(r: R) -> Answers:
    yield "damped", r["it.beta_rate"], -4 * np.exp(-4 * r.time), 1e-6
    yield "the other stands", r["it.alpha"], 0.0, 1e-12
    yield "spring", r["stiff.alpha"], 0.1 * np.cos(10 * r.time), 1e-6

"""Small models with inputs that several files plan motions of."""

from __future__ import annotations

import luff

CHAIN = """
luff: 1
inputs: {{u: {{}}}}
blocks: {{{blocks}}}
connect: [{wires}]
simulation: {{stop: 1 s, step: 1 ms}}
"""
TROLLEY = """
luff: 1
parameters: {rope: 5 m}
inputs: {accel: {unit: m/s^2}}
blocks:
  rate: {type: integrator}
  way: {type: integrator}
  move: {type: make_trajectory}
  trolley: {type: prismatic, axis: x, driven: true}
  cart: {type: rigid_link, mass: 100 kg, com: [0, 0, 0], inertia: [1, 1, 1]}
  pin: {type: revolute, axis: y}
  load: {type: rigid_link, mass: 1000 kg, com: [0, 0, =-rope], inertia: [1.0e-9, 1.0e-9, 1.0e-9]}
connect:
  - inputs.accel -> rate.u
  - rate.y -> way.u
  - way.y -> move.value
  - rate.y -> move.rate
  - inputs.accel -> move.acceleration
  - move.y -> trolley.follow
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- cart.frame_a
  - cart.frame_a -- pin.frame_a
  - pin.frame_b -- load.frame_a
simulation: {stop: 10 s, step: 1 ms}
"""
LUFFING = """
luff: 1
inputs: {force: {unit: N, default: 200 kN}}
blocks:
  base: {type: rigid_link, mass: 1 kg, frames: {barrel: {at: [0, 1.2, 0]}}, frame_b: {at: [0, 0, 1]}}
  crane: {type: boom_with_cylinder, start: 1 m}
connect:
  - world.frame -- base.frame_a
  - base.frame_b -- crane.hinge
  - base.barrel -- crane.barrel
  - inputs.force -> crane.effort
simulation: {stop: 5 s, step: 1 ms}
"""

CONTAINER = """
luff: 1
inputs: {u1: {}, u2: {}}
blocks:
  x1: {type: integrator, initial: 0}
  x2: {type: integrator, initial: 22}
  x3: {type: integrator, initial: 0}
  x4: {type: integrator, initial: 0}
  x5: {type: integrator, initial: -1}
  x6: {type: integrator, initial: 0}
  f4: {type: expression, inputs: [u, x3], expr: u + 17.2656*x3}
  f6: {type: expression, inputs: [u, x2, x3, x5, x6], expr: -(u + 27.0756*x3 + 2*x5*x6)/x2}
connect:
  - x4.y -> x1.u
  - x5.y -> x2.u
  - x6.y -> x3.u
  - inputs.u1 -> f4.u
  - x3.y -> f4.x3
  - f4.y -> x4.u
  - inputs.u2 -> x5.u
  - inputs.u1 -> f6.u
  - x2.y -> f6.x2
  - x3.y -> f6.x3
  - x5.y -> f6.x5
  - x6.y -> f6.x6
  - f6.y -> x6.u
simulation: {stop: 9 s, step: 1 ms}
"""
# container crane of Sakawa and Shindo (1982), from (0, 22) m to (10, 14) m in 9 s
CONTAINER_MOVE = {
    "controls": {
        "u1": {"lower": -2.83374, "upper": 2.83374},
        "u2": {"lower": -0.80865, "upper": 0.71265},
    },
    "intervals": 60,
    "duration": 9,
    "interpolation": "linear",
    "end": {"x1.x": 10, "x2.x": 14, "x3.x": 0, "x4.x": 2.5, "x5.x": 0, "x6.x": 0},
    "limits": {"x4.x": {"lower": -2.5, "upper": 2.5}, "x5.x": {"lower": -1, "upper": 1}},
    "least": {"squares": {"x3.x": 0.5, "x6.x": 0.5, "u1": 0.005, "u2": 0.005}},
}


def chain(length: int) -> luff.Diagram:
    """Integrators i1, i2, ... of the input u, one behind the other."""
    names = [f"i{k}" for k in range(1, length + 1)]
    wires = [f"{a} -> {b}.u" for a, b in zip(["inputs.u", *(f"{n}.y" for n in names)], names, strict=False)]
    blocks = ", ".join(f"{name}: {{type: integrator}}" for name in names)
    return luff.loads(CHAIN.format(blocks=blocks, wires=", ".join(wires)))

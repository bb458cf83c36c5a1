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


def chain(length: int) -> luff.Diagram:
    """Integrators i1, i2, ... of the input u, one behind the other."""
    names = [f"i{k}" for k in range(1, length + 1)]
    wires = [f"{a} -> {b}.u" for a, b in zip(["inputs.u", *(f"{n}.y" for n in names)], names, strict=False)]
    blocks = ", ".join(f"{name}: {{type: integrator}}" for name in names)
    return luff.loads(CHAIN.format(blocks=blocks, wires=", ".join(wires)))

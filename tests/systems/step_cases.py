"""Models with a known answer, each with a step that is too long for it, though its run goes to the end.

`answer` says by how much of its known value a run is off. Rate times step is 1 to 2.8: the method
stays within its region of stability, or is held by something that saturates, and is wrong all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from luff.solver.results.result import Result


class Case(NamedTuple):
    text: str
    answer: Callable[[Result], float]
    names: str  # a block or a state that the warning has to name


def late(result: Result, name: str) -> np.ndarray:
    """The last tenth of a signal."""
    values = result[name]
    return values[9 * len(values) // 10 :]


def amplitude(name: str, known: float, centre: float = 0.0) -> Callable[[Result], float]:
    """Of an oscillation without damping, still there at the end."""
    return lambda result: abs(np.max(abs(late(result, name) - centre)) / known - 1.0)


def unbalanced(result: Result) -> float:
    """Work done, less energy gained: nothing is lost in these models."""
    return result.quality["energy"]["relative_residual"]


SLIDE = """
  world: {gravity: [0, 0, 0]}
  slide: {type: prismatic, axis: x, initial: {position: 10 mm}}
  body: {type: rigid_link, mass: 1 kg}
"""
WIRED = "world.frame -- slide.frame_a, slide.frame_b -- body.frame_a"
ARM = """
  pin: {type: revolute, axis: y, initial: {position: 60 deg}}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5]}
"""
PINNED = "world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a"

CASES = {
    # two springs of 1 m, x'' = -k x: 2500 rad/s
    "line spring": Case(
        f"""
blocks:
  {SLIDE.strip()}
  stiff: {{type: line_spring, stiffness: 6.25e6, free_length: 1 m}}
  anchor: {{type: fixed, at: [-1, 0, 0]}}
connect: [{WIRED}, world.frame -- anchor.frame_a, anchor.frame_b -- stiff.frame_a, body.frame_a -- stiff.frame_b]
simulation: {{stop: 2 s, step: 1 ms}}
""",
        amplitude("slide.position", 0.01),
        "slide",
    ),
    # k / I = 1e6 / 0.5
    "joint spring": Case(
        f"""
blocks:
  world: {{gravity: [0, 0, 0]}}
  {ARM.strip().replace("axis: y,", "axis: y, stiffness: 1e6,").replace("60 deg", "0.1")}
connect: [{PINNED}]
simulation: {{stop: 2 s, step: 1 ms}}
""",
        amplitude("pin.position", 0.1),
        "pin",
    ),
    "bushing": Case(
        """
blocks:
  world: {gravity: [0, 0, 0]}
  float: {type: free, initial: {position: [1 mm, 0, 0]}}
  body: {type: rigid_link, mass: 1 kg, inertia: [0.01, 0.01, 0.01]}
  mount: {type: bushing, stiffness: [4e6, 4e6, 4e6], rotational_stiffness: [1e3, 1e3, 1e3]}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- body.frame_a
  - world.frame -- mount.frame_a
  - body.frame_a -- mount.frame_b
simulation: {stop: 2 s, step: 1 ms}
""",
        lambda result: abs(np.max(abs(late(result, "float.position[0]"))) / 1e-3 - 1.0),
        "float",
    ),
    # sticking, x'' = (F - load sigma_0 x) / m: 2236 rad/s, with speeds up to F / (m 2236 rad/s)
    "LuGre bristle": Case(
        f"""
blocks:
  {
            SLIDE.strip()
            .replace("10 mm", "0")
            .replace(
                "x,",
                "x, friction: {model: lugre, mu_s: 0.9, mu_k: 0.8, "
                "stribeck: 0.01, sigma_0: 1e4, sigma_1: 0, sigma_2: 0, load: 500 N},",
            )
        }
  push: {{type: constant, value: 0.05 N, unit: N}}
connect: [{WIRED}, push.y -> slide.effort]
simulation: {{stop: 0.1 s, step: 1 ms}}
""",
        amplitude("slide.velocity", 0.05 / 2236),
        "slide",
    ),
    # x'' = -k x^3 from rest at 1: it comes back to 1
    "cubic spring": Case(
        f"""
blocks:
  {SLIDE.strip().replace("10 mm", "1 m")}
  law: {{type: expression, inputs: [u], expr: "-1e6*u*u*u"}}
connect: [{WIRED}, slide.position -> law.u, law.y -> slide.effort]
simulation: {{stop: 4 s, step: 1 ms}}
""",
        amplitude("slide.position", 1.0),
        "slide",
    ),
    "fast driven joint": Case(
        f"""
blocks:
  {ARM.strip().replace("axis: y, initial: {position: 60 deg}", "axis: y, driven: true")}
  plan: {{type: sine, amplitude: 0.1, frequency: 240 Hz, unit: rad}}
connect: [{PINNED}, plan.trajectory -> pin.follow]
simulation: {{stop: 2.001 s, step: 1 ms}}
""",
        unbalanced,
        "work of drives",
    ),
    # y'' = w^2 (1 - y), w = 2200 rad/s: 1 - cos w t
    "stiff transfer function": Case(
        """
blocks:
  one: {type: step, height: 1}
  lag: {type: transfer_function, num: [4.84e6], den: [1, 0, 4.84e6]}
connect: [one.y -> lag.u]
simulation: {stop: 1 s, step: 1 ms}
""",
        amplitude("lag.y", 2.0),
        "lag",
    ),
    # at rest what the pump delivers leaves by the orifice: p = density / 2 (flow / (C area))^2
    "hydraulic volume": Case(
        """
blocks:
  rate: {type: constant, value: 1e-3, unit: m^3/s}
  suction: {type: tank}
  pump: {type: flow_source}
  chamber: {type: volume, size: 10 mm^3, initial: 1 bar}
  leak: {type: orifice, area: 5e-6}
  out: {type: tank}
connect:
  - rate.y -> pump.flow
  - suction.port -- pump.a
  - pump.b -- chamber.port
  - chamber.port -- leak.a
  - leak.b -- out.port
simulation: {stop: 0.2 s, step: 1 ms}
""",
        lambda result: float(np.max(abs(late(result, "chamber.pressure") / 41.18e6 - 1.0))),
        "chamber",
    ),
    # the longest link reaches past the others by 1 mm: the rocker snaps through its dead centre
    "four-bar near its toggle": Case(
        """
blocks:
  crank: {type: revolute, axis: y, initial: {position: -1, velocity: 3}}
  a: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  mid: {type: revolute, axis: y}
  b: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [2, 0, 0]}}
  end: {type: revolute, axis: y}
  c: {type: rigid_link, mass: 1, com: [-0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [-1.5, 0, 0]}}
  ground: {type: fixed, at: [2.499, 0, 0]}
  out: {type: revolute, axis: y, cut: true}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- a.frame_a
  - a.frame_b -- mid.frame_a
  - mid.frame_b -- b.frame_a
  - b.frame_b -- end.frame_a
  - end.frame_b -- c.frame_a
  - world.frame -- ground.frame_a
  - ground.frame_b -- out.frame_a
  - out.frame_b -- c.frame_b
simulation: {stop: 10 s, step: 10 ms}
""",
        unbalanced,
        "crank",
    ),
    "fast pendulum": Case(
        f"""
blocks:
  {ARM.strip().replace("-0.5", "-0.001")}
connect: [{PINNED}]
simulation: {{stop: 5 s, step: 10 ms}}
""",
        amplitude("pin.position", np.pi / 3),
        "pin",
    ),
    "chirp-driven joint": Case(
        f"""
blocks:
  {ARM.strip().replace("axis: y, initial: {position: 60 deg}", "axis: y, driven: true")}
  plan: {{type: chirp, amplitude: 0.1, first: 1 Hz, last: 240 Hz, duration: 2 s, unit: rad}}
connect: [{PINNED}, plan.trajectory -> pin.follow]
simulation: {{stop: 2 s, step: 1 ms}}
""",
        unbalanced,
        "work of drives",
    ),
}

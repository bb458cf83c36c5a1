"""Mechanisms with closed loops, flat and spatial, and what textbooks say of the one-freedom ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import sympy as sp

FOUR_BAR = """
luff: 1
name: four-bar
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, initial: {position: 0.6, velocity: 2.0}}
  crank: {type: rigid_link, mass: 1.2, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, guess: {position: 0.3}}
  rod: {type: rigid_link, mass: 2, com: [1.1, 0, 0], inertia: [0.01, 0.7, 0.7], frame_b: {at: [2.3, 0, 0]}}
  C: {type: revolute}
  rocker: {type: rigid_link, mass: 1.5, com: [0.8, 0, 0], inertia: [0.01, 0.3, 0.3], frame_b: {at: [1.6, 0, 0]}}
  D: {type: revolute, guess: {position: 1.5}}
  ground: {type: fixed, at: [2, 0, 0]}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- crank.frame_a
  - crank.frame_b -- B.frame_a
  - B.frame_b -- rod.frame_a
  - rod.frame_b -- C.frame_a
  - C.frame_b -- rocker.frame_b
  - world.frame -- ground.frame_a
  - ground.frame_b -- D.frame_a
  - D.frame_b -- rocker.frame_a
simulation: {stop: 1 s, step: 1 ms}
"""

# the tip of two links is led along a line: REALISED says by what
LED_TIP = """\
  along: {type: motion_law, law: poly7, duration: 1 s, start_value: 1.5 m, end_value: 0.9 m}
  up: {type: motion_law, law: poly7, duration: 1 s, start_value: 0.2 m, end_value: 1.1 m}
  lead: {type: programmed_constraint, components: [x, y], realised_by: REALISED}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- upper.frame_a
  - upper.frame_b -- B.frame_a
  - B.frame_b -- lower.frame_a
  - lower.frame_b -- lead.frame
  - along.y -> lead.target[0]
  - up.y -> lead.target[1]
"""

SLIDER_CRANK = """
luff: 1
name: slider-crank
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, initial: {position: 0.7, velocity: 5.0}}
  crank: {type: rigid_link, mass: 2, com: [0.08, 0, 0], inertia: [0.01, 0.02, 0.02], frame_b: {at: [0.2, 0, 0]}}
  B: {type: revolute, guess: {position: -0.9}}
  rod: {type: rigid_link, mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03], frame_b: {at: [0.6, 0, 0]}}
  C: {type: revolute}
  slide: {type: prismatic, axis: x, guess: {position: 0.7}}
  piston: {type: rigid_link, mass: 3, inertia: [0.01, 0.01, 0.01]}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- crank.frame_a
  - crank.frame_b -- B.frame_a
  - B.frame_b -- rod.frame_a
  - rod.frame_b -- C.frame_a
  - C.frame_b -- piston.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- piston.frame_a
simulation: {stop: 1 s, step: 1 ms}
"""


def bricard(theta: float = 1.9, rate: float = 1.5) -> str:
    """Six equal links, each pin at right angles to the last: immobile by Gruebler's count, yet it moves."""
    phi = math.acos(-math.cos(theta) / (1 + math.cos(theta)))
    blocks, wires, near = [], [], "world.frame"
    for k in range(6):
        angle = theta if k % 2 == 0 else -phi
        start = (
            f"initial: {{position: {theta}, velocity: {rate}}}" if k == 0 else f"guess: {{position: {angle}}}"
        )
        blocks.append(f"  J{k}: {{type: revolute, {start}}}")
        turn = "90 deg" if k % 2 == 0 else "-90 deg"
        blocks.append(
            f"  L{k}: {{type: rigid_link, mass: {1 + 0.1 * k}, com: [0.5, 0, 0], inertia: [0.02, 0.1, 0.1], "
            f"frame_b: {{at: [1, 0, 0], rotate: [[x, {turn}]]}}}}"
        )
        wires += [f"  - {near} -- J{k}.frame_a", f"  - J{k}.frame_b -- L{k}.frame_a"]
        near = f"L{k}.frame_b"
    wires.append(f"  - {near} -- world.frame")
    return "\n".join(
        [
            "luff: 1",
            "name: Bricard",
            "blocks:",
            "  world: {gravity: [1, -9.81, 2]}",
            *blocks,
            "connect:",
            *wires,
        ]
    )


RPSUP = """
luff: 1
name: RPSUP
blocks:
  world: {gravity: [0.5, -1, -9.81]}
  R: {type: revolute, axis: z, initial: {position: 0.3, velocity: 0.8}}
  column: {type: rigid_link, mass: 8, com: [0.1, 0, 0.5], inertia: [0.5, 0.6, 0.2],
           frame_b: {at: [0.2, 0, 0.9], rotate: [[y, 60 deg]]}}
  P: {type: prismatic, axis: z, initial: {position: 0.4, velocity: -0.3}}
  ram: {type: rigid_link, mass: 3, com: [0, 0.02, 0.3], inertia: [0.1, 0.1, 0.02], frame_b: {at: [0, 0, 0.6]}}
  S: {type: spherical}
  rod: {type: rigid_link, mass: 2, com: [0.03, 0, 0.4], inertia: [0.1, 0.12, 0.01], frame_b: {at: [0, 0, 1.3]}}
  U: {type: universal, axis_a: x, axis_b: y}
  sled: {type: rigid_link, mass: 5, com: [0, 0, 0.1], inertia: [0.1, 0.1, 0.1]}
  Q: {type: prismatic, axis: [0, 0.8, 0.6]}
  rail: {type: fixed, at: [1.6, 0.3, 0.1], rotate: [[z, 20 deg]]}
connect:
  - world.frame -- R.frame_a
  - R.frame_b -- column.frame_a
  - column.frame_b -- P.frame_a
  - P.frame_b -- ram.frame_a
  - ram.frame_b -- S.frame_a
  - S.frame_b -- rod.frame_a
  - rod.frame_b -- U.frame_a
  - U.frame_b -- sled.frame_a
  - world.frame -- rail.frame_a
  - rail.frame_b -- Q.frame_a
  - Q.frame_b -- sled.frame_a
"""

# a luffing boom on a slewing king, held by a strut on a sliding foot: 4 tree joints and a ball that closes the loop
CRANE = """
luff: 1
name: crane with a strut
blocks:
  slew: {type: revolute, axis: z, initial: {position: 0.2, velocity: 0.4}, damping: 50}
  king: {type: rigid_link, mass: 900, com: [0, 0, 1], inertia: [400, 400, 80],
         frame_b: {at: [0.3, 0, 2]}, frames: {foot: {at: [0.8, 0, 0.5]}}}
  luffing: {type: revolute, axis: y, guess: {position: -0.6}}
  boom: {type: rigid_link, mass: 500, com: [2, 0, 0], inertia: [20, 900, 900],
         frame_b: {at: [5, 0, 0]}, frames: {eye: {at: [1.5, 0, -0.2]}}}
  pin: {type: universal, axis_a: y, axis_b: x}
  barrel: {type: rigid_link, mass: 60, com: [0, 0, 0.4], inertia: [5, 5, 1]}
  ram: {type: prismatic, axis: z, initial: {position: 1.9, velocity: 0.1}, stiffness: 2e5, rest: 2.0, damping: 1e4}
  rod: {type: rigid_link, mass: 40, com: [0, 0, -0.3], inertia: [4, 4, 0.5]}
  eye: {type: spherical, cut: true}
  hook: {type: universal, axis_a: x, axis_b: y}
  load: {type: rigid_link, mass: 200, com: [0, 0, -3], inertia: [10, 10, 10]}
connect:
  - world.frame -- slew.frame_a
  - slew.frame_b -- king.frame_a
  - king.frame_b -- luffing.frame_a
  - luffing.frame_b -- boom.frame_a
  - king.foot -- pin.frame_a
  - pin.frame_b -- barrel.frame_a
  - barrel.frame_a -- ram.frame_a
  - ram.frame_b -- rod.frame_a
  - rod.frame_a -- eye.frame_a
  - eye.frame_b -- boom.eye
  - boom.frame_b -- hook.frame_a
  - hook.frame_b -- load.frame_a
simulation: {stop: 1 s, step: 1 ms}
"""

SPATIAL = {"bricard": bricard(), "rpsup": RPSUP, "crane": CRANE}
FLAT = {"four-bar": FOUR_BAR, "slider-crank": SLIDER_CRANK}


@dataclass
class Textbook:
    """A flat mechanism of one freedom: I(q) qdd + I'(q) qd^2 / 2 + V'(q) = effort of the crank's drive."""

    inertia: Callable[[float], float]
    slope: Callable[[float], float]
    pull: Callable[[float], float]
    coordinates: dict[str, tuple[Callable[[float], float], ...]]  # value, first and second derivative by q

    def acceleration(self, q: float, v: float, effort: float = 0.0) -> float:
        return (effort - self.pull(q) - 0.5 * self.slope(q) * v * v) / self.inertia(q)

    def motion(self, name: str, q: float, v: float, a: float) -> tuple[float, float, float]:
        """Value, rate and acceleration of a further coordinate."""
        f, first, second = self.coordinates[name]
        return f(q), first(q) * v, second(q) * v * v + first(q) * a


Points = list[tuple[float, float, sp.Expr, sp.Expr, sp.Expr]]  # mass, inertia, x, y, angle


def textbook(q: sp.Symbol, bodies: Points, coordinates: dict[str, sp.Expr], g: float = 9.81) -> Textbook:
    kinetic = sum(
        m * (sp.diff(x, q) ** 2 + sp.diff(y, q) ** 2) + J * sp.diff(angle, q) ** 2
        for m, J, x, y, angle in bodies
    )
    potential = sum(m * g * y for m, _, _, y, _ in bodies)

    def number(expression: sp.Expr) -> Callable[[float], float]:
        return sp.lambdify(q, expression, "math", cse=True)

    return Textbook(
        number(kinetic),
        number(sp.diff(kinetic, q)),
        number(sp.diff(potential, q)),
        {
            name: tuple(number(f) for f in (e, sp.diff(e, q), sp.diff(e, q, 2)))
            for name, e in coordinates.items()
        },
    )


@cache
def four_bar_by_hand() -> Textbook:
    """C is where the circles about B and D meet, above the line from B to D."""
    q = sp.Symbol("q", real=True)
    a, b, c, d = sp.Integer(1), sp.Rational(23, 10), sp.Rational(16, 10), sp.Integer(2)
    bx, by = a * sp.cos(q), a * sp.sin(q)
    ex, ey = d - bx, -by
    L2 = ex**2 + ey**2
    along = (b**2 - c**2 + L2) / (2 * L2)
    across = sp.sqrt(b**2 / L2 - along**2)
    cx, cy = bx + along * ex - across * ey, by + along * ey + across * ex
    rod, rocker = sp.atan2(cy - by, cx - bx), sp.atan2(cy, cx - d)
    bodies: Points = [
        (1.2, 0.1, 0.4 * sp.cos(q), 0.4 * sp.sin(q), q),
        (2.0, 0.7, bx + 1.1 * sp.cos(rod), by + 1.1 * sp.sin(rod), rod),
        (1.5, 0.3, d + 0.8 * sp.cos(rocker), 0.8 * sp.sin(rocker), rocker),
    ]
    return textbook(q, bodies, {"B": rod - q, "C": rocker - rod, "D": rocker})


@cache
def slider_crank_by_hand() -> Textbook:
    q = sp.Symbol("q", real=True)
    r, length = 0.2, 0.6
    rod = -sp.asin(r * sp.sin(q) / length)
    x = r * sp.cos(q) + length * sp.cos(rod)
    bodies: Points = [
        (2.0, 0.02, 0.08 * sp.cos(q), 0.08 * sp.sin(q), q),
        (1.0, 0.03, r * sp.cos(q) + 0.25 * sp.cos(rod), r * sp.sin(q) + 0.25 * sp.sin(rod), rod),
        (3.0, 0.0, x, 0 * q, 0 * q),
    ]
    return textbook(q, bodies, {"B": rod - q, "C": -rod, "slide": x})


def bricard_partner(theta: float, side: float = 1.0) -> float:
    """cos t cos p + cos t + cos p = 0 ties the angles of a threefold-symmetric Bricard linkage (Chen et al. 2005)."""
    return side * math.acos(-math.cos(theta) / (1 + math.cos(theta)))

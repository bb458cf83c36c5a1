"""A cantilever bent far by a load at its end, against elliptic integrals (Bisshopp and Drucker, 1945)."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import luff

EI = 20.0
BAR = """
luff: 1
blocks:
  world: {gravity: GRAVITY}
  bar: {type: rfem_link, length: 1, section: {A: 1e-4, I_y: 1e-10, I_z: 2e-10, J: 2e-10}, E: 2e11, G: 8e10, rho: RHO,
        divisions: DIVISIONS}
  weight: {type: rigid_link, mass: MASS, inertia: [1e-3, 1e-3, 1e-3]}
  F: {type: constant, value: [0, 0, FORCE]}
  tip: {type: applied_force}
  end: {type: frame_sensor}
connect: [world.frame -- bar.frame_a, bar.frame_b -- weight.frame_a, bar.frame_b -- end.frame_b,
          bar.frame_b -- tip.frame_b, F.y -> tip.force]
initial: {solve: SOLVE}
"""


def bent(load: float) -> tuple[float, float]:
    """Where the end is, for a load P l^2 / EI: along the bar as it was, and across."""

    def missing(k: float) -> float:
        return float(ellipk(k * k) - ellipkinc(math.asin(1 / (k * math.sqrt(2))), k * k) - math.sqrt(load))

    k = brentq(missing, math.sqrt(0.5) + 1e-15, 1.0 - 1e-15)
    m, start = k * k, math.asin(1 / (k * math.sqrt(2)))
    down = 1.0 - 2.0 * (ellipe(m) - ellipeinc(start, m)) / math.sqrt(load)
    return math.sqrt(2.0 * math.sin(math.asin(2.0 * m - 1.0)) / load), down


def end_of(load: float, divisions: int, by: str) -> tuple[float, float]:
    gravity, mass, force = (
        ("[0, 0, -10]", load * EI / 10, 0.0) if by != "force" else ("[0, 0, 0]", 1e-3, -load * EI)
    )
    text = BAR.replace("GRAVITY", gravity).replace("MASS", str(mass)).replace("FORCE", str(force))
    text = text.replace("DIVISIONS", str(divisions)).replace("RHO", "0.1")
    sim = luff.compile(luff.loads(text.replace("SOLVE", "static" if by == "static" else "assemble")))
    values = sim.evaluate(0.0, sim.x0 if by == "static" else luff.equilibrium(sim))
    return values["end.position[0]"], -values["end.position[2]"]


@pytest.mark.parametrize("by", ["static", "weight", "force"])
@pytest.mark.parametrize("load", [1.0, 10.0, 50.0])
def test_a_bar_bends_as_an_elastica(load: float, by: str) -> None:
    """Parts of 0.1 mg at springs of 160 N m: their accelerations are 1e12 times those of the weight."""
    along, down = bent(load)
    coarse, fine = (end_of(load, n, by) for n in (8, 16))
    # errors fall with 1 / n^2, the largest of them 1 % of the length at n = 8 under 50
    off = [math.hypot(x - along, z - down) for x, z in (coarse, fine)]
    assert off[0] < 0.02
    assert off[1] == pytest.approx(off[0] / 4.0, rel=0.1)


def test_thirty_two_divisions_find_their_rest() -> None:
    along, down = bent(50.0)
    assert end_of(50.0, 32, "force") == pytest.approx((along, down), abs=2e-3)


@pytest.mark.parametrize("turns", [0.25, 2.0, -5.0])
def test_a_bar_is_rolled_up_by_a_moment(turns: float) -> None:
    """M = 2 pi n EI / l rolls it to n turns: each of its hinges turns by the same angle, exactly."""
    text = (
        BAR.replace("GRAVITY", "[0, 0, 0]")
        .replace("MASS", "1e-3")
        .replace("RHO", "1000")
        .replace("DIVISIONS", "16")
    )
    text = (
        text.replace("applied_force", "applied_torque")
        .replace("tip.force", "tip.torque")
        .replace("SOLVE", "static")
    )
    moment = -2.0 * math.pi * turns * EI
    sim = luff.compile(luff.loads(text.replace("[0, 0, FORCE]", f"[0, {moment!r}, 0]")))
    angles = [x for x, name in zip(sim.x0, sim.state_names, strict=True) if name.startswith("bar.theta[")]
    assert len(angles) == 16
    assert angles == pytest.approx([-2.0 * math.pi * turns / 16] * 16, rel=1e-9)

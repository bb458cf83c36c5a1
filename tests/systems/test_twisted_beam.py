"""A cantilever whose section turns by a right angle from root to tip: MacNeal and Harder (1985), problem 6."""

import math

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import plain

LENGTH, WIDTH, DEPTH = 12.0, 1.1, 0.32
E, NU = 29e6, 0.22
MATERIAL = f"E: {E}, G: {E / 2 / (1 + NU)!r}, rho: 1"
SECTION = f"section: {{shape: rectangle, width: {WIDTH}, height: {DEPTH}}}"
FORCE = 1.0
# tip deflections along a unit force, across the root's broad side and along it, as published
PUBLISHED = {"y": 1.754e-3, "z": 5.424e-3}


def twisted(n: int, force: tuple[float, float, float]) -> str:
    """n straight links of one division each, turned from one to the next."""
    turn = 0.5 * math.pi / n
    blocks, wires, last = [], [], "world.frame"
    for k in range(n):
        angle = turn if k else 0.5 * turn
        blocks += [
            f"  turn{k}: {{type: fixed, rotate: [[x, {angle!r}]]}}",
            f"  link{k}: {{type: rfem_link, length: {LENGTH / n!r}, divisions: 1, {MATERIAL}, {SECTION}}}",
        ]
        wires += [f"  - {last} -- turn{k}.frame_a", f"  - turn{k}.frame_b -- link{k}.frame_a"]
        last = f"link{k}.frame_b"
    return "\n".join(
        [
            "luff: 1",
            "blocks:",
            "  world: {gravity: [0, 0, 0]}",
            *blocks,
            "  push: {type: applied_force}",
            f"  f: {{type: constant, value: {list(force)}}}",
            "  tip: {type: frame_sensor}",
            "connect:",
            *wires,
            "  - f.y -> push.force",
            f"  - {last} -- push.frame_b",
            f"  - {last} -- tip.frame_b",
        ]
    )


def deflection(n: int, axis: str) -> float:
    """Of the tip, along a force on it."""
    k = "xyz".index(axis)
    # a hundredth of the published force: deflections of 1e-6 lengths are linear to as many digits
    force = [0.0, 0.0, 0.0]
    force[k] = 0.01 * FORCE
    sim = plain(twisted(n, (force[0], force[1], force[2])))
    rest = luff.equilibrium(sim)
    return 100 * sim.evaluate(0.0, rest)[f"tip.position[{k}]"]


def theory(axis: str) -> float:
    """Castigliano's integral of the bending moment over the turning section, without shear."""
    broad, flat = DEPTH * WIDTH**3 / 12, WIDTH * DEPTH**3 / 12
    # the width lies along y at the root: a force along y bends about z, on its broad side
    first, second = (broad, flat) if axis == "y" else (flat, broad)
    x = (np.arange(4000) + 0.5) * LENGTH / 4000
    share = np.cos(0.5 * math.pi * x / LENGTH) ** 2
    return float(np.sum((LENGTH - x) ** 2 * (share / first + (1 - share) / second)) * LENGTH / 4000 / E)


@pytest.mark.parametrize("axis", ["y", "z"])
def test_twisted_beam_converges_to_the_published_deflection(axis: str) -> None:
    wanted = theory(axis)
    errors = [deflection(n, axis) / wanted - 1.0 for n in (12, 24, 48)]
    # springs at the middle of each link are the midpoint rule: second order
    assert np.log2(abs(errors[0] / errors[1])) == pytest.approx(2.0, abs=0.06)
    assert np.log2(abs(errors[1] / errors[2])) == pytest.approx(2.0, abs=0.06)
    # the published figures hold shear as well, which is 0.5 % of the smaller one
    assert deflection(24, axis) == pytest.approx(PUBLISHED[axis], rel=6e-3)

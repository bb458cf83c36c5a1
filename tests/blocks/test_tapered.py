"""Tapered links: what they weigh, how they bend and what stresses they have, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import luff
from luff.blocks.geometry.beam_properties import GRID, Beam, stodola_frequency
from luff.blocks.geometry.cross_sections import Section
from luff.blocks.mechanics.flexible_links import RfemLink
from luff.tests.blocks.bench import make, mistakes

L, LOAD = 4.0, 500.0
THICK, THIN = {"shape": "circle", "diameter": 0.20}, {"shape": "circle", "diameter": 0.08}
CANTILEVER = """
luff: 1
blocks:
  boom: {{type: rfem_link, length: 4 m, divisions: {n}, rho: 1e-6, section: {start}, section_b: {end}}}
  weight: {{type: rigid_link, mass: =500/9.81}}
  place: {{type: section_sensor, of: boom, at: {at}}}
connect: [world.frame -- boom.frame_a, boom.frame_b -- weight.frame_a]
initial: {{solve: static}}
simulation: {{stop: 1 ms, step: 1 ms}}
"""


def hanging(n: int, at: float, start: object = THICK, end: object = THIN) -> dict[str, float]:
    text = CANTILEVER.format(n=n, at=at, start=start, end=end).replace("'", "")
    return luff.compile(luff.loads(text)).evaluate()


def test_the_greatest_stress_of_a_round_cantilever_is_where_it_has_three_halves_of_its_tip() -> None:
    """32 F s/(pi d^3) with d straight in s, the distance from the tip, has its maximum at d = 3/2 d_tip."""
    a, b = 0.20, 0.08
    s = L * 0.5 * b / (a - b)
    greatest = 32.0 * LOAD * s / (math.pi * (1.5 * b) ** 3)
    told = [hanging(6, L - x)["place.von_mises"] for x in (0.8 * s, s, 1.2 * s)]
    # of the link as it is bent: the tip comes nearer by some 1e-5 of the length, and a shear force is at the axis alone
    assert told[1] == pytest.approx(greatest, rel=1e-4)
    assert told[1] > max(told[0], told[2])


def test_the_deflection_is_that_of_the_integral_and_converges_with_the_square() -> None:
    def bent(x: float) -> float:
        d = 0.20 - 0.12 * x / L
        return LOAD * (L - x) ** 2 / (2.1e11 * math.pi / 64.0 * d**4)

    exact = quad(bent, 0.0, L)[0]
    errors = [hanging(n, 0.0)["boom.tip_deflection[2]"] / -exact - 1.0 for n in (6, 12)]
    assert abs(errors[1]) < 0.01
    # a constant times n^-2: 4, but for the next term
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


def test_a_box_has_the_modulus_of_its_sizes_there() -> None:
    boxes = [f"{{shape: box, width: 0.2, height: {h}, thickness: 0.01}}" for h in (0.4, 0.2)]
    told = hanging(4, 1.0, *boxes)
    h, b, t = 0.35, 0.2, 0.01
    modulus = (b * h**3 - (b - 2 * t) * (h - 2 * t) ** 3) / 12.0 / (0.5 * h)
    assert told["place.stress[0]"] == pytest.approx(LOAD * 3.0 / modulus, rel=1e-4)


@pytest.mark.parametrize("n", [1, 5])
def test_a_tapered_link_weighs_as_a_frustum(n: int) -> None:
    link = make(RfemLink, length=L, divisions=n, section=THICK, section_b=THIN, rho=1000.0)
    r, q = 0.1, 0.04
    volume = math.pi * L / 3.0 * (r * r + r * q + q * q)
    com = L / 4.0 * (r * r + 2.0 * r * q + 3.0 * q * q) / (r * r + r * q + q * q)
    mass, where, inertia = link.mass_properties()
    assert mass == pytest.approx(1000.0 * volume, rel=1e-12)
    assert where[0] == pytest.approx(com, rel=1e-12)
    polar = (
        1000.0 * math.pi / 10.0 * L * (r**5 - q**5) / (r - q)
    )  # pi/2 of the integral of the radius to the fourth
    assert inertia[0] == pytest.approx(polar, rel=1e-12)
    bodies = [part for part in link.chain() if hasattr(part, "mass")]
    assert sum(part.mass for part in bodies) == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize(("power", "wanted"), [(0, 3.51602), (1, 5.3151), (2, 8.7193)])
def test_first_frequency_of_bar_wedge_and_cone(power: int, wanted: float) -> None:
    """Kirchhoff (1879): w = k/L^2 sqrt(E I/(rho A)) at the root; area x^power, second moment x^(power + 2)."""
    x = np.linspace(1.0, 1e-9, GRID + 1)
    moment = x ** (power + 2) if power else np.ones(GRID + 1)
    # the grid is coarse at a tip without stiffness
    assert stodola_frequency(x**power, moment, 1.0 / GRID) == pytest.approx(
        wanted, rel=2e-3 if power else 1e-4
    )


def test_a_ratio_damps_the_first_mode_of_the_tapered_link() -> None:
    values = [Section({**vars(make(RfemLink, length=L, section=each).section)}) for each in (THICK, THIN)]
    beam = Beam(L, ((0.0, values[0]), (L, values[1])), 2.1e11, 8.1e10, 7850.0)
    link = make(RfemLink, length=L, section=THICK, section_b=THIN, damping={"ratio": 0.02})
    assert link.damping_time == pytest.approx(0.04 / beam.first_bending(), rel=1e-12)
    ends = [Beam(L, ((0.0, each),), 2.1e11, 8.1e10, 7850.0).first_bending() for each in values]
    assert beam.first_bending() > max(ends)  # stiff where it bends, light where it swings


def test_mistakes_of_tapers_are_told() -> None:
    box = {"shape": "box", "width": 0.1, "height": 0.1, "thickness": 0.01}
    assert mistakes(RfemLink, length=L, section=THICK, section_b=box) == [".section_b"]
    thick = {**box, "thickness": 0.06}
    assert ".section_b.thickness" in mistakes(RfemLink, length=L, section=box, section_b=thick)

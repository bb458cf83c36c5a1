"""Lattice booms against a truss of bars, and what they catch of the wind against the source's table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import luff
from luff.blocks.environment.wind_drag import WindDrag
from luff.blocks.geometry.cross_sections import Section
from luff.blocks.mechanics.flexible_links import RfemLink
from luff.blocks.mechanics.stress_recovery import points_of
from luff.tests.blocks.bench import make, mistakes

E, G, PANELS = 2.1e11, 8.1e10, 12
B, H, P = 1.2, 1.6, 1.5
SIZES = {
    "shape": "lattice", "width": B, "height": H, "diameter": 0.1, "thickness": 0.01,
    "bracing": 0.04, "wall": 0.004, "panel": P,
}  # fmt: skip
CHORD, BRACE = math.pi * (0.05**2 - 0.04**2), math.pi * (0.02**2 - 0.016**2)


def section() -> Section:
    return make(RfemLink, length=PANELS * P, section=SIZES).section


def truss() -> tuple[np.ndarray, list[tuple[int, int, float]]]:
    """Nodes and bars: chords, diagonals that meet at every other chord, and frames that keep their shape."""
    corners = [(-B / 2, -H / 2), (B / 2, -H / 2), (B / 2, H / 2), (-B / 2, H / 2)]
    nodes = np.array([(k * P, y, z) for k in range(PANELS + 1) for y, z in corners])
    bars = []
    for k in range(PANELS):
        for c in range(4):
            bars.append((4 * k + c, 4 * k + 4 + c, CHORD))
            first, second = (c, (c + 1) % 4) if c % 2 == 0 else ((c + 1) % 4, c)
            bars.append((4 * k + first, 4 * k + 4 + second, BRACE))
    for k in range(1, PANELS + 1):
        bars += [(4 * k + a, 4 * k + b, 1e3 * CHORD) for a, b in itertools.combinations(range(4), 2)]
    return nodes, bars


def moved(forces: np.ndarray) -> np.ndarray:
    """How the nodes move when the first four stand still: pin-jointed bars."""
    nodes, bars = truss()
    K = np.zeros((nodes.size, nodes.size))
    for a, b, area in bars:
        e = nodes[b] - nodes[a]
        length = np.linalg.norm(e)
        k = E * area / length * np.outer(e, e) / length**2
        for one, other, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            K[3 * one : 3 * one + 3, 3 * other : 3 * other + 3] += sign * k
    u = np.zeros(nodes.size)
    u[12:] = np.linalg.solve(K[12:, 12:], forces.ravel()[12:])
    return u.reshape(-1, 3)


def test_it_twists_as_a_truss_of_bars() -> None:
    nodes, _ = truss()
    forces = np.zeros_like(nodes)
    # a shear flow around the last frame: each face has its own
    flow = 1e3
    for c in range(4):
        edge = nodes[4 + (c + 1) % 4] - nodes[4 + c]
        forces[4 * PANELS + c] += 0.5 * flow * edge
        forces[4 * PANELS + (c + 1) % 4] += 0.5 * flow * edge
    u = moved(forces)[-4:]
    arms = nodes[-4:, 1:]
    turn = np.mean([(y * w - z * v) / (y * y + z * z) for (y, z), (_, v, w) in zip(arms, u, strict=True)])
    torque = 2.0 * B * H * flow
    tubes = (
        4.0 * math.pi / 2.0 * (0.05**4 - 0.04**4)
    )  # a joint without moment does not twist the chords themselves
    # the first panel is clamped, and cannot warp: a twelfth of some per cent
    assert torque * PANELS * P / (G * turn) + tubes == pytest.approx(section().constants().J, rel=0.01)


def test_it_bends_as_its_chords() -> None:
    nodes, _ = truss()
    forces = np.zeros_like(nodes)
    moment = 1e4
    forces[-4:, 0] = moment * nodes[-4:, 2] / H**2
    u = moved(forces)[-4:, 0]
    turn = (u[2] - u[1]) / H
    # the constants have the bending of the chords' own tubes too
    assert moment * PANELS * P / (E * turn) == pytest.approx(section().constants().I_y, rel=0.005)


def test_it_shears_as_its_diagonals() -> None:
    """Of the deflection under an end load, what bending leaves is shear: P l / (kappa G A)."""
    nodes, _ = truss()
    of, kappa, length = section().constants(), section().shear_coefficients(0.3), PANELS * P
    for axis, I, coefficient in ((1, of.I_z, kappa[0]), (2, of.I_y, kappa[1])):
        forces = np.zeros_like(nodes)
        forces[-4:, axis] = 250.0
        u = moved(forces)[-4:, axis].mean()
        whole = 1e3 * length**3 / (3.0 * E * I) + 1e3 * length / (coefficient * G * of.A)
        # a beam's moment runs in a line, that of a truss in steps of its panels
        assert u == pytest.approx(whole, rel=0.01)
        assert 1e3 * length / (coefficient * G * of.A) > 0.05 * u


def test_it_weighs_as_its_bars() -> None:
    nodes, bars = truss()
    steel = sum(area * np.linalg.norm(nodes[b] - nodes[a]) for a, b, area in bars[: 8 * PANELS])
    mass, com, _ = make(RfemLink, length=PANELS * P, section=SIZES).mass_properties()
    assert mass == pytest.approx(7850.0 * steel, rel=1e-12)
    assert com[0] == pytest.approx(0.5 * PANELS * P)


def test_chords_have_the_stress_of_force_over_area() -> None:
    points = points_of(section())
    assert {(p.y, p.z) for p in points} == {(y * B / 2, z * H / 2) for y in (-1, 1) for z in (-1, 1)}
    assert {p.name for p in points} >= {"chord y z"}
    # a moment about y is a pair of forces in the upper and the lower two chords
    of = section().constants()
    assert points[0].z / of.I_y == pytest.approx(1.0 / (2.0 * H * CHORD), rel=0.005)


@pytest.mark.parametrize(
    ("solidity", "members", "shape", "wanted"),
    [
        (1e-9, "flat", "square", 4.0),
        (0.2, "flat", "square", 2.98),
        (0.5, "flat", "square", 2.05),
        (0.2, "flat", "triangle", 2.596),
        (0.2, "round", "square", 2.98 * 0.5904),
        (0.95, "round", "square", 4 * 0.9025 - 5.9 * 0.95 + 4),  # round members catch no more than flat ones
    ],
)
def test_coefficients_of_trussed_towers(solidity: float, members: str, shape: str, wanted: float) -> None:
    drag = make(
        WindDrag,
        axis="y",
        lattice={"depth": 2.0, "length": 10.0, "solidity": solidity, "members": members, "section": shape},
    )
    assert drag.lattice.coefficient == pytest.approx(wanted, rel=1e-6)
    assert drag.derived()["catching"][0] == pytest.approx(0.5 * 1.225 * wanted * solidity * 20.0, rel=1e-6)


def test_the_face_behind_is_sheltered_the_more_the_denser_the_lattice() -> None:
    """Over the gross area force rises with the solidity, and ever slower: less than two faces by themselves."""
    each = [
        make(WindDrag, axis="y", lattice={"depth": 1.0, "length": 1.0, "solidity": e}).lattice
        for e in (0.1, 0.2, 0.4)
    ]
    force = [one.area * one.coefficient for one in each]
    assert force[0] < force[1] < force[2]
    assert each[0].coefficient > each[1].coefficient > each[2].coefficient


def test_a_lattice_is_pushed_along_the_normal_of_its_face() -> None:
    text = """
luff: 1
blocks:
  hold: {type: fixed}
  wall: {type: rigid_link, mass: 1}
  wind: {type: constant, value: [3, 20, 0]}
  air: {type: wind_drag, axis: y, lattice: {depth: 2 m, length: 10 m, solidity: 0.2, members: flat}}
connect: [world.frame -- hold.frame_a, hold.frame_b -- wall.frame_a, wall.frame_a -- air.frame_b, wind.y -> air.wind]
simulation: {stop: 1 ms, step: 1 ms}
"""
    told = luff.compile(luff.loads(text)).evaluate()
    assert told["air.force[1]"] == pytest.approx(0.5 * 1.225 * 2.98 * 4.0 * 400.0)
    assert told["air.force[0]"] == 0.0


def test_mistakes_of_lattices_are_told() -> None:
    own = {"depth": 2.0, "length": 10.0, "solidity": 0.2}
    assert mistakes(WindDrag, lattice=own) == [".lattice"]
    assert mistakes(WindDrag, lattice=own, axis="y", area=3.0) == [".area"]
    assert mistakes(RfemLink, length=3.0, section={**SIZES, "wall": 0.03}) == [".section.wall"]

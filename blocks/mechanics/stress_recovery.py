"""Stresses at points of a cross section from its loads: one row of numbers a point.

A row holds what N, M_y, M_z give the normal stress, and what V_y, V_z, T give the shear stress along the wall; the
last number is what |T| adds where torsion shears both faces of an open wall alike. Normal stress is
N/A + M_y z/I_y - M_z y/I_z. Shear follows Jourawski's V S/(I b), Bredt's T/(2 A_m t) in closed thin walls, and
Saint-Venant's torsion of bars (Timoshenko and Goodier, Theory of Elasticity, 1970, art. 109).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..geometry.cross_sections import Constants, Section

COLUMNS = 7


class Point(NamedTuple):
    """A point of a section, and its shear stress per V_y, V_z and T; `both` per |T|."""

    name: str
    y: float
    z: float
    V_y: float = 0.0
    V_z: float = 0.0
    T: float = 0.0
    both: float = 0.0


def rectangle_points(section: Section, of: Constants) -> list[Point]:
    """Corners, and the middles of the sides, where shear and torsion are greatest."""
    b, h = section.width, section.height
    y, z = 0.5 * b, 0.5 * h
    # the greatest shear of torsion, at the middle of the long sides, and that of the short ones
    long, short = _torsion_of_bar(max(b, h), min(b, h), of.J)
    at_y, at_z = (long, short) if h >= b else (short, long)
    shear = 1.5 / of.A
    return [
        *_corners(y, z),
        Point("side y", y, 0.0, V_z=shear, T=at_y),
        Point("side z", 0.0, z, V_y=shear, T=-at_z),
        Point("side -y", -y, 0.0, V_z=shear, T=-at_y),
        Point("side -z", 0.0, -z, V_y=shear, T=at_z),
    ]


def _torsion_of_bar(long: float, short: float, J: float) -> tuple[float, float]:
    """Shear stress at the middles of the long and the short sides, per torque."""
    # of Prandtl's function: both series converge at least as fast as n^-2 sech
    in_long = 1.0 - 8.0 / math.pi**2 * sum(
        1.0 / n**2 / math.cosh(min(0.5 * n * math.pi * long / short, 700.0)) for n in range(1, 41, 2)
    )
    in_short = (
        8.0
        / math.pi**2
        * sum(
            (-1) ** ((n - 1) // 2) / n**2 * math.tanh(0.5 * n * math.pi * long / short)
            for n in range(1, 401, 2)
        )
    )
    return short * in_long / J, short * in_short / J


def box_points(section: Section, of: Constants) -> list[Point]:
    """Outer corners and middles of the walls; the shear flow of thin walls, at their middle lines."""
    b, h, t = section.width, section.height, section.thickness
    y, z = 0.5 * b, 0.5 * h
    bm, hm = b - t, h - t
    closed = 1.0 / (2.0 * bm * hm * t)
    # first moments of a flange, half of it beyond the corner, and of the half web beside it
    at_corner_z, at_corner_y = 0.25 * bm * hm / of.I_y, 0.25 * hm * bm / of.I_z
    in_web = at_corner_z + hm * hm / 8.0 / of.I_y
    in_flange = at_corner_y + bm * bm / 8.0 / of.I_z
    corners = [
        # along the web: that of V_z runs up in both; that of V_y reverses, and is taken as it adds
        p._replace(
            V_z=at_corner_z,
            V_y=-math.copysign(at_corner_y, p.y * p.z),
            T=math.copysign(closed, p.y),
        )
        for p in _corners(y, z)
    ]
    return [
        *corners,
        Point("side y", y, 0.0, V_z=in_web, T=closed),
        Point("side z", 0.0, z, V_y=in_flange, T=-closed),
        Point("side -y", -y, 0.0, V_z=in_web, T=-closed),
        Point("side -z", 0.0, -z, V_y=in_flange, T=closed),
    ]


def round_points(section: Section, of: Constants) -> list[Point]:
    """Eight points of the circumference; shear is that of V Q/(I b) at the axis, by the sine around it."""
    r = 0.5 * section.diameter
    inner = r - section.thickness if section.shape == "tube" else 0.0
    # 4/3 (r^2 + r inner + inner^2)/(r^2 + inner^2) of the mean: 4/3 of a bar, 2 of a thin tube
    peak = 4.0 / 3.0 * (r * r + r * inner + inner * inner) / (r * r + inner * inner) / of.A
    points = []
    for k in range(8):
        angle = math.pi * k / 4.0
        c, s = round(math.cos(angle), 15), round(math.sin(angle), 15)
        points.append(Point(f"{45 * k} deg", r * c, r * s, V_y=-s * peak, V_z=c * peak, T=r / of.J))
    return points


def i_section_points(section: Section, of: Constants) -> list[Point]:
    """Edges of the flanges, the web at both flanges and in the middle; open walls, so torsion shears both faces."""
    b, h, t, f = section.width, section.height, section.thickness, section.flange
    y, z, root = 0.5 * b, 0.5 * h, 0.5 * h - f
    flange = b * f * (0.5 * h - 0.5 * f)
    at_root = flange / (of.I_y * t)
    middle = (flange + t * root * root / 2.0) / (of.I_y * t)
    in_flange = b * b / 8.0 / of.I_z  # of V_y, at the middle of each flange
    return [
        *(point._replace(both=f / of.J) for point in _corners(y, z)),
        Point("flange z", 0.0, z, V_y=in_flange, both=f / of.J),
        Point("flange -z", 0.0, -z, V_y=in_flange, both=f / of.J),
        Point("web z", 0.0, root, V_z=at_root, both=t / of.J),
        Point("web", 0.0, 0.0, V_z=middle, both=t / of.J),
        Point("web -z", 0.0, -root, V_z=at_root, both=t / of.J),
    ]


def lattice_points(section: Section, of: Constants) -> list[Point]:
    """The axes of the four chords, which carry no shear."""
    chords = _corners(0.5 * section.width, 0.5 * section.height)
    return [point._replace(name=point.name.replace("corner", "chord")) for point in chords]


def _corners(y: float, z: float) -> list[Point]:
    return [
        Point("corner y z", y, z),
        Point("corner -y z", -y, z),
        Point("corner -y -z", -y, -z),
        Point("corner y -z", y, -z),
    ]


POINTS: dict[str, Callable[[Section, Constants], list[Point]]] = {
    "rectangle": rectangle_points,
    "box": box_points,
    "circle": round_points,
    "tube": round_points,
    "i": i_section_points,
    "lattice": lattice_points,
}


def points_of(section: Section) -> list[Point]:
    """The points of a shape at which some stress may be greatest; none of a section that is numbers alone."""
    return POINTS[section.shape](section, section.constants()) if section.shape else []


def rows(points: list[Point], of: Constants) -> tuple[float, ...]:
    """The numbers of all points, one after the other."""
    return tuple(
        float(number)
        for p in points
        for number in (1.0 / of.A, p.z / of.I_y, -p.y / of.I_z, p.V_y, p.V_z, p.T, p.both)
    )

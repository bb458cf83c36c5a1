"""Stations of links: where a `section_sensor` cuts one, and what of a rigid link's mass lies between the cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from ..errors import CompileError
from ..light_dataclass import record
from ..multibody_parts import Body, Vec
from . import rotations


@record
class Station:
    """Cut of a link. `beyond`: mass, com in frame_a and inertia about the com of everything beyond it, if known."""

    sensor: str  # the full name of the block that asked for it
    at: float  # distance from frame_a along the link [m]
    beyond: tuple[float, Vec, Vec] | None = None

    @property
    def joint(self) -> str:
        """The name of the weld that stands for it."""
        return joint_of(self.sensor)


def joint_of(sensor: str) -> str:
    return f"section {sensor}"


@record
class Line:
    """The line from frame_a to frame_b, and the axes of its sections: x along it."""

    length: float
    axes: np.ndarray = field(compare=False)  # R_AS

    def point(self, at: float) -> np.ndarray:
        return at * self.axes[:, 0]


def line_to(end: Vec) -> Line:
    """Sections keep the y axis of frame_a; where the line runs along that, the z axis."""
    p = np.array(end, float)
    length = float(np.linalg.norm(p))
    if length == 0.0:
        return Line(0.0, np.eye(3))
    x = p / length
    y = np.array([0.0, 1.0, 0.0])
    z = np.cross(x, y)
    if np.linalg.norm(z) < 1e-6:
        z = np.array([0.0, 0.0, 1.0])
    z /= np.linalg.norm(z)
    return Line(length, np.column_stack([x, np.cross(z, x), z]))


@record
class Lump:
    """Mass, first moment and second moments (the integral of r r^T dm) about frame_a: they add up."""

    mass: float
    first: np.ndarray = field(compare=False)
    second: np.ndarray = field(compare=False)

    def without(self, other: Lump) -> Lump:
        return Lump(self.mass - other.mass, self.first - other.first, self.second - other.second)


def lump_mass(mass: float, com: Vec, inertia: Vec) -> Lump:
    c = np.array(com, float)
    return Lump(mass, mass * c, second_about_com(inertia) + mass * np.outer(c, c))


NOTHING = Lump(0.0, np.zeros(3), np.zeros((3, 3)))


def second_about_com(inertia: Vec) -> np.ndarray:
    J = rotations.inertia_matrix(inertia)
    return 0.5 * np.trace(J) * np.eye(3) - J


def mass_beyond(mass: float, com: Vec, inertia: Vec, line: Line, at: float) -> Lump:
    """The part of a link's mass that lies beyond a station.

    Along the line the mass is spread evenly over that length which gives the link's own second moment, about its com;
    across it, it follows the products of inertia. A uniform bar is so divided exactly, a point mass is on one side.
    """
    whole = lump_mass(mass, com, inertia)
    if at <= 0.0:
        return whole
    if at >= line.length or mass == 0.0:
        return NOTHING
    e, S = line.axes[:, 0], second_about_com(inertia)
    along = float(e @ S @ e)
    centre = float(e @ np.array(com))
    if along <= 1e-12 * mass * line.length**2:
        return whole if centre >= at else NOTHING
    half = math.sqrt(3.0 * along / mass)
    start, end = max(at, centre - half), centre + half
    if start >= end:
        return NOTHING
    share = (end - start) / (2.0 * half)
    slope = S @ e / along  # how the line of the mass runs, per length along the link
    c = np.array(com) + (0.5 * (start + end) - centre) * slope
    across = S - along * np.outer(slope, slope)
    own = share * (across + mass * (end - start) ** 2 / 12.0 * np.outer(slope, slope))
    return Lump(share * mass, share * mass * c, own + share * mass * np.outer(c, c))


def station_bodies(
    mass: float, com: Vec, inertia: Vec, line: Line, stations: Sequence[Station]
) -> list[Body]:
    """The bodies between the stations, from frame_a on; the first in frame_a, each other in its station's axes."""
    left = lump_mass(mass, com, inertia)
    bodies, frames = [], [np.zeros(3), *(line.point(station.at) for station in stations)]
    for k, station in enumerate([*stations, None]):
        if station is None:
            beyond = NOTHING
        elif station.beyond is not None:
            beyond = lump_mass(*station.beyond)
        else:
            beyond = mass_beyond(mass, com, inertia, line, station.at)
        here = left.without(beyond)
        if here.mass < -1e-9 * max(mass, 1e-300):
            mistake = (
                f"beyond this station lie {beyond.mass:g} kg, and {left.mass:g} kg beyond the one before it"
            )
            fix = "give `beyond` of both, as parts of the link's mass"
            raise CompileError(mistake, path=f"{station.sensor if station else ''}.beyond", fix=fix)
        left = beyond
        node, axes = ("frame_a", np.eye(3)) if k == 0 else (stations[k - 1].joint, line.axes)
        if abs(here.mass) > 1e-12 * mass:
            bodies.append(_body(node, here, frames[k], axes))
    return bodies


def _body(node: str, here: Lump, origin: np.ndarray, axes: np.ndarray) -> Body:
    c = here.first / here.mass
    S = here.second - here.mass * np.outer(c, c)
    J = axes.T @ (np.trace(S) * np.eye(3) - S) @ axes
    six = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
    return Body(node, here.mass, tuple((axes.T @ (c - origin)).tolist()), tuple(float(x) for x in six))

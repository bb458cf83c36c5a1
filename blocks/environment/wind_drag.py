"""Drag of wind, or of still air, on a body."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block, Equation
from ..direction_params import Axis
from ..errors import Problem
from ..multibody_parts import Element, Part, Sensor
from ..params import Param, Sub
from ..ports import Frame, In, Out
from .lattice_drag import Lattice


def relative_air_velocity(position, velocity, wind, gust, exponent, reference_height, ground):
    """Velocity of the air against the body; below a tenth of the reference height it blows as there."""
    height = max(position[2] - ground, 0.1 * reference_height)
    share = (height / reference_height) ** exponent
    return (
        share * wind[0] + gust[0] - velocity[0],
        share * wind[1] + gust[1] - velocity[1],
        share * wind[2] + gust[2] - velocity[2],
    )


def world_axis(rotation, axis):
    """A direction of the body in the world: R = Rz(psi) Ry(theta) Rx(phi)."""
    c, s = math.cos(rotation[2]), math.sin(rotation[2])
    x, y, z = axis[0], c * axis[1] - s * axis[2], s * axis[1] + c * axis[2]
    c, s = math.cos(rotation[1]), math.sin(rotation[1])
    x, z = c * x + s * z, c * z - s * x
    c, s = math.cos(rotation[0]), math.sin(rotation[0])
    return c * x - s * y, s * x + c * y, z


def free_drag(k, u):
    """Drag force k |u| u of a body free to all sides [N]."""
    k *= math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    return k * u[0], k * u[1], k * u[2]


def guided_drag(k, u, n):
    """Drag force k |u.n| (u.n) n of a plate with the normal n [N]."""
    across = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    k *= abs(across) * across
    return k * n[0], k * n[1], k * n[2]


class WindDrag(Block):
    """Drag of the air at a frame: force = density/2 coefficient area |u| u, u the velocity of the air against it.

    With an `axis` (a wall, a boom) only the air along it counts: density/2 coefficient area |u.n| (u.n) n. The mean
    wind grows with the height z as (z / reference_height)^exponent, the gusts do not. Without a wind the air is still.
    With `lattice` area and coefficient follow from its members: 4 e^2 - 5.9 e + 4 by the area of one face, for flat
    members, a square section and the solidity e; faces behind are sheltered by the first (ASCE 7-10, fig. 29.5-3).
    """

    family = "environment"
    frame_b = Frame("where the force acts: the middle of the area")
    rare = ("density", "ground")
    area = Param(1.0, "m^2", ge=0, doc="area that the air meets")
    coefficient = Param(1.0, ge=0, doc="drag coefficient")
    lattice = Sub(Lattice, doc="in place of area and coefficient {depth, length, solidity, members, section}")
    density = Param(1.225, "kg/m^3", ge=0, doc="density of the air")
    axis = Axis(None, doc="direction of frame_b along which it drags; any, if not given")
    exponent = Param(
        0.0, ge=0, le=1, doc="of the mean wind over height: 0 none, 0.11 sea, 0.14 open land, 0.22 towns"
    )
    reference_height = Param(10.0, "m", gt=0, doc="height at which `wind` blows, for the exponent")
    ground = Param(0.0, "m", doc="z of the ground, or of the sea, in the world, for the exponent")
    wind = In(3, "m/s", default=0.0, doc="mean velocity of the air at the reference height")
    gust = In(3, "m/s", default=0.0, doc="velocity of the gusts")
    force = Out(3, "N", doc="on the body, world axes")
    air = Out(3, "m/s", doc="velocity of the air against the frame, world axes")
    position = Out(3, "m", doc="of the frame, world axes")
    rotation = Out(3, "rad", doc="psi, theta, phi of the frame")
    velocity = Out(3, "m/s", doc="of the frame, world axes")
    derived_names = ("catching",)
    own_motion: ClassVar[tuple[str, ...]] = ("position", "rotation", "velocity")

    def internal_wires(self) -> dict[str, str]:
        """Motion of the body into the functions, their force into the mechanism."""
        return {name: name for name in (*self.own_motion, "force")}

    def check(self) -> Iterable[Problem]:
        if self.lattice is None:
            return
        for name in ("area", "coefficient"):
            if name in self.given:
                fix = f"remove {name}, or lattice"
                yield Problem(f"found {name} beside lattice, which says it", f".{name}", fix, key=True)
        if self.axis is None:
            yield Problem(
                "found a lattice without an axis", ".lattice", "name the normal of the face: axis: y"
            )

    def derived(self) -> dict[str, tuple[float, ...]]:
        """Force over the square of the speed."""
        of = self if self.lattice is None else self.lattice
        return {"catching": (0.5 * self.density * of.coefficient * of.area,)}

    def instance_functions(self) -> dict[str, Equation]:
        return {"out_air": drag_air, "out_force": drag_force if self.axis is None else drag_force_along}

    def parts(self) -> list[Part]:
        return [
            Sensor("", "frame_b", "world", self.own_motion),
            Element("force_world", "", "frame_b", (), ("force",)),
        ]


def drag_air(position, velocity, wind, gust, exponent, reference_height, ground):
    return relative_air_velocity(position, velocity, wind, gust, exponent, reference_height, ground)


def drag_force(position, velocity, wind, gust, exponent, reference_height, ground, catching):
    u = relative_air_velocity(position, velocity, wind, gust, exponent, reference_height, ground)
    return free_drag(catching[0], u)


def drag_force_along(
    position,
    rotation,
    velocity,
    wind,
    gust,
    exponent,
    reference_height,
    ground,
    catching,
    axis,
):
    u = relative_air_velocity(position, velocity, wind, gust, exponent, reference_height, ground)
    return guided_drag(catching[0], u, world_axis(rotation, axis))

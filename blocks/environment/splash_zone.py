"""A load in the splash zone: buoyancy, slamming, added mass and drag over the depth to which it is immersed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ..block import Block
from ..errors import Problem
from ..multibody_parts import AtRest, Element, Part, Sensor, Vec
from ..params import Param
from ..ports import TRAJECTORY, Frame, In, Out
from ..signal_params import Rows
from ..text.raw_types import RawMap

MOTION = ("origin", "rotation", "velocity")
COLUMNS = 4  # of a row: depth, volume, added mass, drag area


def at_depth(h, rows, column):
    """Column over the depth h, and its slope: zero above the water, straight lines between the rows, held below."""
    for k in range(COLUMNS, len(rows), COLUMNS):
        if h < rows[k]:
            if h < 0.0:
                return 0.0, 0.0
            slope = (rows[k + column] - rows[k - COLUMNS + column]) / (rows[k] - rows[k - COLUMNS])
            return rows[k - COLUMNS + column] + (h - rows[k - COLUMNS]) * slope, slope
    return rows[len(rows) - COLUMNS + column], 0.0


class SplashZone(Block):
    """Vertical force of water on a load that is lowered through its surface (as DNV-RP-N103, 3 and 4.3, adds it up).

    With the depth h of its bottom below the surface and the water's velocity w against it, upwards: rho g V(h)
    + (rho V(h) + A(h)) a + A'(h) w^2 + rho/2 CA(h) |w| w, a the water's acceleration; and its own added mass A(h). The
    third is slamming, C_s = 2 A'(h) / (rho area), where water rises along it; where it leaves the water there is none,
    and the kinetic energy of the added mass stays in the water. V, A and CA (drag coefficient times area) follow from a
    few numbers or from `rows`. The water moves as its surface does, at all depths: for loads that are small against the
    waves. Added mass acts along frame_b's z: for loads that hang upright. Sideways there is no force.
    """

    family = "environment"
    example: ClassVar[RawMap] = {"height": 2.0, "volume": 2.0, "area": 1.0, "added_mass": 800.0}
    frame_b = Frame("on the load, in the middle of its bottom, z upwards")
    rare = ("water", "gravity")
    height = Param(None, "m", gt=0, doc="from its bottom to its top; V and CA grow evenly over it")
    volume = Param(0.0, "m^3", ge=0, doc="displaced when all of it is under water")
    area = Param(None, "m^2", gt=0, doc="its horizontal projection, which slams and drags")
    added_mass = Param(0.0, "kg", ge=0, doc="A of the load under water, along the vertical")
    drag = Param(2.5, ge=0, doc="drag coefficient; 2.5 where nothing better is known")
    slamming = Param(
        5.0, gt=0, doc="C_s: A grows by rho area C_s / 2 over the depth until all of it is there"
    )
    rows = Rows(
        "depth", "V", "A", "CA", doc="in place of these, rows [depth, V, A, CA] that begin at the depth 0"
    )
    water = Param(1025.0, "kg/m^3", gt=0, doc="density of the water")
    gravity = Param(9.81, "m/s^2", gt=0, doc="g of buoyancy; that of the world")
    level = Param(0.0, "m", doc="z of calm water in the world")
    surface = In(unit="m", kind=TRAJECTORY, default=0.0, doc="elevation of the water there, as of `waves`")
    force = Out(3, "N", doc="on the load, world axes, without that of its own added mass")
    depth = Out(unit="m", doc="of its bottom below the surface; negative above it")
    buoyancy = Out(unit="N", doc="its part rho g V")
    slamming_force = Out(unit="N", doc="its part by slamming")
    drag_force = Out(unit="N", doc="its part by drag")
    moving_water = Out(unit="kg", doc="added mass A at this depth")
    wetted = Out(2, doc="A over its greatest value, and the rate of this [1/s]")
    origin = Out(3, "m", doc="of frame_b, world axes")
    rotation = Out(3, "rad", doc="psi, theta, phi of frame_b")
    velocity = Out(3, "m/s", doc="of frame_b, world axes")
    derived_names = ("table", "greatest")

    def internal_wires(self) -> dict[str, str]:
        own = (
            *MOTION, "depth", "buoyancy", "slamming_force", "drag_force", "moving_water", "wetted", "force",
        )  # fmt: skip
        return {name: name for name in own}

    def check(self) -> Iterable[Problem]:
        if self.rows is None:
            for name in ("height", "area"):
                if getattr(self, name) is None:
                    yield Problem(
                        f"found neither rows nor {name}", f".{name}", f"give {name}, or rows", incomplete=True
                    )
            return
        for name in ("height", "volume", "area", "added_mass", "drag", "slamming"):
            if name in self.given:
                yield Problem(
                    f"found {name} beside rows, which say it", f".{name}", f"remove {name}, or rows", key=True
                )
        for k, row in enumerate(self.rows):
            if len(row) != COLUMNS:
                yield Problem(f"found {len(row)} numbers, expected [depth, V, A, CA]", f".rows[{k}]")
                return
            if min(row[1:]) < 0.0:
                yield Problem("found a number below 0", f".rows[{k}]")
        depths = [row[0] for row in self.rows]
        if len(depths) < 2 or depths[0] != 0.0 or not all(b > a for a, b in pairwise(depths)):
            yield Problem(
                "found depths that do not grow from 0", ".rows", "give at least two rows, the first at 0"
            )

    def depth_rows(self) -> np.ndarray:
        """Rows [depth, V, A, CA] (n, 4)."""
        if self.rows is not None:
            return np.array(self.rows, float)
        # A is complete at this depth
        full = 2.0 * self.added_mass / (self.water * self.area * self.slamming)
        depths = np.unique([0.0, full, self.height])
        share = np.minimum(depths / self.height, 1.0)
        grown = self.added_mass * (np.minimum(depths / full, 1.0) if full > 0.0 else np.zeros(len(depths)))
        return np.column_stack([depths, self.volume * share, grown, self.drag * self.area * share])

    def derived(self) -> dict[str, tuple[float, ...]]:
        rows = self.depth_rows()
        return {"table": tuple(rows.ravel().tolist()), "greatest": (float(rows[:, 2].max()),)}

    def out_depth(origin, surface, level):
        return level + surface[0] - origin[2]

    def out_buoyancy(depth, table, water, gravity):
        return water * gravity * at_depth(depth, table, 1)[0]

    def out_moving_water(depth, table):
        return at_depth(depth, table, 2)[0]

    def out_wetted(depth, velocity, surface, table, greatest):
        if greatest[0] == 0.0:
            return 0.0, 0.0
        A, slope = at_depth(depth, table, 2)
        return A / greatest[0], slope * (surface[1] - velocity[2]) / greatest[0]

    def out_slamming_force(depth, velocity, surface, table):
        w = surface[1] - velocity[2]
        return max(at_depth(depth, table, 2)[1], 0.0) * w * w if w > 0.0 else 0.0

    def out_drag_force(depth, velocity, surface, table, water):
        w = surface[1] - velocity[2]
        return 0.5 * water * at_depth(depth, table, 3)[0] * abs(w) * w

    def out_force(buoyancy, moving_water, slamming_force, drag_force, surface, gravity):
        pushed = (buoyancy / gravity + moving_water) * surface[2]
        return 0.0, 0.0, buoyancy + pushed + slamming_force + drag_force

    def crossing_surface(depth):
        return depth

    def crossing_flow(velocity, surface):
        return surface[1] - velocity[2]

    def at_rest(self, places: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[tuple[Vec, Vec]]:
        """Buoyancy of calm water, world axes."""
        ((p, _),) = places
        rows = self.depth_rows()
        V = float(np.interp(self.level - p[2], rows[:, 0], rows[:, 1], left=0.0))
        return [((0.0, 0.0, self.water * self.gravity * V), (0.0, 0.0, 0.0))]

    def parts(self) -> list[Part]:
        A = self.derived()["greatest"][0]
        mass = (0.0,) * 15 + (0.0, 0.0, A, 0.0, 0.0, 0.0)
        return [
            Sensor("", "frame_b", "world", MOTION),
            Element("force_world", "", "frame_b", (), ("force",)),
            Element("immersed", "", "frame_b", (*mass, 1.0), ("wetted",)),
            AtRest(("frame_b",), self.at_rest),
        ]

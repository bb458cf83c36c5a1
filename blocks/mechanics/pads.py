"""Pads on soil: pressure over sinkage, settlement that stays, and the pressure that the soil is rated for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ..block import Block
from ..errors import Problem
from ..multibody_parts import Element, Part, Vec
from ..params import REQUIRED, Choice, Param, Struct, Sub
from ..ports import Frame, Out
from ..signal_params import Rows

POINTS = 8  # rows of a curve behind the origin that the kernel reads: its CURVE_POINTS
FAR = 1e30  # sinkage of the rows that a curve does not have [m]


class Soil(Struct):
    """Soil below a pad: it sinks along `curve` on first loading, and unloads and loads again more stiffly."""

    area = Param(unit="m^2", gt=0, doc="area of the pad")
    curve = Rows(
        "sinkage",
        "pressure",
        doc="first loading, rows [sinkage, pressure] behind [0, 0], straight lines between; behind the last the soil "
        "carries no more",
    )
    reloading = Param(
        None,
        "N/m^3",
        gt=0,
        doc="pressure over sinkage when it unloads and loads again; the steepest slope of the curve if left out",
    )
    settling = Param(0.02, "s", gt=0, doc="time constant with which the sinkage that stays follows the curve")
    bearing = Param(
        None, "Pa", gt=0, doc="pressure that the soil is rated for; the last of the curve if left out"
    )

    def rows(self) -> list[list[float]]:
        """Rows of the curve without one at the origin."""
        rows = [[float(x) for x in row] for row in self.curve or ()]
        return rows[1:] if rows[:1] == [[0.0, 0.0]] else rows

    def slopes(self) -> list[float]:
        """Slopes of the curve between its rows [N/m^3]."""
        rows = [[0.0, 0.0], *self.rows()]
        return [(q - p) / (y - x) for (x, p), (y, q) in pairwise(rows)]

    def stiffness(self) -> float:
        """Stiffness of unloading and loading again [N/m]."""
        return self.area * (self.reloading or max(self.slopes()))

    def problems(self, path: str) -> Iterable[Problem]:
        """Mistakes in the numbers."""
        rows, place = self.rows(), f"{path}.curve"
        for k, row in enumerate(self.curve or ()):
            if len(row) != 2:
                yield Problem(f"found {len(row)} numbers, expected [sinkage, pressure]", f"{place}[{k}]")
                return
        if not rows:
            fix = "give rows [sinkage, pressure], such as [[20 mm, 200 kPa]]"
            yield Problem("found no row behind the origin", place, fix)
            return
        if len(rows) > POINTS:
            yield Problem(f"found {len(rows)} rows behind the origin, expected at most {POINTS}", place)
        for (x, p), (y, q) in pairwise([[0.0, 0.0], *rows]):
            if not y > x:
                yield Problem(f"found a sinkage of {y:g} m behind {x:g} m, expected more", place)
                return
            if not q >= p:
                fix = "end the curve at its greatest pressure: behind it the soil carries no more"
                yield Problem(f"found a pressure of {q:g} Pa behind {p:g} Pa, expected no less", place, fix)
                return
        steepest = max(self.slopes())
        if not steepest > 0.0:
            yield Problem("found no pressure above zero: this soil would carry nothing", place)
        # a shortfall by rounding makes z - p(z)/k fall with z by as little, and s never goes back
        elif self.reloading is not None and self.reloading < steepest * (1.0 - 1e-12):
            fix = "soil that has been loaded is at least as stiff as on first loading"
            yield Problem(
                f"found {self.reloading:g} N/m^3, less than the curve's steepest slope of {steepest:g} N/m^3",
                f"{path}.reloading",
                fix,
            )

    def values(self) -> Vec:
        """Columns S_SETTLING to S_CURVE of the element."""
        rows = self.rows()
        last = rows[-1][1]
        points = [*rows, *([FAR, last] for _ in range(POINTS - len(rows)))]
        curve = (number for z, p in points for number in (z, self.area * p))
        return (self.settling, self.area, self.bearing or last, *curve)


class Pad(Block):
    """A pad below a foot, on soil that sinks by a pressure-sinkage curve, keeps its settlement, and never pulls.

    With the curve p(z) and the stiffness k of loading again, the settlement s tends to z - p(z)/k with the time
    constant `settling`, and never back; the soil presses by k (z - s), and what the settlement takes is lost. At rest
    and in statics s is there: soil that is loaded for the first time. Behind the curve's last row it carries no more,
    and a crane that needs more has no rest. Across, the pad sticks up to `grip` times its push. The pad turns freely
    on its foot. Small motion about rest (modes, linear models) is that of soil that is loaded again.
    """

    family = "forces"
    example = {"soil": {"area": 1.0, "curve": [[0.02, 2e5]]}}
    frame_a = Frame("the ground, z upwards: its height before anything sinks")
    frame_b = Frame("the foot, in the middle of the pad's lower side")
    force = Out(3, "N", "on the foot, world axes")
    normal_force = Out(unit="N", doc="its part along frame_a's z")
    sinkage = Out(unit="m", doc="depth of the foot below frame_a; negative above it")
    settlement = Out(unit="m", doc="part of the sinkage that stays")
    pressure = Out(unit="Pa", doc="normal force over the pad's area")
    bearing_ratio = Out(doc="pressure over what the soil is rated for")
    lifted = Out(doc="1 where the pad has lifted, else 0")

    soil = Sub(Soil, REQUIRED, doc="what it stands on {area, curve, reloading, settling, bearing}")
    damping = Param(0.0, "N*s/m", ge=0, doc="along frame_a's z, while it presses")
    across_stiffness = Param(None, "N/m", gt=0, doc="across, before it slips; as along z when left out")
    across_damping = Param(
        None, "N*s/m", ge=0, doc="across, before it slips; 10 ms times that stiffness when left out"
    )
    grip = Param(0.5, ge=0, doc="greatest force across, as a share of the push")
    grip_model = Choice(
        "elastoplastic",
        ["elastoplastic", "lugre"],
        doc="what is held stays, or slips at every load (LuGre)",
    )

    def check(self) -> Iterable[Problem]:
        yield from self.soil.problems(".soil")

    def parts(self) -> list[Part]:
        along = self.soil.stiffness()
        across = along if self.across_stiffness is None else self.across_stiffness
        damping = 0.01 * across if self.across_damping is None else self.across_damping
        values = (
            across, across, along, damping, damping, self.damping, self.grip, float(self.grip_model == "lugre"),
            *self.soil.values(),
        )  # fmt: skip
        return [Element("support", "frame_a", "frame_b", tuple(map(float, values)), bristle=3)]

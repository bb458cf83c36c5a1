"""Paths in a plane or in space, run through under a law of motion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from ..block import Equation
from ..direction_params import Rotations
from ..errors import LuffError, Problem
from ..geometry import rotations
from ..params import Choice, Param, Use
from ..ports import TRAJECTORY, Out, Port
from ..signal_params import PerElement, Rows
from ..signals.piecewise_polynomials import DEGREE, evaluate_piecewise, fit_spline
from ..signals.table_data import Tabulated
from .motion_timing import Planned
from .time_scaling import leg_at, way_at

POLYGONS = ("line", "polyline", "rectangle", "rhombus")
ROUND = ("circle", "ellipse", "spiral")
FROM_POINTS = ("line", "polyline", "table")


def shape_uses(shape: str, _: Mapping[str, object]) -> Use:
    """Parameters that a shape of a path does not use."""
    unused: set[str] = set()
    if shape not in POLYGONS:
        unused |= {"dwell", "leg_durations"}
    if shape not in ROUND:
        unused |= {"radius", "start_angle"}
    if shape != "spiral":
        unused.add("end_radius")
    unused |= {"size", "direction"} if shape in FROM_POINTS else {"points", "file"}
    if shape in ROUND:
        unused.add("size")
    unused.add("turns" if shape == "table" else "spline")
    return Use(unused=frozenset(unused))


def arc_at(leg, curve):
    """Contribution of a round path along its two axes: value, first and second rate of each.

    It is r_1 cos(phi) along the first and r_2 sin(phi) along the second; radii and phi are linear in the share s.
    """
    _, s, rate, acceleration = leg
    phi, turn = curve[4] + curve[5] * s, curve[5]
    cos, sin = math.cos(phi), math.sin(phi)
    r_1, r_2 = curve[0] + curve[2] * s, curve[1] + curve[3] * s
    # first and second derivative with respect to s, then the chain rule
    first_1, second_1 = curve[2] * cos - r_1 * turn * sin, -2.0 * curve[2] * turn * sin - r_1 * turn**2 * cos
    first_2, second_2 = curve[3] * sin + r_2 * turn * cos, 2.0 * curve[3] * turn * cos - r_2 * turn**2 * sin
    return (
        (r_1 * cos, first_1 * rate, second_1 * rate**2 + first_1 * acceleration),
        (r_2 * sin, first_2 * rate, second_2 * rate**2 + first_2 * acceleration),
    )


def along(ways, frame, i):
    """Element i of a point whose ways along the first two axes are given."""
    (x, x_rate, x_acceleration), (y, y_rate, y_acceleration) = ways
    e_1, e_2 = frame[3 + i], frame[6 + i]
    rate, acceleration = x_rate * e_1 + y_rate * e_2, x_acceleration * e_1 + y_acceleration * e_2
    return frame[i] + x * e_1 + y * e_2, rate, acceleration


def arc_in_plane(t, during, timing, cycle, frame, curve):
    ways = arc_at(leg_at(t, during, timing, cycle), curve)
    return along(ways, frame, 0), along(ways, frame, 1)


def arc_in_space(t, during, timing, cycle, frame, curve):
    ways = arc_at(leg_at(t, during, timing, cycle), curve)
    return along(ways, frame, 0), along(ways, frame, 1), along(ways, frame, 2)


def spline_at(leg, knots, coefficients, width, i):
    """Element i of a spline over the chord length, the share s of which is behind."""
    _, s, rate, acceleration = leg
    length = knots[len(knots) - 1]
    value, first, second = evaluate_piecewise(knots, coefficients, width, i, length * s, length * s)
    first *= length
    return value, first * rate, second * length**2 * rate**2 + first * acceleration


def spline_in_plane(t, during, timing, cycle, knots, coefficients):
    leg = leg_at(t, during, timing, cycle)
    return spline_at(leg, knots, coefficients, 2, 0), spline_at(leg, knots, coefficients, 2, 1)


def spline_in_space(t, during, timing, cycle, knots, coefficients):
    leg = leg_at(t, during, timing, cycle)
    x, y = spline_at(leg, knots, coefficients, 3, 0), spline_at(leg, knots, coefficients, 3, 1)
    return x, y, spline_at(leg, knots, coefficients, 3, 2)


def legs_in_plane(t, during, timing, cycle, stops):
    leg = leg_at(t, during, timing, cycle)
    return way_at(leg, stops, 2, 0), way_at(leg, stops, 2, 1)


def legs_in_space(t, during, timing, cycle, stops):
    leg = leg_at(t, during, timing, cycle)
    return way_at(leg, stops, 3, 0), way_at(leg, stops, 3, 1), way_at(leg, stops, 3, 2)


class Path(Planned, Tabulated):
    """A path in a plane or in space, with rests at its corners; value, rate and acceleration are exact."""

    y = Out(2, "m", kind=TRAJECTORY, doc="point of the path: two coordinates in a plane, three in space")
    usual = ("shape", "duration", "law")
    shape = Choice("circle", [*POLYGONS, *ROUND, "table"], uses=shape_uses, doc="shape of the path")
    duration = Param(1.0, "s", gt=0, doc="duration without dwells; legs share it by their lengths")
    leg_durations = Param(None, "s", shape=(None,), gt=0, doc="duration of each leg of a shape with corners")
    dwell = Param(0.0, "s", ge=0, doc="rest at each corner")
    center = Param(
        (0.0, 0.0), "m", shape=(None,), doc="origin of the path's own axes; three numbers in space"
    )
    rotate = Rotations((), doc="turns [[axis, angle], ...] of the path's own axes, which lead into space")
    radius = PerElement(1.0, "m", ge=0, doc="circle, spiral: radius; ellipse: its two semi-axes")
    end_radius = Param(0.0, "m", ge=0, doc="spiral: radius at its end")
    start_angle = Param(0.0, "rad", doc="circle, ellipse, spiral: angle at the start")
    turns = Param(1.0, gt=0, doc="how often round; a whole number for shapes with corners")
    direction = Choice("ccw", ["ccw", "cw"], doc="counter-clockwise or clockwise")
    size = Param((1.0, 1.0), "m", shape=(2,), gt=0, doc="rectangle: its sides, rhombus: its diagonals")
    points = Rows(doc="line, polyline, table: points [[x, y], ...] or [[x, y, z], ...]")
    spline = Choice("quintic", ["cubic", "quintic"], doc="table: degree of the curve through its points")
    table = "points"
    derived_names = ("timing", "cycle", "stops", "frame", "curve", "knots", "coefficients")

    def ports(self) -> dict[str, Port]:
        port = self.class_ports["y"]
        return {"y": Out(self.width(), port.unit, port.doc, TRAJECTORY).named("y")}

    def width(self) -> int:
        """Number of coordinates: two in a plane, three in space."""
        try:
            widest = max(map(len, self.rows()), default=0) if self.shape in FROM_POINTS else 0
        except LuffError:
            return 2  # `check` tells why
        return 3 if self.rotate or len(self.center) == 3 or widest == 3 else 2

    def check(self) -> Iterable[Problem]:
        if len(self.center) not in (2, 3):
            yield Problem(f"found {len(self.center)} numbers, expected 2 or 3", ".center")
        wanted = 2 if self.shape == "ellipse" else 1
        radii = len(self.radius) if isinstance(self.radius, tuple) else 1
        if self.shape in ROUND and radii not in (1, wanted):
            yield Problem(f"found {radii} numbers, expected {wanted}", ".radius")
        if self.shape in FROM_POINTS:
            problems = list(self.table_problems(2, range(2, 4))) or list(self._point_problems())
            yield from problems
            if problems:
                return
        if self.shape in POLYGONS:
            legs = len(self.corners()) - 1
            if self.turns != int(self.turns):
                yield Problem(f"found {self.turns:g}, expected a whole number", ".turns")
            if self.leg_durations is not None and len(self.leg_durations) != legs:
                yield Problem(f"found {len(self.leg_durations)} numbers, expected {legs}", ".leg_durations")

    def _point_problems(self) -> Iterable[Problem]:
        rows, place = self.rows(), self.table_place()
        if self.shape == "line" and len(rows) != 2:
            yield Problem(f"found {len(rows)} points, expected 2", place, "a polyline has more")
        for k, (a, b) in enumerate(pairwise(rows)):
            if a == b:
                yield Problem("this point repeats the previous one", f"{place}[{k + 1}]")
                return
        if self.shape == "table" and rows[0] == rows[-1] and len(rows) <= DEGREE[self.spline]:
            mistake = f"found a closed curve of {len(rows)} points"
            yield Problem(f"{mistake}, expected at least {DEGREE[self.spline] + 1}", place)
        if self.shape != "table" and self.turns > 1 and rows[0] != rows[-1]:
            yield Problem("goes round more than once, but does not end where it starts", ".turns")

    def corners(self) -> list[Sequence[float]]:
        """Corners of one round in the path's own axes."""
        x, y = self.size[0] / 2, self.size[1] / 2
        if self.shape == "rectangle":
            points: list[Sequence[float]] = [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]
        elif self.shape == "rhombus":
            points = [(x, 0.0), (0.0, y), (-x, 0.0), (0.0, -y), (x, 0.0)]
        else:
            return list(self.rows())
        return points if self.direction == "ccw" else points[::-1]

    def _frame(self) -> tuple[float, ...]:
        """Origin and the three axes, one after the other."""
        R = rotations.rotation_of_turns(self.rotate)
        return (*self.center, *(0.0,) * (3 - len(self.center)), *(float(x) for x in R.T.ravel()))

    def _placed(self, point: Sequence[float]) -> tuple[float, ...]:
        frame = self._frame()
        axes = range(3, 3 + 3 * len(point), 3)
        return tuple(
            frame[i] + sum(p * frame[k + i] for p, k in zip(point, axes, strict=True))
            for i in range(self.width())
        )

    def derived(self) -> dict[str, tuple[float, ...]]:
        whole = self.plan([(self.duration, 0.0, self.law)])
        if self.shape in ROUND:
            return whole | {"frame": self._frame(), "curve": self._curve()}
        points = [self._placed(point) for point in self.corners()]
        lengths = [math.dist(a, b) for a, b in pairwise(points)]
        if self.shape == "table":
            knots = tuple(accumulate(lengths, initial=0.0))
            coefficients = fit_spline(knots, points, self.spline, periodic=points[0] == points[-1])
            return whole | {"knots": knots, "coefficients": coefficients}
        rounds = int(self.turns)
        shared = [self.duration / rounds * length / sum(lengths) for length in lengths]
        legs = [(time, self.dwell, self.law) for time in self.leg_durations or shared]
        stops = points[:1] + points[1:] * rounds
        return self.plan(legs * rounds) | {"stops": tuple(x for stop in stops for x in stop)}

    def _curve(self) -> tuple[float, ...]:
        radii = self.radius if isinstance(self.radius, tuple) else (self.radius,)
        r_1, r_2 = radii[0], radii[-1]
        growth = (self.end_radius - r_1) if self.shape == "spiral" else 0.0
        sign = 1.0 if self.direction == "ccw" else -1.0
        return (r_1, r_2, growth, growth, self.start_angle, sign * 2 * math.pi * self.turns)

    def instance_functions(self) -> dict[str, Equation]:
        kind = "round" if self.shape in ROUND else "spline" if self.shape == "table" else "legs"
        return {"out": POINTS[kind, self.width()]}


POINTS: dict[tuple[str, int], Equation] = {
    ("round", 2): arc_in_plane,
    ("round", 3): arc_in_space,
    ("spline", 2): spline_in_plane,
    ("spline", 3): spline_in_space,
    ("legs", 2): legs_in_plane,
    ("legs", 3): legs_in_space,
}

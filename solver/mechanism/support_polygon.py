"""Support polygons: bodies on push-only supports, their feet, lean, and the edge over which they tip."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

import numpy as np

from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from .mechanism import Mechanism, TreeJoint

LEAN = math.radians(30.0)  # lean from upright beyond which a body on push-only supports has tipped
LINE = 1e-9  # [m] distance from a line below which feet count as collinear
FIX = "take less load or reach, supports that stand further apart, or more mass on the other side"


class TippingEdge(NamedTuple):
    """Edge between two corners, or a corner itself if all feet are collinear; `normal` points outwards."""

    first: int
    last: int
    normal: np.ndarray
    offset: float


@mutable
class SupportPolygon:
    """Supports of one body; feet in frame_a's x and y; `turns`: rows of theta and phi, where free."""

    block: str
    joint: TreeJoint
    elements: list[int]
    names: list[str]
    feet: np.ndarray
    heights: np.ndarray  # z of the feet
    turns: dict[str, int] = field(default_factory=dict)

    @property
    def height(self) -> float:
        """Mean z of the feet."""
        return float(self.heights.mean())

    def lean_angle(self, data: Data) -> tuple[float, np.ndarray]:
        """Angle between the body's z and frame_a's [rad], and the direction of the lean in frame_a's x and y."""
        theta, phi = (data.q[self.turns[name]] if name in self.turns else 0.0 for name in ("theta", "phi"))
        across = np.array([math.sin(theta) * math.cos(phi), -math.sin(phi)])
        angle = math.acos(max(-1.0, min(1.0, math.cos(theta) * math.cos(phi))))
        return angle, across / max(float(np.linalg.norm(across)), 1e-300)

    def carrying_count(self, data: Data) -> int:
        """Number of supports that push."""
        return int(
            np.sum(
                np.linalg.norm(data.element_out[self.elements, f.FORCE_ON_B : f.FORCE_ON_B + 3], axis=1) > 0.0
            )
        )

    def pressure(self, model: Model, data: Data) -> np.ndarray | None:
        """Centre of pressure: where the resultant load on the supports meets the plane of the feet [m]; None if nothing
        presses down. Needs the rows' static REACTION.
        """
        last = self.joint.last
        axes, origin = frame_pose(model, data, self.joint.frame_a)
        at = data.row[last, f.p_WB : f.p_WB + 3]
        force = data.row[last, f.REACTION + f.LINEAR : f.REACTION + f.LINEAR + 3].copy()
        torque = data.row[last, f.REACTION : f.REACTION + 3] + np.cross(at - origin, force)
        for e in self.elements:
            push = data.element_out[e, f.FORCE_ON_B : f.FORCE_ON_B + 3]
            torque += np.cross(frame_pose(model, data, int(model.element[e, 2]))[1] - origin, push)
            force += push
        (x, y, z), (tx, ty, _) = axes.T @ force, axes.T @ torque
        if not z > 1e-9 * (abs(x) + abs(y) + abs(z)):
            return None
        return np.array([self.height * x - ty, tx + self.height * y]) / z

    def edges(self) -> Iterator[TippingEdge]:
        """Edges of the feet's convex hull; of collinear feet both sides and both ends."""
        corners = convex_hull(self.feet)
        if len(corners) == 2:
            a, b = corners
            along = self.feet[b] - self.feet[a]
            along /= np.linalg.norm(along)
            for end, normal in ((a, -along), (b, along)):
                yield TippingEdge(end, end, normal, float(normal @ self.feet[end]))
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            side = self.feet[b] - self.feet[a]
            if a != b:
                normal = np.array([side[1], -side[0]]) / np.linalg.norm(side)
                yield TippingEdge(a, b, normal, float(normal @ self.feet[a]))

    def beyond(self, point: np.ndarray) -> tuple[float, str]:
        """Distance of a point outside the edges [m], negative inside, and the nearest edge in words."""
        off, edge = max(
            ((float(e.normal @ point) - e.offset, e) for e in self.edges() if self._turns_over(e)),
            key=lambda each: each[0],
            default=(-math.inf, None),
        )
        return off, self.words(edge)

    def tipping_edge_words(self, direction: np.ndarray) -> str:
        """Edge over which a body leans in a direction, in words."""
        edges = [e for e in self.edges() if self._turns_over(e)]
        return self.words(max(edges, key=lambda e: float(e.normal @ direction), default=None))

    def outside(self, model: Model, data: Data) -> tuple[float, str]:
        """Distance of the centre of pressure outside the polygon [m], and the nearest edge in words."""
        point = self.pressure(model, data)
        return (-math.inf, "") if point is None else self.beyond(point)

    def problem(self, data: Data, outside: tuple[float, str], sure: bool) -> Problem | None:
        """Problem of a body that tips, `sure` or since it leans beyond LEAN, else None; `outside` from the method of
        that name.
        """
        lean, direction = self.lean_angle(data)
        if not sure and lean <= LEAN:
            return None
        off, words = outside
        if off > 0.0:
            return Problem(f"{words}: its load presses {off:.3g} m beyond it", self.block, FIX)
        return Problem(
            f"{self.tipping_edge_words(direction)}: it does not come to rest on its supports", self.block, FIX
        )

    def _turns_over(self, edge: TippingEdge) -> bool:
        """True if the coordinates allow rotation over an edge."""
        x, y = abs(edge.normal)
        return (x > LINE and "theta" in self.turns) or (y > LINE and "phi" in self.turns)

    def words(self, edge: TippingEdge | None) -> str:
        """Edge in words."""
        if edge is None:
            return "tips over its supports"
        if edge.first == edge.last:
            return f"tips over support {self.names[edge.first]}"
        a, b = sorted((edge.first, edge.last))
        return f"tips over the edge between supports {self.names[a]} and {self.names[b]}"


def support_polygons(mechanism: Mechanism) -> list[SupportPolygon]:
    """Polygons of all bodies on push-only supports that can tip."""
    footings = []
    for joint in mechanism.joints:
        own = [
            (e, placed)
            for e, placed in enumerate(mechanism.elements)
            if placed.block == joint.block and placed.part.kind == "support"
        ]
        turns = {
            coordinate.name: i
            for i in range(joint.first, joint.last + 1)
            if (coordinate := mechanism.rows[i].coordinate) is not None
            and coordinate.name in ("theta", "phi")
        }
        if joint.part.kind != "base" or not own or not turns:
            continue
        ground = mechanism.frames[joint.frame_a][1].inverse()
        feet = np.array([(ground @ mechanism.frames[placed.frame_a][1]).p for _, placed in own])
        names = [placed.part.name for _, placed in own]
        numbers = [e for e, _ in own]
        footings.append(SupportPolygon(joint.block, joint, numbers, names, feet[:, :2], feet[:, 2], turns))
    return footings


def frame_pose(model: Model, data: Data, number: int) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF of a frame."""
    row, place = int(model.frame_row[number]), model.frame_place[number]
    R, p = place[f.R_BF : f.R_BF + 9].reshape(3, 3), place[f.p_BF : f.p_BF + 3]
    if row < 0:
        return R, p
    body = data.row[row, f.R_WB : f.p_WB].reshape(3, 3)
    return body @ R, data.row[row, f.p_WB : f.p_WB + 3] + body @ p


def convex_hull(points: np.ndarray) -> list[int]:
    """Corners of the convex hull, counter-clockwise; both ends of collinear points (Andrew 1979)."""
    order = sorted(range(len(points)), key=lambda k: (points[k, 0], points[k, 1]))

    def turn(a: int, b: int, c: int) -> float:
        u, v = points[b] - points[a], points[c] - points[a]
        return float(u[0] * v[1] - u[1] * v[0])

    def half(run: list[int]) -> list[int]:
        kept: list[int] = []
        for k in run:
            while len(kept) > 1 and turn(kept[-2], kept[-1], k) <= LINE:
                kept.pop()
            kept.append(k)
        return kept[:-1]

    return list(dict.fromkeys([*half(order), *half(order[::-1])])) or order[:1]

"""Stresses at points of a flexible body that was reduced from a solid mesh."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..errors import LuffError, Problem
from ..multibody_parts import Part, PointStresses
from ..params import Param
from ..ports import Out, Port
from ..reduction.reduced_body import ReducedBody
from ..text.raw_types import RawMap
from .strength_sensor import StrengthSensor


class StressSensor(StrengthSensor):
    """Stresses at points on the surface of a `flexible_body` that was reduced from a solid mesh.

    Each point is the vertex of the mesh that is nearest to it. Stresses are those of the elements around it as the
    modes deform them, extrapolated from where they are most accurate, and averaged: as exact as the mesh in statics
    under loads at interfaces and, if the body was reduced with `stiffening`, under weight. At the nodes of a rigid
    interface and in sharp corners they grow with a finer mesh. `signed` is the stress of von Mises with the sign of the
    mean stress, of which `rainflow` counts cycles.
    """

    example: ClassVar[RawMap] = {"of": "boom", "points": [[0.5, 0, 0.1]]}
    single = "signed"
    von_mises = Out(unit="Pa", doc="stress of von Mises at each point")
    signed = Out(unit="Pa", doc="with the sign of the mean stress")
    tensor = Out(
        unit="Pa", doc="xx, yy, zz, xy, xz, yz at each point, one point behind the other, in axes of the body"
    )
    points = Param(
        ((0.0, 0.0, 0.0),),
        "m",
        shape=(None, 3),
        doc="points, in frame_a of the reduction before it is loaded",
    )

    def ports(self) -> dict[str, Port]:
        own, count = super().ports(), len(self.points)
        widths = {"von_mises": count, "signed": count, "tensor": 6 * count}
        return {
            name: replace(port, width=widths[name]) if name in widths else port for name, port in own.items()
        }

    @cached_property
    def nearest(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the surface vertices nearest to the points, and their distances [m]."""
        try:
            body = self.body.whole[0] if self.body is not None else None
        except LuffError:
            body = None
        if body is None or body.surface is None:
            return np.zeros(len(self.points), int), np.zeros(len(self.points))
        apart = np.linalg.norm(np.array(self.points)[:, None] - body.points[body.surface], axis=2)
        return apart.argmin(axis=1), apart.min(axis=1)

    def forget(self) -> None:
        vars(self).pop("nearest", None)

    def problems_of(self, reduced: ReducedBody) -> Iterable[Problem]:
        if reduced.surface is None or reduced.surface_stress is None:
            fix = "reduce it from a mesh of solids, with this version; members of frames have member_sensor"
            yield Problem(f"{self.of} holds no stresses", ".of", fix)
            return
        if not len(self.points):
            yield Problem("found no points", ".points", "give one: [[0.5, 0, 0.1]]")
            return
        numbers, apart = self.nearest
        corners = reduced.points[reduced.triangles]
        edge = float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(initial=0.0))
        for k, (number, off) in enumerate(zip(numbers.tolist(), apart.tolist(), strict=True)):
            if not off <= edge:
                at = ", ".join(f"{x:.4g}" for x in reduced.points[reduced.surface[number]])
                mistake = f"point {k} is {off:.3g} m off the surface, more than the longest edge of the mesh"
                yield Problem(mistake, f".points[{k}]", f"the nearest vertex is at [{at}]")

    def parts(self) -> list[Part]:
        return [PointStresses(self.of, tuple(self.nearest[0].tolist()))]

    def words_of_governing(self, number: int) -> str:
        at = ", ".join(f"{x:.4g}" for x in self.points[number])
        return f"stress of von Mises at point {number} of {self.of}, at [{at}] m"

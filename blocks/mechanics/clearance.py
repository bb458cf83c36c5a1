"""Least distance between shapes, as a signal."""

from __future__ import annotations

from typing import ClassVar

from ..errors import Problem
from ..geometry.body_shapes import FIELD
from ..multibody_parts import Distance, Part
from ..ports import Out
from ..text.raw_types import RawMap
from .shape_pairs import ShapeOf, ShapePairs, pair_names


class Clearance(ShapePairs):
    """Least distance between the shapes `of` bodies and those that they keep clear of; it exerts no force.

    Shapes are convex, with their rounded edges; a mesh counts as its convex hull, a surface in `against` as its
    triangles or points, without an inside. Below zero they overlap: down to minus the sum of the roundings this is
    their depth, and where their cores meet no more is known than that they are as deep as that.
    """

    family = "sensors"
    example: ClassVar[RawMap] = {"of": ["box"], "against": ["ground"]}
    distance = Out(unit="m", doc="least distance of all pairs")
    rate = Out(unit="m/s", doc="its rate; the rates of two pairs where another one becomes the nearest")
    point_of = Out(3, "m", "closest point of the shapes `of`, in the world")
    point_against = Out(3, "m", "closest point of the others, in the world")

    def pair_problem(self, a: ShapeOf, b: ShapeOf) -> Problem | None:
        if a.solid.kind == FIELD:
            fix = "name boxes or meshes around the ground's hills"
            return Problem(f"{a.name} is a height field, which is not convex", ".against", fix)
        return super().pair_problem(a, b)

    def parts(self) -> list[Part]:
        pairs = [
            Distance("clearance", a.name, b.name, name=name, solid_a=a.solid, solid_b=b.solid)
            for (a, b), name in zip(self.pairs, pair_names(self.pairs), strict=True)
        ]
        return [*self.places(), *pairs]

"""Forces between shapes that touch."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import ClassVar

from ..block import Block
from ..errors import Problem
from ..geometry.body_shapes import GROUNDS, SURFACE
from ..geometry.touching_solids import family_of
from ..multibody_parts import Part
from ..multibody_parts import Touch as TouchPart
from ..params import Flag, Names, Param, Struct, Sub, SubList
from ..ports import Out, Port
from ..text.raw_types import RawMap
from .plane_contact import ContactLaw
from .shape_pairs import ShapeOf, ShapePairs, hollow_warnings, is_meant, matching_shapes, pair_names


class TouchLaw(ContactLaw):
    """Force of each feature that touches: stiffness depth^exponent (1 + dissipation rate)."""

    dissipation = Param(
        1.0, "s/m", ge=0, doc="c: a slow impact at a speed v comes back with about 1 - 2 c v / 3"
    )


class TouchFriction(Struct):
    """Friction across the normal: a bristle that sticks, and slips at mu times the normal force."""

    mu = Param(0.0, ge=0, doc="coefficient of friction")
    stiffness = Param(
        None, "N/m", gt=0, doc="across before it slips; as that of `law` at a depth of 1 mm if left out"
    )
    damping = Param(None, "N*s/m", ge=0, doc="the same; 1 ms times the stiffness if left out")
    spin = Param(
        2.0 / 3.0,
        ge=0,
        doc="radius of the friction torque about the normal over that of gyration of the pressure; 2/3 on a rim",
    )
    rolling = Param(0.0, "m", ge=0, doc="lever of the resistance to rolling: torque over normal force")


class LeftOut(Struct):
    """Shapes that do not touch each other, among those of a `touch`."""

    of = Names(doc="blocks with shapes, or block.shape; patterns with * count")
    against = Names(doc="the same, of what they pass through")


class Touch(ShapePairs):
    """Forces between shapes of bodies: at each feature that touches f = k s^n (1 + c ds/dt), and no pull.

    A shape is a convex core with rounded edges (`round`). Features are corners of one shape against the other, and
    edges across edges, each with the law of Hunt and Crossley (1975) at its own depth s: a box on its face rests on
    four corners, and sinks in by weight / 4k. The forces are continuous and, without dissipation and friction, those
    of a potential, as long as the depth stays below the sum of both roundings. Friction holds without creep up to mu
    times the normal force, and slides beyond.
    """

    family = "forces"
    example: ClassVar[RawMap] = {"of": ["box"], "against": ["ground"]}
    among = Names((), doc="the same, of what touches one another, in place of `of` and `against`")
    without = SubList(LeftOut, doc="pairs that do not touch, in place of all [{of: [...], against: [...]}]")
    law = Sub(
        TouchLaw, {}, doc="how the surface gives way at each feature {stiffness, exponent, dissipation}"
    )
    friction = Sub(TouchFriction, {}, doc="friction {mu, stiffness, damping, spin, rolling}")
    divide_steps = Flag(
        True,
        doc="true: rk4 divides a step in which a feature meets or parts into eight, for the energy of bounces; false:"
        " it does not, which suits heaps, where some feature does in most steps",
    )
    force = Out(3, "N", "force on the bodies of `of`, world axes")
    normal_force = Out(unit="N", doc="sum of the normal forces of all pairs")
    friction_force = Out(unit="N", doc="sum of the magnitudes of their friction forces")
    centre = Out(3, "m", "centre of pressure of all pairs, in the world; 0 where none pushes")
    depth = Out(unit="m", doc="how deep the deepest pair is; 0 where none touches")
    count = Out(doc="number of pairs that touch")

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        if self.among:
            del ports["force"]
        return ports

    def check(self) -> Iterable[Problem]:
        if self.among and (self.of or self.against):
            yield Problem("found `among` beside `of` or `against`", ".among", "give one of the two", key=True)
        elif not self.among:
            yield from super().check()
        if self.friction.rolling > 0.0 and self.friction.mu == 0.0:
            fix = "give friction.mu: what slides does not roll"
            yield Problem("found a resistance to rolling without friction", ".friction.rolling", fix)
        if self.law.stiffness == 0.0:
            message = "found a stiffness of 0: nothing would push"
            yield Problem(message, ".law.stiffness", severity="warning")

    def pair_problem(self, a: ShapeOf, b: ShapeOf) -> Problem | None:
        for one in (a, b):
            if one.solid.kind == SURFACE:
                fix = "give the block convex shapes, or kind: mesh, which touches as its hull"
                return Problem(f"{one.name} is a surface, which only `clearance` measures", "", fix)
        return super().pair_problem(a, b)

    def shape_parameters(self) -> tuple[str, ...]:
        return ("among",) if self.among else super().shape_parameters()

    def named_pairs(self, found: Mapping[str, list[ShapeOf]]) -> list[tuple[ShapeOf, ShapeOf]]:
        if not self.among:
            return self.kept(super().named_pairs(found))
        pairs = itertools.combinations(found["among"], 2)
        ground_first = [(b, a) if b.solid.kind in GROUNDS else (a, b) for a, b in pairs]
        return self.kept((a, b) for a, b in ground_first if b.solid.kind not in GROUNDS)

    def kept(self, pairs: Iterable[tuple[ShapeOf, ShapeOf]]) -> list[tuple[ShapeOf, ShapeOf]]:
        """Pairs that are not left out by `without`."""
        every = [*pairs]
        shapes = {one.name: one for pair in every for one in pair}

        def meant(names: Iterable[str]) -> set[str]:
            return {
                name
                for name, one in shapes.items()
                if any(is_meant(each, one.bearer, name) for each in names)
            }

        left_out = [(meant(one.of), meant(one.against)) for one in self.without]
        left_out += [(others, names) for names, others in left_out]
        return [
            (a, b)
            for a, b in every
            if not any(a.name in names and b.name in others for names, others in left_out)
        ]

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        for k, one in enumerate(self.without):
            for role, names in (("of", one.of), ("against", one.against)):
                for j, name in enumerate(names):
                    shapes = matching_shapes(name, blocks)
                    if isinstance(shapes, Problem):
                        yield shapes.at(path=f".without[{k}].{role}[{j}]")
                        return
        yield from super().look_up(blocks)
        yield from hollow_warnings(self.pairs)

    def parts(self) -> list[Part]:
        law, friction = self.law, self.friction
        stiffness = friction.stiffness or law.exponent * law.stiffness * 1e-3 ** (law.exponent - 1.0)
        damping = 1e-3 * stiffness if friction.damping is None else friction.damping
        bristle = (7 if friction.rolling > 0.0 else 4) if friction.mu > 0.0 else 0
        parts = self.places()
        names = pair_names(self.pairs)
        for (a, b), name in zip(self.pairs, names, strict=True):
            radius = min(a.solid.bound, b.solid.bound)
            rolling = friction.rolling / (radius * friction.mu) if friction.mu > 0.0 else 0.0
            values = (
                law.stiffness, law.exponent, law.dissipation, friction.mu, stiffness, damping, friction.spin,
                rolling, radius, self.divide_steps,
            )  # fmt: skip
            part = TouchPart(
                family_of(a.solid, b.solid), a.name, b.name, tuple(map(float, values)), name=name,
                bristle=bristle, solid_a=a.solid, solid_b=b.solid,
            )  # fmt: skip
            parts.append(part)
        return parts

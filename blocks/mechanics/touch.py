"""Shapes that touch: forces between the shapes of bodies, and shapes without mass on any frame."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from ..block import Block
from ..errors import LuffError, Problem, did_you_mean
from ..geometry.body_shapes import Shape
from ..geometry.touching_solids import family_of, solid_of
from ..multibody_parts import Body, Grounded, Offset, Part, Solid
from ..multibody_parts import Touch as TouchPart
from ..params import Names, Param, Struct, Sub
from ..ports import Frame, Out, Port
from ..text.raw_types import RawMap
from .bodies import Drawn, RigidLink, shape_params
from .plane_contact import ContactLaw

CONVEX = 1e-6  # volume of a hull beyond that of its mesh, which rounding of a file's numbers leaves


class Fixture(Drawn):
    """Shapes without mass on any frame: guides, a rest, a quay, the ground. Without a wire they stand in the world."""

    family = "bodies"
    frame = Frame("in which the shapes stand; the world's if nothing is wired to it")
    shape, shapes = shape_params()

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        if self.dense():
            fix = "remove it, or use a rigid_link"
            yield Problem(
                "found a density, but a fixture has no mass", f"{self.dense()[0]}.density", fix, key=True
            )

    def parts(self) -> list[Part]:
        return [Grounded("frame"), Body("frame", 0.0, name=self.name)]  # the latter to be drawn


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


class ShapeOf(NamedTuple):
    """Shape of a block that touches."""

    name: str  # block, or block.shape
    block: RigidLink | Fixture
    shape: Shape
    solid: Solid


class Touch(Block):
    """Forces between shapes of bodies: at each feature that touches f = k s^n (1 + c ds/dt), and no pull.

    A shape is a convex core with rounded edges (`round`). Features are corners of one shape against the other, and
    edges across edges, each with the law of Hunt and Crossley (1975) at its own depth s: a box on its face rests on
    four corners, and sinks in by weight / 4k. The forces are continuous and, without dissipation and friction, those
    of a potential, as long as the depth stays below the sum of both roundings. Friction holds without creep up to mu
    times the normal force, and slides beyond.
    """

    family = "forces"
    example: ClassVar[RawMap] = {"of": ["box"], "against": ["ground"]}
    of = Names((), doc="blocks with shapes, or block.shape; patterns with * count")
    against = Names((), doc="the same, of what they touch")
    among = Names((), doc="the same, of what touches one another, in place of `of` and `against`")
    law = Sub(
        TouchLaw, {}, doc="how the surface gives way at each feature {stiffness, exponent, dissipation}"
    )
    friction = Sub(TouchFriction, {}, doc="friction {mu, stiffness, damping, spin, rolling}")
    force = Out(3, "N", "force on the bodies of `of`, world axes")
    normal_force = Out(unit="N", doc="sum of the normal forces of all pairs")
    friction_force = Out(unit="N", doc="sum of the magnitudes of their friction forces")
    depth = Out(unit="m", doc="how deep the deepest pair is; 0 where none touches")
    count = Out(doc="number of pairs that touch")
    pairs: tuple[tuple[ShapeOf, ShapeOf], ...] = ()  # against, of

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        if self.among:
            del ports["force"]
        return ports

    def check(self) -> Iterable[Problem]:
        if self.among and (self.of or self.against):
            yield Problem("found `among` beside `of` or `against`", ".among", "give one of the two", key=True)
        elif not self.among:
            for name in ("of", "against"):
                if not getattr(self, name):
                    fix = "name blocks that have shapes"
                    yield Problem(f"found no `{name}`", "", f"{name}: [...]: {fix}")
        if self.friction.rolling > 0.0 and self.friction.mu == 0.0:
            fix = "give friction.mu: what slides does not roll"
            yield Problem("found a resistance to rolling without friction", ".friction.rolling", fix)
        if self.law.stiffness == 0.0:
            message = "found a stiffness of 0: nothing would push"
            yield Problem(message, ".law.stiffness", severity="warning")

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """The shapes that touch, and their pairs."""
        found: dict[str, list[ShapeOf]] = {}
        for role in ("among",) if self.among else ("of", "against"):
            found[role] = []
            for k, name in enumerate(getattr(self, role)):
                shapes = matching(name, blocks)
                if isinstance(shapes, Problem):
                    yield shapes.at(path=f".{role}[{k}]")
                    return
                known = {one.name for one in found[role]}
                found[role] += [one for one in shapes if one.name not in known]
        if self.among:
            pairs = [(a, b) for a, b in itertools.combinations(found["among"], 2) if a.block is not b.block]
            pairs = [(b, a) if b.solid.kind == "plane" else (a, b) for a, b in pairs]
        else:
            pairs = [
                (a, b) for b, a in itertools.product(found["of"], found["against"]) if a.block is not b.block
            ]
        pairs = [(a, b) for a, b in pairs if not (self.among and a.solid.kind == b.solid.kind == "plane")]
        if not pairs:
            yield Problem("found no two shapes of different blocks", "")
            return
        for a, b in pairs:
            if b.solid.kind == "plane":
                yield Problem(f"{b.name} is a plane", ".of", "name planes in `against`")
                return
            if not family_of(a.solid, b.solid):
                fix = "use a capsule, or a box, in place of one of them"
                yield Problem(f"{b.name} and {a.name}: a {shown(b)} against a {shown(a)} has no law", "", fix)
                return
        yield from hollow({one.name: one for pair in pairs for one in pair}.values())
        for a, b in pairs:
            a.block.bound = b.block.bound = True
        self.bound, self.pairs = True, tuple(pairs)

    def parts(self) -> list[Part]:
        law, friction = self.law, self.friction
        stiffness = friction.stiffness or law.exponent * law.stiffness * 1e-3 ** (law.exponent - 1.0)
        damping = 1e-3 * stiffness if friction.damping is None else friction.damping
        bristle = (7 if friction.rolling > 0.0 else 4) if friction.mu > 0.0 else 0
        parts: list[Part] = []
        shapes = {one.name: one for pair in self.pairs for one in pair}
        parts += [standing(one) for one in shapes.values()]
        names = pair_names(self.pairs)
        for (a, b), name in zip(self.pairs, names, strict=True):
            radius = min(a.solid.bound, b.solid.bound)
            rolling = friction.rolling / (radius * friction.mu) if friction.mu > 0.0 else 0.0
            values = (
                law.stiffness, law.exponent, law.dissipation, friction.mu, stiffness, damping, friction.spin,
                rolling, radius,
            )  # fmt: skip
            part = TouchPart(
                family_of(a.solid, b.solid), a.name, b.name, tuple(map(float, values)), name=name,
                bristle=bristle, solid_a=a.solid, solid_b=b.solid,
            )  # fmt: skip
            parts.append(part)
        return parts


def hollow(shapes: Iterable[ShapeOf]) -> Iterable[Problem]:
    """Warnings of meshes that are not convex: what touches is their hull."""
    for one in shapes:
        if one.solid.kind == "hull":
            from ..geometry.touching_hulls import hollow_share

            more = hollow_share(one.shape, one.block.meshes)
            if more > CONVEX:
                message = f"the mesh of {one.name} is not convex: its convex hull touches, {100 * more:.2g} % larger"
                fix = "give the body several convex shapes"
                yield Problem(message, "", fix, severity="warning")


def shown(one: ShapeOf) -> str:
    return "mesh" if one.solid.kind == "hull" else one.solid.kind


def matching(name: str, blocks: Mapping[str, Block]) -> list[ShapeOf] | Problem:
    """Shapes that a name or a pattern means: all of a block, or one of them."""
    bearers = {
        key: block
        for key, block in blocks.items()
        if isinstance(block, RigidLink | Fixture) and block.drawn()
    }
    hits: list[ShapeOf] = []
    for key, block in bearers.items():
        for place, shape in block.drawn().items():
            own = place.rpartition(".")[2]
            full = key if place == ".shape" else f"{key}.{own}"
            if name in (key, full) or fnmatch.fnmatchcase(key, name) or fnmatch.fnmatchcase(full, name):
                try:
                    solid = solid_in(block, shape, place)
                except LuffError as error:
                    problem = error.problems[0]
                    return Problem(f"{full}: {problem.message}", "", problem.fix)
                hits.append(ShapeOf(full, block, shape, solid))
    if hits:
        return hits
    block = blocks.get(name)
    if isinstance(block, RigidLink | Fixture):
        return Problem(f'"{name}" has no shape', "", f"give {name} a `shape`")
    what = f"a {block.type_name}" if block is not None else "no block with shapes"
    expected = "expected a rigid_link or a fixture with a shape"
    return Problem(f'"{name}" is {what}, {expected}', "", did_you_mean(name, bearers))


def solid_in(block: RigidLink | Fixture, shape: Shape, place: str) -> Solid:
    """Solid of a shape of a block."""
    if shape.kind == "mesh":
        from ..geometry.touching_hulls import hull_of

        return hull_of(shape, block.meshes, place)
    return solid_of(shape, place)


def standing(one: ShapeOf) -> Offset:
    """Frame of a shape on its body."""
    R, p = one.shape.pose()
    base = "frame"
    if isinstance(one.block, RigidLink):
        return one.block.riding(one.name, one.shape)
    return Offset(base, one.name, tuple(p.tolist()), R, of=one.block.name)


def pair_names(pairs: Iterable[tuple[ShapeOf, ShapeOf]]) -> list[str]:
    """Name of each pair in the names of its states; empty for the only one."""
    names = [f"{b.name}_{a.name}".replace(".", "_") for a, b in pairs]
    if len(names) == 1:
        return [""]
    return [name if names.count(name) == 1 else f"{name}_{k}" for k, name in enumerate(names)]

"""Shapes that blocks name: those of rigid links and fixtures, one by one or by patterns, and their pairs."""

from __future__ import annotations

import fnmatch
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..block import Block
from ..errors import LuffError, Problem, did_you_mean
from ..geometry.body_shapes import FIELD, GROUNDS, SURFACE, Shape
from ..geometry.touching_solids import solid_of
from ..multibody_parts import Body, Grounded, Offset, Part, Solid
from ..params import Names
from ..ports import Frame
from .bodies import RigidLink, ShapedBlock, shape_params

CONVEX = 1e-6  # volume of a hull beyond that of its mesh, which rounding of a file's numbers leaves


class Fixture(ShapedBlock):
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


class ShapeOf(NamedTuple):
    """Shape of a block that touches."""

    name: str  # block, or block.shape
    block: RigidLink | Fixture
    shape: Shape
    solid: Solid
    bearer: str  # name of the block

    @property
    def shown(self) -> str:
        """Kind of the shape, as a netlist has it."""
        return "mesh" if self.solid.kind == "hull" else self.solid.kind


class ShapePairs(Block, abstract=True):
    """Base of blocks between the shapes `of` some bodies and those that they are `against`."""

    of = Names((), doc="blocks with shapes, or block.shape; patterns with * count")
    against = Names((), doc="the same, of what they touch, or keep clear of")
    pairs: tuple[tuple[ShapeOf, ShapeOf], ...] = ()  # against, of
    found = ("pairs",)

    def check(self) -> Iterable[Problem]:
        for name in ("of", "against"):
            if not getattr(self, name):
                yield Problem(f"found no `{name}`", "", f"{name}: [...]: name blocks that have shapes")

    def named_pairs(self, found: Mapping[str, list[ShapeOf]]) -> list[tuple[ShapeOf, ShapeOf]]:
        """Pairs (against, of) of the shapes found by each parameter."""
        return [(a, b) for b, a in itertools.product(found["of"], found["against"])]

    def shape_parameters(self) -> tuple[str, ...]:
        """Parameters that name shapes."""
        return "of", "against"

    def pair_problem(self, a: ShapeOf, b: ShapeOf) -> Problem | None:
        """Problem of a pair that this block cannot have."""
        if b.solid.kind in (*GROUNDS, SURFACE):
            shown = b.shown.replace("_", " ")
            return Problem(f"{b.name} is a {shown}", ".of", f"name {shown}s in `against`")
        return None

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """The shapes that are named, and their pairs."""
        found: dict[str, list[ShapeOf]] = {}
        for role in self.shape_parameters():
            found[role] = []
            for k, name in enumerate(getattr(self, role)):
                shapes = matching_shapes(name, blocks)
                if isinstance(shapes, Problem):
                    yield shapes.at(path=f".{role}[{k}]")
                    return
                known = {one.name for one in found[role]}
                found[role] += [one for one in shapes if one.name not in known]
        pairs = [(a, b) for a, b in self.named_pairs(found) if a.block is not b.block]
        if not pairs:
            yield Problem("found no two shapes of different blocks", "")
            return
        problem = next(filter(None, (self.pair_problem(a, b) for a, b in pairs)), None)
        if problem is not None:
            yield problem
            return
        yield from hull_warnings({one.name: one for pair in pairs for one in pair}.values())
        for a, b in pairs:
            a.block.bound = b.block.bound = True
        self.bound, self.pairs = True, tuple(pairs)

    def places(self) -> list[Part]:
        """Frames of the shapes on their bodies."""
        shapes = {one.name: one for pair in self.pairs for one in pair}
        return [shape_frame(one) for one in shapes.values()]


def hull_warnings(shapes: Iterable[ShapeOf]) -> Iterable[Problem]:
    """Warnings of meshes that are not convex, or have many corners: what touches is a hull."""
    for one in shapes:
        if one.solid.kind == "hull":
            from ..geometry.touching_hulls import hollow_share

            if one.solid.miss > 0.0:
                message = (
                    f"the hull of {one.name} has many corners: {len(one.solid.corners)} of them touch, up to "
                    f"{one.solid.miss:.2g} m within it"
                )
                fix = "a coarser mesh, or boxes, cylinders and capsules, cost less"
                yield Problem(message, "", fix, severity="warning")
            more = hollow_share(one.shape, one.block.meshes)
            if more is None:
                message = (
                    f"the mesh of {one.name} is open, or its triangles face both ways: its convex hull counts"
                )
                fix = "close the mesh where hollows matter, or give the body several convex shapes"
                yield Problem(message, "", fix, severity="warning")
            elif more > CONVEX:
                message = (
                    f"the mesh of {one.name} is not convex: its convex hull counts, {100 * more:.2g} % larger"
                )
                fix = "give the body several convex shapes"
                yield Problem(message, "", fix, severity="warning")


def hollow_warnings(pairs: Iterable[tuple[ShapeOf, ShapeOf]]) -> Iterable[Problem]:
    """Warnings of roundings that may not fit into the hollows of a height field: there they touch at several places.

    A ball fits where the surface bends upwards less than the ball does.
    """
    roundest: dict[str, tuple[ShapeOf, ShapeOf]] = {}
    for ground, one in pairs:
        if ground.solid.kind == FIELD:
            known = roundest.get(ground.name)
            if known is None or one.solid.rounding > known[1].solid.rounding:
                roundest[ground.name] = (ground, one)
    for ground, one in roundest.values():
        from ..geometry.height_fields import sharpest_hollow

        bend = sharpest_hollow(ground.solid)
        if not one.solid.rounding * bend < 1.0:
            message = (
                f"{one.name} has a radius of {one.solid.rounding:.3g} m, and hollows of {ground.name} may have "
                f"{1.0 / bend:.3g} m: where it touches two places at once, the force jumps from one to the other"
            )
            yield Problem(message, "", "give smoother heights, or a wider grid", severity="warning")


def is_meant(name: str, key: str, full: str) -> bool:
    """True if a name or a pattern means a block `key`, or its shape `full`."""
    return name in (key, full) or fnmatch.fnmatchcase(key, name) or fnmatch.fnmatchcase(full, name)


def matching_shapes(name: str, blocks: Mapping[str, Block]) -> list[ShapeOf] | Problem:
    """Shapes that a name or a pattern means: all of a block, or one of them."""
    bearers = {
        key: block
        for key, block in blocks.items()
        if isinstance(block, RigidLink | Fixture) and block.shapes_by_path()
    }
    hits: list[ShapeOf] = []
    for key, block in bearers.items():
        for place, shape in block.shapes_by_path().items():
            own = place.rpartition(".")[2]
            full = key if place == ".shape" else f"{key}.{own}"
            if is_meant(name, key, full):
                try:
                    solid = solid_in(block, shape, place)
                except LuffError as error:
                    problem = error.problems[0]
                    return Problem(f"{key}{problem.path}: {problem.message}", "", problem.fix)
                hits.append(ShapeOf(full, block, shape, solid, key))
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
    if shape.kind == FIELD:
        from ..geometry.height_fields import field_of

        return field_of(shape, block.meshes, place)
    if shape.kind == SURFACE:
        from ..geometry.surface_meshes import surface_of

        return surface_of(shape, block.meshes)
    return solid_of(shape, place)


def shape_frame(one: ShapeOf) -> Offset:
    """Frame of a shape on its body."""
    R, p = one.shape.pose()
    base = "frame"
    if isinstance(one.block, RigidLink):
        return one.block.frame_on_link(one.name, one.shape)
    return Offset(base, one.name, tuple(p.tolist()), R, of=one.block.name)


def pair_names(pairs: Iterable[tuple[ShapeOf, ShapeOf]]) -> list[str]:
    """Name of each pair in the names of its states; empty for the only one."""
    names = [f"{b.name}_{a.name}".replace(".", "_") for a, b in pairs]
    if len(names) == 1:
        return [""]
    times = Counter(names)
    return [name if times[name] == 1 else f"{name}_{k}" for k, name in enumerate(names)]

"""Programmed and servo constraints: a point that follows a trajectory, a point or joints that keep a relation."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block
from ..errors import LuffError, Problem
from ..geometry import rotations
from ..multibody_parts import Grounded, Offset, Part, PointConstraint
from ..params import Choice, Either, Flag, Names, Sub, Text
from ..ports import TRAJECTORY, Frame, In, Out, Port
from ..signal_params import Numbers
from ..text.expressions import parse
from ..text.raw_types import RawMap
from .bodies import Placement

AXES = ("x", "y", "z")
VARIABLES = ("x", "y", "z", "t", "vx", "vy", "vz")
SMOOTH = ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "tanh", "abs")


def degree(node: ast.expr) -> int:
    """0 without velocities, 1 linear in them, 2 neither."""
    if isinstance(node, ast.Name):
        return int(node.id in ("vx", "vy", "vz"))
    if isinstance(node, ast.UnaryOp):
        return degree(node.operand)
    if isinstance(node, ast.Call):
        return 2 * max(degree(argument) for argument in node.args)
    if isinstance(node, ast.BinOp):
        left, right = degree(node.left), degree(node.right)
        if isinstance(node.op, ast.Add | ast.Sub):
            return max(left, right)
        if isinstance(node.op, ast.Mult):
            return min(left + right, 2)
        return left if isinstance(node.op, ast.Div) and right == 0 else 2 * max(left, right)
    return 0


class ProgrammedConstraint(Block):
    """Components of a point in a plane follow `target`, or keep `relation` at zero.

    `relation` is over x, y, z (of the point in the plane frame) and t; with vx, vy, vz, in which it must be linear, it
    is a condition on velocities alone. With `joints`, x, y, z are the positions of these joints (SI) and not of a
    point: a gear between two joints is `joints: [a, b]` and `x - 3*y`. `realised_by: ideal` adds the force along the
    constraint's own gradient; `realised_by: [drives]` makes the named joints supply it, and their efforts are the
    output `effort`.
    """

    family = "constraints"
    example: ClassVar[RawMap] = {"components": ["x"]}
    prescribing = ("target",)
    frame = Frame("whose origin is constrained")
    base = Frame("what the plane is fixed to; the world when not wired")
    target = In(3, "m", kind=TRAJECTORY, doc="values of the components, with rates and accelerations")
    components = Names((), choices=AXES, doc="components that follow the target, in the plane's axes")
    plane = Sub(Placement, {}, doc="where the plane frame stands {at, rotate}")
    relative = Flag(doc="count components from their value at the start")
    relation = Text("", doc="expression that is kept at zero, such as (x/3)^2 + (y/2)^2 - 1")
    joints = Names(
        (), doc="joints, at most three, whose positions are x, y, z of the relation; then no frame is wired"
    )
    constants = Numbers(doc="numbers that the relation names, such as {a: 3.0}")
    realised_by = Either(
        "ideal",
        Choice("ideal", ["ideal"]),
        Names(()),
        doc="`ideal`, or the list of joints that supply the force",
    )
    violation = Out(3, doc="by how much the constraint is off")
    violation_rate = Out(3, doc="rate of the violation")
    multiplier = Out(3, doc="force along each component, or multiplier of the relation")
    effort = Out(3, doc="efforts of the drives that realise it, in their order")

    def drives(self) -> tuple[str, ...]:
        return () if self.realised_by == "ideal" else self.realised_by

    def count(self) -> int:
        return 1 if self.relation else len(self.components)

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        n = max(self.count(), 1)
        if self.joints:
            del ports["frame"], ports["base"]
        if self.relation:
            del ports["target"]
        else:
            ports["target"] = In(n, "m", kind=TRAJECTORY, doc=ports["target"].doc).named("target")
        for name in ("violation", "violation_rate", "multiplier", "effort"):
            unit = {"violation": "m", "violation_rate": "m/s", "multiplier": "N"}.get(name)
            ports[name] = Out(n, None if self.relation else unit, ports[name].doc).named(name)
        if not self.drives():
            del ports["effort"]
        return ports

    def check(self) -> Iterable[Problem]:
        if bool(self.relation) == bool(self.components):
            mistake = (
                "both components and a relation" if self.relation else "neither components nor a relation"
            )
            yield Problem(f"found {mistake}", "", "give one of the two")
        if self.joints and not self.relation:
            yield Problem("found joints and no relation", ".joints", "for example relation: x - 3*y")
        if len(self.joints) > len(AXES):
            mistake = f"found {len(self.joints)} joints, expected at most {len(AXES)}: x, y and z"
            yield Problem(mistake, ".joints", "write a second constraint")
        if self.joints and (any(self.plane.at) or self.plane.rotate):
            yield Problem("a relation between joints has no plane", ".plane", "remove it")
        if self.drives() and len(self.drives()) != self.count():
            mistake = f"found {len(self.drives())} drives for {self.count()} constraints"
            yield Problem(mistake, ".realised_by", "name one drive for each component")
        if self.relation:
            try:
                if degree(self.expression()) > 1:
                    fix = "for example x*vy - y*vx"
                    yield Problem(f'"{self.relation}" is not linear in the velocities', ".relation", fix)
            except LuffError as error:
                yield from (problem.at(path=".relation") for problem in error.problems)

    def expression(self) -> ast.expr:
        """The relation's syntax tree; only smooth functions have the derivatives that a constraint needs."""
        tree = parse(self.relation, [*self.variables(), *self.constants])
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in SMOOTH:
                raise LuffError(f"{node.func.id}() has no second derivative", fix=f"use {', '.join(SMOOTH)}")
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                names = {n.id for n in ast.walk(node.right) if isinstance(n, ast.Name)}
                if names & set(VARIABLES):
                    raise LuffError(
                        "found an exponent that varies, expected a constant one",
                        fix="write exp(b*log(a)) for a^b",
                    )
        return tree

    def variables(self) -> list[str]:
        """Names that the relation may use: for joints as many coordinates as there are."""
        beyond = AXES[len(self.joints) :] if self.joints else ()
        return [name for name in VARIABLES if not name.endswith(beyond)]

    def parts(self) -> list[Part]:
        plane = Offset("base", "@plane", self.plane.at, rotations.rotation_of_turns(self.plane.rotate))
        components = tuple(AXES.index(axis) for axis in self.components)
        tree = self.expression() if self.relation else None
        target = "" if self.relation else "target"
        part = PointConstraint(
            *(
                "@plane",
                "frame",
                components,
                tree,
                dict(self.constants),
                target,
                self.relative,
                self.drives(),
            ),
            joints=self.joints,
        )
        if self.joints:
            return [part]
        return [Grounded("base"), plane, part]

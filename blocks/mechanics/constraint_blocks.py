"""Programmed and servo constraints: a point that follows a trajectory, a point or joints that keep a relation."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block
from ..errors import LuffError, Problem
from ..geometry import rotations
from ..multibody_parts import Band, Grounded, Offset, Part, PointConstraint
from ..params import Choice, Either, Flag, Names, Param, Sub, Text
from ..ports import SIGNAL, TRAJECTORY, Frame, In, Out, Port
from ..signal_params import Numbers
from ..text.expressions import names_in, parse, wrong_names
from ..text.raw_types import RawMap
from .bodies import Placement

AXES = ("x", "y", "z")
SPEEDS = ("vx", "vy", "vz")
ACCELERATIONS = ("ax", "ay", "az")
VARIABLES = (*AXES, *SPEEDS, *ACCELERATIONS, "t")
CORNERED = ("min", "max")
SMOOTH = ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "tanh", "abs")


def names_of(tree: ast.expr) -> set[str]:
    """Names in an expression, those of functions among them."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def order_of(names: set[str]) -> int:
    """Order of the rates that a relation over these names constrains: 2 with accelerations, else 1 with velocities."""
    return 2 if names & {*ACCELERATIONS} else 1 if names & {*SPEEDS} else 0


def polynomial_degree(node: ast.expr, names: tuple[str, ...]) -> int:
    """0 without any of the names, 1 linear in them, 2 neither."""
    if isinstance(node, ast.Name):
        return int(node.id in names)
    if isinstance(node, ast.UnaryOp):
        return polynomial_degree(node.operand, names)
    if isinstance(node, ast.Call):
        return 2 * max(polynomial_degree(argument, names) for argument in node.args)
    if isinstance(node, ast.BinOp):
        left, right = polynomial_degree(node.left, names), polynomial_degree(node.right, names)
        if isinstance(node.op, ast.Add | ast.Sub):
            return max(left, right)
        if isinstance(node.op, ast.Mult):
            return min(left + right, 2)
        return left if isinstance(node.op, ast.Div) and right == 0 else 2 * max(left, right)
    return 0


def continuous_derivatives(node: ast.expr) -> float:
    """Number of continuous derivatives of an expression, as far as its text shows: 0 of min and max."""
    inner = min(
        (continuous_derivatives(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)),
        default=math.inf,
    )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CORNERED:
        return min(inner, 0)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and from_zero(node.left):
        # max(u, 0)^p begins with p - 1 derivatives of zero, where u is smooth
        power = node.right.value if isinstance(node.right, ast.Constant) else 0.0
        return max(inner, 1) if isinstance(power, int | float) and power >= 2 else inner
    return inner


def from_zero(node: ast.expr) -> bool:
    """True for max(u, 0) and min(u, 0) of a smooth u."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CORNERED):
        return False
    zeros = [one for one in node.args if isinstance(one, ast.Constant) and one.value == 0]
    return len(node.args) == 2 and len(zeros) == 1 and min(map(continuous_derivatives, node.args)) == math.inf


def comparison(tree: ast.expr) -> tuple[ast.expr, tuple[float, float]]:
    """Left side less right side of an inequality, and the edges between which it may be; other trees as they are,
    between none.
    """
    if not isinstance(tree, ast.Compare):
        return tree, (0.0, 0.0)
    if len(tree.ops) > 1:
        raise LuffError("found two comparisons", fix="write one, and the other one in a second constraint")
    if not isinstance(tree.ops[0], ast.GtE | ast.LtE):
        raise LuffError("found a comparison that excludes its edge", fix="write >= or <=")
    edges = (0.0, math.inf) if isinstance(tree.ops[0], ast.GtE) else (-math.inf, 0.0)
    return ast.BinOp(tree.left, ast.Sub(), tree.comparators[0]), edges


def has_velocity_terms(tree: ast.expr) -> bool:
    """True if the slopes of a relation by the rates that it constrains depend on velocities."""
    order = order_of(names_of(tree))
    return (
        bool(names_of(tree) & {*SPEEDS}) if order == 2 else order == 1 and polynomial_degree(tree, SPEEDS) > 1
    )


class ProgrammedConstraint(Block):
    """Components of a point in a plane follow `target`, rotations are held, or `relation` = `target`.

    `rotations` holds the frame's attitude in the plane frame, which moves with `base`: one axis, as in plane
    mechanisms, lets the frame not turn about it; two let its third axis keep its direction; three hold the attitude.
    `relation` is over x, y, z (of the point in the plane frame), t, and the names of `inputs`, which are trajectories;
    it follows `target`, which is zero when it is not wired. With vx, vy, vz it is a condition on velocities, such as
    the speed along a path, with ax, ay, az one on accelerations, in which it must be linear: a condition on jerk is one
    on accelerations that follows an integrator. With `joints`, x, y, z are the positions of these joints (SI) and not
    of a point: a gear between two joints is `joints: [a, b]` and `x - 3*y`. With >= or <= it is an inequality on
    positions, such as `z >= 0.2*x^2` or `x - y <= 1.5`: the ideal force acts at its edge alone and in one direction,
    after a plastic impact; `target` is added to its right side. `realised_by: ideal` adds the force along the
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
    rotations = Names((), choices=AXES, doc="axes of the plane frame about which the frame does not turn")
    plane = Sub(Placement, {}, doc="where the plane frame stands {at, rotate}")
    relative = Flag(doc="count components from their value at the start")
    band = Param(
        None,
        "m",
        shape=(2,),
        doc="lowest and highest violation of each component between which nothing pushes; the ideal force then acts "
        "at these edges alone, inwards, after a plastic impact",
    )
    relation = Text(
        "",
        doc="expression kept at `target`, or at zero, such as (x/3)^2 + (y/2)^2 - 1; or an inequality, z >= 0.5*x",
    )
    inputs = Names((), follows=False, doc="names of further inputs, trajectories that the relation names")
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
    violation = Out(
        3, doc="by how much the constraint is off; of an inequality its left side less its right side"
    )
    violation_rate = Out(3, doc="rate of the violation")
    multiplier = Out(3, doc="force along each component, or multiplier of the relation")
    effort = Out(3, doc="efforts of the drives that realise it, in their order")

    def drives(self) -> tuple[str, ...]:
        return () if self.realised_by == "ideal" else self.realised_by

    def count(self) -> int:
        return 1 if self.relation else len(self.components) + len(self.rotations)

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        n = max(self.count(), 1)
        if self.joints:
            del ports["frame"], ports["base"]
        if self.relation:
            # accelerations follow values alone
            kind = SIGNAL if order_of({*names_in(self.relation)}) == 2 else TRAJECTORY
            doc = "value of the relation; zero when not wired"
            ports["target"] = In(1, kind=kind, default=0.0, doc=doc).named("target")
            for name in self.inputs:
                ports[name] = In(1, kind=kind, doc=f"{name} of the relation").named(name)
        elif self.components:
            width = len(self.components)
            ports["target"] = In(width, "m", kind=TRAJECTORY, doc=ports["target"].doc).named("target")
        elif self.rotations:
            del ports["target"]
        for name in ("violation", "violation_rate", "multiplier", "effort"):
            unit = {"violation": "m", "violation_rate": "m/s", "multiplier": "N"}.get(name)
            mixed = self.relation or self.rotations
            ports[name] = Out(n, None if mixed else unit, ports[name].doc).named(name)
        if not self.drives():
            del ports["effort"]
        return ports

    def check(self) -> Iterable[Problem]:
        if bool(self.relation) == bool(self.components or self.rotations):
            given = "rotations" if self.rotations and not self.components else "components"
            mistake = f"both {given} and a relation" if self.relation else "neither components nor a relation"
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
            yield Problem(mistake, ".realised_by", "name one drive for each component and rotation")
        if self.band is not None:
            yield from self._band_problems()
        if self.relation:
            places = [(name, ".inputs") for name in self.inputs]
            places += [(name, ".constants") for name in self.constants]
            wrong = list(wrong_names(places, (*VARIABLES, *super().ports())))
            yield from wrong
            if wrong:
                return  # a relation of these names says nothing more
            try:
                tree = self.expression()
                yield from self._inequality_problems(tree)
                yield from self.corner_problems(tree)
                if polynomial_degree(tree, ACCELERATIONS) > 1:
                    mistake = f'"{self.relation}" is not linear in the accelerations'
                    yield Problem(mistake, ".relation", "for example vx*ax + vy*ay")
            except LuffError as error:
                yield from (problem.at(path=".relation") for problem in error.problems)
        elif self.inputs:
            yield Problem("found inputs and no relation", ".inputs", "wire `target`, or write a relation")

    def _band_problems(self) -> Iterable[Problem]:
        """Problems of a band: it is one of components, by ideal forces."""
        if not self.band[0] < self.band[1]:
            mistake = f"found a band from {self.band[0]:g} to {self.band[1]:g} m"
            yield Problem(mistake, ".band", "write the lower edge first")
        others = {"a relation": self.relation, "rotations": self.rotations, "relative": self.relative}
        others["drives"] = self.drives()
        for word, found in others.items():
            if found:
                yield Problem(
                    f"found a band and {word}", ".band", "a band is one of components, by ideal forces"
                )

    def _inequality_problems(self, tree: ast.expr) -> Iterable[Problem]:
        """Problems of an inequality: it is one on positions, by ideal forces."""
        if not self.one_sided():
            return
        if order_of(names_of(tree)) > 0:
            mistake = f'"{self.relation}" is an inequality on velocities or accelerations'
            yield Problem(mistake, ".relation", "write one on positions: x, y and z")
        if self.drives():
            mistake = "found an inequality and drives, which can give no impulse"
            yield Problem(mistake, ".realised_by", "realised_by: ideal")

    def corner_problems(self, tree: ast.expr) -> Iterable[Problem]:
        """Pieces that meet in a corner: velocities would jump, and nothing says by which impact."""
        if order_of(names_of(tree)) == 0 and continuous_derivatives(tree) < 1:
            mistake = (
                "min and max have corners, at which the velocities of a relation on positions would jump"
            )
            yield Problem(mistake, ".relation", "write max(u, 0)^2, or a relation on velocities")

    def one_sided(self) -> bool:
        """True if the relation is an inequality."""
        return bool(self.relation) and isinstance(self._parsed(), ast.Compare)

    def _parsed(self) -> ast.expr:
        return parse(self.relation, [*self.variables(), *self.inputs, *self.constants], logic=True)

    def expression(self) -> ast.expr:
        """Syntax tree of the relation, or of left less right side of an inequality; only smooth functions and their
        pieces have the derivatives that it needs.
        """
        tree, _ = comparison(self._parsed())
        known = (*SMOOTH, *CORNERED)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in known:
                raise LuffError(f"{node.func.id}() has no second derivative", fix=f"use {', '.join(known)}")
            negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
            if negated or isinstance(node, ast.Compare | ast.IfExp | ast.BoolOp):
                fix = "let an `expression` block decide, and wire it to `target` or `inputs` of ax, ay, az"
                raise LuffError("found a choice, which jumps", fix=fix)
            if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
                continue
            if names_of(node.right) & {*VARIABLES, *self.inputs}:
                mistake = "found an exponent that varies, expected a constant one"
                raise LuffError(mistake, fix="write exp(b*log(a)) for a^b")
        return tree

    def variables(self) -> list[str]:
        """Names that the relation may use: for joints as many coordinates as there are."""
        beyond = AXES[len(self.joints) :] if self.joints else ()
        return [name for name in VARIABLES if not name.endswith(beyond)]

    def parts(self) -> list[Part]:
        plane = Offset("base", "@plane", self.plane.at, rotations.rotation_of_turns(self.plane.rotate))
        if self.band is not None or self.one_sided():
            parts: list[Part] = [*self._bands()]
        else:
            parts = [self._constraint()]
        return parts if self.joints else [Grounded("base"), plane, *parts]

    def _constraint(self) -> PointConstraint:
        """Equality that drives or ideal forces keep."""
        tree = self.expression() if self.relation else None
        return PointConstraint(
            *(
                "@plane",
                "frame",
                tuple(AXES.index(axis) for axis in self.components),
                tree,
                dict(self.constants),
                "target",
                self.relative,
                self.drives(),
            ),
            joints=self.joints,
            inputs=self.inputs,
            order=order_of(names_of(tree)) if tree else 0,
            curved=tree is not None and has_velocity_terms(tree),
            rotations=tuple(AXES.index(axis) for axis in self.rotations),
        )

    def _bands(self) -> Iterable[Band]:
        """Band of each component, or of an inequality."""
        if self.relation:
            tree, (_, edges) = self.expression(), comparison(self._parsed())
            frames = ("", "") if self.joints else ("@plane", "frame")
            yield Band(
                "band", *frames, edges, relation=tree, constants=dict(self.constants), joints=self.joints,
                trajectories=self.inputs,
            )  # fmt: skip
        elif self.band is not None:
            for k, axis in enumerate(self.components):
                tree = ast.Name(axis)
                yield Band("band", "@plane", "frame", tuple(self.band), relation=tree, target=("target", k))

"""Planned curve of a point: a path that a programmed constraint follows, or a relation in two coordinates.

Pure numpy: no Qt.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.mechanics.constraint_blocks import AXES, CORNERED, VARIABLES, ProgrammedConstraint, names_of
from ...blocks.planning.path_motion import Path
from ...blocks.text.expressions import CONSTANTS
from ...solver.flatten.flatten import Flat
from .scene_shapes import TIE, Drawing, Line, Vec

POINTS = 241  # of a path that is round
CELLS = 160  # along each side of the square in which a relation is looked for
REACH = 2.0  # half of that square over how far the point, or the mechanism, is from the plane's origin

FUNCTIONS: dict[str, Callable[[Vec], Vec]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh, "abs": np.abs,
}  # fmt: skip
OPERATIONS: dict[type[ast.operator], Callable[[Vec, Vec], Vec]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
}  # fmt: skip
Frame = tuple[int, Vec, Vec]  # row, R and p


def planned(
    flat: Flat, name: str, block: ProgrammedConstraint, point: Vec, base: Frame, pose: Vec, size: float
) -> Drawing:
    """The plan of a point that starts at `point`, in the world, in a pose; the plane is fixed to `base`."""
    row, R_B, p_B = base
    R, p = (
        R_B @ np.reshape(rotations.rotation_of_turns(block.plane.rotate), (3, 3)),
        p_B + R_B @ np.array(block.plane.at),
    )
    if 0 <= row < len(pose):
        point = pose[row, :9].reshape(3, 3).T @ (point - pose[row, 9:])
    start = R.T @ (point - p)
    led = any((wire.target.block, wire.target.port) == (name, "target") for wire in flat.wires)
    if block.components:
        curves = [of_path(flat, name, block, start)]
    else:
        # a relation that follows signals stands still at no curve
        curves = of_relation(block, start, size) if block.relation and not led and not block.inputs else []
    return Drawing(
        lines=[
            Line(name, block.family, TIE, [row] * len(curve), p + curve @ R.T)
            for curve in curves
            if len(curve) > 1
        ]
    )


def of_path(flat: Flat, name: str, block: ProgrammedConstraint, start: Vec) -> Vec:
    """(n, 3) in the plane's axes, of a path that is wired whole; components without a program stay where they start."""
    wires = [wire for wire in flat.wires if (wire.target.block, wire.target.port) == (name, "target")]
    sources = {(wire.source.block, wire.source_elements) for wire in wires}
    if len(sources) != 1:
        return np.zeros((0, 3))
    source, elements = sources.pop()
    path = flat.blocks.get(source)
    if not isinstance(path, Path) or elements != tuple(range(len(block.components))):
        return np.zeros((0, 3))
    values = points_of(path)
    curve = np.tile(start, (len(values), 1))
    for k, axis in enumerate(block.components):
        at = AXES.index(axis)
        curve[:, at] = values[:, k] + (start[at] if block.relative else 0.0)
    return curve


def points_of(path: Path) -> Vec:
    """(n, width) from its beginning to its end: the corners of one that has any."""
    derived = path.derived()
    if "stops" in derived:
        return np.reshape(derived["stops"], (-1, path.width()))
    out, (begin, lasts, _) = path.instance_functions()["out"], derived["cycle"]
    known = {**path.values, **{key: np.array(value) for key, value in derived.items()}}
    wanted = {key: known[key] for key in inspect.signature(out).parameters if key not in ("t", "during")}
    times = np.linspace(begin, begin + lasts, POINTS)
    places: list[Any] = [out(t=t, during=t, **wanted) for t in times]
    return np.array([[element[0] for element in elements] for elements in places])


def of_relation(block: ProgrammedConstraint, start: Vec, size: float) -> list[Vec]:
    """The zeros of a relation in two of x, y, z alone, by straight lines in a grid; the third stays where it starts."""
    tree = block.expression()
    used = names_of(tree) & set(VARIABLES)
    if block.joints or len(used) != 2 or not used <= set(AXES):
        return []
    from contourpy import contour_generator

    a, b = sorted(AXES.index(axis) for axis in used)
    reach = REACH * max(size, float(np.abs(start).max()))
    side = np.linspace(-reach, reach, CELLS + 1)
    x, y = np.meshgrid(side, side)
    with np.errstate(all="ignore"):  # outside of where the relation is a number there is no curve
        values = np.broadcast_to(value(tree, {AXES[a]: x, AXES[b]: y, **block.constants}), x.shape)
    curves = []
    for found in contour_generator(x, y, np.ma.masked_invalid(values)).lines(0.0):
        curve = np.tile(start, (len(found), 1))
        curve[:, [a, b]] = found
        curves.append(curve)
    return curves


def value(node: ast.expr, known: dict[str, Vec | float]) -> Vec:
    """An expression of `ProgrammedConstraint.expression` over arrays."""
    if isinstance(node, ast.Constant):
        return np.float64(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return np.asarray(known[node.id] if node.id in known else CONSTANTS[node.id], float)
    if isinstance(node, ast.UnaryOp):
        inner = value(node.operand, known)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        if node.func.id in CORNERED:
            pick = np.minimum if node.func.id == "min" else np.maximum
            return reduce(pick, [value(one, known) for one in node.args])
        return FUNCTIONS[node.func.id](value(node.args[0], known))
    assert isinstance(node, ast.BinOp)
    return OPERATIONS[type(node.op)](value(node.left, known), value(node.right, known))

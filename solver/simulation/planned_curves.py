"""Planned curves of programmed constraints: a path that is followed, or a relation in two coordinates, for drawing."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.mechanics.constraint_blocks import AXES, CORNERED, VARIABLES, ProgrammedConstraint, names_of
from ...blocks.multibody_parts import Band, PointConstraint
from ...blocks.planning.path_motion import Path
from ...blocks.text.expressions import CONSTANTS
from ..flatten.flatten import Flat
from ..kernels import model_data as f
from ..mechanism.mechanism import IDENTITY, Mechanism, Pose
from ..results.recorded_run import PlotEntry

if TYPE_CHECKING:
    from .compiled_model import Compiled

POINTS = 241  # of a path that is round
CELLS = 160  # along each side of the square in which a relation is looked for
REACH = 2.0  # half of that square over how far the point, or the mechanism, is from the plane's origin
SAME = 1e-9  # m, of two places on one body
DIGITS, MOST = 7, 1000  # digits and points of the planned curves of a plot

Vec = np.ndarray
FUNCTIONS: dict[str, Callable[[Vec], Vec]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh, "abs": np.abs,
}  # fmt: skip
OPERATIONS: dict[type[ast.operator], Callable[[Vec, Vec], Vec]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
}  # fmt: skip


# in plots


def plots_with_plans(sim: Compiled) -> list[PlotEntry]:
    """Plots of the netlist; those with a `plan` have its curves as pairs of lists, in SI."""
    plots: list[PlotEntry] = []
    for k, entry in enumerate(sim.program.flat.plots):
        plots.append({**entry, "planned": _curves(sim, entry, f"plots[{k}]")} if entry.get("plan") else entry)
    return plots


def _curves(sim: Compiled, entry: PlotEntry, where: str) -> list[list[list[float]]]:
    """Planned curves along the two components of a sensor's position that a plot shows."""
    flat, name = sim.program.flat, str(entry.get("plan"))
    block = flat.blocks.get(name)
    if not isinstance(block, ProgrammedConstraint):
        known = [one for one, other in flat.blocks.items() if isinstance(other, ProgrammedConstraint)]
        mistake = f'"{name}" is no programmed constraint'
        raise LuffError(flat.located(Problem(mistake, f"{where}.plan", did_you_mean(name, known))))
    shown = [_component(signal) for signal in (str(entry.get("x", "time")), *entry["y"][:1])]
    sensors = {sensor for sensor, _ in shown}
    placed = next((one for one in sim.program.mechanism.sensors if {one.block} == sensors), None)
    if placed is None or len(entry["y"]) != 1:
        fix = 'x: "tip.position[0]", y: ["tip.position[1]"]'
        mistake = "found a plan beside signals that are not two components of one sensor's position"
        raise LuffError(flat.located(Problem(mistake, where, fix)))
    X_SP, same_point = _sensor_to_plane(sim.program.mechanism, name, placed)
    if X_SP is None or not same_point:
        mistake = "the plane of the plan moves in the axes of the sensor"
        if X_SP is not None:
            mistake = "the plan is one of another point"
        fix = "add a frame_sensor between the plane's base and the frame of the constraint"
        raise LuffError(flat.located(Problem(mistake, f"{where}.plan", fix)))
    values = dict(zip(sim.signal_names, sim.new_instance().outputs(0.0, sim.x0), strict=True))
    start = X_SP.R.T @ (np.array([values[f"{placed.block}.position[{k}]"] for k in range(3)]) - X_SP.p)
    i, j = (component for _, component in shown)
    curves = [curve @ X_SP.R.T + X_SP.p for curve in curves_in_plane(flat, name, block, start, 0.0)]
    step = 1 + sum(map(len, curves)) // MOST
    curves = [curve if step == 1 else np.vstack((curve[::step], curve[-1:])) for curve in curves]
    # results and pages hold them as text
    return [[[float(f"{at:.{DIGITS}g}") for at in curve[:, k].tolist()] for k in (i, j)] for curve in curves]


def _component(signal: str) -> tuple[str, int]:
    """Sensor and component of `tip.position[1]`; no sensor of other signals."""
    block, _, rest = signal.rpartition(".position[")
    return (block, int(rest[:-1])) if block and rest in ("0]", "1]", "2]") else (signal, -1)


def _sensor_to_plane(mechanism: Mechanism, name: str, sensor: Any) -> tuple[Pose | None, bool]:
    """X_SP from the axes of a sensor to the plane of a constraint, None where it is not constant; True if both see the
    same point.
    """
    acts = [*mechanism.others_of(PointConstraint), *mechanism.elements]
    constraint = next(
        one for one in acts if one.block == name and isinstance(one.part, PointConstraint | Band)
    )
    (row_a, a), (row_p, plane) = (_on_row(mechanism, one.frame_a) for one in (sensor, constraint))
    if row_a != row_p or sensor.part.resolve == "b" or (sensor.part.resolve == "world" and row_a >= 0):
        return None, False
    if sensor.part.resolve == "world":
        a = Pose(np.eye(3), a.p)
    (row_s, seen), (row_b, point) = (_on_row(mechanism, one.frame_b) for one in (sensor, constraint))
    return a.inverse() @ plane, row_s == row_b and float(abs(seen.p - point.p).max()) < SAME


def _on_row(mechanism: Mechanism, frame: int) -> tuple[int, Pose]:
    """Row that moves a frame, welds skipped, and its pose on it; -1 and the pose in the world for none."""
    row, pose = mechanism.frames[frame] if frame >= 0 else (-1, IDENTITY)
    while row >= 0 and mechanism.rows[row].kind == f.WELD:
        row, pose = mechanism.rows[row].parent, mechanism.rows[row].place @ pose
    return row, pose


# in the plane of a constraint


def curves_in_plane(flat: Flat, name: str, block: ProgrammedConstraint, start: Vec, size: float) -> list[Vec]:
    """Curves (n, 3) in the axes of the plane of a constraint whose point is at `start`; a relation is looked for as far
    as `size`.
    """
    led = any((wire.target.block, wire.target.port) == (name, "target") for wire in flat.wires)
    if block.components:
        curves = [of_path(flat, name, block, start)]
    else:
        # a relation that follows signals stands still at no curve
        curves = of_relation(block, start, size) if block.relation and not led and not block.inputs else []
    return [curve for curve in curves if len(curve) > 1]


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

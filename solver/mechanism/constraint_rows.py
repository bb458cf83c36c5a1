"""Rows of `Model.constraint` from cut joints and programmed constraints, each with its meaning in words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import field

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.geometry import rotations
from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import Band, PointConstraint
from ..kernels import model_data as f
from ..kernels.model_data import Model
from .loop_clusters import loop_clusters, moved_rows
from .mechanism import CutJoint, Mechanism, PlacedPart, Pose
from .relation_tape import RelationTape

TIME = ("", "", 0)  # source of the target that is the time


@mutable
class ConstraintTable:
    """Scalar constraints as rows, with the block and the description of each."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    cuts: list[tuple[int, int, int, int]] = field(default_factory=list)
    cut_blocks: list[CutJoint] = field(default_factory=list)
    programs: dict[str, tuple[int, int]] = field(default_factory=dict)  # rows of each block
    targets: list[tuple[str, str, int]] = field(
        default_factory=list
    )  # block, port, element; ("", "", 0) is the time
    relative: list[int] = field(default_factory=list)
    ops: list[tuple[int, int]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)  # block of each min or max of a relation
    bands: dict[int, tuple[int, ...]] = field(default_factory=dict)  # by element: its columns behind E_INPUT
    late: set[int] = field(default_factory=set)  # targets that bands alone read, behind kinematics
    depth: int = 1

    def add(
        self, block: str, words: str, kind: int, a: int, b: int, axis_a: int = 0, axis_b: int = 0, **more: int
    ) -> None:
        """Append a scalar constraint of a kind between frames a and b."""
        rest = (more.get("target", -1), more.get("first", 0), more.get("last", 0), more.get("servo", -1))
        joints = [more.get(name, -1) for name in "xyz"]
        self.rows.append((kind, a, b, axis_a, axis_b, *rest, *joints, more.get("curved", 0)))
        self.blocks.append(block)
        self.words.append(words)

    def moving(self) -> bool:
        """True if a constraint can do work: its target moves, or a relation depends on time."""
        return bool(self.targets)


def constraint_table(mechanism: Mechanism) -> ConstraintTable:
    """Constraints of all cut joints and programmed constraints."""
    table = ConstraintTable()
    for cut in mechanism.cuts:
        first = len(table.rows)
        closure_rows(table, mechanism, cut)
        table.cuts.append((cut.resolve, cut.frame_b, first, len(table.rows)))
        table.cut_blocks.append(cut)
    for placed in mechanism.others_of(PointConstraint):
        first = len(table.rows)
        programmed_rows(table, mechanism, placed)
        table.programs[placed.block] = (first, len(table.rows))
    read = len(table.targets)
    for e, placed in enumerate(mechanism.elements):
        if isinstance(placed.part, Band):
            table.bands[e] = band_columns(table, mechanism, placed.block, placed.part)
    table.late = {k for k in range(read, len(table.targets)) if table.targets[k] != TIME}
    return table


def band_columns(table: ConstraintTable, mechanism: Mechanism, block: str, part: Band) -> tuple[int, ...]:
    """First operation of a band's tape and the one behind its last; rows of the joints x, y and z, -1 without."""
    joints = joint_rows(mechanism, block, part.joints)
    port, element = part.target
    first, last = append_tape(
        table, block, part.relation, part.constants, part.trajectories, (block, port, element)
    )
    return first, last, *(joints.get(name, -1) for name in "xyz")


def append_tape(
    table: ConstraintTable,
    block: str,
    relation: ast.expr,
    constants: Mapping[str, float],
    inputs: Iterable[str],
    target: tuple[str, str, int],
) -> tuple[int, int]:
    """Append the operations of a relation less its target; first one, and the one behind the last."""
    first = len(table.ops)
    named = {name: target_row(table, (block, name, 0)) for name in inputs}
    if "t" in {node.id for node in ast.walk(relation) if isinstance(node, ast.Name)}:
        named["t"] = target_row(table, TIME)
    tape = RelationTape(constants, named, len(table.constants), len(table.choices))
    depth = tape.follow(relation, target_row(table, target))
    table.ops += tape.ops
    table.constants += tape.numbers
    table.choices += [block] * tape.choices
    table.depth = max(table.depth, depth)
    return first, len(table.ops)


def axis_words(axis: np.ndarray) -> str:
    """Direction in the axes of frame_a in words, sign dropped: `x`, or `[0.6, 0, 0.8]`."""
    for name, unit in zip("xyz", np.eye(3), strict=True):
        if abs(abs(axis @ unit) - 1.0) < 1e-9:
            return name
    return "[" + ", ".join(f"{value:.3g}" for value in axis.round(12) + 0.0) + "]"


def rotated_frame(mechanism: Mechanism, frame: int, R: np.ndarray) -> int:
    """Number of a new frame with the origin of `frame` and axes rotated by R."""
    row, pose = mechanism.frames[frame]
    mechanism.frames.append((row, pose @ Pose(R, np.zeros(3))))
    return len(mechanism.frames) - 1


def closure_rows(table: ConstraintTable, mechanism: Mechanism, cut: CutJoint) -> None:
    """Append the constraints of a cut joint between its frames."""
    kind, block = "fixed" if cut.weld else cut.part.kind, cut.block
    a, b = cut.frame_a, cut.frame_b
    if cut.part.normal is not None:
        planar_closure_rows(table, mechanism, cut, kind, np.array(cut.part.normal))
        return

    def align(fa: int, ka: int, fb: int, kb: int, words: str) -> None:
        table.add(block, f"rotation {words}", f.ALIGN, fa, fb, ka, kb)

    R = np.eye(3)
    if kind in ("revolute", "prismatic"):
        R = rotations.rotation_z_to(cut.part.coordinates[0].axis)
        a, b = rotated_frame(mechanism, a, R), rotated_frame(mechanism, b, R)
    x, y, z = (axis_words(R[:, k]) for k in range(3))
    if kind == "revolute":
        # the axis of b is orthogonal to x and y of a
        align(a, 0, b, 2, f"about {y}")
        align(a, 1, b, 2, f"about {x}")
    elif kind in ("prismatic", "fixed"):
        align(a, 0, b, 1, f"about {z}")
        align(a, 0, b, 2, f"about {y}")
        align(a, 1, b, 2, f"about {x}")
    elif kind == "universal":
        first, last = cut.part.coordinates
        fa = rotated_frame(mechanism, a, rotations.rotation_z_to(first.axis))
        fb = rotated_frame(mechanism, b, rotations.rotation_z_to(last.axis))
        align(fa, 2, fb, 2, "about the normal of its axes")
    elif kind == "free":
        raise CompileError(
            "found a free joint in a loop, where it constrains nothing", path=block, fix="remove it"
        )
    for k in range(2 if kind == "prismatic" else 3):
        table.add(block, f"translation along {(x, y, z)[k]}", f.POINT, a, b, k)


def planar_closure_rows(
    table: ConstraintTable, mechanism: Mechanism, cut: CutJoint, kind: str, normal: np.ndarray
) -> None:
    """Append the constraints of a cut joint within the plane of motion: others hold by themselves."""
    x = (
        np.array(cut.part.coordinates[0].axis)
        if kind == "prismatic"
        else rotations.rotation_z_to(normal)[:, 0]
    )
    R = np.column_stack([x, np.cross(normal, x), normal])
    a, b = rotated_frame(mechanism, cut.frame_a, R), rotated_frame(mechanism, cut.frame_b, R)
    if kind in ("prismatic", "fixed"):
        table.add(cut.block, f"rotation about {axis_words(normal)}", f.ALIGN, a, b, 0, 1)
    for k in (1,) if kind == "prismatic" else (0, 1):
        table.add(cut.block, f"translation along {axis_words(R[:, k])}", f.POINT, a, b, k)


def programmed_rows(
    table: ConstraintTable, mechanism: Mechanism, placed: PlacedPart[PointConstraint]
) -> None:
    """Append the rows of one programmed constraint; `servo` is the row of the drive that realises each."""
    part = placed.part
    joints = joint_rows(mechanism, placed.block, part.joints)
    if placed.frame_b < 0 and not joints:
        raise CompileError(
            "nothing is wired to frame",
            path=placed.block,
            fix="wire the frame of the point that it constrains",
        )
    servos = [drive_row(mechanism, placed.block, name) for name in part.drives] or [-1] * max(
        len(part.components) + len(part.rotations), 1
    )
    if part.relation is not None:
        time, target = target_row(table, TIME), (placed.block, part.target, 0)
        first, last = append_tape(table, placed.block, part.relation, part.constants, part.inputs, target)
        # a relation between joints acts on no frame: both frames of its tie are the same
        frame = mechanism.joints[mechanism.rows[joints["x"]].joint].frame_a if joints else -1
        a, b = (frame, frame) if joints else (placed.frame_a, placed.frame_b)
        table.add(placed.block, "relation", f.RELATION + part.order, a, b, target=time, first=first,
                  last=last, servo=servos[0], curved=int(part.curved), **joints)  # fmt: skip
        return
    for k, component in enumerate(part.components):
        if part.relative:
            table.relative.append(len(table.rows))
        target = target_row(table, (placed.block, part.target, k))
        words = f"component {'xyz'[component]}"
        table.add(
            placed.block,
            words,
            f.POINT,
            placed.frame_a,
            placed.frame_b,
            component,
            target=target,
            servo=servos[k],
        )
    for k, (axis_a, axis_b, about) in enumerate(held_axes(part.rotations), len(part.components)):
        # it follows nothing; the target marks it as programmed
        frames = placed.frame_a, placed.frame_b
        table.add(placed.block, f"rotation about {about}", f.ALIGN, *frames, axis_a, axis_b,
                  target=target_row(table, TIME), servo=servos[k])  # fmt: skip


def held_axes(rotations: tuple[int, ...]) -> list[tuple[int, int, str]]:
    """Pairs of axes (of a, of b) that stay at right angles so that b does not rotate about `rotations`, axes of a.

    With two of them the third axis of b keeps its direction.
    """
    if len(rotations) == 2:
        (third,) = {0, 1, 2} - {*rotations}
        # about axis i the third axis of b leaves towards the other one
        return [(3 - third - i, third, "xyz"[i]) for i in rotations]
    pairs = {0: (1, 2), 1: (0, 2), 2: (0, 1)}
    return [(*pairs[i], "xyz"[i]) for i in rotations]


def joint_rows(mechanism: Mechanism, block: str, names: tuple[str, ...]) -> dict[str, int]:
    """Rows of the joints that a relation names x, y and z."""
    rows = {}
    for variable, name in zip("xyz", names, strict=False):
        row = rows[variable] = drive_row(mechanism, block, name, "joints")
        coordinate = mechanism.rows[row].coordinate
        if coordinate is not None and coordinate.follow:
            fix = "wire to each joint the trajectory that it should follow, and remove the relation"
            raise CompileError(Problem(f'"{name}" is prescribed by a trajectory', f"{block}.joints", fix))
    return rows


def target_row(table: ConstraintTable, source: tuple[str, str, int]) -> int:
    """Row of `Data.target` of a source, appended if new."""
    if source not in table.targets:
        table.targets.append(source)
    return table.targets.index(source)


def drive_row(mechanism: Mechanism, block: str, name: str, entry: str = "realised_by") -> int:
    """Row of the joint that `block` names as a drive; CompileError if it has not one coordinate in the tree."""
    known = {}
    for joint in mechanism.joints:
        if not joint.part.name and joint.first == joint.last and joint.part.coordinates:
            known[joint.block] = joint.first
    scope = block.rpartition(".")[0]
    full = f"{scope}.{name}" if scope else name
    if full not in known:
        fix = did_you_mean(full, known)
        raise CompileError(
            Problem(f'"{name}" is not a joint with one coordinate in the tree', f"{block}.{entry}", fix)
        )
    return known[full]


def tie_signs(topo: np.ndarray, frame_row: np.ndarray, a: int, b: int) -> np.ndarray:
    """Sign of each row for a pair of frames: 1 between b and the world, -1 between a and the world, 0 on both or
    neither.
    """
    marks = np.zeros(len(topo))
    for frame, sign in ((b, 1.0), (a, -1.0)):
        i = frame_row[frame]
        while i >= 0:
            marks[i] += sign
            i = topo[i, f.PARENT]
    return marks


def longest_lever(model: Model) -> float:
    """Largest distance |p_BF| of a frame from the origin of its body [m]; 1 where there is none."""
    places = model.frame_place[model.frame_row >= 0, f.p_BF : f.p_BF + 3]
    return float(np.linalg.norm(places, axis=1).max(initial=0.0)) or 1.0


def in_lengths(
    J: np.ndarray, kinds: np.ndarray, slides: np.ndarray, lever: float
) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and of columns that bring all entries of a constraint Jacobian to lengths [m].

    Attitudes and slides count by the lever; an expression, of any unit, as if its longest entry were the lever.
    """
    columns = np.where(slides, lever, 1.0)
    longest = abs(J * columns).max(axis=1, initial=0.0)
    free = np.where(longest > 0.0, lever / np.where(longest > 0.0, longest, 1.0), 1.0)
    rows = np.where(kinds == f.POINT, 1.0, np.where(kinds == f.ALIGN, lever, free))
    return rows, columns


def pack_constraints(
    table: ConstraintTable, topo: np.ndarray, frame_row: np.ndarray
) -> dict[str, np.ndarray]:
    """Arrays of `Model` that describe constraints; the caller sets method and solver."""
    pairs = list(dict.fromkeys((a, b) for _, a, b, *_ in table.rows))
    place = {pair: k for k, pair in enumerate(pairs)}
    ties = [place[row[1], row[2]] for row in table.rows]
    way = np.array([tie_signs(topo, frame_row, a, b) for a, b in pairs]).reshape(len(pairs), len(topo))
    moved = moved_rows(table.rows, ties, way, bool(np.isin(topo[:, f.KIND], (f.MODAL, f.FACE)).any()))
    ends = np.cumsum([0, *map(len, moved)]).tolist()
    rows = [(*row, tie, *ends[k : k + 2]) for k, (row, tie) in enumerate(zip(table.rows, ties, strict=True))]
    cluster, member = loop_clusters(topo[:, f.PARENT].tolist() if table.rows else [], moved)
    return {
        "constraint": np.array(rows, np.int64).reshape(-1, f.CONSTRAINT_COLUMNS),
        "tie": np.array(pairs, np.int64).reshape(-1, 2),
        "way": way,
        "moved": np.array([i for own in moved for i in own], np.int64),
        "cluster": cluster,
        "member": member,
        "constraint_value": np.zeros(len(table.rows)),
        "tape": np.array(table.ops, np.int64).reshape(-1, 2),
        "tape_value": np.array(table.constants, float),
        "cut": np.array(table.cuts, np.int64).reshape(-1, 4),
    }

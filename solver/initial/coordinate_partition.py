"""Coordinate partitioning (Wehage and Haug 1982): independent coordinates by pivoting; redundant constraints."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.light_dataclass import mutable, record
from ..kernels import model_data as f
from ..kernels.model_data import Model
from ..mechanism.blocks import least_squares
from ..mechanism.constraint_rows import ConstraintTable, in_lengths, longest_lever
from ..mechanism.mechanism import Mechanism
from .loop_blocks import block_order
from .row_masks import FixedRows, elastic_rows, quaternion_rows

# pivot that counts as zero, of rows of length 1 whose entries are all lengths: half of the digits
RANK = 1e-8
# norm of rows that are rounding, of directions in which nothing can move, over that of the longest row. Positions are
# known to some 1e-16 of their own size, so that a mechanism may stand 1e5 levers away from the origin
NOISE = 1e-11
# share in a redundant row; pivots of RANK blow rounding up to that
IMPLIED = 64.0 * np.finfo(float).eps / RANK
KEEP = 0.05  # weight of coordinates preferred as states: given at the start, or driven
DEMANDED = 1e6  # weight of coordinates that the user wants dependent
MODE = 1e-4  # weight of the softest mode of flexible bodies
NEVER = 1e-6  # weight of quaternion rows, of which all three are states


@mutable
class Partition:
    """Partition of rows and constraints: the lists of `Data.part`."""

    independent: np.ndarray
    dependent: np.ndarray
    active: np.ndarray
    force_independent: np.ndarray
    force_dependent: np.ndarray
    holonomic: int  # number of active constraints on positions; these come first
    kinematic: int  # number of active constraints on positions or velocities
    blocks: list[int]  # sizes of the diagonal blocks of Phi_d, in their order


@record
class Redundant:
    """Redundant constraint: its block, the motion it holds, and the blocks that hold that already."""

    block: str
    what: str
    held: str

    def __str__(self) -> str:
        return f"{self.block} over-constrains {self.what} (already held by {self.held})"


@mutable
class RankReport:
    """Degrees of freedom, rank of the constraints, redundant constraints."""

    free: int
    constraints: int
    rank: int
    repeated: list[Redundant] = field(default_factory=list)
    internal: list[str] = field(
        default_factory=list
    )  # coordinates that servo constraints leave to themselves

    @property
    def redundant(self) -> list[str]:
        """Redundant constraints in words."""
        return list(map(str, self.repeated))

    def as_dict(self) -> dict[str, object]:
        """Report as a dictionary of plain values."""
        return {
            "coordinates": self.free,
            "constraints": self.constraints,
            "independent_constraints": self.rank,
            "degrees_of_freedom": self.free - self.rank,
            "redundant": self.redundant,
            "internal": self.internal,
        }


def pivots(
    A: np.ndarray,
    order: np.ndarray,
    column_weight: np.ndarray,
    lengths: tuple[np.ndarray, np.ndarray] | None = None,
) -> list[tuple[int, int]]:
    """(row, column) pivots of elimination with complete pivoting on weighted entries, as many as the rank.

    Rows of lower `order` are picked first. `lengths`: factors of rows and of columns that bring all entries to one unit
    (`in_lengths`), in which the rank is decided.
    """
    by_row, by_column = lengths or (np.ones(len(A)), np.ones(A.shape[1]))
    norm, size = np.linalg.norm(A, axis=1), np.linalg.norm(by_row[:, None] * A * by_column, axis=1)
    moves = size > NOISE * size.max(initial=0.0)
    A = np.where(moves[:, None], A / np.where(moves, norm, 1.0)[:, None], 0.0)
    # entries in one unit, of rows of length 1: elimination leaves factors of rows and columns as they are
    scale = np.outer(np.where(moves, by_row * norm / np.where(moves, size, 1.0), 0.0), by_column)
    rows, columns = np.ones(len(A), bool), np.ones(A.shape[1], bool)
    picked: list[tuple[int, int]] = []
    while rows.any() and columns.any():
        size = abs(A) * scale * rows[:, None] * columns[None, :]
        if size.max() < RANK:
            break
        left = order[size.max(axis=1) > RANK]
        size = np.where((order == left.min())[:, None], size, 0.0)
        # take the row with the largest weighted entry; tiny true pivots never win by weight
        weighted = np.where(size > RANK, abs(A) * column_weight[None, :], 0.0)
        i, j = np.unravel_index(int(np.argmax(weighted)), weighted.shape)
        picked.append((int(i), int(j)))
        rows[i] = columns[j] = False
        A -= np.outer(A[:, j] / A[i, j], A[i])
    return picked


def lengths_of(
    model: Model, J: np.ndarray, kinds: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Factors that bring rows of constraints and columns `index` of their Jacobian to lengths [m]."""
    slides = model.topo[index, f.KIND] == f.PRISMATIC
    return in_lengths(J, kinds, slides, longest_lever(model))


def choose_partition(
    mechanism: Mechanism,
    table: ConstraintTable,
    model: Model,
    jac: np.ndarray,
    given: FixedRows,
    wished: tuple[str, ...],
    drives: set[int],
    positions: bool,
) -> tuple[Partition, RankReport]:
    """Partition at one configuration by pivoting.

    `wished`: names of coordinates to make dependent; `positions`: dependent positions follow by Newton, which rules out
    quaternion rows.
    """
    free = model.topo[:, f.MODE] == f.FREE
    names = mechanism.coordinate_names()
    weight = np.where(given.positions, KEEP, 1.0)
    weight[sorted(drives)] = KEEP
    weight[elastic_rows(mechanism)] = KEEP
    weight[quaternion_rows(model)] = NEVER
    modal = model.topo[:, f.KIND] == f.MODAL
    # a mode follows constraints only where no joint can, the softest first
    stiffness = model.coordinate[modal, f.STIFFNESS]
    weight[modal] = MODE * np.sqrt(stiffness.min(initial=np.inf) / stiffness) if stiffness.all() else MODE
    for name in wished:
        weight[called(name, names)] = DEMANDED
    index = np.flatnonzero(free)
    # velocity constraints come behind, acceleration constraints last: those on positions must be solvable alone
    kinds = np.array([row[f.C_KIND] for row in table.rows], np.int64)
    servo = np.array([row[f.C_SERVO] for row in table.rows], np.int64)
    order = np.maximum(kinds - f.RELATION, 0)
    lengths = lengths_of(model, jac[:, index], kinds, index)
    picked = pivots(jac[:, index], order, weight[index], lengths)
    if len(picked) < len(jac):
        # joints before programmed constraints, ideal ones before those that drives realise: what is held by itself
        # leaves nothing to a drive, and the motion does not hang on which row rounding makes the larger one
        order = 3 * np.maximum(kinds - f.RELATION, 0)
        for first, last in table.programs.values():
            order[first:last] = np.maximum(order[first:last], 1)
        order[servo >= 0] += 1
        picked = pivots(jac[:, index], order, weight[index], lengths)
    active = np.array([i for i, _ in picked], np.int64)
    dependent = np.array([index[j] for _, j in picked], np.int64)
    active, dependent, blocks = block_order(model, active, dependent)
    if positions:
        check_orientations(mechanism, model, dependent)
    independent = np.array([i for i in index if i not in set(dependent.tolist())], np.int64)
    holonomic, kinematic = (int(np.sum(kinds[active] <= last)) for last in (f.RELATION, f.VELOCITY_RELATION))
    partition = Partition(
        independent, dependent, active, independent, dependent, holonomic, kinematic, blocks
    )
    if (servo[active] >= 0).any():
        partition = with_drives(mechanism, table, model, partition, jac, servo, index)
    internal = [names[i] for i in independent if names[i]] if (servo >= 0).any() else []
    words = redundant_words(mechanism, table, model, jac[:, index], active)
    report = RankReport(len(index), len(jac), len(active), words, internal)
    return partition, report


def check_orientations(mechanism: Mechanism, model: Model, dependent: np.ndarray) -> None:
    """CompileError if a quaternion would have to follow from constraints."""
    turned = dependent[quaternion_rows(model)[dependent]]
    if len(turned):
        joint = mechanism.joints[mechanism.rows[int(turned[0])].joint]
        kind = joint.part.kind
        mistake = f"the constraints determine the orientation of a {kind} joint, which is a quaternion"
        other = "coordinates: angles" if kind == "spherical" else "a spherical joint with given links"
        fix = f"use {other}, or method: projected or baumgarte"
        raise CompileError(Problem(mistake, joint.block, fix))


def called(name: str, names: list[str]) -> list[int]:
    """Rows of the coordinates of a name, or of a joint of that name."""
    return [i for i, known in enumerate(names) if known and name in (known, known.rpartition(".")[0])]


def rows_called(name: str, names: list[str]) -> list[int]:
    """Rows of the coordinates of a name; CompileError if no coordinate has it."""
    rows = called(name, names)
    if not rows:
        fix = did_you_mean(name, [known for known in names if known])
        raise CompileError(
            Problem(f'no coordinate is called "{name}"', "simulation.constraints.dependent", fix)
        )
    return rows


def with_drives(
    mechanism: Mechanism,
    table: ConstraintTable,
    model: Model,
    partition: Partition,
    jac: np.ndarray,
    servo: np.ndarray,
    index: np.ndarray,
) -> Partition:
    """Partition with the force-dependent rows of servo constraints; CompileError if a drive is blocked."""
    F = np.array([jac[c] if servo[c] < 0 else np.eye(jac.shape[1])[servo[c]] for c in partition.active])
    kinds = np.where(servo[partition.active] < 0, model.constraint[partition.active, f.C_KIND], f.RELATION)
    lengths = lengths_of(model, F[:, index], kinds, index)
    picked = pivots(F[:, index], np.zeros(len(F)), np.ones(len(index)), lengths)
    if len(picked) < len(F):
        missing = sorted(set(range(len(F))) - {i for i, _ in picked})
        c = int(partition.active[missing[0]])
        drive = (
            mechanism.joints[mechanism.rows[int(servo[c])].joint].block if servo[c] >= 0 else table.blocks[c]
        )
        raise CompileError(
            Problem(
                f"the drive {drive} acts along other constraints only", table.blocks[c], "name another drive"
            )
        )
    by_constraint = dict(picked)
    force_dependent = np.array([index[by_constraint[a]] for a in range(len(F))], np.int64)
    force_independent = np.array([i for i in index if i not in set(force_dependent.tolist())], np.int64)
    return replace(partition, force_independent=force_independent, force_dependent=force_dependent)


def redundant_words(
    mechanism: Mechanism, table: ConstraintTable, model: Model, jac: np.ndarray, active: np.ndarray
) -> list[Redundant]:
    """Redundant constraints with the blocks that imply each, or the joints of its loop."""
    words = []
    rest = sorted(set(range(len(jac))) - set(active.tolist()))
    size = np.linalg.norm(jac, axis=1)  # rows of length 1, as `pivots` takes them, have no units to weigh
    jac = jac / np.where(size > 0.0, size, 1.0)[:, None]
    shares = least_squares(jac[active].T, jac[rest].T) if rest else np.zeros((len(active), 0))
    for c, share in zip(rest, shares.T, strict=True):
        partners = {table.blocks[int(active[k])] for k in np.flatnonzero(abs(share) > IMPLIED)}
        others = sorted(partners - {table.blocks[c]}) or loop_joints(mechanism, model, c)
        held = ", ".join(others) or "one body"
        words.append(Redundant(table.blocks[c], table.words[c], held))
    return words


def loop_joints(mechanism: Mechanism, model: Model, c: int) -> list[str]:
    """Joints around the loop of constraint c; welds only if nothing in it moves."""
    ways = []
    for column in (f.C_FRAME_A, f.C_FRAME_B):
        i, way = int(model.frame_row[model.constraint[c, column]]), []
        while i >= 0:
            way.append(mechanism.rows[i].joint)
            i = int(model.topo[i, f.PARENT])
        ways.append(way)
    around = [mechanism.joints[j] for j in sorted(set(ways[0]) ^ set(ways[1]))]
    moving = [joint for joint in around if joint.part.coordinates] or around
    return list(dict.fromkeys(joint.block for joint in moving))


def over_constrained(redundant: list[Redundant], ambiguous: str) -> list[str]:
    """Note for each block with redundant constraints, and the consequence for the reactions."""
    words: dict[tuple[str, str], list[str]] = {}
    for one in redundant:
        words.setdefault((one.block, one.held), []).append(one.what)
    means = f": the motion is not affected; {ambiguous}" if ambiguous else ""
    notes = [
        f"{block} over-constrains {' and '.join(filter(None, (', '.join(what[:-1]), what[-1])))} "
        f"(already held by {held})"
        for (block, held), what in words.items()
    ]
    return [*notes[:-1], notes[-1] + means] if notes else [ambiguous] if ambiguous else []

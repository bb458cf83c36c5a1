"""Packing of a `Mechanism` into the arrays of `Model`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.multibody_parts import SolidPair, StoredEnergy
from ..kernels import model_data as f
from ..kernels.model_data import Model
from .constraint_rows import ConstraintTable, pack_constraints
from .flexible_rows import pack_bodies, segments
from .friction_parameters import rows_with_friction
from .massless_coordinates import check_masses
from .mechanism import Mechanism, Pose
from .model_packing import UNSPRUNG, PartNumbers
from .solid_tables import pack_solids
from .state_names import States, mode_of

ELEMENT_KINDS = {
    "line": f.LINE,
    "bushing": f.BUSHING,
    "contact": f.CONTACT,
    "support": f.SUPPORT,
    "touch_flat": f.TOUCH,
    "touch_round": f.TOUCH,
    "touch_hull": f.TOUCH,
    "touch_mixed": f.TOUCH,
    "touch_ground": f.TOUCH,
    "touch_ground_round": f.TOUCH,
    "clearance": f.CLEARANCE,
    "force_world": f.FORCE_WORLD,
    "force_b": f.FORCE_B,
    "torque_world": f.TORQUE_WORLD,
    "torque_b": f.TORQUE_B,
    "segment": f.SEGMENT,
    "fluid": f.FLUID,
    "immersed": f.FLUID,
    "band": f.BAND,
    "rail": f.RAIL,
}
AXES = {"world": 0, "a": 1, "b": 2}


def pose_columns(pose: Pose) -> np.ndarray:
    """R row by row, then p (12)."""
    return np.concatenate([pose.R.ravel(), pose.p])


def pack_model(
    mechanism: Mechanism,
    gravity: tuple[float, ...],
    states: States,
    first_input: dict[tuple[str, str], int],
    table: ConstraintTable,
) -> Model:
    """`Model` of a mechanism; `first_input`: place in `Data.inputs` of each element that reads signals."""
    rows = mechanism.rows
    n = len(rows)
    topo = np.zeros((n, 6), np.int64)
    numbers = np.zeros((n, f.MODEL_COLUMNS))
    numbers[:, f.COORDINATE : f.FRICTION] = UNSPRUNG
    for i, row in enumerate(rows):
        shift = row.kind == f.PRISMATIC or bool(np.any(row.place.p))
        number = row.flexible if row.kind in (f.MODAL, f.FACE) else max(row.quat, 0)
        topo[i, : f.BRANCHED] = row.parent, row.kind, mode_of(mechanism, i), number, shift
        if 0 <= row.parent < i - 1:
            topo[row.parent, f.BRANCHED] = 1
        numbers[i, : f.BODY_MASS] = pose_columns(row.place)
    for body in mechanism.flexible:  # sums of what stands on it, and on its interfaces
        topo[[body.row, *body.faces], f.BRANCHED] = 1
    frame_row = np.array([row for row, _ in mechanism.frames], np.int64)
    frame_place = np.array([pose_columns(pose) for _, pose in mechanism.frames]).reshape(-1, f.FRAME_COLUMNS)
    spring = spring_table(mechanism)
    arrays = {
        "row": numbers,
        "element_value": np.zeros((len(mechanism.elements), f.VALUE_COLUMNS)),
        "spring_value": np.zeros((len(spring), f.SP_COEFFICIENTS + spring.shape[1] - f.SP_ROWS)),
    }
    for array, place, columns, written in PartNumbers(mechanism).all():
        arrays[array][place, columns] = written
    if mechanism.rows:
        check_masses(mechanism, topo, numbers[:, f.BODY_MASS : f.COORDINATE], bool(table.rows))
    check_flexible(mechanism)
    joint = np.array(
        [(j.first, j.last, j.reversed, j.frame_a, j.frame_b, j.resolve) for j in mechanism.joints], np.int64
    )
    return Model(
        topo=topo,
        spring=spring,
        **arrays,
        frame_row=frame_row,
        frame_place=frame_place,
        constant=np.array([*gravity, 0.0, 0.0]),
        element=element_rows(mechanism, first_input, table),
        **pack_solids(mechanism),
        joint=joint.reshape(-1, 6),
        sensor=sensor_rows(mechanism),
        state=states.array,
        bushing=np.zeros((len(mechanism.joints) + len(mechanism.cuts), 2)),
        store=pack_stores(mechanism),
        option=options_of(mechanism, table, numbers),
        segment=segments(mechanism),
        **pack_bodies(mechanism.flexible),
        **pack_constraints(table, topo, frame_row),
    )


def spring_table(mechanism: Mechanism) -> np.ndarray:
    """`Model.spring`: numbers and rows of the coordinates of each linear spring."""
    rows = [mechanism.spring_rows(s) for s in range(len(mechanism.springs))]
    table = np.full((len(rows), f.SP_ROWS + max(map(len, rows), default=0)), -1, np.int64)
    for s, own in enumerate(rows):
        table[s, f.SP_COUNT], table[s, f.SP_ROWS : f.SP_ROWS + len(own)] = len(own), own
    return table


def options_of(mechanism: Mechanism, table: ConstraintTable, numbers: np.ndarray) -> np.ndarray:
    """`Model.option`: counts; methods are chosen at the start."""
    option = np.zeros(f.OPTIONS, np.int64)
    option[f.O_QUATS] = mechanism.quats
    option[f.O_SERVO] = sum(row[f.C_SERVO] >= 0 for row in table.rows)
    option[f.O_ADDED] = sum(ELEMENT_KINDS[placed.part.kind] == f.FLUID for placed in mechanism.elements)
    option[f.O_FRICTION] = np.count_nonzero(numbers[:, f.FRICTION + f.F_LAW])
    option[f.O_PAIR_BRISTLES] = sum(
        placed.part.bristle for placed in mechanism.elements if isinstance(placed.part, SolidPair)
    )
    return option


def element_rows(
    mechanism: Mechanism, first_input: dict[tuple[str, str], int], table: ConstraintTable
) -> np.ndarray:
    """`Model.element`: kind, frames and first input of each force element; tape and joints of bands."""
    element = np.full((len(mechanism.elements), f.ELEMENT_ROW_COLUMNS), -1, np.int64)
    for e, placed in enumerate(mechanism.elements):
        kind = ELEMENT_KINDS[placed.part.kind]
        if kind == f.FLUID and mechanism.frames[placed.frame_b][0] < 0:
            fix = "wire it to a link on a joint that moves, such as `free`"
            raise CompileError("its frame_b is fixed to the world", path=placed.block, fix=fix)
        port = placed.part.inputs[0] if placed.part.inputs else ""
        first = first_input.get((placed.block, port), 0)
        element[e, : f.E_FIRST] = kind, placed.frame_a, placed.frame_b, first
        if e in table.bands:
            element[e, f.E_FIRST :] = table.bands[e]
            row = element[e, f.E_JOINTS]
            if row >= 0:  # it acts on no frame; those of its joint say where it belongs
                joint = mechanism.joints[mechanism.rows[row].joint]
                element[e, [f.E_FRAME_A, f.E_FRAME_B]] = joint.frame_a, joint.frame_b
    return element


def sensor_rows(mechanism: Mechanism) -> np.ndarray:
    """`Model.sensor`: frames and axes of each sensor."""
    rows = [(s.frame_a, s.frame_b, AXES[s.part.resolve]) for s in mechanism.sensors]
    return np.array(rows, np.int64).reshape(-1, 3)


def check_flexible(mechanism: Mechanism) -> None:
    """CompileError for what flexible bodies exclude: friction under a joint's own reaction, releases, hulls."""
    if not mechanism.flexible:
        return
    held = [joint.block for joint in mechanism.joints if joint.part.hold]
    if held:
        raise CompileError("a release stands in a mechanism with a flexible body", path=held[0])
    floating = [placed.block for placed in mechanism.elements if ELEMENT_KINDS[placed.part.kind] == f.FLUID]
    if floating:
        raise CompileError("an added mass stands in a mechanism with a flexible body", path=floating[0])
    rubbing = [
        Problem(
            "its friction follows its own reaction, in a mechanism with a flexible body",
            block,
            "give it a load",
        )
        for block in dict.fromkeys(
            mechanism.joints[mechanism.rows[i].joint].block
            for i, _, friction in rows_with_friction(mechanism)
            if friction.load is None
        )
    ]
    if rubbing:
        raise CompileError(rubbing)


def pack_stores(mechanism: Mechanism) -> np.ndarray:
    """Rows of `Model.store`: springs of the blocks that report their stored energy, in contiguous runs."""
    stores: list[tuple[int, int, int, int]] = []
    for of, block in enumerate(energy_reporters(mechanism)):
        rows = [i for j in mechanism.joints if j.block == block for i in range(j.first, j.last + 1)]
        springs = [s for s, (joint, _) in enumerate(mechanism.springs) if joint.block == block]
        elements = [e for e, placed in enumerate(mechanism.elements) if placed.block == block]
        for kind, numbers in ((f.OF_ROWS, rows), (f.OF_SPRINGS, springs), (f.OF_ELEMENTS, elements)):
            stores += [(of, first, last, kind) for first, last in contiguous_runs(numbers)]
    return np.array(stores, np.int64).reshape(-1, 4)


def energy_reporters(mechanism: Mechanism) -> list[str]:
    """Blocks that report their stored energy, in the order of `Data.store_out`."""
    return [placed.block for placed in mechanism.others_of(StoredEnergy)]


def contiguous_runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers: 1, 2, 3, 7 -> (1, 3), (7, 7)."""
    unbroken: list[tuple[int, int]] = []
    for number in numbers:
        if unbroken and unbroken[-1][1] == number - 1:
            unbroken[-1] = (unbroken[-1][0], number)
        else:
            unbroken.append((number, number))
    return unbroken

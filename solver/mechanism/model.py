"""Pack a `Mechanism` into the arrays of `Model`, and name its states."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.parts import Body, Coordinate, StoredEnergy
from ..machine import fields as f
from ..machine.fields import Model
from .constraint_table import Table, pack_constraints
from .friction_numbers import pack_friction
from .masses import check_masses
from .spanning import Mechanism, Pose
from .states import States, mode_of

ELEMENT_KINDS = {
    "line": f.LINE,
    "bushing": f.BUSHING,
    "contact": f.CONTACT,
    "support": f.SUPPORT,
    "force_world": f.FORCE_WORLD,
    "force_b": f.FORCE_B,
    "torque_world": f.TORQUE_WORLD,
    "torque_b": f.TORQUE_B,
    "segment": f.SEGMENT,
}
UNSPRUNG = (
    0.0,
    0.0,
    0.0,
    -np.inf,
    np.inf,
    0.0,
    0.0,
    1.0,
    0.0,
    0.0,
)  # columns of a coordinate without spring and stops
AXES = {"world": 0, "a": 1, "b": 2}


def flat_pose(pose: Pose) -> np.ndarray:
    return np.concatenate([pose.R.ravel(), pose.p])


def pack(
    mechanism: Mechanism,
    gravity: tuple[float, ...],
    states: States,
    first_input: dict[str, int],
    table: Table,
) -> Model:
    """All arrays of the model; `first_input` gives the place in `Data.inputs` of each element that reads signals."""
    rows = mechanism.rows
    n = len(rows)
    topo = np.zeros((n, 6), np.int64)
    place = np.zeros((n, f.FRAME_COLUMNS))
    coordinate = np.tile(UNSPRUNG, (n, 1))
    for i, row in enumerate(rows):
        shift = row.kind == f.PRISMATIC or bool(np.any(row.place.p))
        topo[i, : f.BRANCHED] = row.parent, row.kind, mode_of(mechanism, i), max(row.quat, 0), shift
        if 0 <= row.parent < i - 1:
            topo[row.parent, f.BRANCHED] = 1
        place[i] = flat_pose(row.place)
        if row.coordinate is not None:
            coordinate[i] = coordinate_row(row.coordinate)
    body = pack_bodies(mechanism)
    if mechanism.rows:
        check_masses(mechanism, topo, body, bool(table.rows))
    frame_row = np.array([row for row, _ in mechanism.frames], np.int64)
    frame_place = np.array([flat_pose(pose) for _, pose in mechanism.frames]).reshape(-1, f.FRAME_COLUMNS)
    element = np.zeros((len(mechanism.elements), 4), np.int64)
    element_value = np.zeros((len(mechanism.elements), f.VALUE_COLUMNS))
    for e, placed in enumerate(mechanism.elements):
        kind = ELEMENT_KINDS[placed.part.kind]
        element[e] = kind, placed.frame_a, placed.frame_b, first_input.get(placed.block, 0)
        element_value[e, : len(placed.part.values)] = placed.part.values
        if kind == f.SEGMENT and carrier(mechanism, placed.frame_a) == carrier(mechanism, placed.frame_b):
            element_value[e, f.R_SHORTEST] = 0.0  # sheaves of one body never meet
    spring, spring_value = pack_springs(mechanism)
    friction = pack_friction(mechanism)
    option = np.zeros(f.OPTIONS, np.int64)
    option[f.O_QUATS] = mechanism.quats
    option[f.O_SERVO] = sum(row[f.C_SERVO] >= 0 for row in table.rows)
    option[f.O_FRICTION] = np.count_nonzero(friction[:, f.F_LAW])
    joint = np.array(
        [(j.first, j.last, j.reversed, j.frame_a, j.frame_b, j.resolve) for j in mechanism.joints], np.int64
    )
    sensor = np.array([(s.frame_a, s.frame_b, AXES[s.part.resolve]) for s in mechanism.sensors], np.int64)
    return Model(
        topo=topo,
        row=np.hstack([place, body, coordinate, friction]),
        spring=spring,
        spring_value=spring_value,
        frame_row=frame_row,
        frame_place=frame_place,
        constant=np.array([*gravity, 0.0, 0.0]),
        element=element,
        element_value=element_value,
        joint=joint.reshape(-1, 6),
        sensor=sensor.reshape(-1, 3),
        state=np.array(states.table, np.int64).reshape(-1, 3),
        bushing=np.zeros((len(mechanism.joints) + len(mechanism.cuts), 2)),
        store=pack_stores(mechanism),
        option=option,
        **pack_constraints(table, topo, frame_row),
    )


def carrier(mechanism: Mechanism, frame: int) -> int:
    """The row that moves a frame; -1 for the world. Welds move nothing."""
    row = mechanism.frames[frame][0]
    while row >= 0 and mechanism.rows[row].kind == f.WELD:
        row = mechanism.rows[row].parent
    return row


def coordinate_row(c: Coordinate) -> tuple[float, ...]:
    """Spring, damper and stops of one coordinate."""
    stops = UNSPRUNG[3:8]
    if c.limits is not None:
        stops = (c.limits.lower, c.limits.upper, c.limits.stiffness, c.limits.damping, c.limits.width)
    return c.stiffness, c.damping, c.rest, *stops, c.cubic, c.armature


def pack_springs(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Linear springs: the rows that each couples, its stiffness, damping and coefficients."""
    spring = np.zeros((len(mechanism.springs), 2), np.int64)
    value = np.zeros((len(mechanism.springs), f.SPRING_COLUMNS))
    for s, (joint, part) in enumerate(mechanism.springs):
        spring[s] = joint.first, joint.last
        value[s, [f.SP_STIFFNESS, f.SP_DAMPING]] = part.stiffness, part.damping
        for i in range(joint.first, joint.last + 1):
            coordinate = mechanism.rows[i].coordinate
            assert coordinate is not None  # `build` attaches springs to joints of coordinates alone
            value[s, f.SP_COEFFICIENTS + i - joint.first] = part.coefficients.get(coordinate.name, 0.0)
    return spring, value


def pack_stores(mechanism: Mechanism) -> np.ndarray:
    """Springs of the blocks that report their stored energy, as unbroken runs."""
    stores: list[tuple[int, int, int, int]] = []
    for of, block in enumerate(reporting(mechanism)):
        rows = [i for j in mechanism.joints if j.block == block for i in range(j.first, j.last + 1)]
        springs = [s for s, (joint, _) in enumerate(mechanism.springs) if joint.block == block]
        elements = [e for e, placed in enumerate(mechanism.elements) if placed.block == block]
        for kind, numbers in ((f.OF_ROWS, rows), (f.OF_SPRINGS, springs), (f.OF_ELEMENTS, elements)):
            stores += [(of, first, last, kind) for first, last in unbroken(numbers)]
    return np.array(stores, np.int64).reshape(-1, 4)


def reporting(mechanism: Mechanism) -> list[str]:
    """Blocks that report their stored energy, in the order of `Data.store_out`."""
    return [placed.block for placed in mechanism.others_of(StoredEnergy)]


def unbroken(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each run: 1, 2, 3, 7 -> (1, 3), (7, 7)."""
    unbroken: list[tuple[int, int]] = []
    for number in numbers:
        if unbroken and unbroken[-1][1] == number - 1:
            unbroken[-1] = (unbroken[-1][0], number)
        else:
            unbroken.append((number, number))
    return unbroken


def pack_bodies(mechanism: Mechanism) -> np.ndarray:
    """Mass, first moment and inertia about the row's origin, summed over the bodies that ride on each row."""
    body = np.zeros((len(mechanism.rows), f.COORDINATE - f.BODY_MASS))
    for _, part, row, pose in mechanism.bodies:
        if row < 0:
            continue
        body[row] += body_of(part, pose)
    return body


def body_of(part: Body, pose: Pose) -> list[float]:
    """What one body adds to its row."""
    # plain numbers: a parameter that is set while a run is under way waits for this
    m, c = part.mass, np.array(part.com)
    if pose.is_identity:
        c += 0.0  # as products with zeros do: no zero is negative
        xx, yy, zz, xy, xz, yz = (entry + 0.0 for entry in part.inertia)
    else:
        c = pose.R @ c + pose.p
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (
            pose.R @ rotations.inertia_matrix(part.inertia) @ pose.R.T
        ).tolist()
    x, y, z = c.tolist()
    far = float(c @ c)
    moments = [xx + m * (far - x * x), yy + m * (far - y * y), zz + m * (far - z * z)]
    return [m, m * x, m * y, m * z, *moments, xy - m * (x * y), xz - m * (x * z), yz - m * (y * z)]

"""Pack a `Mechanism` into the arrays of `Model`, and name its states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..blocks import CompileError, rotations
from ..blocks.errors import Problem
from ..blocks.parts import StoredEnergy
from .constraint_table import Table, pack_constraints
from .friction import bristled, pack_friction
from .machine.layout import (
    BRANCHED,
    BRISTLE_RATE,
    BRISTLE_STATE,
    BUSHING,
    C_SERVO,
    CONTACT,
    DRIVEN,
    FORCE_B,
    FORCE_WORLD,
    FREE,
    LINE,
    O_FRICTION,
    O_QUATS,
    O_SERVO,
    OF_ELEMENTS,
    OF_ROWS,
    OF_SPRINGS,
    PRISMATIC,
    Q_STATE,
    QDD,
    QUAT,
    QUAT_STATE,
    QUAT_X,
    QUAT_Z,
    SEGMENT,
    TORQUE_B,
    TORQUE_WORLD,
    V_STATE,
    WELD,
    Data,
    Model,
    V,
)
from .tree import Mechanism, Pose

ELEMENT_KINDS = {
    "line": LINE,
    "bushing": BUSHING,
    "contact": CONTACT,
    "force_world": FORCE_WORLD,
    "force_b": FORCE_B,
    "torque_world": TORQUE_WORLD,
    "torque_b": TORQUE_B,
    "segment": SEGMENT,
}
AXES = {"world": 0, "a": 1, "b": 2}


@dataclass
class States:
    """Names, units and initial values of the mechanical states, in the order of `Model.state`."""

    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    initial: list[float] = field(default_factory=list)
    table: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, name: str, unit: str, value: float, kind: int, row: int, component: int) -> None:
        self.names.append(name)
        self.units.append(unit)
        self.initial.append(value)
        self.table.append((kind, row, component))

    def set_initial(self, data: Data, model: Model) -> None:
        """Take the initial values from coordinates that were solved for."""
        values = {Q_STATE: lambda i, c: data.q[i], V_STATE: lambda i, c: data.v[i]}
        values[QUAT_STATE] = lambda i, c: data.quat[model.topo[i, QUAT], c]
        for k, (kind, row, component) in enumerate(self.table):
            if kind != BRISTLE_STATE:
                self.initial[k] = float(values[kind](row, component))


def mode_of(mechanism: Mechanism, i: int) -> int:
    row = mechanism.rows[i]
    given = row.kind == WELD or (
        row.coordinate is not None and (row.coordinate.follow or row.coordinate.locked)
    )
    return DRIVEN if given else FREE


def free_states(mechanism: Mechanism) -> States:
    """States of a mechanism that nothing constrains."""
    rows = range(len(mechanism.rows))
    return states_of(
        mechanism, np.array([i for i in rows if mode_of(mechanism, i) == FREE], int), np.zeros(0, int)
    )


def states_of(mechanism: Mechanism, chosen: np.ndarray, placed: np.ndarray) -> States:
    """Positions of the chosen and the placed rows, then velocities of the chosen ones, then bristles of all rows."""
    states = States()
    rows = mechanism.rows
    free, located = sorted(chosen.tolist()), sorted([*chosen.tolist(), *placed.tolist()])
    for i, name in zip(located, [mechanism.coordinate_names()[i] for i in located], strict=True):
        coordinate = rows[i].coordinate
        if coordinate is not None:
            unit = "m" if coordinate.prismatic else "rad"
            value = coordinate.guess if coordinate.value is None else coordinate.value
            states.add(name, unit, value, Q_STATE, i, V)
        elif rows[i].kind == QUAT_X:
            joint = mechanism.joints[rows[i].joint]
            for c in range(4):
                value = (joint.part.quaternion or (1.0, 0.0, 0.0, 0.0))[c]
                states.add(f"{joint.block}.orientation[{c}]", "", value, QUAT_STATE, i, c)
    for i, name in zip(free, [mechanism.rate_names()[i] for i in free], strict=True):
        coordinate = rows[i].coordinate
        if coordinate is not None:
            unit = "m/s" if coordinate.prismatic else "rad/s"
            states.add(name, unit, coordinate.speed or 0.0, V_STATE, i, QDD)
        else:
            spin = mechanism.joints[rows[i].joint].part.spin or (0.0, 0.0, 0.0)
            states.add(name, "rad/s", spin[rows[i].quat_axis], V_STATE, i, QDD)
    for i, coordinate, friction in bristled(mechanism):
        unit = "m" if coordinate.prismatic else "rad"
        name = f"{mechanism.joints[rows[i].joint].block}.bristle"
        states.add(name, unit, friction.state, BRISTLE_STATE, i, BRISTLE_RATE)
    return states


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
    place = np.zeros((n, 12))
    coordinate = np.zeros((n, 10))
    coordinate[:, 3], coordinate[:, 4], coordinate[:, 7] = -np.inf, np.inf, 1.0
    for i, row in enumerate(rows):
        shift = row.kind == PRISMATIC or bool(np.any(row.place.p))
        topo[i, :BRANCHED] = row.parent, row.kind, mode_of(mechanism, i), max(row.quat, 0), shift
        if 0 <= row.parent < i - 1:
            topo[row.parent, BRANCHED] = 1
        place[i] = flat_pose(row.place)
        c = row.coordinate
        if c is not None:
            coordinate[i, :3], coordinate[i, 8:] = (c.stiffness, c.damping, c.rest), (c.cubic, c.armature)
            if c.limits is not None:
                stops = c.limits
                coordinate[i, 3:8] = stops.lower, stops.upper, stops.stiffness, stops.damping, stops.width
    body = pack_bodies(mechanism)
    if mechanism.rows:
        check_masses(mechanism, topo, body)
    frame_row = np.array([row for row, _ in mechanism.frames], np.int64)
    frame_place = np.array([flat_pose(pose) for _, pose in mechanism.frames]).reshape(-1, 12)
    element = np.zeros((len(mechanism.elements), 4), np.int64)
    element_value = np.zeros((len(mechanism.elements), 12))
    for e, placed in enumerate(mechanism.elements):
        kind = ELEMENT_KINDS[placed.part.kind]
        element[e] = kind, placed.frame_a, placed.frame_b, first_input.get(placed.block, 0)
        element_value[e, : len(placed.part.values)] = placed.part.values
    spring, spring_value = pack_springs(mechanism)
    friction = pack_friction(mechanism)
    option = np.zeros(6, np.int64)
    option[O_QUATS] = mechanism.quats
    option[O_SERVO] = sum(row[C_SERVO] >= 0 for row in table.rows)
    option[O_FRICTION] = np.count_nonzero(friction[:, 0])
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
        store=pack_stores(mechanism),
        option=option,
        **pack_constraints(table, topo, frame_row),
    )


def pack_springs(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Linear springs: the rows that each couples, its stiffness, damping and coefficients."""
    spring = np.zeros((len(mechanism.springs), 2), np.int64)
    value = np.zeros((len(mechanism.springs), 8))
    for s, (joint, part) in enumerate(mechanism.springs):
        spring[s] = joint.first, joint.last
        value[s, :2] = part.stiffness, part.damping
        for i in range(joint.first, joint.last + 1):
            coordinate = mechanism.rows[i].coordinate
            assert coordinate is not None  # `build` attaches springs to joints of coordinates alone
            value[s, 2 + i - joint.first] = part.coefficients.get(coordinate.name, 0.0)
    return spring, value


def pack_stores(mechanism: Mechanism) -> np.ndarray:
    """Springs of the blocks that report their stored energy, as unbroken runs."""
    found: list[tuple[int, int, int, int]] = []
    for of, block in enumerate(reporting(mechanism)):
        rows = [i for j in mechanism.joints if j.block == block for i in range(j.first, j.last + 1)]
        springs = [s for s, (joint, _) in enumerate(mechanism.springs) if joint.block == block]
        elements = [e for e, placed in enumerate(mechanism.elements) if placed.block == block]
        for kind, numbers in ((OF_ROWS, rows), (OF_SPRINGS, springs), (OF_ELEMENTS, elements)):
            found += [(of, first, last, kind) for first, last in unbroken(numbers)]
    return np.array(found, np.int64).reshape(-1, 4)


def reporting(mechanism: Mechanism) -> list[str]:
    """Blocks that report their stored energy, in the order of `Data.store_out`."""
    return [placed.block for placed in mechanism.others if isinstance(placed.part, StoredEnergy)]


def unbroken(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each run: 1, 2, 3, 7 -> (1, 3), (7, 7)."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def pack_bodies(mechanism: Mechanism) -> np.ndarray:
    """Mass, first moment and inertia about the row's origin, summed over the bodies that ride on each row."""
    body = np.zeros((len(mechanism.rows), 10))
    for _, part, row, pose in mechanism.bodies:
        if row < 0:
            continue
        c = pose.R @ np.array(part.com) + pose.p
        inertia = pose.R @ rotations.inertia_matrix(part.inertia) @ pose.R.T
        J = inertia + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
        body[row] += [part.mass, *(part.mass * c), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return body


def check_masses(mechanism: Mechanism, topo: np.ndarray, body: np.ndarray) -> None:
    """A free coordinate that moves nothing heavy has no equation of motion: say which, before it becomes NaN."""
    problems: list[Problem] = []
    closed = rows_of_loops(mechanism)
    for i, found in bare_rows(mechanism, topo, body).items():
        # beyond a loop's closure stands the mass of another branch
        if i not in closed:
            block = mechanism.joints[mechanism.rows[i].joint].block
            what = f"found {found} on the far side of this joint"
            problems.append(Problem(what, block, "give the link mass and inertia"))
    if problems:
        raise CompileError(problems)


def bare_rows(mechanism: Mechanism, topo: np.ndarray, body: np.ndarray) -> dict[int, str]:
    """Free rows, one a joint, that nothing heavy stands behind, and what is missing there."""
    massive = body[:, 0].copy()
    for i in range(len(topo) - 1, -1, -1):
        joint = mechanism.rows[i].joint
        # a free joint hands on no force: what floats behind it is no load
        floats = mechanism.joints[joint].part.quaternion is not None and i == mechanism.joints[joint].first
        if topo[i, 0] >= 0 and not floats:
            massive[topo[i, 0]] += massive[i]
    bare: dict[int, str] = {}
    seen: set[int] = set()
    for i in range(len(topo)):
        if topo[i, 2] != FREE or mechanism.rows[i].joint in seen:
            continue
        # what moves with the row has an inertia about its axis only if it is massive and off the axis, or turns
        if massive[i] == 0.0 or not has_turning_inertia(topo, body, i):
            seen.add(mechanism.rows[i].joint)
            bare[i] = "no mass" if massive[i] == 0.0 else "no inertia about the axis"
    return bare


def rows_of_loops(mechanism: Mechanism) -> set[int]:
    """Rows on the way from the world to where a loop is closed."""
    found: set[int] = set()
    for cut in mechanism.cuts:
        for frame in (cut.frame_a, cut.frame_b):
            row = mechanism.frames[frame][0]
            while row >= 0:
                found.add(row)
                row = mechanism.rows[row].parent
    return found


def has_turning_inertia(topo: np.ndarray, body: np.ndarray, i: int) -> bool:
    """Whether a tip row has inertia about its own z axis; rows with children are judged at the first evaluation."""
    if topo[i, 1] in (PRISMATIC, *range(QUAT_X, QUAT_Z + 1)) or np.any(topo[:, 0] == i):
        return True
    return bool(body[i, 6] > 0.0)

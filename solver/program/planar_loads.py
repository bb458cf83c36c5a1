"""Loads by which the plane of motion holds the coordinates that it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np

from ...blocks.mechanics.bodies import World
from ...blocks.multibody_parts import HeldAxis
from ..codegen.source_functions import Function
from ..kernels import model_data as f
from ..kernels.model_data import Model
from ..mechanism.constraint_rows import longest_lever
from ..mechanism.mechanism import Mechanism, Pose, TreeJoint
from .evaluation_stages import DYNAMICS, KINEMATICS, REACTIONS
from .mechanism_operations import MechanismOperations
from .operations import GREATEST, WEIGHTED, Operation, scalar_function
from .scalar_places import Key, Scalars
from .work_space import Place, Slots

WORLD = "world"
SCALE = "held_scale"  # number of the program: follows changed parameters
KINDS = ("force", "torque", "forces", "torques")  # held ones, and those of the model to compare with
# |e . load|, e = u cos(angle) + v sin(angle) in the axes in which a joint's loads are reported
HELD = scalar_function(
    "held_load",
    10,
    "abs((u4 * math.cos(u0) + u7 * math.sin(u0)) * u1 + (u5 * math.cos(u0) + u8 * math.sin(u0)) * u2"
    " + (u6 * math.cos(u0) + u9 * math.sin(u0)) * u3)",
    "load held by the plane",
)
LENGTH = scalar_function("length_of", 3, "math.sqrt(u0 * u0 + u1 * u1 + u2 * u2)", "size of a load")
INERTIAL = scalar_function("inertial_load", 2, "abs(u0 * u1)", "inertial load")
# of force, torque, largest force and torque, lever: a lever makes torques of forces
SHARE = scalar_function(
    "held_share",
    5,
    "max(u0 / max(u2, 1e-300), u1 / max(u3 + u4 * u2, 1e-300))",
    "share of the load that the plane holds",
)


class Gathered:
    """Loads and their sizes as results of operations, by kind: force, torque, and forces, torques to compare with."""

    def __init__(self, scalars: Scalars):
        self.scalars = scalars
        self.results: dict[str, list[tuple[Key, Place]]] = {kind: [] for kind in KINDS}
        self._number = count()

    def new_key(self) -> Key:
        """Key of an intermediate value."""
        return WORLD, "@held", next(self._number), 0

    def operation(
        self, kind: str, code: Function, entries: Sequence[Place], needs: Sequence[Key]
    ) -> Operation:
        """Operation whose result is one of those of its kind."""
        key, place = self.new_key(), self.scalars.scratch()
        self.results[kind].append((key, place))
        return Operation((key,), tuple(needs), code, (place, *entries), label=WORLD)


def held_scale(models: Sequence[Model]) -> list[float]:
    """Loads to compare held ones with, of the components that move: their largest weight [N], longest lever [m], then
    the mass [kg] and its inertia at the lever [kg m^2] of each.
    """
    moving = [model for model in models if len(model.topo)]
    masses = [float(model.row[:, f.BODY_MASS].sum()) for model in moving]
    weights = [
        mass * float(np.linalg.norm(model.constant[f.G : f.G + 3]))
        for mass, model in zip(masses, moving, strict=True)
    ]
    lever = max(map(longest_lever, moving), default=1.0)
    return [max(weights, default=0.0), lever, *masses, *(mass * lever**2 for mass in masses)]


def held_loads(
    mechanics: Sequence[MechanismOperations], models: Sequence[Model], scalars: Scalars, params: Slots
) -> Iterator[Operation]:
    """Largest force and torque that the plane holds, and their share in the loads of the model.

    These are the largest that the joints with held coordinates transmit, the weight, and what the whole mass takes to
    follow a coordinate.
    """
    world = scalars.blocks[WORLD]
    assert isinstance(world, World)
    if world.normal is None:
        return
    gathered = Gathered(scalars)
    slot = params.add(f"{WORLD}.{SCALE}", held_scale(models))
    moving = [one for one in mechanics if one.mechanism.rows]
    for k, one in enumerate(moving):
        yield from _held_in(one, gathered)
        mass, inertia = (("p", slot + 2 + k + j) for j in (0, len(moving)))
        yield from _inertial_in(one, mass, inertia, gathered)
    least: dict[str, Place] = {"forces": ("p", slot)}
    keys: list[Key] = [(WORLD, f"held_{kind}", 0, 0) for kind in KINDS]
    most = [scalars.at(key) if scalars.known(key) else scalars.scratch() for key in keys]
    for key, place, (kind, results) in zip(keys, most, gathered.results.items(), strict=True):
        floor = least.get(kind) or scalars.constant(0.0)
        entries = (place, len(results) + 1, floor, *(each for _, each in results))
        yield Operation((key,), tuple(need for need, _ in results), GREATEST, entries, label=WORLD)
    share: Key = (WORLD, "held_share", 0, 0)
    entries = (scalars.at(share), *most, ("p", slot + 1))
    yield Operation((share,), tuple(keys), SHARE, entries, label=WORLD)


def _held_in(one: MechanismOperations, gathered: Gathered) -> Iterator[Operation]:
    """Held loads of a component's joints, and the sizes of what these joints transmit."""
    constant = gathered.scalars.constant
    needs = (one.key(KINEMATICS), one.key(REACTIONS))
    for number, joint in enumerate(one.mechanism.joints):
        first = {"force": f.TOTAL_FORCE, "torque": f.TOTAL_FORCE + 3}
        loads = {
            kind: [one.cell("joint_out", number, column + k) for k in range(3)]
            for kind, column in first.items()
        }
        for held in joint.part.held_axes:
            kind = "force" if held.prismatic else "torque"
            u, v, signs = direction_of(one.mechanism, joint, held)
            angle, turned = gathered.scalars.scratch(), gathered.new_key()
            pairs = [each for i, sign in signs for each in (one.cell("row", i, f.Q), constant(sign))]
            yield Operation((turned,), needs, WEIGHTED, (angle, len(signs), *pairs), label=WORLD)
            entries = (angle, *loads[kind], *(constant(float(x)) for x in (*u, *v)))
            yield gathered.operation(kind, HELD, entries, (turned,))
        for kind, places in loads.items() if joint.part.held_axes else ():
            yield gathered.operation(f"{kind}s", LENGTH, places, needs)


def _inertial_in(
    one: MechanismOperations, mass: Place, inertia: Place, gathered: Gathered
) -> Iterator[Operation]:
    """Loads by which a mass follows the accelerations of a component's coordinates."""
    for i, row in enumerate(one.mechanism.rows):
        if row.coordinate is not None:
            kind, carried = ("forces", mass) if row.coordinate.prismatic else ("torques", inertia)
            places = (one.cell("row", i, f.QDD), carried)
            yield gathered.operation(kind, INERTIAL, places, (one.key(DYNAMICS),))


def direction_of(
    mechanism: Mechanism, joint: TreeJoint, held: HeldAxis
) -> tuple[np.ndarray, np.ndarray, list[tuple[int, float]]]:
    """Held axis in the axes in which the joint's loads are reported, at zero coordinates: u, n x u for the plane's
    normal n, and the rows and signs whose angles sum up to the turn by which it leaves u.
    """
    row_a, pose_a = mechanism.frames[joint.frame_a]
    row_of, pose_of = mechanism.frames[joint.resolve]
    R_WA = turned_to_world(mechanism, row_a, pose_a)
    axis, normal = R_WA @ np.array(held.axis), R_WA @ np.array(joint.part.normal)
    R_WY = turned_to_world(mechanism, row_of, pose_of)
    signs = Counter(dict(angles_to(mechanism, carrier_of(mechanism, joint, held), normal)))
    signs.subtract(dict(angles_to(mechanism, row_of, normal)))
    u, n = R_WY.T @ axis, R_WY.T @ normal
    return u, np.cross(n, u), [(i, float(s)) for i, s in signs.items() if s]


def carrier_of(mechanism: Mechanism, joint: TreeJoint, held: HeldAxis) -> int:
    """Row with which a held axis turns: that of the coordinate before it."""
    before = len(joint.part.coordinates) - held.behind if joint.reversed else held.behind
    return joint.first + before - 1 if before else mechanism.rows[joint.first].parent


def turned_to_world(mechanism: Mechanism, row: int, pose: Pose) -> np.ndarray:
    """R_WF of a frame on a row, at zero coordinates."""
    R = pose.R
    while row >= 0:
        R, row = mechanism.rows[row].place.R @ R, mechanism.rows[row].parent
    return R


def angles_to(mechanism: Mechanism, row: int, normal: np.ndarray) -> Iterator[tuple[int, int]]:
    """Rows that turn between the world and a row, each with the sign of its axis along the normal."""
    while row >= 0:
        if mechanism.rows[row].kind == f.REVOLUTE:
            axis = turned_to_world(mechanism, row, Pose(np.eye(3), np.zeros(3)))[:, 2]
            yield row, 1 if axis @ normal > 0.0 else -1
        row = mechanism.rows[row].parent

"""Coordinates without an equation of motion: they move no mass, or only as others do together (singular mass
matrix).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import OtherBlock, Problem
from ...blocks.geometry import rotations
from ..kernels import model_data as f
from .mechanism import IDENTITY, Mechanism, Pose

SLIDING = (f.PRISMATIC, *range(f.QUAT_X, f.QUAT_Z + 1))  # rows of which a moment of inertia feels nothing
NO_MASS = "no mass"
ALIKE = 1e-9  # least part of a motion that others do not make, relative to it


def check_masses(mechanism: Mechanism, topo: np.ndarray, body: np.ndarray, constrained: bool) -> None:
    """CompileError for free coordinates that move no mass, before they give NaN."""
    problems: list[Problem] = []
    closed = rows_of_loops(mechanism)
    for i, light in massless_rows(mechanism, topo, body).items():
        # beyond a loop's closure is the mass of another branch
        if i not in closed:
            block = mechanism.joints[mechanism.rows[i].joint].block
            what = f"found {light} on the far side of this joint"
            problems.append(Problem(what, block, _heavier(mechanism, topo, i, light), incomplete=True))
    if not constrained:  # else constraints may decide which of them moves
        problems += parallel_joints(mechanism, topo, body)
    if problems:
        raise CompileError(problems)


def _heavier(mechanism: Mechanism, topo: np.ndarray, i: int, light: str) -> str:
    """Fix for a row that moves no mass, or none that turns: the bodies behind it that may have more."""
    behind = {i}
    for k in range(i + 1, len(topo)):
        if topo[k, f.PARENT] in behind:
            behind.add(k)
    links = list(dict.fromkeys(block for block, _, row, _ in mechanism.bodies if row in behind))
    wanted = "mass and inertia" if light == NO_MASS else "an inertia about it, or a com beside it"
    if not links:
        return f"give the link {wanted}"
    key = "mass" if light == NO_MASS else "inertia"
    return OtherBlock(links[0], key, f"give {' or '.join(links[:3])} {wanted}")


def massless_rows(mechanism: Mechanism, topo: np.ndarray, body: np.ndarray) -> dict[int, str]:
    """Free rows, one a joint, that nothing heavy stands behind, and what is missing there."""
    massive, turning = body[:, 0].copy(), principal_moments(body).any(axis=1)
    for i in range(len(topo) - 1, -1, -1):
        joint = mechanism.rows[i].joint
        # a free joint transmits no force: bodies behind it are no load; a ball joint, whose first row turns, does
        part = mechanism.joints[joint].part
        floats = part.quaternion is not None and bool(part.coordinates) and i == mechanism.joints[joint].first
        if topo[i, f.PARENT] >= 0 and not floats:
            massive[topo[i, f.PARENT]] += massive[i]
            turning[topo[i, f.PARENT]] |= turning[i]
    bare: dict[int, str] = {}
    seen: set[int] = set()
    for i in range(len(topo)):
        if topo[i, f.MODE] != f.FREE or topo[i, f.KIND] == f.MODAL or mechanism.rows[i].joint in seen:
            continue
        # what moves with the row has an inertia about its axis only if it is massive and off the axis, or turns
        moves_mass = massive[i] > 0.0 or (turning[i] and topo[i, f.KIND] not in SLIDING)
        if not moves_mass or not has_turning_inertia(topo, body, i):
            seen.add(mechanism.rows[i].joint)
            bare[i] = "no inertia about the axis" if moves_mass else NO_MASS
    return bare


def principal_moments(body: np.ndarray) -> np.ndarray:
    """J_xx, J_yy, J_zz of each row's body, kg*m^2; a body may have them without mass, as rotors in robots' files."""
    start = f.BODY_INERTIA - f.BODY_MASS
    return body[:, start : start + 3]


def rows_of_loops(mechanism: Mechanism) -> set[int]:
    """Rows between the world and the frames of cut joints."""
    rows: set[int] = set()
    for cut in mechanism.cuts:
        for frame in (cut.frame_a, cut.frame_b):
            row = mechanism.frames[frame][0]
            while row >= 0:
                rows.add(row)
                row = mechanism.rows[row].parent
    return rows


def has_turning_inertia(topo: np.ndarray, body: np.ndarray, i: int) -> bool:
    """True if a tip row has inertia about its own z axis; rows with children are judged at the first evaluation."""
    if topo[i, f.KIND] in SLIDING or np.any(topo[:, f.PARENT] == i):
        return True
    return bool(body[i, f.BODY_INERTIA - f.BODY_MASS + 2] > 0.0)


def parallel_joints(mechanism: Mechanism, topo: np.ndarray, body: np.ndarray) -> Iterator[Problem]:
    """Problems of joints in series without mass between them, one of which moves its load as the others do together."""
    for chain in massless_chains(topo, body):
        names = list(dict.fromkeys(mechanism.joints[mechanism.rows[i].joint].block for i in chain))
        if len(names) == 1:
            continue
        name = dependent_joint(mechanism, topo, chain)
        if name:
            others = " and ".join(one for one in names if one != name)
            what = f"moves what it carries as {others} can, and no mass stands between them"
            fix = "give the link between them mass and inertia, or take one of the joints away"
            yield Problem(what, name, fix, incomplete=True)


def massless_chains(topo: np.ndarray, body: np.ndarray) -> Iterator[list[int]]:
    """Chains of massless rows up to the first that carries a mass or several children."""
    children = np.bincount(topo[topo[:, f.PARENT] >= 0, f.PARENT], minlength=len(topo))
    light = (body[:, 0] == 0.0) & ~principal_moments(body).any(axis=1)
    for tip in range(len(topo)):
        if light[tip] and children[tip] < 2:
            continue  # another row goes on, or nothing: `massless_rows` tells
        chain = [tip]
        while (above := topo[chain[-1], f.PARENT]) >= 0 and light[above] and children[above] == 1:
            chain.append(above)
        yield chain[::-1]


def dependent_joint(mechanism: Mechanism, topo: np.ndarray, chain: list[int]) -> str:
    """First joint of a chain whose twist depends on those before it, at a generic position; empty if none."""
    rows, pose = mechanism.rows, IDENTITY
    size = max([1e-9, *(float(np.abs(rows[i].place.p).max()) for i in chain[1:])])
    known = np.zeros((0, 6))
    for count, i in enumerate(chain, 1):
        pose = pose @ (rows[i].place if count > 1 else IDENTITY)
        slides, kind = rows[i].kind == f.PRISMATIC, rows[i].kind
        axis = pose.R[:, kind - f.QUAT_X if f.QUAT_X <= kind <= f.QUAT_Z else 2]
        coordinate = rows[i].coordinate
        if topo[i, f.MODE] == f.FREE and not (coordinate and coordinate.armature):
            turn = np.zeros(3) if slides else axis
            twist = np.concatenate([turn, axis if slides else np.cross(pose.p / size, axis)])
            rest = twist - known.T @ (known @ twist)
            rest -= known.T @ (known @ rest)
            length = float(np.linalg.norm(rest))
            if length < ALIKE * float(np.linalg.norm(twist)):
                return mechanism.joints[rows[i].joint].block
            known = np.vstack([known, rest / length])
        if slides:
            pose = pose @ Pose(np.eye(3), np.array([0.0, 0.0, 0.37 * size * count]))
        elif not f.QUAT_X <= kind <= f.QUAT_Z:
            pose = pose @ Pose(rotations.rotation_of_turns([((0.0, 0.0, 1.0), 0.7 * count)]), np.zeros(3))
    return ""

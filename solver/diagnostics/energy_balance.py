"""Newton-Euler residuals of every body from reported quantities: a check independent of the solver.

Poses, velocities, joint accelerations and forces are taken from the last evaluation. Body accelerations, wrenches and
the laws themselves are written here anew, from the bodies of the netlist. Rows of arrays are rows of the tree, joints
or elements of all components.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.light_dataclass import record
from ..kernels import model_data as f

if TYPE_CHECKING:
    from ..simulation.instance import Instance

Array = np.ndarray
NEXT, LAST = [1, 2, 0], [2, 0, 1]  # cyclic permutations of x, y, z
SYMMETRIC = [[0, 3, 4], [3, 1, 5], [4, 5, 2]]  # places of xx, yy, zz, xy, xz, yz in a matrix
# Least singular value of a joint's axes, which are unit vectors, over the largest. Efforts give what acts along the
# direction in which two axes differ with the rounding of their difference over this ratio: here EPS / ALIGNED, 2e-7 of
# them. Of axes that are closer only the sum is known; what acts along their difference stays in the residual.
ALIGNED = 1e-9


def cross(a: Array, b: Array) -> Array:
    """a x b of vectors in rows; a third of the time of numpy's."""
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def largest(vectors: Array) -> float:
    """Largest length of vectors in rows; NaN is left out."""
    lengths = np.sqrt(np.einsum("...i,...i", vectors, vectors))
    return float(np.fmax.reduce(lengths, axis=None, initial=0.0))


def sums_to_root(parent: Array, values: Array) -> Array:
    """Sum over each row of a forest and all its ancestors, by pointer jumping; `parent` is -1 at a root."""
    total = values.copy()
    while (below := parent >= 0).any():
        total[below] += total[parent[below]]
        parent = np.where(below, parent[parent], -1)
    return total


@record
class BodyBalance:
    """Newton-Euler residual of the worst body, relative to the largest force or torque on any body.

    The terms of m a and of I alpha + w x I w count among these forces and torques.
    """

    residual: float = 0.0
    body: str = ""


def worst_balance(instance: Instance) -> BodyBalance:
    """Worst residual at the last evaluation of outputs, reactions included."""
    # a run that diverged may end with numbers whose squares are too large
    with np.errstate(over="ignore", invalid="ignore"):
        return max(body_balances(instance), key=lambda each: each.residual, default=BodyBalance())


def body_balances(instance: Instance) -> list[BodyBalance]:
    """Residual of each rigid body; blocks wired into one body have the name of the first. Flexible bodies are left out.

    Where joints meet without a body between them, the first of them gives the name.
    """
    sums = WrenchSums(instance)
    names = sums.names()
    rows = [row for row in names if row >= 0]
    off_force, off_torque = np.linalg.norm(sums.sum[rows], axis=2).T
    force = max(sums.force, 1e-300)
    # a torque counts against the largest torque, or the largest force on the longest of its arms
    torque = max(sums.torque, sums.reach * sums.force, 1e-300)
    # NaN is no balance
    off = np.maximum(off_force / force, off_torque / torque)
    off[np.isnan(off)] = np.inf
    return [BodyBalance(residual, names[row]) for residual, row in zip(off.tolist(), rows, strict=True)]


class WrenchSums:
    """All wrenches on all bodies, about the centres of mass; and the largest force, torque and arm among them."""

    def __init__(self, instance: Instance):
        self.mechanism, self.table = instance.program.mechanism, instance.program.constraints
        self.model, self.data, self.each = instance.model, instance.data, [*instance.each]
        self.wrenches: list[tuple[Array, Array, Array, Array]] = []
        row = self.data.row
        self.R, self.p = row[:, f.R_WB : f.p_WB].reshape(-1, 3, 3), row[:, f.p_WB : f.p_WB + 3]
        self.axis, self.w = row[:, f.AXIS : f.AXIS + 3], row[:, f.TWIST : f.TWIST + 3]
        self.sum, self.reach = np.zeros((len(row), 2, 3)), 0.0
        self._body_inertias()
        self._accelerate()
        self._inertial()
        self._joints()
        self._add_cut_joints()
        self._constraints()
        self._elements()
        self._sum()

    def names(self) -> dict[int, str]:
        """Name of the body of each row that has one."""
        names: dict[int, str] = {}
        for block, part, row, _ in self.mechanism.bodies:
            names.setdefault(row, part.name or block)
        for joint in self.mechanism.joints:
            names.setdefault(joint.last, joint.block)
        for body in self.mechanism.flexible:
            names.pop(body.row, None)
        return names

    def _body_inertias(self) -> None:
        """Mass, centre of mass in W and inertia about it of all bodies on a row."""
        n, bodies = len(self.model.topo), [body for body in self.mechanism.bodies if body[2] >= 0]
        row = np.array([row for _, _, row, _ in bodies], int)
        mass = np.array([part.mass for _, part, _, _ in bodies])
        R = self.R[row] @ np.array([pose.R for *_, pose in bodies]).reshape(-1, 3, 3)
        com = np.array([part.com for _, part, _, _ in bodies]).reshape(-1, 3, 1)
        inertia = np.array([part.inertia for _, part, _, _ in bodies]).reshape(-1, 6)[:, SYMMETRIC]
        at = np.array([pose.p for *_, pose in bodies]).reshape(-1, 3, 1)
        at = self.p[row] + (self.R[row] @ at + R @ com)[..., 0]
        self.mass, self.centre, self.inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
        np.add.at(self.mass, row, mass)
        np.add.at(self.centre, row, mass[:, None] * at)
        heavy = self.mass != 0.0
        self.centre[heavy] /= self.mass[heavy, None]
        self.centre[~heavy] = self.p[~heavy]
        arm = at - self.centre[row]
        square = np.einsum("bi,bi,jk->bjk", arm, arm, np.eye(3)) - np.einsum("bi,bj->bij", arm, arm)
        np.add.at(self.inertia, row, R @ inertia @ R.transpose(0, 2, 1) + mass[:, None, None] * square)

    def _add_wrenches(self, row: Array, point: Array, force: Array, torque: Array) -> None:
        """Note forces and torques at points in W on the bodies of rows; -1 is the world."""
        self.wrenches.append((row, point, force, torque))

    def _sum(self) -> None:
        """Sum of the wrenches on each body about its centre of mass, and the largest of all."""
        row, point, force, torque = map(np.concatenate, zip(*self.wrenches, strict=True))
        on = row >= 0
        row, force, torque = row[on], force[on], torque[on]
        arm = point[on] - self.centre[row]
        lengths = np.sqrt(np.einsum("kbi,kbi->kb", *[np.stack([force, torque, arm])] * 2))
        # NaN is no largest
        largest = np.fmax.reduce(lengths, axis=1, initial=0.0).tolist()
        self.force, self.torque, self.reach = map(max, largest, (self.force, self.torque, self.reach))
        np.add.at(self.sum, row, np.stack([force, torque + cross(arm, force)], axis=1))

    def _add_wrench_pairs(self, row: Array, other: Array, point: Array, force: Array, torque: Array) -> None:
        """Add forces and torques at points in W to the bodies of rows, and their reactions to those of others."""
        self._add_wrenches(row, point, force, torque)
        self._add_wrenches(other, point, -force, -torque)

    # --- inertia -------------------------------------------------------------------------------------------------

    def _inertial(self) -> None:
        """Add gravity less m a, and -(I alpha + w x I w), of every body."""
        rows = np.flatnonzero((self.mass > 0.0) | np.any(self.inertia, axis=(1, 2)))
        w, spin, mass = self.w[rows], self.spin[rows], self.mass[rows, None]
        arm, inertia = self.centre[rows] - self.p[rows], self.inertia[rows]
        momentum, turned = (np.einsum("bij,bj->bi", inertia, rate) for rate in (w, spin))
        terms = self.point[rows], cross(spin, arm), cross(w, cross(w, arm))
        none = np.zeros_like(w)
        self._add_wrenches(rows, self.centre[rows], mass * self.model.gravity, none)
        self._add_wrenches(rows, self.centre[rows], -mass * sum(terms, none), -(turned + cross(w, momentum)))
        # on a force-free body these terms cancel: rounding counts against each, not against their sum
        square, own = (np.einsum("bi,bi->b", rate, rate) for rate in (w, momentum))
        forces = mass * np.concatenate([*terms[:2], square[:, None] * arm], axis=1)
        self.force = largest(forces.reshape(-1, 3))
        self.torque = max(largest(turned), largest(np.sqrt(square * own)[:, None]))

    def _accelerate(self) -> None:
        """Angular acceleration of every row's body and acceleration of its origin in W, from those of the joints."""
        row, topo = self.data.row, self.model.topo
        kind, parent, number = topo[:, f.KIND], topo[:, f.PARENT], np.arange(len(topo))
        faces, inner = kind == f.FACE, parent >= 0
        # as the solver has it: flexible bodies have no balance here
        root = np.where(faces, -1, parent)
        w = np.where(inner[:, None], self.w[parent], 0.0)
        arm = np.where(inner[:, None], self.p - self.p[parent], 0.0)
        # the three axes of a free joint turn with its body: use the angular velocity before all of them
        free = (kind >= f.QUAT_X) & (kind <= f.QUAT_Z)
        before = parent[np.where(free, number - (kind - f.QUAT_X), number)]
        before = np.where((before >= 0)[:, None], self.w[before], 0.0)
        slides = kind == f.PRISMATIC
        turns = ((kind == f.REVOLUTE) | free)[:, None]
        qdd, v = row[:, f.QDD, None], row[:, f.V, None]
        spin = np.where(turns, qdd * self.axis + v * cross(before, self.axis), 0.0)
        spin[faces] = row[faces, f.ACC : f.ACC + 3]
        self.spin = sums_to_root(root, spin)
        point = cross(np.where(inner[:, None], self.spin[parent], 0.0), arm) + cross(w, cross(w, arm))
        point[slides] += (qdd * self.axis + 2.0 * v * cross(w, self.axis))[slides]
        point[faces] = row[faces, f.ACC + f.LINEAR : f.ACC + 6] + self.model.gravity
        self.point = sums_to_root(root, point)

    # --- forces --------------------------------------------------------------------------------------------------

    def _frames(self, frame: Sequence[int] | Array) -> tuple[Array, Array, Array]:
        """Rows that carry frames, R_WF, p_WF."""
        frame = np.asarray(frame, int)
        row, place = self.model.frame_row[frame], self.model.frame_place[frame]
        R, p = place[:, :9].reshape(-1, 3, 3), place[:, 9:]
        carried = row >= 0
        turned = np.where(carried[:, None, None], self.R[row] @ R, R)
        moved = np.where(carried[:, None], self.p[row] + np.einsum("bij,bj->bi", self.R[row], p), p)
        return row, turned, moved

    def _reports(self, cuts: bool) -> Array:
        """Reported wrenches of the joints of all trees, or of all joints that close loops."""
        ends = [(data.joint_out, len(one.mechanism.joints)) for one, _, data in self.each]
        return np.concatenate([out[count:] if cuts else out[:count] for out, count in ends])

    def _joints(self) -> None:
        """Add the joints' constraint wrenches and the efforts along their freedoms, with both signs."""
        joints = self.mechanism.joints
        if not joints:
            return
        axes = self._frames([joint.resolve for joint in joints])[1]
        origin = self._frames([joint.frame_b for joint in joints])[2]
        sign = np.array([-1.0 if joint.reversed else 1.0 for joint in joints])[:, None, None]
        # total force and torque, constraint force and torque
        out = sign * self._reports(cuts=False)[:, f.TOTAL_FORCE : f.NORMAL_FORCE].reshape(-1, 4, 3)
        out = np.einsum("bij,bkj->bki", axes, out)
        first, far = (np.array([getattr(joint, name) for joint in joints]) for name in ("first", "last"))
        near = self.model.topo[first, f.PARENT]
        self._add_wrench_pairs(far, near, origin, out[:, 2], out[:, 3])
        # the joint's axes meet at the origin of the far body's row
        at = self.p[far]
        force, torque = out[:, 0], out[:, 1] + cross(origin - at, out[:, 0])
        efforts = self._efforts(first, far, force, True), self._efforts(first, far, torque, False)
        self._add_wrench_pairs(far, near, at, *efforts)

    def _relation_efforts(self) -> Array:
        """Efforts on all rows of ideal relations between joints."""
        total, model, con = np.zeros(len(self.model.topo)), self.model, self.data.con
        if not len(model.constraint):
            return total
        ideal = model.constraint[:, f.C_SERVO] < 0
        joints = model.constraint[ideal, f.C_JOINTS : f.C_JOINTS + 3]
        efforts = con[ideal, f.MULTIPLIER, None] * con[ideal, f.SLOPE : f.SLOPE + 3]
        np.add.at(total, joints[joints >= 0], efforts[joints >= 0])
        return total

    def _efforts(self, first: Array, last: Array, wrench: Array, slides: bool) -> Array:
        """Forces (or torques) in the span of each joint's axes with each freedom's effort; driven and held ones: what
        they require of the wrench.
        """
        topo, row, found = self.model.topo, self.data.row, np.zeros_like(wrench)
        kind = topo[:, f.KIND]
        joint = np.repeat(np.arange(len(first)), last - first + 1)
        rows = np.concatenate(
            [np.arange(a, b + 1) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        )
        along = (kind[rows] != f.WELD) & ((kind[rows] == f.PRISMATIC) == slides)
        joint, rows = joint[along], rows[along]
        given = (topo[:, f.MODE] == f.DRIVEN) | (row[:, f.HELD] > 0.0)
        # effort on the link: without that of the rotor
        own = row[:, f.TAU] + self._relation_efforts() - self.model.coordinate[:, f.ARMATURE] * row[:, f.QDD]
        required = np.zeros(len(topo))
        required[rows] = np.einsum("bi,bi->b", self.axis[rows], wrench[joint])
        effort = np.where(given, required, own)
        counts = np.bincount(joint, minlength=len(first))
        for count in range(1, int(counts.max(initial=0)) + 1):
            of = np.flatnonzero(counts == count)
            members = rows[np.isin(joint, of)].reshape(-1, count)
            axes = self.axis[members]
            inverse = axes.transpose(0, 2, 1) if count == 1 else np.linalg.pinv(axes, ALIGNED)
            found[of] = np.einsum("bij,bj->bi", inverse, effort[members])
        return found

    def _add_cut_joints(self) -> None:
        """Joints that close loops, and the welds behind those whose coordinates are kept."""
        cuts = self.mechanism.cuts
        if not cuts:
            return
        axes = self._frames(self.model.cut[: len(cuts), f.CUT_RESOLVE])[1]
        b, _, origin = self._frames([cut.frame_b for cut in cuts])
        a = self._frames([cut.frame_a for cut in cuts])[0]
        out = self._reports(cuts=True)[: len(cuts), f.TOTAL_FORCE : f.CONSTRAINT_FORCE].reshape(-1, 2, 3)
        out = np.einsum("bij,bkj->bki", axes, out)
        self._add_wrench_pairs(b, a, origin, out[:, 0], out[:, 1])

    def _constraints(self) -> None:
        """Programmed constraints that act by themselves; those that drives realise are among the efforts."""
        rows = [c for first, last in self.table.programs.values() for c in range(first, last)]
        if not rows:
            return
        rows = np.array(rows)
        rows = rows[self.model.constraint[rows, f.C_SERVO] < 0]
        constraint, con = self.model.constraint[rows], self.data.con[rows]
        ties = np.concatenate([data.tie[: len(model.tie)] for _, model, data in self.each])
        b, a = (self._frames(constraint[:, end])[0] for end in (f.C_FRAME_B, f.C_FRAME_A))
        wrench = con[:, f.MULTIPLIER, None] * con[:, f.WRENCH_CONSTRAINT : f.FORCE_CONSTRAINT + 3]
        at = ties[constraint[:, f.C_TIE], f.p_WTIE : f.p_WTIE + 3]
        self._add_wrench_pairs(b, a, at, wrench[:, 3:], wrench[:, :3])

    def _fluid(self, row: int, axes: Array, at: Array, values: Array) -> tuple[Array, Array]:
        """Force and torque of an added mass on the hull, from the rate of the fluid's momentum in its axes."""
        H = values[f.A_H : f.A_M].reshape(3, 3)
        A = np.block([[values[f.A_J : f.A_H][SYMMETRIC], H], [H.T, values[f.A_M : f.A_M + 6][SYMMETRIC]]])
        spin, w, arm = self.spin[row], self.w[row], at - self.p[row]
        v = self.data.row[row, f.TWIST + 3 : f.TWIST + 6] + cross(w, arm)
        a = self.point[row] + cross(spin, arm) + cross(w, cross(w, arm))
        momentum = A @ np.concatenate([axes.T @ w, axes.T @ v])
        rate = A @ np.concatenate([axes.T @ spin, axes.T @ (a - cross(w, v))])
        L, P = axes @ momentum[:3], axes @ momentum[3:]
        force, torque = axes @ rate[3:] + cross(w, P), axes @ rate[:3] + cross(w, L) + cross(v, P)
        return -force, -torque

    def _elements(self) -> None:
        """Add springs between frames, contacts, applied forces and added masses."""
        element, kind = self.model.element, self.model.element[:, f.E_KIND]
        if not len(element):
            return
        b, axes, origin = self._frames(element[:, f.E_FRAME_B])
        out = self.data.element_out[: len(element)]
        force, torque = out[:, 3:6], out[:, :3]
        self._add_wrenches(b, origin, force, torque)
        # forces of shapes act at points within the smaller one, and their torques may cancel
        pushes = (kind == f.TOUCH) & (out[:, f.TOUCH_NORMAL] > 0.0)
        self.reach = float(self.model.element_value[pushes, f.T_ROLLING_RADIUS].max(initial=0.0))
        for e in np.flatnonzero(kind == f.FLUID):
            values = self.model.element_value[e]
            if values[f.A_SHARED] > 0.0:
                values = values * self.data.inputs[element[e, f.E_INPUT]]
            pair = self._fluid(b[e], axes[e], origin[e], values)
            self._add_wrenches(b[[e]], origin[[e]], *(each[None] for each in pair))
        between = (kind < f.FORCE_WORLD) | (kind >= f.SEGMENT)
        a, _, other = self._frames(element[between, f.E_FRAME_A])
        straight = np.isin(kind[between], (f.LINE, f.SEGMENT))[:, None]
        at = np.where(straight, other, origin[between])
        self._add_wrenches(a, at, -force[between], -torque[between])

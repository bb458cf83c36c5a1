"""Newton-Euler residuals of every body from reported quantities: a check independent of the solver.

Poses, velocities, joint accelerations and forces are taken from the last evaluation. Body accelerations, wrenches and
the laws themselves are written here anew, from the bodies of the netlist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.geometry.rotations import inertia_matrix
from ...blocks.light_dataclass import record
from ..kernels import model_data as f

if TYPE_CHECKING:
    from ...blocks.multibody_parts import Body
    from ..kernels.model_data import Data, Model
    from ..mechanism.components import Component
    from ..mechanism.mechanism import Pose, TreeJoint
    from ..simulation.instance import Instance

Vector = np.ndarray


def cross(a: Vector, b: Vector) -> Vector:
    """a x b; numpy's takes twenty times as long for three components."""
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


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
    ledgers = [WrenchSums(one, model, data) for one, model, data in instance.each]
    residuals: list[tuple[str, float, float]] = []
    for ledger in ledgers:
        residuals += ledger.residuals()
    force = max(1e-300, *(ledger.force for ledger in ledgers))
    # a torque counts against the largest torque, or the largest force on the longest of its arms
    torque = max(ledger.torque for ledger in ledgers)
    reach = max(ledger.reach for ledger in ledgers)
    torque = max(torque, reach * max(ledger.force for ledger in ledgers), 1e-300)
    worst = [(max(off_force / force, off_torque / torque), name) for name, off_force, off_torque in residuals]
    # NaN is no balance
    return [BodyBalance(float("inf") if np.isnan(off) else float(off), name) for off, name in worst]


class WrenchSums:
    """All wrenches on all bodies of a component, about the centres of mass; and the largest force, torque and arm among
    them."""

    def __init__(self, component: Component, model: Model, data: Data):
        self.component, self.model, self.data = component, model, data
        self.force = self.torque = self.reach = 0.0
        mechanism, n = component.mechanism, len(model.topo)
        self.mass, self.centre, self.inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
        riders: dict[int, list[tuple[Body, Pose]]] = {}
        for _, part, row, pose in mechanism.bodies:
            riders.setdefault(row, []).append((part, pose))
        for row in range(n):
            self._body_inertia(row, riders.get(row, []))
        self.sum = np.zeros((n, 2, 3))
        self._inertial()
        self._joints()
        self._add_cut_joints()
        self._constraints()
        self._elements()

    def residuals(self) -> list[tuple[str, float, float]]:
        """Name of each body, and what is left over."""
        names: dict[int, str] = {}
        for block, part, row, _ in self.component.mechanism.bodies:
            names.setdefault(row, part.name or block)
        for joint in self.component.mechanism.joints:
            names.setdefault(joint.last, joint.block)
        left_out = {body.row for body in self.component.mechanism.flexible}
        return [(names[row], *self.residual(row)) for row in names if row >= 0 and row not in left_out]

    def residual(self, row: int) -> tuple[float, float]:
        """Residual force [N] and torque [N m] of a row's body."""
        force, torque = np.linalg.norm(self.sum[row], axis=1)
        return float(force), float(torque)

    def _body_inertia(self, row: int, parts: list[tuple[Body, Pose]]) -> None:
        """Mass, centre of mass in W and inertia about it of all bodies on a row."""
        R, p = (
            self.data.row[row, f.R_WB : f.p_WB].reshape(3, 3),
            self.data.row[row, f.p_WB : f.p_WB + 3],
        )
        points = [(part.mass, p + R @ (pose.R @ np.array(part.com) + pose.p)) for part, pose in parts]
        self.mass[row] = sum(mass for mass, _ in points)
        self.centre[row] = (
            sum((mass * at for mass, at in points), np.zeros(3)) / self.mass[row] if self.mass[row] else p
        )
        for (part, pose), (mass, at) in zip(parts, points, strict=True):
            turn, arm = R @ pose.R, at - self.centre[row]
            self.inertia[row] += turn @ inertia_matrix(part.inertia) @ turn.T
            self.inertia[row] += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    def _add_wrench(self, row: int, point: Vector, force: Vector, torque: Vector) -> None:
        """Add a force and torque at a point in W to a row's body."""
        if row < 0:
            return
        arm = point - self.centre[row]
        self.force = max(self.force, float(np.linalg.norm(force)))
        self.torque = max(self.torque, float(np.linalg.norm(torque)))
        self.reach = max(self.reach, float(np.linalg.norm(arm)))
        self.sum[row] += force, torque + cross(arm, force)

    # --- inertia -------------------------------------------------------------------------------------------------

    def _inertial(self) -> None:
        """Add gravity less m a, and -(I alpha + w x I w), of every body."""
        row, gravity = self.data.row, self.model.gravity
        spin, point = self._accelerations()
        for i in np.flatnonzero((self.mass > 0.0) | np.any(self.inertia, axis=(1, 2))).tolist():
            w, arm = row[i, f.TWIST : f.TWIST + 3], self.centre[i] - row[i, f.p_WB : f.p_WB + 3]
            a = point[i] + cross(spin[i], arm) + cross(w, cross(w, arm))
            torque = -(self.inertia[i] @ spin[i] + cross(w, self.inertia[i] @ w))
            self._add_wrench(i, self.centre[i], self.mass[i] * gravity, np.zeros(3))
            # on a force-free body these terms cancel: rounding counts against each, not against their sum
            terms = (point[i], cross(spin[i], arm), np.linalg.norm(w) ** 2 * arm)
            self.force = max(self.force, *(self.mass[i] * float(np.linalg.norm(term)) for term in terms))
            turning = float(np.linalg.norm(w) * np.linalg.norm(self.inertia[i] @ w))
            self.torque = max(self.torque, turning, float(np.linalg.norm(self.inertia[i] @ spin[i])))
            self._add_wrench(i, self.centre[i], -self.mass[i] * a, torque)

    def _accelerations(self) -> tuple[Vector, Vector]:
        """Angular acceleration of every row's body and acceleration of its origin in W, from the joint
        accelerations.
        """
        row, topo = self.data.row, self.model.topo
        n = len(topo)
        spin, point = np.zeros((n, 3)), np.zeros((n, 3))
        for i in range(n):
            k, axis, v = topo[i, f.PARENT], row[i, f.AXIS : f.AXIS + 3], row[i, f.V]
            origin = row[i, f.p_WB : f.p_WB + 3]
            w = row[k, f.TWIST : f.TWIST + 3] if k >= 0 else np.zeros(3)
            if k >= 0:
                arm = origin - row[k, f.p_WB : f.p_WB + 3]
                spin[i] = spin[k]
                point[i] = point[k] + cross(spin[k], arm) + cross(w, cross(w, arm))
            if topo[i, f.KIND] == f.FACE:  # as the solver has it: flexible bodies have no balance here
                spin[i] = row[i, f.ACC : f.ACC + 3]
                point[i] = row[i, f.ACC + f.LINEAR : f.ACC + 6] + self.model.gravity
            elif topo[i, f.KIND] == f.PRISMATIC:
                point[i] += row[i, f.QDD] * axis + 2.0 * v * cross(w, axis)
            elif topo[i, f.KIND] != f.WELD:
                # the three axes of a free joint turn with its body: use the angular velocity before all of them
                before = i - max(0, topo[i, f.KIND] - f.QUAT_X)
                w = (
                    row[topo[before, f.PARENT], f.TWIST : f.TWIST + 3]
                    if topo[before, f.PARENT] >= 0
                    else np.zeros(3)
                )
                spin[i] += row[i, f.QDD] * axis + v * cross(w, axis)
        return spin, point

    # --- forces --------------------------------------------------------------------------------------------------

    def _frame(self, frame: int) -> tuple[int, Vector, Vector]:
        """Row that carries a frame, R_WF, p_WF."""
        i, place = self.model.frame_row[frame], self.model.frame_place[frame]
        R, p = place[:9].reshape(3, 3), place[9:]
        if i < 0:
            return -1, R, p
        A = self.data.row[i, f.R_WB : f.p_WB].reshape(3, 3)
        return int(i), A @ R, self.data.row[i, f.p_WB : f.p_WB + 3] + A @ p

    def _joints(self) -> None:
        """Add the joints' constraint wrenches and the efforts along their freedoms, with both signs."""
        for j, joint in enumerate(self.component.mechanism.joints):
            _, axes, _ = self._frame(joint.resolve)
            _, _, origin = self._frame(joint.frame_b)
            out = self.data.joint_out[j]
            force, torque = (
                axes @ out[f.CONSTRAINT_FORCE : f.CONSTRAINT_TORQUE],
                axes @ out[f.CONSTRAINT_TORQUE : f.NORMAL_FORCE],
            )
            far, near = joint.last, int(self.model.topo[joint.first, f.PARENT])
            if joint.reversed:
                force, torque = -force, -torque
            self._add_wrench(far, origin, force, torque)
            self._add_wrench(near, origin, -force, -torque)
            # the joint's axes meet at the origin of the far body's row
            at = self.data.row[far, f.p_WB : f.p_WB + 3]
            total = out[f.TOTAL_FORCE : f.CONSTRAINT_FORCE] * (-1.0 if joint.reversed else 1.0)
            force, torque = self._efforts(joint, axes @ total[:3], axes @ total[3:6], origin - at)
            self._add_wrench(far, at, force, torque)
            self._add_wrench(near, at, -force, -torque)

    def _relation_effort(self, i: int) -> float:
        """Effort on a row of ideal relations between joints."""
        total = 0.0
        for constraint, con in zip(self.model.constraint, self.data.con, strict=True):
            if constraint[f.C_SERVO] < 0:
                along = constraint[f.C_JOINTS : f.C_JOINTS + 3] == i
                total += con[f.MULTIPLIER] * con[f.SLOPE : f.SLOPE + 3][along].sum()
        return float(total)

    def _efforts(self, joint: TreeJoint, force: Vector, torque: Vector, arm: Vector) -> tuple[Vector, Vector]:
        """Wrench in the span of a joint's axes with each freedom's effort; driven and held ones: what they require."""
        topo, row = self.model.topo, self.data.row
        sums = []
        at_row = {True: force, False: torque + cross(arm, force)}
        for slides in (True, False):
            rows = [
                i
                for i in range(joint.first, joint.last + 1)
                if topo[i, f.KIND] != f.WELD and (topo[i, f.KIND] == f.PRISMATIC) == slides
            ]
            axes = row[rows, f.AXIS : f.AXIS + 3]
            efforts = [
                axis @ at_row[slides]
                if topo[i, f.MODE] == f.DRIVEN or row[i, f.HELD] > 0.0
                else row[i, f.TAU]
                + self._relation_effort(i)
                - self.model.coordinate[i, f.ARMATURE] * row[i, f.QDD]  # effort of the rotor
                for i, axis in zip(rows, axes, strict=True)
            ]
            # axes are unit vectors: of two that are parallel up to 1e-9 the sum of efforts is known, not its shares
            sums.append(np.linalg.lstsq(axes, np.array(efforts), rcond=1e-9)[0] if rows else np.zeros(3))
        return sums[0], sums[1]

    def _add_cut_joints(self) -> None:
        """Joints that close loops, and the welds behind those whose coordinates are kept."""
        for k, (cut, row) in enumerate(zip(self.component.mechanism.cuts, self.model.cut, strict=True)):
            _, axes, _ = self._frame(int(row[f.CUT_RESOLVE]))
            b, _, origin = self._frame(cut.frame_b)
            a, _, _ = self._frame(cut.frame_a)
            out = self.data.joint_out[len(self.component.mechanism.joints) + k]
            force, torque = (
                axes @ out[f.TOTAL_FORCE : f.TOTAL_TORQUE],
                axes @ out[f.TOTAL_TORQUE : f.CONSTRAINT_FORCE],
            )
            self._add_wrench(b, origin, force, torque)
            self._add_wrench(a, origin, -force, -torque)

    def _constraints(self) -> None:
        """Programmed constraints that act by themselves; those that drives realise are among the efforts."""
        for first, last in self.component.table.programs.values():
            for c in range(first, last):
                if self.model.constraint[c, f.C_SERVO] >= 0:
                    continue
                con = self.data.con[c]
                torque, force = (
                    con[f.MULTIPLIER] * con[f.WRENCH_CONSTRAINT : f.FORCE_CONSTRAINT],
                    con[f.MULTIPLIER] * con[f.FORCE_CONSTRAINT : f.FORCE_CONSTRAINT + 3],
                )
                b, _, _ = self._frame(int(self.model.constraint[c, f.C_FRAME_B]))
                a, _, _ = self._frame(int(self.model.constraint[c, f.C_FRAME_A]))
                at = self.data.tie[self.model.constraint[c, f.C_TIE], f.p_WTIE : f.p_WTIE + 3]
                self._add_wrench(b, at, force, torque)
                self._add_wrench(a, at, -force, -torque)

    def _fluid(self, row: int, axes: Vector, at: Vector, values: Vector) -> tuple[Vector, Vector]:
        """Force and torque of an added mass on the hull, from the rate of the fluid's momentum in its axes."""
        symmetric = [[0, 3, 4], [3, 1, 5], [4, 5, 2]]
        H = values[f.A_H : f.A_M].reshape(3, 3)
        A = np.block([[values[f.A_J : f.A_H][symmetric], H], [H.T, values[f.A_M : f.A_M + 6][symmetric]]])
        spin, point = self._accelerations()
        w, arm = self.data.row[row, f.TWIST : f.TWIST + 3], at - self.data.row[row, f.p_WB : f.p_WB + 3]
        v = self.data.row[row, f.TWIST + 3 : f.TWIST + 6] + cross(w, arm)
        a = point[row] + cross(spin[row], arm) + cross(w, cross(w, arm))
        momentum = A @ np.concatenate([axes.T @ w, axes.T @ v])
        rate = A @ np.concatenate([axes.T @ spin[row], axes.T @ (a - cross(w, v))])
        L, P = axes @ momentum[:3], axes @ momentum[3:]
        force, torque = axes @ rate[3:] + cross(w, P), axes @ rate[:3] + cross(w, L) + cross(v, P)
        return -force, -torque

    def _elements(self) -> None:
        """Add springs between frames, contacts, applied forces and added masses."""
        each = zip(self.model.element, self.data.element_out, self.model.element_value, strict=True)
        for element, out, values in each:
            b, axes, origin = self._frame(int(element[f.E_FRAME_B]))
            if element[f.E_KIND] == f.FLUID:
                self._add_wrench(b, origin, *self._fluid(b, axes, origin, values))
            self._add_wrench(b, origin, out[3:6], out[:3])
            if element[f.E_KIND] < f.FORCE_WORLD or element[f.E_KIND] >= f.SEGMENT:
                a, _, other = self._frame(int(element[f.E_FRAME_A]))
                straight = element[f.E_KIND] in (f.LINE, f.SEGMENT)
                self._add_wrench(a, other if straight else origin, -out[3:6], -out[:3])

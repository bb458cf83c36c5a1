"""Benchmarks in Pinocchio: minimal coordinates, RK4 in Python around its forward dynamics.

Trees by `aba`, plane loops by `constraintDynamics` with a point of both bodies that coincides. Pinocchio has no
integrator of its own: `aba_alone` is the time that its C++ needs, whatever loop is around it.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .rigid_model import Place, Result, RigidJoint, RigidModel

Rates = tuple[np.ndarray, np.ndarray]


class Pinocchio:
    """Tree of joints, each body's frame at its joint and along its axes; joints that close loops are constraints."""

    def __init__(self, model: RigidModel):
        self.pin: Any = import_module("pinocchio")
        self.model, self.tree = model, self.pin.Model()
        self.tree.gravity.linear = model.gravity
        self.ids: dict[str, int] = {"": 0}
        self.at: dict[str, np.ndarray] = {"": np.zeros(3)}  # of a body's joint in the world, at the start
        if any(damping for *_, damping, _ in model.springs):
            raise ValueError("found a spring with a damper, expected springs alone")
        closing = self.add_tree(list(model.joints))
        self.data = self.tree.createData()
        self.q, self.v, self.tau = self.pin.neutral(self.tree), np.zeros(self.tree.nv), np.zeros(self.tree.nv)
        for joint in model.joints:
            if joint not in closing:
                self.start(joint)
        self.constraints = [self.closure(joint) for joint in closing]
        if self.constraints:
            self.closures = [one.createData() for one in self.constraints]
            # absolute and relative accuracy, mu, iterations: across a plane the constraints say the same twice
            self.proximal = self.pin.ProximalSettings(1e-12, 1e-12, 1e-8, 20)
            self.pin.initConstraintDynamics(self.tree, self.data, self.constraints, self.closures)

    def pose(self, body: str, place: np.ndarray) -> Any:
        """Place of the world with the body's axes, in the frame of the body's joint."""
        R = self.model.bodies[body].R if body else np.eye(3)
        return self.pin.SE3(np.eye(3), R.T @ (place - self.at[body]))

    def add_tree(self, waiting: list[RigidJoint]) -> list[RigidJoint]:
        """Add bodies outwards from the world; joints whose body another one bears already."""
        while reached := next((one for one in waiting if one.a in self.ids and one.b not in self.ids), None):
            waiting.remove(reached)
            body = self.model.bodies[reached.b]
            axis = body.R.T @ reached.axis
            kinds = {
                "revolute": lambda axis=axis: self.pin.JointModelRevoluteUnaligned(axis),
                "prismatic": lambda axis=axis: self.pin.JointModelPrismaticUnaligned(axis),
                "spherical": self.pin.JointModelSpherical,
            }
            place = self.pose(reached.a, reached.place)
            place.rotation = (self.model.bodies[reached.a].R.T if reached.a else np.eye(3)) @ body.R
            one = self.tree.addJoint(self.ids[reached.a], kinds[reached.kind](), place, reached.name)
            self.ids[reached.b], self.at[reached.b] = one, reached.place
            com = body.R.T @ (body.world(body.com) - reached.place)
            self.tree.appendBodyToJoint(
                one, self.pin.Inertia(body.mass, com, np.diag(body.inertia)), self.pin.SE3.Identity()
            )
        return waiting

    def start(self, joint: RigidJoint) -> None:
        """Rates and efforts of a joint of the tree at the start; its coordinates are zero there."""
        body = self.model.bodies[joint.b]
        of = self.tree.joints[self.ids[joint.b]]
        off = self.model.bodies[joint.a] if joint.a else None
        turning = body.w - (off.w if off else 0.0)
        if joint.kind == "revolute":
            self.v[of.idx_v] = joint.axis @ turning
            self.tau[of.idx_v] = self.model.efforts.get(joint.name, 0.0)
        elif joint.kind == "spherical":
            self.v[of.idx_v : of.idx_v + 3] = body.R.T @ turning
        else:
            self.v[of.idx_v] = joint.axis @ (
                body.v + np.cross(body.w, joint.place - body.p) - (off.v if off else 0.0)
            )

    def closure(self, joint: RigidJoint) -> Any:
        if joint.kind != "revolute":
            raise ValueError(
                f"{joint.name}: found a {joint.kind} joint that closes a loop, expected a revolute one"
            )
        ends = [(self.ids[body], self.pose(body, joint.place)) for body in (joint.a, joint.b)]
        kind = self.pin.ContactType.CONTACT_3D, self.tree
        frame = self.pin.ReferenceFrame.LOCAL
        return self.pin.RigidConstraintModel(*kind, *ends[0], *ends[1], frame)

    def rates(self, q: np.ndarray, v: np.ndarray) -> Rates:
        """q' and v'; of a ball joint q is a quaternion x, y, z, w, and v the angular velocity in the body's axes."""
        tau = self.tau + self.spring_efforts(q) if self.model.springs else self.tau
        if self.constraints:
            dv = self.pin.constraintDynamics(
                self.tree, self.data, q, v, tau, self.constraints, self.closures, self.proximal
            )
        else:
            dv = self.pin.aba(self.tree, self.data, q, v, tau)
        if len(q) == len(v):
            return v, dv.copy()
        dq = np.empty_like(q)
        for joint in self.tree.joints[1:]:
            here, there = joint.idx_q, joint.idx_v
            if joint.nq == 4:
                e, w, s = q[here : here + 3], v[there : there + 3], q[here + 3]
                dq[here : here + 3] = 0.5 * (s * w + np.cross(e, w))
                dq[here + 3] = -0.5 * e @ w
            else:
                dq[here : here + joint.nq] = v[there : there + joint.nv]
        return dq, dv.copy()

    def spring_efforts(self, q: np.ndarray) -> np.ndarray:
        """Generalised forces of the springs."""
        efforts = np.zeros(self.tree.nv)
        self.pin.computeJointJacobians(self.tree, self.data, q)
        for *ends, stiffness, _, length in self.model.springs:
            places = [self.place(end) for end in ends]
            along = places[1] - places[0]
            now = float(np.linalg.norm(along))
            pull = stiffness * (now - length) / now * along
            for (body, _), place, force in zip(ends, places, (pull, -pull), strict=True):
                if body:
                    frame = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
                    J = self.pin.getJointJacobian(self.tree, self.data, self.ids[body], frame)
                    arm = place - self.data.oMi[self.ids[body]].translation
                    efforts += J[:3].T @ force + J[3:].T @ np.cross(arm, force)
        return efforts

    def place(self, of: Place) -> np.ndarray:
        """Place in the world of a point of a body, at the data's coordinates."""
        body, point = of
        if not body:
            return point
        return self.data.oMi[self.ids[body]].act(
            self.pose(body, self.model.bodies[body].world(point)).translation
        )

    def step(self, q: np.ndarray, v: np.ndarray, h: float) -> Rates:
        """One step of RK4."""
        k = [self.rates(q, v)]
        for share in (0.5, 0.5, 1.0):
            k.append(self.rates(q + share * h * k[-1][0], v + share * h * k[-1][1]))
        dq, dv = (sum(c * one[i] for c, one in zip((1, 2, 2, 1), k, strict=True)) * (h / 6.0) for i in (0, 1))
        return q + dq, v + dv

    def solve(self, step: float) -> float:
        """Run by RK4; processor time [s]."""
        q, v = self.q, self.v
        began = time.process_time()
        for _ in range(round(self.model.stop / step)):
            q, v = self.step(q, v, step)
        spent = time.process_time() - began
        self.q, self.v = q, v
        return spent

    def signals(self) -> dict[str, float]:
        """Positions of the watched points and angles of the tree's joints."""
        self.pin.forwardKinematics(self.tree, self.data, self.q)
        found = {}
        for name, of in self.model.watched.items():
            found |= {f"{name}.position[{c}]": float(x) for c, x in enumerate(self.place(of))}
        for joint in self.model.joints:
            if joint.kind == "revolute" and joint.name in self.tree.names:
                of = self.tree.joints[self.tree.getJointId(joint.name)]
                found[f"{joint.name}.position"] = self.model.angle(joint) + float(self.q[of.idx_q])
        return found


def pinocchio(model: RigidModel, step: float) -> Result:
    made = Pinocchio(model)
    spent = made.solve(step)
    return made.signals(), spent


def aba_alone(model: RigidModel, step: float) -> Result:
    """Signals of `pinocchio`, and the time of its calls of `aba` less what a call from Python costs: a lower bound."""
    made, least = Pinocchio(model), import_module("pinocchio").Model()
    least.addJoint(0, made.pin.JointModelRX(), made.pin.SE3.Identity(), "")
    least.appendBodyToJoint(1, made.pin.Inertia.Identity(), made.pin.SE3.Identity())
    count = 4 * round(model.stop / step)

    def calls(tree: Any, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> float:
        data, aba = tree.createData(), made.pin.aba
        began = time.process_time()
        for _ in range(count):
            aba(tree, data, q, v, tau)
        return time.process_time() - began

    spent = calls(made.tree, made.q, made.v, made.tau) - calls(least, np.zeros(1), np.zeros(1), np.zeros(1))
    made.solve(step)
    return made.signals(), spent

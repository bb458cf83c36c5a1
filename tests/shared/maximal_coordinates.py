"""The slow obvious twin of constrained mechanisms: every body has six freedoms, every joint its constraints.

Only poses and twists are taken from luff. Equations of motion (Newton and Euler about each mass centre), joint
constraints and their second rates are written here anew, and one least-squares solve gives accelerations and
multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import luff
from luff.blocks.geometry.rotations import inertia_matrix, rotation_of_turns, skew
from luff.blocks.mechanics.bodies import MassBlock
from luff.blocks.mechanics.joints import JointBlock
from luff.solver.kernels.model_data import LINEAR, R_WB, TWIST, p_WB

WORLD = -1


class Frame(NamedTuple):
    """A frame on a body, in world axes: pose, spin, velocity of its origin as a point of the body."""

    body: int
    R: np.ndarray
    p: np.ndarray
    w: np.ndarray
    v: np.ndarray


@dataclass
class Body:
    name: str
    mass: float
    com: np.ndarray  # in the body frame
    inertia: np.ndarray  # about the com, body axes
    frame: Frame  # the body frame


@dataclass
class Push:
    """Scalar constraint: force and torque on b at its origin, and the opposite on a, for a unit multiplier."""

    joint: str
    a: Frame
    b: Frame
    force: np.ndarray
    torque: np.ndarray
    second: float  # what force . p'' + torque . w' of b against a must be (sign of a's share included)
    rate: float  # how far velocities are from satisfying it
    constraint: bool = True


@dataclass
class Answer:
    """Accelerations by body, and wrenches on b at frame b in b's axes by joint, (force; torque)."""

    spin: dict[str, np.ndarray] = field(default_factory=dict)  # angular acceleration, world axes
    point: dict[str, np.ndarray] = field(default_factory=dict)  # acceleration of the body frame's origin
    constraint: dict[str, np.ndarray] = field(default_factory=dict)
    total: dict[str, np.ndarray] = field(default_factory=dict)
    multipliers: list[float] = field(default_factory=list)  # of the programmed constraints, in their order
    unbalanced: float = 0.0  # largest residual of the equations of motion
    violated: float = 0.0  # largest rate of violation of what luff's twists say
    mobility: int = 0


class Twin:
    """All bodies and joints of a simulation, at the state that luff evaluated last."""

    def __init__(self, sim: luff.Simulation):
        self.sim = sim
        self.mechanism, self.data = sim.program.mechanism, sim.instance.data
        blocks = sim.program.flat.blocks
        self.gravity = np.array(blocks["world"].gravity, float)
        self.bodies: list[Body] = []
        owner: dict[int, int] = {}
        for name, block in blocks.items():
            if not isinstance(block, MassBlock):
                continue
            mass, com, six = block.mass_properties()
            key = self._node(name, "frame_a")
            frame = self._frame(name, "frame_a", len(self.bodies))
            self.bodies.append(Body(name, mass, np.array(com, float), inertia_matrix(six), frame))
            owner[key] = len(self.bodies) - 1
        self._wire(owner)
        self.pushes: list[Push] = []
        for name, block in blocks.items():
            if isinstance(block, JointBlock):
                self._joint(name, block)

    # --- frames --------------------------------------------------------------------------------------------------

    def _node(self, block: str, port: str) -> int:
        return hash((block, port))

    def _kinematics(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        row, pose = self.mechanism.frames[index]
        if row < 0:
            return pose.R, pose.p, np.zeros(3), np.zeros(3)
        R, p = self.data.row[row, R_WB:p_WB].reshape(3, 3), self.data.row[row, p_WB : p_WB + 3]
        w, v = self.data.row[row, TWIST : TWIST + 3], self.data.row[row, TWIST + LINEAR : TWIST + 6]
        arm = R @ pose.p
        return R @ pose.R, p + arm, w.copy(), v + np.cross(w, arm)

    def _frame(self, block: str, port: str, body: int) -> Frame:
        return Frame(body, *self._kinematics(self.mechanism.frame_index[(block, port)]))

    def _wire(self, owner: dict[int, int]) -> None:
        """Which body every port belongs to: wires and welded bodies make one body of many; empty nodes get none."""
        flat = self.sim.program.flat
        parent: dict[tuple[str, str], tuple[str, str]] = {}

        def find(node: tuple[str, str]) -> tuple[str, str]:
            parent.setdefault(node, node)
            while parent[node] != node:
                node = parent[node]
            return node

        links = [((b.a.block, b.a.port), (b.b.block, b.b.port)) for b in flat.bonds if b.kind == "frame"]
        for name, block in flat.blocks.items():
            if isinstance(block, MassBlock):
                links += [
                    ((name, "frame_a"), (name, port)) for port in block.ports() if port.startswith("frame")
                ]
                links += [((name, "frame_a"), (name, port)) for port in getattr(block, "frames", ())]
        for a, b in links:
            parent[find(a)] = find(b)
        groups: dict[tuple[str, str], int] = {find(("world", "frame")): WORLD}
        merged: list[Body] = []
        for body in self.bodies:
            root = find((body.name, "frame_a"))
            if root not in groups:
                groups[root] = len(merged)
                merged.append(body)
            elif groups[root] != WORLD:
                merged[groups[root]] = weld(merged[groups[root]], body)
        self.bodies, self._groups, self._find = merged, groups, find

    def _on(self, block: str, port: str) -> Frame:
        root = self._find((block, port))
        if root not in self._groups:  # joints wired to one another: a body without mass between them
            self._groups[root] = len(self.bodies)
            frame = self._frame(block, port, len(self.bodies))
            self.bodies.append(Body(f"{block}.{port}", 0.0, np.zeros(3), np.zeros((3, 3)), frame))
        return self._frame(block, port, self._groups[root])

    # --- constraints ---------------------------------------------------------------------------------------------

    def slide(
        self, joint: str, a: Frame, b: Frame, e: np.ndarray, rate: float, second: float, **more: Any
    ) -> None:
        """e (fixed in a) . (p_b - p_a) has the given first and second rate."""
        r, v = b.p - a.p, b.v - a.v
        ed = np.cross(a.w, e)
        # e'' less the part with the angular acceleration of a, which stands in the matrix
        edd = np.cross(a.w, ed)
        bias = 2 * ed @ v + edd @ r + self._spin_bias(b, e) - self._spin_bias(a, e)
        self.pushes.append(Push(joint, a, b, e, np.zeros(3), second - bias, e @ v + ed @ r - rate, **more))

    def _spin_bias(self, f: Frame, e: np.ndarray) -> float:
        """e . centripetal acceleration of the frame's origin against its body's."""
        if f.body == WORLD:
            return 0.0
        r = f.p - self.bodies[f.body].frame.p
        return float(e @ np.cross(f.w, np.cross(f.w, r)))

    def turn(self, joint: str, a: Frame, b: Frame, n: np.ndarray, nd: np.ndarray, rate: float, second: float,
             **more: Any) -> None:  # fmt: skip
        """n . (w_b - w_a) is given; nd is the rate of n."""
        w = b.w - a.w
        self.pushes.append(Push(joint, a, b, np.zeros(3), n, second - nd @ w, n @ w - rate, **more))

    def _joint(self, name: str, block: JointBlock) -> None:
        kind = block.type_name
        a, b = self._on(name, "frame_a"), self._on(name, "frame_b")
        if kind == "fixed":
            # the inner frame that b coincides with
            a = a._replace(R=a.R @ rotation_of_turns(block.rotate))
        if kind == "free":
            return
        cross = [a.R[:, k] for k in range(3)]
        if kind in ("revolute", "prismatic"):
            axis = a.R @ np.array(block.axis, float)
            cross = across(axis)
        slides = {"prismatic": cross if kind == "prismatic" else []}.get(kind, [a.R[:, k] for k in range(3)])
        for e in slides:
            self.slide(name, a, b, e, 0.0, 0.0)
        if kind in ("revolute", "prismatic", "fixed"):
            turns = cross if kind == "revolute" else [a.R[:, k] for k in range(3)]
            for n in turns:
                self.turn(name, a, b, n, np.cross(a.w, n), 0.0, 0.0)
        if kind == "universal":
            u, w = a.R @ np.array(block.axis_a, float), b.R @ np.array(block.axis_b, float)
            rate = np.cross(np.cross(a.w, u), w) + np.cross(u, np.cross(b.w, w))
            self.turn(name, a, b, np.cross(u, w), rate, 0.0, 0.0)

    def drive(self, name: str, rate: float, second: float) -> None:
        """A kinematic drive along the axis of a one-coordinate joint."""
        block = self.sim.program.flat.blocks[name]
        a, b = self._on(name, "frame_a"), self._on(name, "frame_b")
        axis = a.R @ np.array(block.axis, float)
        if block.type_name == "revolute":
            self.turn(name, a, b, axis, np.cross(a.w, axis), rate, second, constraint=False)
        else:
            self.slide(name, a, b, axis, rate, second, constraint=False)

    def follow(
        self, frame: tuple[str, str], e: np.ndarray, rate: float, second: float, name: str = "@"
    ) -> None:
        """A programmed constraint of a point against the world."""
        ground = Frame(WORLD, np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        self.slide(name, ground, self._on(*frame), np.asarray(e, float), rate, second)

    # --- solve ---------------------------------------------------------------------------------------------------

    def solve(self, efforts: dict[str, float] | None = None) -> Answer:
        """`efforts` of drives, springs and dampers by joint, on b along the axis."""
        n = len(self.bodies)
        M, F = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for k, body in enumerate(self.bodies):
            at = slice(6 * k, 6 * k + 6)
            M[at, at], F[at] = equations(body, self.gravity)
        loads: dict[str, np.ndarray] = {}
        for name, effort in (efforts or {}).items():
            block = self.sim.program.flat.blocks[name]
            a, b = self._on(name, "frame_a"), self._on(name, "frame_b")
            axis = a.R @ np.array(block.axis, float)
            slides = block.type_name == "prismatic"
            force, torque = (effort * axis, np.zeros(3)) if slides else (np.zeros(3), effort * axis)
            F += self._column(Push(name, a, b, force, torque, 0.0, 0.0))
            loads[name] = np.concatenate([b.R.T @ force, b.R.T @ torque])
        J = np.array([self._column(push) for push in self.pushes]).reshape(-1, 6 * n)
        wanted = np.array([push.second for push in self.pushes])
        scale = np.sqrt(np.maximum(np.diag(M), 1e-3 * np.diag(M).max()))
        # unit rows after scaling by mass: the rank is told from rounding by far
        size = np.linalg.norm(J / scale, axis=1)
        Js = J / scale / size[:, None]
        K = np.block([[M / np.outer(scale, scale), Js.T], [Js, np.zeros((len(J), len(J)))]])
        right = np.concatenate([F / scale, wanted / size])
        x = np.linalg.lstsq(K, right, rcond=1e-11)[0]
        # once more for what rounding left: loops near a dead centre ask for it
        x += np.linalg.lstsq(K, right - K @ x, rcond=1e-11)[0]
        acceleration, multiplier = x[: 6 * n] / scale, -x[6 * n :] / size
        answer = Answer()
        answer.unbalanced = float(abs(M @ acceleration - F - J.T @ multiplier).max())
        answer.violated = max((abs(push.rate) for push in self.pushes), default=0.0)
        answer.mobility = 6 * n - int(np.linalg.matrix_rank(Js, tol=1e-9))
        for k, body in enumerate(self.bodies):
            answer.spin[body.name] = acceleration[6 * k : 6 * k + 3]
            answer.point[body.name] = acceleration[6 * k + 3 : 6 * k + 6]
        for push, value in zip(self.pushes, multiplier, strict=True):
            if push.joint == "@":
                answer.multipliers.append(float(value))
            wrench = value * np.concatenate([push.b.R.T @ push.force, push.b.R.T @ push.torque])
            answer.total[push.joint] = answer.total.get(push.joint, np.zeros(6)) + wrench
            if push.constraint:
                answer.constraint[push.joint] = answer.constraint.get(push.joint, np.zeros(6)) + wrench
        for name, load in loads.items():
            answer.total[name] = answer.total[name] + load
        return answer

    def _column(self, push: Push) -> np.ndarray:
        """Generalised force of a unit multiplier on all bodies, at their frames' origins."""
        column = np.zeros(6 * len(self.bodies))
        for f, sign in ((push.b, 1.0), (push.a, -1.0)):
            if f.body == WORLD:
                continue
            # both act at b's origin: a force along a line fixed in a is met there
            arm = push.b.p - self.bodies[f.body].frame.p
            column[6 * f.body : 6 * f.body + 3] += sign * (push.torque + np.cross(arm, push.force))
            column[6 * f.body + 3 : 6 * f.body + 6] += sign * push.force
        return column


def equations(body: Body, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and forces of one body at its frame's origin, (angular; linear), world axes."""
    R, w = body.frame.R, body.frame.w
    c, I = R @ body.com, R @ body.inertia @ R.T
    S = skew(c)
    M = np.zeros((6, 6))
    M[:3, :3] = I - body.mass * S @ S
    M[:3, 3:], M[3:, :3] = body.mass * S, -body.mass * S
    M[3:, 3:] = body.mass * np.eye(3)
    # acceleration of the com: a + alpha x c + w x (w x c)
    pull = body.mass * (gravity - np.cross(w, np.cross(w, c)))
    return M, np.concatenate([np.cross(c, pull) - np.cross(w, I @ w), pull])


def weld(one: Body, other: Body) -> Body:
    """Two bodies wired together."""
    R = one.frame.R.T @ other.frame.R
    at = one.frame.R.T @ (other.frame.p - one.frame.p) + R @ other.com
    mass = one.mass + other.mass
    com = (one.mass * one.com + other.mass * at) / mass
    inertia = one.inertia + R @ other.inertia @ R.T
    for m, c in ((one.mass, one.com), (other.mass, at)):
        inertia = inertia - m * skew(c - com) @ skew(c - com)
    return Body(one.name, mass, com, inertia, one.frame)


def across(axis: np.ndarray) -> list[np.ndarray]:
    """Two directions at right angles to an axis."""
    other = np.eye(3)[int(np.argmin(abs(axis)))]
    e = np.cross(axis, other)
    e /= np.linalg.norm(e)
    return [e, np.cross(axis, e)]


def luff_accelerations(sim: luff.Simulation) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Angular acceleration, and acceleration of frame_a's origin, of every body at luff's last evaluation."""
    from luff.solver.kernels.model_data import ACC

    twin = Twin(sim)
    spin, point = {}, {}
    for body in twin.bodies:
        block = body.name.partition(".")[0] if body.mass == 0.0 else body.name
        if (block, "frame_a") not in twin.mechanism.frame_index or body.mass == 0.0:
            continue
        row, _ = twin.mechanism.frames[twin.mechanism.frame_index[(block, "frame_a")]]
        acc, p = twin.data.row[row, ACC : ACC + 6], twin.data.row[row, p_WB : p_WB + 3]
        w, arm = body.frame.w, body.frame.p - p
        spin[body.name] = acc[:3].copy()
        point[body.name] = acc[3:] + twin.gravity + np.cross(acc[:3], arm) + np.cross(w, np.cross(w, arm))
    return spin, point

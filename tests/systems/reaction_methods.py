"""Two slow ways to the forces in the joints of a tree, in the papers' own terms; nothing here knows luff's solver.

Auxiliary generalised speeds (Cibicik and Egeland, Determination of constraint forces for an offshore crane on a moving
base, eq. 41 to 50): every joint is imagined to come apart along its constrained directions, all of them at once.
Wrench summation (Cibicik and Egeland (2018), eq. 49 and 56): a joint carries what is left over of all bodies beyond.
World axes throughout; spatial vectors are (angular; linear).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

Vector = np.ndarray


def turn(axis: Iterable[float], angle: float) -> Vector:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


@dataclass
class Step:
    """One freedom of a joint: about or along an axis of the frame that the steps before have turned."""

    slides: bool
    axis: Vector
    q: float
    u: float
    effort: float = 0.0


@dataclass
class Link:
    """A body, and the joint that carries it: steps from a frame on the parent, then the body's own frame."""

    parent: int
    near: tuple[Vector, Vector]  # R and p of the joint in the parent's body frame
    steps: list[Step]
    far: tuple[Vector, Vector]  # R and p of the body frame in the joint's moved frame
    mass: float
    com: Vector  # in the body frame
    inertia: Vector  # about the com, in the body frame
    pushes: list[tuple[Vector, Vector, Vector]] = field(
        default_factory=list
    )  # point, force and torque in the world


@dataclass
class State:
    """Where a link is and how it moves while all accelerations are zero."""

    R: Vector
    p: Vector
    w: Vector
    wd: Vector
    a: Vector  # acceleration of the frame's origin

    def go(self, r: Vector) -> State:
        """To another point of the same body."""
        w = self.w
        return State(
            self.R, self.p + r, w, self.wd, self.a + np.cross(self.wd, r) + np.cross(w, np.cross(w, r))
        )


@dataclass
class Placed:
    """A link in the world: its centre, its joint's origin and axes, and the columns of its projection matrix."""

    link: Link
    body: State
    centre: State
    near: State  # the joint's frame on the parent
    joint: State  # and its moved frame
    I: Vector
    columns: list[
        tuple[int, bool, Vector, Vector]
    ]  # number, slides, axis, a point on it; of all joints on the way
    first: int = 0
    axes: list[tuple[bool, Vector]] = field(default_factory=list)  # of its own joint

    def twist(self, slides: bool, axis: Vector, point: Vector) -> Vector:
        """Of the centre of mass, for a unit speed about or along an axis."""
        if slides:
            return np.concatenate([np.zeros(3), axis])
        return np.concatenate([axis, np.cross(axis, self.centre.p - point)])


class Tree:
    """Accelerations by Kane's equations, then constraint forces by either method."""

    def __init__(self, links: list[Link], gravity: Vector):
        self.gravity = gravity
        self.placed: list[Placed] = []
        self.size = 0
        ground = State(np.eye(3), *(np.zeros(3) for _ in range(4)))
        for link in links:
            parent = self.placed[link.parent] if link.parent >= 0 else None
            near = here = self._to(parent.body if parent else ground, link.near)
            columns = list(parent.columns) if parent else []
            placed = Placed(link, near, near, near, near, np.zeros((3, 3)), columns, self.size)
            for step in link.steps:
                axis = here.R @ step.axis
                if step.slides:
                    moved = here.go(step.q * axis)
                    here = State(
                        moved.R, moved.p, moved.w, moved.wd, moved.a + 2 * np.cross(here.w, step.u * axis)
                    )
                else:
                    spin = step.u * axis
                    R = here.R @ turn(step.axis, step.q)
                    here = State(R, here.p, here.w + spin, here.wd + np.cross(here.w, spin), here.a)
                columns.append((self.size, step.slides, axis, here.p))
                placed.axes.append((step.slides, axis))
                self.size += 1
            placed.joint, placed.body = here, self._to(here, link.far)
            placed.centre = placed.body.go(placed.body.R @ link.com)
            placed.I = placed.body.R @ link.inertia @ placed.body.R.T
            self.placed.append(placed)
        self.ud = self._accelerations()

    @staticmethod
    def _to(state: State, pose: tuple[Vector, Vector]) -> State:
        moved = state.go(state.R @ pose[1])
        return State(state.R @ pose[0], moved.p, moved.w, moved.wd, moved.a)

    def projection(self, placed: Placed) -> Vector:
        """P_k of eq. 28: twist of the centre of mass by generalised speeds."""
        P = np.zeros((6, self.size))
        for number, slides, axis, point in placed.columns:
            P[:, number] += placed.twist(slides, axis, point)
        return P

    def load(self, placed: Placed, ud: Vector) -> Vector:
        """Eq. 17: inertial less external wrench at the centre of mass; efforts within joints are no part of it."""
        link, c = placed.link, placed.centre
        acceleration = self.projection(placed) @ ud + np.concatenate([c.wd, c.a])
        torque = placed.I @ acceleration[:3] + np.cross(c.w, placed.I @ c.w)
        force = link.mass * (acceleration[3:] - self.gravity)
        for point, f, t in link.pushes:
            torque, force = torque - t - np.cross(point - c.p, f), force - f
        return np.concatenate([torque, force])

    def _accelerations(self) -> Vector:
        """Eq. 37, by columns."""
        tau = np.array([step.effort for placed in self.placed for step in placed.link.steps])
        zero = np.zeros(self.size)

        def left(ud: Vector) -> Vector:
            return sum((self.projection(p).T @ self.load(p, ud) for p in self.placed), np.zeros(self.size))

        bias = left(zero)
        M = (
            np.column_stack([left(unit) - bias for unit in np.eye(self.size)])
            if self.size
            else np.zeros((0, 0))
        )
        return np.linalg.solve(M, tau - bias) if self.size else zero

    # --- forces in the joints ------------------------------------------------------------------------------------

    def beyond(self, number: int) -> list[int]:
        """A link and all that it carries."""
        found = {number}
        for k, placed in enumerate(self.placed):
            if placed.link.parent in found:
                found.add(k)
        return sorted(found)

    def constrained(self, placed: Placed) -> list[tuple[bool, Vector]]:
        """Directions that a joint holds: at right angles to its turns, and to its slides."""
        found = []
        for slides in (False, True):
            axes = np.array([axis for kind, axis in placed.axes if kind == slides]).reshape(-1, 3)
            _, s, vt = np.linalg.svd(axes)
            found += [(slides, row) for row in vt[int(np.sum(s > 1e-12)) :]]
        return found

    def by_auxiliary_speeds(self) -> list[Vector]:
        """Constraint force and torque on each link at its joint, from eq. 50 for all joints at once."""
        imagined = [(k, *held) for k, placed in enumerate(self.placed) for held in self.constrained(placed)]
        count = len(imagined)
        K, rhs = np.zeros((count, count)), np.zeros(count)
        for j, placed in enumerate(self.placed):
            # eq. 42: the imagined speeds of this joint and of those on the way to it move the link
            P = np.zeros((6, count))
            for column, (k, slides, axis) in enumerate(imagined):
                if j in self.beyond(k):
                    P[:, column] = placed.twist(slides, axis, self.placed[k].joint.p)
            # eq. 45 and 46: forces of its own joint, and against it those of the joints that it carries
            U = np.zeros((6, count))
            for column, (k, slides, axis) in enumerate(imagined):
                sign = 1.0 if k == j else -1.0 if self.placed[k].link.parent == j else 0.0
                if not slides:
                    U[:3, column] = sign * axis
                else:
                    U[:3, column] = sign * np.cross(self.placed[k].joint.p - placed.centre.p, axis)
                    U[3:, column] = sign * axis
            K += P.T @ U
            rhs += P.T @ self.load(placed, self.ud)
        rho = np.linalg.solve(K, rhs) if count else rhs
        found = [np.zeros(6) for _ in self.placed]
        for value, (k, slides, axis) in zip(rho, imagined, strict=True):
            found[k][(0 if slides else 3) : (3 if slides else 6)] += value * axis
        return found

    def by_summation(self) -> list[Vector]:
        """All that each joint transmits to its link, (force; torque) at the joint, from the loads of what is beyond."""
        found = []
        for k, placed in enumerate(self.placed):
            wrench = np.zeros(6)
            for j in self.beyond(k):
                load, arm = self.load(self.placed[j], self.ud), self.placed[j].centre.p - placed.joint.p
                wrench += [*load[3:], *(load[:3] + np.cross(arm, load[3:]))]
            found.append(wrench)
        return found

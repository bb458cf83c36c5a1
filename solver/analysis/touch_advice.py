"""Advice on shapes that touch: the stiffest contact of each `touch`, the step that it allows and the speed it bears.

RK4 is stable at the step, linearised at any depth within the roundings that a hit up to the speed of the advice
reaches. There x'' + D x' + W x = 0 has for each mode roots |lambda| <= max(sqrt(W), D), W = n k s^(n-1) (1 + c s') mu
and D = c k s^n mu, mu the mobility of the features that touch, and with stiffness and damping of the bristle. Where a
body touches `AT_ONCE` = j others, W grows at most by j, as (sum of J_p x_p)^2 over pairs is at most that of theirs over
bodies. Of D the part of the law grows at most by sqrt(j): the energy that takes one contact to its roundings takes j of
them to depths with sum s_p^2 <= s^2. Features are those of one face or corner of either shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...blocks.multibody_parts import Solid, Touch
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.mass_matrix import mass_matrix
from ..mechanism.mechanism import PlacedPart

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


RK4_REACH = 2.6  # |R(z)| <= 1 of rk4 in the left half plane up to this |z|
AT_ONCE = 3  # others that a body touches at the same time: no bound but a condition, told beside the step


class TouchAdvice(NamedTuple):
    """Stiffest contact of a block's pairs about the initial state."""

    pair: str  # name of the pair; empty for the only one
    rate: float  # circular frequency w of a face or a corner that touches [rad/s]
    largest_step: float  # for which RK4 is stable at all depths within the roundings, by the bound above [s]
    light_step: float  # for which it is where depths, and with them dissipation, are small [s]
    # least at which an undamped hit on one corner uses up the roundings [m/s]; infinite on a plane
    speed: float


Points = tuple[np.ndarray, np.ndarray]  # points that touch together (n, 3), their common normal


def touch_advice(sim: Simulation) -> dict[str, TouchAdvice]:
    """Stiffest contact of each block `touch`; none of a block whose bodies have freedoms without mass.

    Parameters
    ----------
    sim : Simulation
        A compiled model.

    Returns
    -------
    dict of str to TouchAdvice
        Advice by block.
    """
    advice: dict[str, TouchAdvice] = {}
    elements = sim.program.mechanism.elements
    if not any(isinstance(placed.part, Touch) for placed in elements):
        return advice
    run = sim.new_instance()
    run.rates(0.0, sim.x0)
    free = np.flatnonzero(run.model.topo[:, f.MODE] == f.FREE)
    M = mass_matrix(run.model, run.data)[np.ix_(free, free)]
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return advice
    mobility = Mobility(run.model, run.data, free, inverse, rounding_of_inverse(M), {})
    for placed in elements:
        if isinstance(placed.part, Touch):
            own = pair_advice(placed, placed.part, mobility)
            if placed.block not in advice or own.largest_step < advice[placed.block].largest_step:
                advice[placed.block] = own
    return advice


def pair_advice(placed: PlacedPart, part: Touch, mobility: Mobility) -> TouchAdvice:
    """Advice on one pair: the larger of what a corner, or all corners of a face, of either shape give.

    The mobility of the other shape is that of its most mobile corner: an upper bound of w.
    """
    depth = part.solid_a.rounding + part.solid_b.rounding
    exponent = part.values[f.T_EXPONENT]
    # slope of k s^n at the depth of the roundings
    stiffness = exponent * part.values[f.T_STIFFNESS] * depth ** (exponent - 1.0)
    ends = ((part.solid_a, placed.frame_a), (part.solid_b, placed.frame_b))
    most, least, moving = [], [], []
    for (solid, frame), (other, there) in zip(ends, reversed(ends), strict=True):
        # a plane has none: there the other shape touches it
        corners = mobility.corners(solid, frame) or mobility.corners(other, there)
        ranges = [mobility.of(frame, x) for x in corners]
        most.append(max(values[-1] for values in ranges))
        least.append(min(values[0] for values in ranges))
        moving += [value for values in ranges for value in values if value > mobility.rounding * values[-1]]
    square = 0.0
    for k, (solid, frame) in enumerate(ends):
        reach = 2.0 * ends[1 - k][0].bound  # corners further apart never touch the other shape at once
        for corners, n in mobility.faces(solid, frame):
            near = np.linalg.norm(corners[:, None] - corners, axis=2) <= reach
            for at_once in np.unique(near, axis=0):
                pushing = mobility.together(corners[at_once], n, frame) + at_once.sum() * most[1 - k]
                square = max(square, float(pushing))
    square = max(square, sum(most))
    rate = math.sqrt(stiffness * square)
    # a hit where both move least; in a direction in which neither moves there is none
    slowest = sum(least) if sum(least) > mobility.rounding * sum(most) else min(moving, default=0.0)
    speed = depth * math.sqrt(2.0 / (exponent + 1.0) * stiffness / exponent * slowest)
    c = part.values[f.T_DAMPING]
    W, D = AT_ONCE * stiffness * square, 0.0
    if part.values[f.T_FRICTION] > 0.0:
        rolling = part.values[f.T_ROLLING] * part.values[f.T_ROLLING_RADIUS] ** 2
        across = AT_ONCE * (sum(most) + rolling * sum(mobility.turning(frame) for _, frame in ends))
        W += part.values[f.T_ACROSS] * across
        D += part.values[f.T_ACROSS_DAMPING] * across
    light = stable_step(W, D)
    W += AT_ONCE * stiffness * square * c * speed
    step = stable_step(W, D + math.sqrt(AT_ONCE) * stiffness * square * c * depth / exponent)
    plane = part.solid_a.kind == "plane"
    return TouchAdvice(part.name, rate, step, light, math.inf if plane else speed)


def stable_step(W: float, D: float) -> float:
    """Step at which RK4 is stable for all x'' + d x' + w x = 0 with 0 <= w <= W, 0 <= d <= D [s]."""
    fastest = max(math.sqrt(W), D)
    return RK4_REACH / fastest if fastest > 0.0 else math.inf


def rounding_of_inverse(M: np.ndarray) -> float:
    """Bound of the share of a point's largest mobility that rounding may make of none.

    With unit diagonal M' = D M D of condition kappa its inverse is off by n eps kappa of its largest eigenvalue, which
    is kappa times the least one: J M^-1 J^T then is by n eps kappa^2 of its largest.
    """
    if not M.size:
        return 0.0
    sizes = np.sqrt(np.diag(M))
    return len(M) * float(np.finfo(float).eps * np.linalg.cond(M / np.outer(sizes, sizes)) ** 2)


class Mobility(NamedTuple):
    """Motion of body points under unit forces: J M^-1 J^T over the FREE rows."""

    model: Model
    data: Data
    free: np.ndarray
    inverse: np.ndarray  # M^-1
    rounding: float  # share of the largest mobility of a point up to which another may be zero
    twists: dict[int, np.ndarray]  # by frame, of those that were asked

    def pose(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """R_WF, p_WF of a frame."""
        row, place = self.model.frame_row[frame], self.model.frame_place[frame]
        R, p = place[:9].reshape(3, 3), place[9:]
        if row < 0:
            return R, p
        data = self.data.row[row]
        A = data[f.R_WB : f.R_WB + 9].reshape(3, 3)
        return A @ R, A @ p + data[f.p_WB : f.p_WB + 3]

    def twist(self, frame: int) -> np.ndarray:
        """Angular velocity, and velocity of the frame's origin, in W, by the rates of the FREE rows (2, 3, free)."""
        if frame not in self.twists:
            J, (_, at) = np.zeros((2, 3, len(self.model.topo))), self.pose(frame)
            row = int(self.model.frame_row[frame])
            while row >= 0:
                axis = self.data.row[row, f.AXIS : f.AXIS + 3]
                kind = self.model.topo[row, f.KIND]
                if kind == f.PRISMATIC:
                    J[1, :, row] = axis
                elif kind != f.WELD:
                    J[:, :, row] = axis, np.cross(axis, at - self.data.row[row, f.p_WB : f.p_WB + 3])
                row = int(self.model.topo[row, f.PARENT])
            self.twists[frame] = J[:, :, self.free]
        return self.twists[frame]

    def of(self, frame: int, x: np.ndarray) -> list[float]:
        """Principal mobilities of the body point at x, in rising order [1/kg]."""
        if not self.free.size:
            return [0.0] * 3
        turn, shift = self.twist(frame)
        J = shift + np.cross(turn, x - self.pose(frame)[1], axis=0)
        return np.linalg.eigvalsh(J @ self.inverse @ J.T).clip(0.0).tolist()

    def turning(self, frame: int) -> float:
        """Largest mobility of the body of a frame in rotation [1/(kg m^2)]."""
        if not self.free.size:
            return 0.0
        turn, _ = self.twist(frame)
        return float(np.linalg.eigvalsh(turn @ self.inverse @ turn.T)[-1])

    def together(self, points: np.ndarray, n: np.ndarray, frame: int) -> float:
        """Largest eigenvalue of M^-1 sum (J^T n)(J^T n)^T over points (n, 3) that are pressed along n [1/kg]."""
        if not self.free.size:
            return 0.0
        turn, shift = self.twist(frame)
        # n . (w x r) = w . (r x n)
        A = n @ shift + np.cross(points - self.pose(frame)[1], n) @ turn
        return float(np.linalg.eigvalsh(A @ self.inverse @ A.T)[-1])

    def corners(self, solid: Solid, frame: int) -> list[np.ndarray]:
        """Places in W of the corners of a core [m]."""
        R, p = self.pose(frame)
        return [R @ np.array(corner) + p for corner in solid.corners]

    def faces(self, solid: Solid, frame: int) -> Iterator[Points]:
        """Corners that lie in a plane across a direction: faces of a box or hull, ends and side of what is round."""
        R, p = self.pose(frame)
        corners = np.array(solid.corners).reshape(-1, 3)
        if not len(corners):
            return
        directions = [np.array(face[:3]) for face in solid.faces] or [*np.eye(3), *-np.eye(3)]
        for n in directions:
            along = corners @ n
            on = corners[along > along.max() - 1e-9 * max(solid.bound, 1e-9)]
            yield on @ R.T + p, R @ n

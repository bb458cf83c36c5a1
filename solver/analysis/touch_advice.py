"""Advice on shapes that touch: the stiffest contact of each `touch`, the step that it allows and the speed it bears."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...blocks.multibody_parts import Solid, Touch
from ..integrators.method_table import METHODS
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.mass_matrix import mass_matrix
from ..mechanism.mechanism import PlacedPart

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


class TouchAdvice(NamedTuple):
    """Stiffest contact of a block's pairs about the initial state."""

    pair: str  # name of the pair; empty for the only one
    rate: float  # circular frequency w of a face or a corner that touches [rad/s]
    largest_step: float  # for which RK4 is stable while it touches [s]
    speed: float  # at which an undamped impact uses up the roundings [m/s]; infinite on a plane


Points = tuple[list[np.ndarray], np.ndarray]  # points that touch together, their common normal


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
    mobility = Mobility(run.model, run.data, free, inverse)
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
    most = []
    for (solid, frame), (other, there) in zip(ends, reversed(ends), strict=True):
        # a plane has none: there the other shape touches it
        corners = mobility.corners(solid, frame) or mobility.corners(other, there)
        most.append(max(mobility.of(frame, x) for x in corners))
    square = 0.0
    for k, (solid, frame) in enumerate(ends):
        reach = 2.0 * ends[1 - k][0].bound  # corners further apart never touch the other shape at once
        for corners, n in mobility.faces(solid, frame):
            for corner in corners:
                points = [x for x in corners if float(np.linalg.norm(x - corner)) <= reach]
                square = max(square, mobility.together(points, n, frame) + len(points) * most[1 - k])
    rate = math.sqrt(stiffness * max(square, sum(most)))
    damper = part.values[f.T_ACROSS_DAMPING] * sum(most) if part.values[f.T_FRICTION] > 0.0 else 0.0
    bends = math.sqrt(part.values[f.T_ACROSS] * sum(most)) if part.values[f.T_FRICTION] > 0.0 else 0.0
    method = METHODS["rk4"]
    step = min(
        method.largest_step(complex(-damper / 2.0, max(rate, bends))), method.largest_step(complex(-damper))
    )
    plane = part.solid_a.kind == "plane"
    return TouchAdvice(part.name, rate, step, math.inf if plane else rate * depth)


class Mobility(NamedTuple):
    """Motion of body points under unit forces: J M^-1 J^T over the FREE rows."""

    model: Model
    data: Data
    free: np.ndarray
    inverse: np.ndarray  # M^-1

    def pose(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """R_WF, p_WF of a frame."""
        row, place = self.model.frame_row[frame], self.model.frame_place[frame]
        R, p = place[:9].reshape(3, 3), place[9:]
        if row < 0:
            return R, p
        data = self.data.row[row]
        A = data[f.R_WB : f.R_WB + 9].reshape(3, 3)
        return A @ R, A @ p + data[f.p_WB : f.p_WB + 3]

    def jacobian(self, frame: int, x: np.ndarray) -> np.ndarray:
        """Velocity of the body point at x, in W, by the rates of the FREE rows (3, free)."""
        J = np.zeros((3, len(self.model.topo)))
        row = int(self.model.frame_row[frame])
        while row >= 0:
            axis = self.data.row[row, f.AXIS : f.AXIS + 3]
            arm = x - self.data.row[row, f.p_WB : f.p_WB + 3]
            kind = self.model.topo[row, f.KIND]
            if kind != f.WELD:
                J[:, row] = axis if kind == f.PRISMATIC else np.cross(axis, arm)
            row = int(self.model.topo[row, f.PARENT])
        return J[:, self.free]

    def of(self, frame: int, x: np.ndarray) -> float:
        """Largest mobility of the body point at x in any direction [1/kg]."""
        J = self.jacobian(frame, x)
        return float(np.linalg.eigvalsh(J @ self.inverse @ J.T)[-1]) if self.free.size else 0.0

    def together(self, points: Sequence[np.ndarray], n: np.ndarray, frame: int) -> float:
        """Largest eigenvalue of M^-1 sum (J^T n)(J^T n)^T over points that are pressed along n [1/kg]."""
        if not self.free.size:
            return 0.0
        A = np.array([n @ self.jacobian(frame, x) for x in points])
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
            yield [R @ corner + p for corner in on], R @ n

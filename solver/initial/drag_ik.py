"""Inverse kinematics of dragging: moves the start of a mechanism by one of its points, loops kept closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.mass_matrix import mass_matrix
from ..mechanism.mechanism import Mechanism, TreeJoint
from .assembly import LIGHTEST, RANK, Assembler
from .row_masks import elastic_rows

STEPS = 12  # steps of one pull
CLOSED = 1e-11  # residual of loops [m or rad] that counts as closed
NEWTON = 8  # Newton steps that close loops
TURN = 0.3  # [rad] longest step
GENTLE, STUBBORN = (
    1e-3,
    10.0,
)  # damping, relative to the strongest direction: at first, and where a pull gives up
MOVED = 1e-7  # [rad or m] change that counts as moved
NO_NUMBERS = np.zeros(0)


@dataclass(frozen=True)
class PosedCoordinate:
    """Start of one coordinate; `given` if it is to be written as given, else a guess that the loops complete."""

    block: str
    name: str
    value: float
    given: bool
    whole: bool  # written to all digits, as other values determine it too


class DragPose:
    """Copy of the start that can be dragged; `may_write(block, coordinate)`: True if the user can set that start
    value.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        table: ConstraintTable,
        model: Model,
        data: Data,
        may_write: Callable[[str, str], bool],
    ):
        self.mechanism, self.model = mechanism, model
        self.data = Data(*(np.array(array) for array in data))
        self._assembler = Assembler(mechanism, table, model, self.data)
        self._assembler.enabled[table.relative] = False  # their zero is wherever the mechanism starts
        self._at_start = NO_NUMBERS
        phi, jac = self._assembler.evaluate()
        self._at_start = phi
        self.writable = np.array([self._is_writable(i, may_write) for i in range(len(mechanism.rows))], bool)
        free = (model.topo[:, f.MODE] == f.FREE) & ~elastic_rows(mechanism)
        self.looped = np.any(np.abs(jac) > RANK, axis=0) if len(jac) else np.zeros(len(free), bool)
        # coordinates that cannot be written move only where a loop moves them and determines them
        self.movable = free & (self.writable | (self.looped & ~self._given()))
        inertia = np.diag(mass_matrix(model, self.data))
        self._weight = np.sqrt(np.maximum(inertia, LIGHTEST * max(inertia.max(initial=0.0), LIGHTEST)))
        self._assembler.evaluate()
        self.before = self.data.q.copy(), self.data.quat.copy()

    def _is_writable(self, i: int, may_write: Callable[[str, str], bool]) -> bool:
        """True if the user can write the start of row i."""
        row = self.mechanism.rows[i]
        if row.joint < 0:
            return False
        joint = self.mechanism.joints[row.joint]
        if joint.part.name:
            return False
        of_quaternion = "psi" if joint.part.kind == "spherical" else "rotate"
        name = row.coordinate.name if row.coordinate is not None else of_quaternion if row.quat >= 0 else ""
        return bool(name) and may_write(joint.block, name)

    def _given(self) -> np.ndarray:
        """Mask of rows with a given start value."""
        return np.array(
            [row.coordinate is not None and row.coordinate.value is not None for row in self.mechanism.rows],
            bool,
        )

    # ------------------------------------------------------------------ what moves

    def rows_to_world(self, row: int) -> list[int]:
        """Rows from `row` to the world."""
        joints = []
        while row >= 0:
            joints.append(row)
            row = int(self.model.topo[row, f.PARENT])
        return joints

    def joints_inwards(self, row: int) -> list[TreeJoint]:
        """Joints with freedoms between a row and the world, nearest first."""
        numbers = [
            self.mechanism.rows[i].joint
            for i in self.rows_to_world(row)
            if self.model.topo[i, f.KIND] != f.WELD
        ]
        return [self.mechanism.joints[k] for k in dict.fromkeys(numbers) if k >= 0]

    def can_move(self, row: int, point: np.ndarray) -> bool:
        """True if a movable coordinate moves the point."""
        rows = np.flatnonzero(self.movable)
        ways = self._null_space(rows, self._loop_jacobian(rows)[0])
        reach = self._point_jacobian(row, self.place(row, point), rows) @ ways
        return bool(np.abs(reach).max(initial=0.0) > RANK * np.abs(ways).max(initial=1.0))

    # ------------------------------------------------------------------ pulling

    @property
    def pose(self) -> np.ndarray:
        """R_WB row by row, then p_WB, of all rows (n, 12)."""
        return self.data.row[:, f.R_WB : f.R_WB + f.R_WB_COLUMNS].copy()

    def place(self, row: int, point: np.ndarray) -> np.ndarray:
        """A row's point in W [m]."""
        R = self.data.row[row, f.R_WB : f.R_WB + 9].reshape(3, 3)
        return R @ point + self.data.row[row, f.p_WB : f.p_WB + 3]

    def pull(self, row: int, point: np.ndarray, target: np.ndarray) -> None:
        """Move the row's point as near to `target` as joints, loops and end stops allow.

        Coordinates are weighted by the inertia they move; damped least squares (Levenberg 1944), so that a stretched
        arm does not jump.
        """
        rows, damping = np.flatnonzero(self.movable), GENTLE
        for _ in range(STEPS):
            off = target - self.place(row, point)
            kept, far = (self.data.q.copy(), self.data.quat.copy()), float(np.linalg.norm(off))
            step = self._step(row, point, off, rows, damping)
            room = self._admissible_fraction(rows, step)
            if np.any(room <= 0.0):
                rows = rows[room > 0.0]
                continue
            step *= min(1.0, room.min(initial=1.0))
            if self._try(rows, step) and np.linalg.norm(target - self.place(row, point)) < far:
                damping = max(GENTLE, 0.3 * damping)
                continue
            self._restore(kept)
            damping *= 10.0
            if damping > STUBBORN:
                return

    def _step(
        self, row: int, point: np.ndarray, off: np.ndarray, rows: np.ndarray, damping: float
    ) -> np.ndarray:
        """Damped least-squares step of the coordinates towards `off`."""
        ways = self._null_space(rows, self._loop_jacobian(rows)[0])
        reach = self._point_jacobian(row, self.place(row, point), rows) @ ways
        strongest = np.linalg.norm(reach, 2) if reach.size else 0.0
        if strongest == 0.0:
            return np.zeros(len(rows))
        square = reach @ reach.T + (damping * strongest) ** 2 * np.eye(3)
        step = ways @ (reach.T @ np.linalg.solve(square, off))
        turns = self.model.topo[rows, f.KIND] != f.PRISMATIC
        largest = np.abs(step[turns]).max(initial=0.0)
        return step * min(1.0, TURN / largest) if largest > 0.0 else step

    def _loop_jacobian(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J of the loops over some rows, and their residual since the start."""
        phi, jac = self._assembler.evaluate()
        return jac[:, rows], phi - self._at_start

    def _null_space(self, rows: np.ndarray, jac: np.ndarray) -> np.ndarray:
        """Basis of the null space of J, (rows, freedoms), orthonormal in the inertia metric."""
        weight = self._weight[rows]
        if not len(jac):
            return np.diag(1.0 / weight)
        _, s, vt = np.linalg.svd(jac / weight)
        rank = int(np.sum(s > RANK * s.max(initial=0.0)))
        return vt[rank:].T / weight[:, None]

    def _point_jacobian(self, row: int, at: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Jacobian of a row's point at `at` in W over coordinates (3, rows)."""
        slope = np.zeros((3, len(rows)))
        chain = set(self.rows_to_world(row))
        for k, i in enumerate(rows):
            if i in chain:
                axis = self.data.row[i, f.AXIS : f.AXIS + 3]
                arm = at - self.data.row[i, f.p_WB : f.p_WB + 3]
                slope[:, k] = axis if self.model.topo[i, f.KIND] == f.PRISMATIC else np.cross(axis, arm)
        return slope

    def _admissible_fraction(self, rows: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Fraction of the step up to each coordinate's end stop; 0 if it is on the stop, inf without."""
        room = np.full(len(rows), np.inf)
        for k, i in enumerate(rows):
            coordinate = self.mechanism.rows[i].coordinate
            limits = coordinate.limits if coordinate is not None else None
            if limits is not None and step[k] != 0.0:
                left = (limits.upper if step[k] > 0.0 else limits.lower) - self.data.q[i]
                room[k] = 0.0 if abs(left) < MOVED else max(left / step[k], 0.0)
        return room

    def _try(self, rows: np.ndarray, step: np.ndarray) -> bool:
        """Take a step and close the loops; True if they close."""
        self._add_step(rows, step)
        for _ in range(NEWTON):
            jac, off = self._loop_jacobian(rows)
            if np.abs(off).max(initial=0.0) < CLOSED:
                return True
            weight = self._weight[rows]
            self._add_step(rows, -np.linalg.lstsq(jac / weight, off, rcond=RANK)[0] / weight)
        return bool(np.abs(self._loop_jacobian(rows)[1]).max(initial=0.0) < CLOSED)

    def _add_step(self, rows: np.ndarray, step: np.ndarray) -> None:
        """Add a step to coordinates and evaluate."""
        mask = np.zeros(len(self.movable), bool)
        mask[rows] = True
        self._assembler.move(mask, step)
        self._assembler.evaluate()

    def _restore(self, kept: tuple[np.ndarray, np.ndarray]) -> None:
        """Restore coordinates."""
        self.data.q[:], self.data.quat[:] = kept
        self._assembler.evaluate()

    # ------------------------------------------------------------------ what it means

    def starts(self) -> list[PosedCoordinate]:
        """Start values of the moved coordinates: in loops as many given as they leave free, the others guesses."""
        rows = np.flatnonzero(self.movable)
        moved = np.abs(self.data.q - self.before[0]) > MOVED
        given = self._given()
        ways = self._null_space(rows, self._loop_jacobian(rows)[0])
        # given ones stay given; then, from the world outwards, as many moved ones as determine the position
        order = sorted(
            np.flatnonzero(self.writable[rows]).tolist(),
            key=lambda k: (not given[rows[k]], not moved[rows[k]]),
        )
        chosen: list[int] = []
        rank, placed = 0, {}
        for k in order:
            i = int(rows[k])
            coordinate = self.mechanism.rows[i].coordinate
            more = (
                not self.looped[i]
                or np.linalg.matrix_rank(self._normalised_rows(ways[[*chosen, k]]), RANK) > rank
            )
            if more:
                chosen.append(k)
                rank = len(chosen)
            if coordinate is not None and moved[i]:
                block = self.mechanism.joints[self.mechanism.rows[i].joint].block
                placed[i] = PosedCoordinate(
                    block, coordinate.name, float(self.data.q[i]), more or given[i], not more and given[i]
                )
        return [placed[i] for i in sorted(placed)]

    def _normalised_rows(self, ways: np.ndarray) -> np.ndarray:
        """Rows scaled to norm 1, so that units do not decide."""
        size = np.linalg.norm(ways, axis=1, keepdims=True)
        return ways / np.where(size > RANK * size.max(initial=0.0), size, np.inf)

    def turned(self) -> dict[str, np.ndarray]:
        """Changed orientations of b in a, as quaternions by the block of their joint."""
        angles = {}
        for row, quat in zip(self.mechanism.rows, self.model.topo[:, f.QUAT], strict=True):
            if row.quat >= 0 and np.abs(self.data.quat[quat] - self.before[1][quat]).max() > MOVED:
                angles[self.mechanism.joints[row.joint].block] = self.data.quat[quat].copy()
        return angles

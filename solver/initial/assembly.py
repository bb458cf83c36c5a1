"""Assembly: coordinates and rates that satisfy the constraints, given values kept."""

from __future__ import annotations

from dataclasses import field
from functools import partial

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import Telescope
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.blocks import least_squares
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.cylinder_geometry import aim_barrels, out_of_reach
from ..mechanism.mass_matrix import mass_matrix
from ..mechanism.mechanism import Mechanism
from .membrane_steps import keep_stretch
from .row_masks import FixedRows, elastic_rows

CLOSED = 1e-11  # residual [m or rad] of a closed loop; polishing goes on to rounding
SETTLED = 1e-14  # correction of rates [rad/s or m/s] that is rounding
# residual [m or rad] above which given values contradict a constraint, by definition: values that were rounded to
# micrometres do not; what is smaller is polished away
KEPT = 1e-6
LONGEST_STEP = 0.3  # [rad or m] longest Newton step
ITERATIONS = 100
RANK = 1e-8  # relative singular value that counts as zero
LIGHTEST = 1e-12  # least inertia of a row, relative to the largest
STARTS = 24  # further starts from perturbed guesses


@mutable
class AssembledStart:
    """Coordinates, rates and quaternions of all rows at the start, with notes."""

    q: np.ndarray
    v: np.ndarray
    quat: np.ndarray
    notes: list[str] = field(default_factory=list)


def given_values(mechanism: Mechanism, hold: tuple[str, ...] = ()) -> FixedRows:
    """Rows whose positions or rates the user gave or holds."""
    n = len(mechanism.rows)
    positions, rates = np.zeros(n, bool), np.zeros(n, bool)
    # a held cylinder keeps its length and may turn about its pins
    slides = {placed.block: placed.part.slide for placed in mechanism.others_of(Telescope)}
    for i, row in enumerate(mechanism.rows):
        c = row.coordinate
        joint = mechanism.joints[row.joint]
        whole = joint.block in hold and slides.get(joint.block, joint.part.name) == joint.part.name
        held = whole or joint.part.held or (c is not None and f"{joint.block}.{c.name}" in hold)
        positions[i] = held or (c is not None and c.value is not None and joint.part.kind != "free")
        rates[i] = held or (joint.part.spin if c is None else c.speed) is not None
    return FixedRows(positions, rates)


class Assembler:
    """Gauss-Newton solver of the constraints over the rows that are neither given nor driven."""

    def __init__(self, mechanism: Mechanism, table: ConstraintTable, model: Model, data: Data):
        from ..kernels.constraint_jacobian import constraint_positions
        from ..kernels.kinematics import positions

        self.mechanism, self.table, self.model, self.data = mechanism, table, model, data
        self._positions, self._constraints = positions, constraint_positions
        self.free = model.topo[:, f.MODE] == f.FREE
        kinds = np.array([row[f.C_KIND] for row in table.rows], np.int64)
        self.holonomic, self.kinematic = kinds <= f.RELATION, kinds <= f.VELOCITY_RELATION
        self.curved = (kinds == f.VELOCITY_RELATION) & np.array(
            [row[f.C_CURVED] == 1 for row in table.rows], bool
        )
        self.enabled = np.ones(len(table.rows), bool)  # constraints imposed at present

    def evaluate(self) -> tuple[np.ndarray, np.ndarray]:
        """Phi and J of the imposed position constraints."""
        self._positions(self.model, self.data)
        self._constraints(self.model, self.data)
        return self.data.con[self.imposed, f.PHI].copy(), self.enabled_jacobian()

    @property
    def imposed(self) -> np.ndarray:
        """Mask of the imposed position constraints."""
        return self.holonomic & self.enabled

    @property
    def kinds(self) -> np.ndarray:
        """C_KIND of the imposed position constraints."""
        return self.model.constraint[: len(self.enabled)][self.imposed, f.C_KIND]

    def enabled_jacobian(self) -> np.ndarray:
        """J of the imposed position constraints."""
        return self.data.jac[: len(self.enabled)][self.imposed].copy()

    def move(self, rows: np.ndarray, step: np.ndarray) -> None:
        """Add a step to the coordinates of `rows`; quaternions turn by it, in body axes."""
        d, index = self.data, np.flatnonzero(rows)
        before = d.q.copy()
        kinds = self.model.topo[index, f.KIND]
        turned = (kinds >= f.QUAT_X) & (kinds <= f.QUAT_Z)
        if turned.any():
            for i, s in zip(index[turned].tolist(), step[turned].tolist(), strict=True):
                self._turn(i, s)
            index, step = index[~turned], step[~turned]
        d.q[index] += step
        keep_stretch(self.model, d.q, before, rows)

    def _turn(self, i: int, angle: float) -> None:
        """Turn the quaternion of row i by an angle about the row's body axis."""
        d, topo = self.data, self.model.topo
        w, x, y, z = d.quat[topo[i, f.QUAT]]
        half = np.zeros(3)
        half[topo[i, f.KIND] - f.QUAT_X] = 0.5 * angle
        a, b, c, e = np.array([np.cos(np.linalg.norm(half)), *half])
        product = np.array(
            [
                w * a - x * b - y * c - z * e,
                w * b + x * a + y * e - z * c,
                w * c - x * e + y * a + z * b,
                w * e + x * c - y * b + z * a,
            ]
        )
        d.quat[topo[i, f.QUAT]] = product / np.linalg.norm(product)

    def solve(self, rows: np.ndarray) -> float:
        """Newton over `rows` until the residual stops falling; returns the largest residual left."""
        worst = np.inf
        for _ in range(ITERATIONS):
            phi, jac = self.evaluate()
            worst = float(abs(phi).max(initial=0.0))
            if not (np.all(np.isfinite(phi)) and np.all(np.isfinite(jac))):
                return np.inf
            if worst < 1e-15 or not rows.any():
                break
            step = -least_squares(jac[:, rows], phi, rcond=1e-10)
            largest = abs(step).max(initial=0.0)
            if largest < 1e-15:
                break
            self.move(rows, step * min(1.0, LONGEST_STEP / largest))
            if largest < 1e-14:
                break
        phi, _ = self.evaluate()
        return float(np.nan_to_num(abs(phi), nan=np.inf).max(initial=0.0))

    def close(self, active: np.ndarray, dependent: np.ndarray) -> None:
        """Newton on independent constraints `active` over as many rows; where it does not come nearer, `solve` on all.

        The last residual is within rounding of what a step changes; it is not evaluated again.
        """
        rows = np.zeros(len(self.free), bool)
        rows[dependent] = True
        begin, before = (self.data.q.copy(), self.data.quat.copy()), np.inf
        for _ in range(ITERATIONS):
            phi, jac = self.evaluate()
            worst = float(abs(phi[active]).max())
            if worst < 1e-15:
                return
            if not worst < max(before, CLOSED):
                break
            before = worst
            try:
                step = -np.linalg.solve(jac[np.ix_(active, dependent)], phi[active])
            except np.linalg.LinAlgError:
                break
            largest = float(abs(step).max())
            if not largest <= LONGEST_STEP:
                break
            self.move(rows, step)
            if largest < 1e-14:
                return
        self.data.q[:], self.data.quat[:] = begin
        self.solve(rows)

    def worst(self) -> int:
        """Constraint with the largest residual."""
        return int(np.argmax(abs(np.where(self.imposed, self.data.con[:, f.PHI], 0.0))))

    def worst_block(self) -> str:
        """Block of the constraint with the largest residual."""
        return self.table.blocks[self.worst()]

    def residual_words(self) -> str:
        """Constraint with the largest residual, in words."""
        c, phi = self.worst(), self.data.con[:, f.PHI]
        unit = {f.POINT: " m", f.ALIGN: " rad"}.get(self.table.rows[c][0], "")
        return f"{self.table.blocks[c]} ({self.table.words[c]}) is off by {abs(phi[c]):.3g}{unit}"

    def generic_jacobian(self, q: np.ndarray, quat: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """J at a random configuration near (q, quat): where Newton got stuck, rank may be lost by chance."""
        d = self.data
        failed = d.q.copy(), d.quat.copy()
        d.q[:], d.quat[:] = q, quat
        self.move(rows, np.random.default_rng(1).normal(scale=0.1, size=int(rows.sum())))
        self.evaluate()
        jac = d.jac[: len(self.enabled)].copy()
        d.q[:], d.quat[:] = failed
        self.evaluate()
        return jac

    def no_number(self) -> Problem | None:
        """Problem of a constraint without a finite value or slope at the present configuration, or None."""
        phi, jac = self.evaluate()
        lost = ~(np.isfinite(phi) & np.all(np.isfinite(jac), axis=1))
        if not lost.any():
            return None
        c = int(np.flatnonzero(self.imposed)[np.argmax(lost)])
        return Problem(
            f"the constraints cannot be closed: {self.table.words[c]} has no finite value or slope near the start",
            self.table.blocks[c],
            "look for a division by zero, or a function outside its range; or give a `guess` where it has a value",
        )

    def over_programmed(self, q: np.ndarray, quat: np.ndarray) -> Problem | None:
        """Problem if more is programmed than the loops leave free, or None."""
        programmed = np.zeros(len(self.enabled), bool)
        for first, last in self.table.programs.values():
            programmed[first:last] = True
        programmed &= self.imposed
        jac = self.generic_jacobian(q, quat, self.free)[:, self.free]
        loops = int(np.linalg.matrix_rank(jac[self.imposed & ~programmed], RANK)) if jac.size else 0
        left = int(np.linalg.matrix_rank(jac[self.imposed], RANK)) - loops if jac.size else 0
        count = int(programmed.sum())
        if left >= count:
            return None
        blocks = dict.fromkeys(self.table.blocks[c] for c in np.flatnonzero(programmed))
        return Problem(
            f"over-constrained: {count} components are programmed, the mechanism has {left} "
            f"freedom{'s' * (left != 1)} to follow them; {self.residual_words()}",
            ", ".join(blocks),
            f"program {left} of them, or make a link or the base flexible",
        )

    def out_of_line(self, q: np.ndarray, quat: np.ndarray, rows: np.ndarray) -> Problem | None:
        """Problem if the residual lies in a direction in which nothing can move, at a generic configuration, or
        None.
        """
        jac, phi = (
            self.generic_jacobian(q, quat, rows)[self.imposed][:, rows],
            self.data.con[self.imposed, f.PHI],
        )
        u, s, _ = np.linalg.svd(jac)
        fixed = u[:, int(np.sum(s > RANK * s.max(initial=0.0))) :].T @ phi
        if not rows.any() or np.linalg.norm(fixed) < 0.9 * np.linalg.norm(phi):
            return None
        left = self.residual_words()
        mistake = (
            f"the constraints cannot be closed: {left}, and no joint of its loop moves in that direction"
        )
        fix = (
            "check `at`, `rotate` and `axis` of the frames and joints around the loop, or free this direction"
        )
        return Problem(mistake, self.worst_block(), fix)

    def assemble(self, given: FixedRows) -> AssembledStart:
        """Close the loops and find rates; CompileError with the cause if that is impossible."""
        d = self.data
        notes: list[str] = []
        start_q, start_quat = d.q.copy(), d.quat.copy()
        open_rows = self.free & ~given.positions
        worst = self.solve(open_rows)
        if worst > KEPT:
            worst = self._search(open_rows, start_q, start_quat, worst, notes)
        if worst > KEPT:
            problem = self.no_number() or out_of_reach(self.mechanism, self.model, d, given.positions)
            if problem is not None:
                raise CompileError(problem)
            for explain in (self.over_programmed, partial(self.out_of_line, rows=open_rows)):
                problem = explain(start_q, start_quat)
                if problem is not None:
                    raise CompileError(problem)
            fix = "check dimensions and given initial values; leave one of them open, or give a `guess`"
            raise CompileError(
                Problem(f"the constraints cannot be closed: {self.residual_words()}", self.worst_block(), fix)
            )
        if worst > CLOSED:
            # contradictions of given values below KEPT are polished away
            worst = self.solve(self.free)
            if worst > CLOSED * 100:
                raise CompileError(f"the constraints cannot be closed to rounding: {self.residual_words()}")
        self._rates(given)
        return AssembledStart(d.q.copy(), d.v.copy(), d.quat.copy(), notes)

    def _search(
        self, rows: np.ndarray, q: np.ndarray, quat: np.ndarray, worst: float, notes: list[str]
    ) -> float:
        """Try further starts around the guess, nearest first, until one closes; a note says so."""
        rng = np.random.default_rng(0)
        failed = self.data.q.copy(), self.data.quat.copy()
        for k in range(STARTS):
            self.data.q[:], self.data.quat[:] = q, quat
            self.move(rows, rng.normal(scale=0.1 * (1 + k), size=int(rows.sum())))
            aim_barrels(self.mechanism, self.model, self.data)
            if self.solve(rows) <= KEPT:
                notes.append(
                    "the loops do not close from the start values of the joints; a start near them was used: "
                    "check which way the loops stand"
                )
                return 0.0
        self.data.q[:], self.data.quat[:] = failed
        self.evaluate()
        return worst

    def _rates(self, given: FixedRows) -> None:
        """Rates: given ones kept, the others of least norm that the constraints allow.

        Each is weighted by the inertia behind it, so that units do not matter. Elastic rows move only where joints
        alone cannot follow.
        """
        d = self.data
        open_rows, imposed = self.free & ~given.rates, self.enabled & self.kinematic
        if not self.curved.any():
            d.v[open_rows] = 0.0
            self.evaluate()
            if not (d.con[imposed, f.PHI_T] + d.jac[: len(self.enabled)][imposed] @ d.v).any():
                return  # nothing moves
        inertia = np.diag(mass_matrix(self.model, d))
        heaviest = inertia[self.free].max(initial=0.0)
        weight = (
            np.sqrt(np.maximum(inertia / heaviest, LIGHTEST)) if heaviest > 0.0 else np.ones(len(inertia))
        )
        # relations that are not linear in velocities: Newton, slopes and rate at the last velocities
        for _ in range(ITERATIONS):
            before = d.v.copy()
            self.evaluate()
            jac, phi_t = d.jac[: len(self.enabled)][imposed], d.con[imposed, f.PHI_T]
            left = self._least_norm_rates(open_rows, weight, jac, phi_t)
            if abs(left).max(initial=0.0) > KEPT:
                raise CompileError(self._contradiction_problem(given, left, imposed))
            d.v[self.free] -= least_squares(jac[:, self.free], left, rcond=1e-10)
            if not self.curved.any() or abs(d.v - before).max(initial=0.0) < SETTLED:
                return
        block = self.table.blocks[int(np.flatnonzero(self.curved)[0])]
        fix = "give velocities near those that it asks for"
        raise CompileError(Problem("found no velocities that satisfy the relation", block, fix))

    def _least_norm_rates(
        self, open_rows: np.ndarray, weight: np.ndarray, jac: np.ndarray, phi_t: np.ndarray
    ) -> np.ndarray:
        """Set the open rates of least weighted norm with J v + Phi_t = 0; returns the residual that they leave."""
        d, left = self.data, np.zeros(0)
        for rows in (open_rows & ~elastic_rows(self.mechanism), open_rows):
            d.v[open_rows] = 0.0
            rate = phi_t + jac @ d.v
            if rows.any():
                scaled = jac[:, rows] / weight[rows]
                d.v[rows] = -least_squares(
                    scaled / row_norms(scaled), rate / row_norms(scaled)[:, 0], rcond=1e-10
                )
                d.v[rows] /= weight[rows]
            left = phi_t + jac @ d.v
            if abs(left).max(initial=0.0) < KEPT:
                break
        return left

    def _contradiction_problem(self, given: FixedRows, left: np.ndarray, imposed: np.ndarray) -> Problem:
        """Problem: the constraint that given rates or a prescribed motion violate most."""
        worst = int(np.argmax(abs(left)))
        c = int(np.flatnonzero(imposed)[worst])
        if self.curved[c] and not self.data.jac[c, self.free].any():
            return Problem(
                "the relation does not change with any velocity at the start: its slope is zero there",
                self.table.blocks[c],
                "give the velocity of a joint that moves the point",
            )
        who, fix = "given velocities contradict", "leave one of the given velocities open"
        if not given.rates.any():
            who, fix = (
                "the prescribed motion contradicts",
                "prescribe a motion that the other constraints allow",
            )
        return Problem(
            f"{who} {self.table.words[c]}: it would move at {abs(left[worst]):.3g}", self.table.blocks[c], fix
        )


def row_norms(A: np.ndarray) -> np.ndarray:
    """Norms of the rows as a column; 1 for rows that are zero up to rounding."""
    size = np.linalg.norm(A, axis=1)
    return np.where(size > RANK * size.max(initial=0.0), size, 1.0)[:, None]

"""Residual forces of a model at rest and their derivatives, which a search for equilibrium drives to zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.jit import EntryPoint, NoCode
from ..codegen.transforms.entry_point_variants import dual
from ..kernels import model_data as f
from ..kernels.model_data import Data
from ..mechanism.mass_matrix import constraint_jacobian as all_constraints
from ..simulation import finite_differences
from ..simulation.constraint_state import walk_anchor
from ..simulation.instance import bundle
from ..simulation.jacobian import ModelJacobian, call_dual, jacobian_of
from .operating_point import OperatingPoint

if TYPE_CHECKING:
    from ..simulation.instance import Instance


class StaticResidual:
    """Rates of a model at rest, those of velocities as forces: what is left along each independent coordinate.

    Accelerations of light parts on stiff springs are so large that others are rounding beside them; forces are not.
    Where constraints are no part of the coordinates, or are held by drives, accelerations have to do.
    """

    def __init__(self, point: OperatingPoint):
        self.point, states = point, np.arange(len(point.x))
        model = point.sim.instance.model
        self.free = np.setdiff1d(states, point.velocities)
        self.watched = np.setdiff1d(states, [*point.positions, *point.quaternions])
        self.coordinates = np.isin(self.free, point.positions)
        self.whole = len(model.constraint) == 0 or model.option[f.O_METHOD] == f.REDUCED
        self.whole = self.whole and bool(len(point.velocities)) and model.option[f.O_SERVO] == 0
        self.places = np.searchsorted(self.watched, point.velocities)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Residual at the free states z."""
        x = self.point.x.copy()
        x[self.free] = z
        rates = self.point.rates(x)[self.watched]
        if self.whole and np.all(np.isfinite(rates)):
            rows = self.point.sim.instance.model.state[self.point.velocities, f.ST_ROW]
            rates[self.places] = static_residuals(self.point.sim.instance)[rows]
        return rates

    def many(self, points: np.ndarray) -> np.ndarray:
        """Rates alone, at many points in one call."""
        states = np.tile(self.point.x, (len(points), 1))
        states[:, self.free] = points
        return self.point.many(states)[:, self.watched]

    def idle(self, J: np.ndarray) -> np.ndarray:
        """Mask of the rates of states that nothing depends on, such as a running mean."""
        return np.isin(self.watched, self.free[~self.coordinates & ~J.any(axis=0)])

    def jacobian(self, z: np.ndarray, here: np.ndarray, exact: bool) -> np.ndarray:
        """Jacobian by the free states at the point; by differences if wanted, or if code cannot be differentiated."""
        J = self.slopes() if exact else None
        if J is None or here[self.idle(J)].any():  # on these also nothing near may depend
            return finite_differences.jacobian(self, z, many=None if self.whole else self.many)[0]
        return J

    def slopes(self) -> np.ndarray | None:
        """Exact Jacobian; None where code cannot be differentiated."""
        instance = self.point.sim.instance
        try:
            slopes = jacobian_of(instance)
            load_static_code(static_kernels(instance) if self.whole else ())
        except NoCode:
            return None
        walk_anchor(instance, self.point.t, self.point.x)
        slopes.set_time(self.point.t)
        rows = instance.model.state[self.point.velocities, f.ST_ROW]
        columns = []
        for rates in slopes.passes(self.point.x):
            made = rates[:, self.watched]
            if self.whole:
                made[:, self.places] = residual_tangents(slopes)[: len(made), rows]
            columns.append(made)
        return np.concatenate(columns).T[:, self.free]


def static_residuals(run: Instance) -> np.ndarray:
    """Unbalanced generalised force of each row at rest [N, N m]; dependent rows pass theirs to independent ones."""
    from ..kernels.newton_euler import newton_euler, propagate_all

    m, d = run.model, run.data
    d.qdd[m.topo[:, f.MODE] == f.FREE] = 0.0
    propagate_all(m, d)
    newton_euler(m, d)
    first = np.where(m.topo[:, f.KIND] == f.PRISMATIC, f.REACTION + f.LINEAR, f.REACTION)
    asked = np.take_along_axis(d.row, first[:, None] + np.arange(3), axis=1)
    left = d.row[:, f.TAU] - np.einsum("ij,ij->i", asked, d.row[:, f.AXIS : f.AXIS + 3])
    for one, model, data in run.each:
        active, dependent, independent = partition_of(data)
        if len(active):
            whole, own = all_constraints(model, data)[active], left[one.rows]
            own[independent] -= whole[:, independent].T @ np.linalg.solve(
                whole[:, dependent].T, own[dependent]
            )
    return left


def partition_of(d: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Active constraints, dependent and independent rows of a mechanism."""
    r, free = d.coupling.shape[1:]
    return d.part[f.ACTIVE, :r], d.part[f.DEPENDENT, :r], d.part[f.INDEPENDENT, :free]


def static_kernels(run: Instance) -> list[EntryPoint]:
    """Kernels that `residual_tangents` evaluates after the rates."""
    from ..kernels.newton_euler import newton_euler, propagate_all

    return [propagate_all, newton_euler, *closing(run)]


def closing(run: Instance) -> list[EntryPoint]:
    """Static residual of mechanisms with constraints."""
    from ..kernels.constraint_jacobian import constraint_positions
    from ..kernels.kinematics import positions

    return [positions, constraint_positions] if run.program.closed else []


def load_static_code(entries: Iterable[EntryPoint]) -> None:
    from ..codegen import object_loader

    object_loader.load([dual(entry) for entry in entries])


def residual_tangents(slopes: ModelJacobian) -> np.ndarray:
    """Tangents of `static_residuals`, a direction a row, after an evaluation of rates."""
    run, wide = slopes.instance, slopes.wide
    m, d = run.model, run.data
    row = wide.numbers(d.row)
    row[m.topo[:, f.MODE] == f.FREE, f.QDD] = 0.0
    for kernel in static_kernels(run)[:2]:
        call_dual(kernel, wide.model, wide.data)
    for _, model, data in run.each:
        for kernel in closing(run) if data.coupling.shape[1] else ():
            call_dual(kernel, *(wide.table_of(bundle(one).address) for one in (model, data)))
    first = np.where(m.topo[:, f.KIND] == f.PRISMATIC, f.REACTION + f.LINEAR, f.REACTION)
    asked = np.take_along_axis(row, (first[:, None] + np.arange(3))[:, :, None], axis=1)
    axis = row[:, f.AXIS : f.AXIS + 3]
    left = row[:, f.TAU] - np.einsum("ij,ijk->ik", asked[:, :, 0], axis)
    left[:, 1:] -= np.einsum("ijk,ij->ik", asked[:, :, 1:], axis[:, :, 0])
    for one, _, data in run.each:
        active, dependent, independent = partition_of(data)
        if not len(active):
            continue
        own = left[one.rows]
        whole = wide.numbers(data.jac)[active]
        A, B = whole[:, dependent], whole[:, independent]
        multipliers = np.linalg.solve(A[:, :, 0].T, own[dependent])  # a value, and tangents of the load alone
        bent = np.einsum("ijk,i->jk", A[:, :, 1:], multipliers[:, 0])
        multipliers[:, 1:] -= np.linalg.solve(A[:, :, 0].T, bent)
        own[independent] -= B[:, :, 0].T @ multipliers
        own[independent, 1:] -= np.einsum("ijk,i->jk", B[:, :, 1:], multipliers[:, 0])
    return left[:, 1:].T

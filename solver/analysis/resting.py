"""Forces of a model at rest, and their derivatives: what a search for equilibrium drives to zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..machine import fields as f
from ..machine.jit import EntryPoint, NoCode
from ..machine.numbers.forms import dual
from ..mechanism.numbers import jacobian as all_constraints
from ..run import differences
from ..run.closed import approach
from ..run.slopes import Slopes, call, slopes_of
from .operating import OperatingPoint

if TYPE_CHECKING:
    from ..run.instance import Instance


class Forces:
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
        """Where the free states are z."""
        x = self.point.x.copy()
        x[self.free] = z
        rates = self.point.rates(x)[self.watched]
        if self.whole and np.all(np.isfinite(rates)):
            rows = self.point.sim.instance.model.state[self.point.velocities, f.ST_ROW]
            rates[self.places] = resting_forces(self.point.sim.instance)[rows]
        return rates

    def many(self, points: np.ndarray) -> np.ndarray:
        """Rates alone, at many points in one call."""
        states = np.tile(self.point.x, (len(points), 1))
        states[:, self.free] = points
        return self.point.many(states)[:, self.watched]

    def idle(self, J: np.ndarray) -> np.ndarray:
        """Which of these are rates of states that nothing depends on, such as a running mean."""
        return np.isin(self.watched, self.free[~self.coordinates & ~J.any(axis=0)])

    def jacobian(self, z: np.ndarray, here: np.ndarray, exact: bool) -> np.ndarray:
        """By the free states, where the point stands; by differences if wished, or if code cannot be derived."""
        J = self.slopes() if exact else None
        if J is None or here[self.idle(J)].any():  # on these also nothing near may depend
            return differences.jacobian(self, z, many=None if self.whole else self.many)[0]
        return J

    def slopes(self) -> np.ndarray | None:
        """Exact ones."""
        instance = self.point.sim.instance
        try:
            slopes = slopes_of(instance)
            load(kernels(instance) if self.whole else ())
        except NoCode:
            return None
        approach(instance, self.point.t, self.point.x)
        slopes.stand(self.point.t)
        rows = instance.model.state[self.point.velocities, f.ST_ROW]
        columns = []
        for rates in slopes.passes(self.point.x):
            made = rates[:, self.watched]
            if self.whole:
                made[:, self.places] = tangents_of_forces(slopes)[: len(made), rows]
            columns.append(made)
        return np.concatenate(columns).T[:, self.free]


def resting_forces(run: Instance) -> np.ndarray:
    """By row, what efforts leave of the weight at rest; dependent rows hand theirs on to independent ones."""
    from ..kernels.newton_euler import newton_euler, propagate

    m, d = run.model, run.data
    d.qdd[m.topo[:, f.MODE] == f.FREE] = 0.0
    propagate(m, d)
    newton_euler(m, d)
    first = np.where(m.topo[:, f.KIND] == f.PRISMATIC, f.REACTION + f.LINEAR, f.REACTION)
    asked = np.take_along_axis(d.row, first[:, None] + np.arange(3), axis=1)
    left = d.row[:, f.TAU] - np.einsum("ij,ij->i", asked, d.row[:, f.AXIS : f.AXIS + 3])
    r, free = d.coupling.shape[1:]
    if r:
        dependent, independent = d.part[f.DEPENDENT, :r], d.part[f.INDEPENDENT, :free]
        whole = all_constraints(m, d)[d.part[f.ACTIVE, :r]]
        left[independent] -= whole[:, independent].T @ np.linalg.solve(whole[:, dependent].T, left[dependent])
    return left


def kernels(run: Instance) -> list[EntryPoint]:
    """What `tangents_of_forces` evaluates behind the rates."""
    from ..kernels.constraints import constraint_positions
    from ..kernels.kinematics import positions
    from ..kernels.newton_euler import newton_euler, propagate

    closed = [positions, constraint_positions] if run.data.coupling.shape[1] else []
    return [propagate, newton_euler, *closed]


def load(entries: Iterable[EntryPoint]) -> None:
    from ..machine import objects

    objects.load([dual(entry) for entry in entries])


def tangents_of_forces(slopes: Slopes) -> np.ndarray:
    """Those of `resting_forces`, a direction a row, behind an evaluation of rates."""
    run, wide = slopes.instance, slopes.wide
    m, d = run.model, run.data
    row = wide.numbers(d.row)
    row[m.topo[:, f.MODE] == f.FREE, f.QDD] = 0.0
    for kernel in kernels(run):
        call(kernel, wide.model, wide.data)
    first = np.where(m.topo[:, f.KIND] == f.PRISMATIC, f.REACTION + f.LINEAR, f.REACTION)
    asked = np.take_along_axis(row, (first[:, None] + np.arange(3))[:, :, None], axis=1)
    axis = row[:, f.AXIS : f.AXIS + 3]
    left = row[:, f.TAU] - np.einsum("ij,ijk->ik", asked[:, :, 0], axis)
    left[:, 1:] -= np.einsum("ijk,ij->ik", asked[:, :, 1:], axis[:, :, 0])
    r, free = d.coupling.shape[1:]
    if r:
        dependent, independent = d.part[f.DEPENDENT, :r], d.part[f.INDEPENDENT, :free]
        whole = wide.numbers(d.jac)[d.part[f.ACTIVE, :r]]
        A, B = whole[:, dependent], whole[:, independent]
        multipliers = np.linalg.solve(
            A[:, :, 0].T, left[dependent]
        )  # a value, and tangents of the load alone
        bent = np.einsum("ijk,i->jk", A[:, :, 1:], multipliers[:, 0])
        multipliers[:, 1:] -= np.linalg.solve(A[:, :, 0].T, bent)
        left[independent] -= B[:, :, 0].T @ multipliers
        left[independent, 1:] -= np.einsum("ijk,i->jk", B[:, :, 1:], multipliers[:, 0])
    return left[:, 1:].T

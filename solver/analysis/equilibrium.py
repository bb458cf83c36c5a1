"""Where a model stands still: Newton on its rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem
from ..machine import fields as f
from ..mechanism.footing import footings
from ..mechanism.numbers import jacobian as all_constraints
from ..run.differences import jacobian
from .operating import OperatingPoint

if TYPE_CHECKING:
    from ..run.instance import Instance
    from ..run.simulation import Simulation

ITERATIONS = 60
LONGEST = 0.3  # [rad or m] of one step of a coordinate
SHORTEST = 1.0 / 1024  # share of a Newton step
SMALLEST_STEP = 1e-10  # a step below this is none
STILL = 1e-8  # rates below this share of what moves them count as zero
RANK = 1e-10  # directions along which nothing changes, such as a free slewing axis, stay as they are


def equilibrium(sim: Simulation, t: float = 0.0, x: np.ndarray | None = None) -> np.ndarray:
    """The state near x (the initial one by default) at which nothing moves, with all signals as they are at t.

    Velocities are zero; positions and the states of signals are solved for, with memories (holds, delays) that stay as
    they are. Along directions in which the model is indifferent the nearest state is taken.
    """
    point = OperatingPoint(sim, t, memories=True)
    point.go(point.sim.x0 if x is None else np.asarray(x, float))
    point.fill()
    find_equilibrium(point)
    return point.x[point.own]


def find_equilibrium(point: OperatingPoint) -> None:
    """Move the point to the equilibrium near its state; what tips over its supports has none."""
    try:
        search(point)
    except RunError as error:
        tipped = tips(point, failed=True)
        raise (RunError(tipped) if tipped else error) from None
    tipped = tips(point)
    if tipped:
        raise RunError(tipped)


def tips(point: OperatingPoint, failed: bool = False) -> Problem | None:
    """What there is to say of a body that tips over the edge of its supports."""
    program, run = point.sim.program, point.sim.instance
    standing = footings(program.mechanism)
    if not standing or not np.all(np.isfinite(point.rates(point.x))):
        return None
    resting_forces(run)  # what its supports have to carry
    for footing in standing:
        outside = footing.outside(run.model, run.data)
        problem = footing.problem(run.data, outside, sure=failed and outside[0] > 0.0)
        if problem:
            return problem
    return None


def search(point: OperatingPoint) -> None:
    """Newton from the point's state."""
    still = point.x.copy()
    still[point.velocities] = 0.0
    point.go(still)
    free = np.setdiff1d(np.arange(len(still)), point.velocities)
    watched = np.setdiff1d(np.arange(len(still)), [*point.positions, *point.quaternions])
    coordinates = np.isin(free, point.positions)

    forces = Forces(point, watched)

    def residual(z: np.ndarray) -> np.ndarray:
        x = point.x.copy()
        x[free] = z
        return forces(x)

    def all_at_once(points: np.ndarray) -> np.ndarray:
        states = np.tile(point.x, (len(points), 1))
        states[:, free] = points
        return point.many(states)[:, watched]

    iterations = 0
    while True:
        z = point.x[free]
        here, rates = residual(z), point.rates(point.x)[watched]
        J, _ = jacobian(residual, z, many=None if forces.whole else all_at_once)
        if not (np.all(np.isfinite(J)) and np.all(np.isfinite(here))):
            raise RunError(lost(point, watched, rates, J))
        # what nothing hangs on, such as a running mean, need not come to rest
        idle = np.isin(watched, free[~coordinates & ~J.any(axis=0)])
        here[idle], J[idle] = 0.0, 0.0
        inverse = np.linalg.pinv(J, rcond=RANK) if J.size else np.zeros(J.shape[::-1])
        step = -inverse @ here
        share = min(1.0, LONGEST / max(abs(step[coordinates]).max(initial=0.0), 1e-300))
        if abs(step).max(initial=0.0) <= SMALLEST_STEP * max(1.0, abs(z).max(initial=0.0)):
            break
        # the step that would come next judges this one: it has no units to be weighed (Deuflhard, 1974)
        size = np.linalg.norm(step)
        while share > SHORTEST:
            after = residual(z + share * step)
            if np.all(np.isfinite(after)) and np.linalg.norm(inverse @ after) < (1.0 - share / 4.0) * size:
                break
            share /= 2.0
        x = point.x.copy()
        x[free] = z + share * step
        normalise(point, x)
        point.go(x)
        iterations += 1
        if iterations == ITERATIONS:
            raise RunError(moving(point, watched, rates, here, J, z))
    if np.any(abs(here) > tolerance(J, z)):
        raise RunError(moving(point, watched, rates, here, J, z))


class Forces:
    """Rates of a model at rest, those of velocities as forces: what is left along each independent coordinate.

    Accelerations of light parts on stiff springs are so large that others are rounding beside them; forces are not.
    Where constraints are no part of the coordinates, or are held by drives, accelerations have to do.
    """

    def __init__(self, point: OperatingPoint, watched: np.ndarray):
        self.point, self.watched = point, watched
        model = point.sim.instance.model
        self.whole = len(model.constraint) == 0 or model.option[f.O_METHOD] == f.REDUCED
        self.whole = self.whole and bool(len(point.velocities)) and model.option[f.O_SERVO] == 0
        self.places = np.searchsorted(watched, point.velocities)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        rates = self.point.rates(x)[self.watched]
        if self.whole and np.all(np.isfinite(rates)):
            rows = self.point.sim.instance.model.state[self.point.velocities, f.ST_ROW]
            rates[self.places] = resting_forces(self.point.sim.instance)[rows]
        return rates


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


def normalise(point: OperatingPoint, x: np.ndarray) -> None:
    for first in point.quaternions[::4]:
        x[first : first + 4] /= np.linalg.norm(x[first : first + 4])


def tolerance(J: np.ndarray, z: np.ndarray) -> np.ndarray:
    return STILL * (1.0 + abs(J) @ np.maximum(1.0, abs(z)))


def lost(point: OperatingPoint, watched: np.ndarray, rates: np.ndarray, J: np.ndarray) -> Problem:
    """Where the search has left what the model can compute, in words."""
    k = int(np.argmin(np.isfinite(rates) & np.isfinite(J).all(axis=1)))
    mistake = "no equilibrium was found: the search came to where the rate of this state is no number"
    return Problem(
        mistake, point.sim.state_names[watched[k]], "start nearer, or choose a state (at: initial)"
    )


def moving(
    point: OperatingPoint,
    watched: np.ndarray,
    rates: np.ndarray,
    forces: np.ndarray,
    J: np.ndarray,
    z: np.ndarray,
) -> Problem:
    """What does not come to rest, in words."""
    k = int(np.argmax(abs(forces) / tolerance(J, z)))
    name = point.sim.state_names[watched[k]]
    mistake = f"no equilibrium was found: this state still changes at {rates[k]:.3g} a second"
    fix = "hold it by a spring, a drive or a controller, start nearer, or choose a state (at: initial)"
    return Problem(mistake, name, fix)

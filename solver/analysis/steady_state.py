"""Equilibrium of a model by Newton's method on its rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem
from ..mechanism.support_polygon import support_polygons
from .operating_point import OperatingPoint
from .static_residual import StaticResidual, static_residuals

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

ITERATIONS = 60
LONGEST = 0.3  # [rad or m] of one step of a coordinate
SHORTEST = 1.0 / 1024  # share of a Newton step
SMALLEST_STEP = 1e-10  # a step below this is none
STILL = 1e-8  # rates below this share of what moves them count as zero
RANK = 1e-10  # directions along which nothing changes, such as a free slewing axis, stay as they are


def equilibrium(sim: Simulation, t: float = 0.0, x: np.ndarray | None = None) -> np.ndarray:
    """Equilibrium near a state, by Newton's method on the rates, with all signals as they are at time t.

    Velocities are zero; positions and states of signals are solved for; memories (holds, delays) stay. Along
    indifferent directions the nearest state is taken.

    Parameters
    ----------
    sim : Simulation
        The model.
    t : float, optional
        Time at which signals are taken [s].
    x : array_like, optional
        State at which the search begins; the initial one by default.

    Returns
    -------
    ndarray
        The state, in the order of `sim.state_names`.

    Raises
    ------
    LuffError
        No equilibrium was found: the message says what does not come to rest.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> abs(luff.equilibrium(sim)).max() < 1e-9  # it hangs
    np.True_
    """
    point = OperatingPoint(sim, t, memories=True)
    point.go(point.sim.x0 if x is None else np.asarray(x, float))
    point.fill()
    find_equilibrium(point)
    return point.x[point.native]


def find_equilibrium(point: OperatingPoint) -> None:
    """Move the point to the equilibrium near its state; what tips over its supports has none."""
    start = point.x.copy()
    try:
        try:
            newton_search(point)
        except RunError:  # wide differences see what lies near: a stand before it touches, an edge of a valve
            point.go(start)
            newton_search(point, exact=False)
    except RunError as error:
        tipped = tipping_warnings(point, failed=True)
        raise (RunError(tipped) if tipped else error) from None
    tipped = tipping_warnings(point)
    if tipped:
        raise RunError(tipped)


def tipping_warnings(point: OperatingPoint, failed: bool = False) -> Problem | None:
    """Warning of a body that tips over the edge of its supports; None without one."""
    program, run = point.sim.program, point.sim.instance
    standing = support_polygons(program.mechanism)
    if not standing or not np.all(np.isfinite(point.rates(point.x))):
        return None
    static_residuals(run)  # what its supports have to carry
    for footing in standing:
        outside = footing.outside(run.model, run.data)
        problem = footing.problem(run.data, outside, sure=failed and outside[0] > 0.0)
        if problem:
            return problem
    return None


def newton_search(point: OperatingPoint, exact: bool = True) -> None:
    """Newton from the point's state, by exact derivatives where its code has them, or by differences."""
    still = point.x.copy()
    still[point.velocities] = 0.0
    point.go(still)
    if not len(still):
        return  # signals alone, without states
    forces = StaticResidual(point)
    free, watched, coordinates = forces.free, forces.watched, forces.coordinates
    iterations = 0
    while True:
        z = point.x[free]
        here, rates = forces(z), point.rates(point.x)[watched]
        J = forces.jacobian(z, here, exact)
        if not (np.all(np.isfinite(J)) and np.all(np.isfinite(here))):
            raise RunError(lost_message(point, watched, rates, J))
        idle = forces.idle(J)  # they need not come to rest
        here[idle], J[idle] = 0.0, 0.0
        # contents of oil count in 1e10 Pa beside angles
        units = np.maximum(1.0, abs(z))
        inverse = (
            units[:, None] * np.linalg.pinv(J * units, rcond=RANK) if J.size else np.zeros(J.shape[::-1])
        )
        step = -inverse @ here
        share = min(1.0, LONGEST / max(abs(step[coordinates]).max(initial=0.0), 1e-300))
        last = np.all(abs(step) <= SMALLEST_STEP * units)
        # the step that would come next judges this one: it has no units to be weighed (Deuflhard, 1974)
        size = np.linalg.norm(step / units)
        while share > SHORTEST and not last:
            after = forces(z + share * step)
            if (
                np.all(np.isfinite(after))
                and np.linalg.norm(inverse @ after / units) < (1.0 - share / 4.0) * size
            ):
                break
            share /= 2.0
        x = point.x.copy()
        x[free] = z + share * step
        normalise(point, x)
        point.go(x)
        if last:
            break
        iterations += 1
        if iterations == ITERATIONS:
            raise RunError(moving_message(point, watched, rates, here, J, z))
    if np.any(abs(here) > tolerance(J, z)):
        raise RunError(moving_message(point, watched, rates, here, J, z))


def normalise(point: OperatingPoint, x: np.ndarray) -> None:
    """Scale the quaternions of a state to unit length."""
    for first in point.quaternions[::4]:
        x[first : first + 4] /= np.linalg.norm(x[first : first + 4])


def tolerance(J: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Bound of each rate below which it counts as zero."""
    return STILL * (1.0 + abs(J) @ np.maximum(1.0, abs(z)))


def lost_message(point: OperatingPoint, watched: np.ndarray, rates: np.ndarray, J: np.ndarray) -> Problem:
    """Problem for a search that has left the range in which the model can be computed."""
    k = int(np.argmin(np.isfinite(rates) & np.isfinite(J).all(axis=1)))
    mistake = (
        "no equilibrium was found: the search reached a point where the rate of this state is not a number"
    )
    return Problem(
        mistake, point.sim.state_names[watched[k]], "start nearer, or choose a state (at: initial)"
    )


def moving_message(
    point: OperatingPoint,
    watched: np.ndarray,
    rates: np.ndarray,
    forces: np.ndarray,
    J: np.ndarray,
    z: np.ndarray,
) -> Problem:
    """Problem that names what does not come to rest."""
    k = int(np.argmax(abs(forces) / tolerance(J, z)))
    name = point.sim.state_names[watched[k]]
    mistake = f"no equilibrium was found: this state still changes at {rates[k]:.3g} a second"
    fix = "hold it by a spring, a drive or a controller, start nearer, or choose a state (at: initial)"
    return Problem(mistake, name, fix)

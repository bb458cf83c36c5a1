"""Bounded inversion: drives' motion and efforts along a path where the internal dynamics they leave is unstable.

A run forwards from rest cannot follow such a path. The bounded solution is not causal: what grows is laid out backwards
from the end, what decays forwards from the start (Devasia, Chen and Paden, 1996), so that drives move before the
target does. With the internal state eta, eta' = f(t, eta), between two equilibria of it:

    Q_s^T (eta(0) - eta_0) = 0,    Q_u^T (eta(T) - eta_T) = 0

where the columns of Q_s and Q_u span the left eigenvectors of decaying and growing roots. The boundary-value problem is
solved by collocation of fourth order (scipy's `solve_bvp`; Kierzenka and Shampine, 2001).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from ..kernels import model_data as f
from ..results.result import Result
from ..simulation.constraint_state import walk_anchor
from ..simulation.finite_differences import jacobian, pointwise
from .internal_dynamics import internal_dynamics, servo_states

if TYPE_CHECKING:
    from ..simulation.instance import Instance
    from ..simulation.simulation import Simulation

NODES, MOST_NODES = 201, 20_000  # of the first mesh and of the last: effort alone
TOLERANCE = 1e-9  # of the collocation's residual, relative to rates above 1/s

Rates = Callable[[float, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class BoundedInversion:
    """Plan as recorded signals over the time, with its distance from one that begins and ends at rest.

    `residual` is the largest of the collocation, relative to rates above 1/s; `at_start` and `at_end` are the internal
    state less its equilibrium: the motion needed before the start, and that left to decay after the end.

    Examples
    --------
    See `luff.bounded_inversion`.
    """

    result: Result
    residual: float
    at_start: dict[str, float]
    at_end: dict[str, float]

    def described(self) -> list[str]:
        """Describe residual and both ends in lines for a terminal.

        Returns
        -------
        list[str]
            The lines.
        """
        lines = [
            f"bounded inversion: {len(self.result.time)} rows, residual {self.residual:.1g} of the rates"
        ]
        for when, left in (("start", self.at_start), ("end", self.at_end)):
            name = max(left, key=lambda one: abs(left[one]))
            lines.append(f"at the {when} off its equilibrium by {left[name]:.2g} in {name} at most")
        return lines


def bounded_inversion(sim: Simulation, tolerance: float = TOLERANCE) -> BoundedInversion:
    """Solve for the bounded motion of what drives leave free, over the whole time of the model's run.

    Parameters
    ----------
    sim : Simulation
        A model in which drives realise a constraint (`realised_by`), whose target rests at the start and at the end.
    tolerance : float
        Residual of the collocation, relative to rates above 1/s.

    Returns
    -------
    BoundedInversion
        The plan; its `result` can be saved as a table.

    Raises
    ------
    LuffError
        Where nothing is left free, a root lies on the axis within its bound, the target does not rest at both ends,
        signals have states of their own, or no solution was found.

    Examples
    --------
    >>> import luff
    >>> arm = luff.loads('''
    ... luff: 1
    ... blocks:
    ...   law: {type: motion_law, law: poly7, start: 1 s, duration: 1 s, end_value: 0.1, unit: rad}
    ...   world: {gravity: [0, 0, 0]}
    ...   shoulder: {type: revolute, axis: z}
    ...   inner: {type: rigid_link, mass: 2 kg, com: [0.25, 0, 0], frame_b: {at: [0.5, 0, 0]}}
    ...   elbow: {type: revolute, axis: z, stiffness: 40, damping: 0.4, guess: {position: 0}}
    ...   outer: {type: rigid_link, mass: 1 kg, com: [0.25, 0, 0]}
    ...   keep: {type: programmed_constraint, joints: [shoulder, elbow], relation: x + 2*y, realised_by: [shoulder]}
    ... connect:
    ...   - law.y -> keep.target
    ...   - world.frame -- shoulder.frame_a
    ...   - shoulder.frame_b -- inner.frame_a
    ...   - inner.frame_b -- elbow.frame_a
    ...   - elbow.frame_b -- outer.frame_a
    ... simulation: {stop: 3 s, step: 10 ms, constraints: {dependent: [shoulder]}}
    ... ''')
    >>> plan = luff.bounded_inversion(luff.compile(arm))
    >>> plan.residual < 1e-9, abs(plan.at_start["elbow.position"]) < 1e-4
    (True, True)
    """
    found, program = internal_dynamics(sim), sim.program
    if found is None:
        raise LuffError("found no drives that realise a constraint and leave something free")
    if len(program.x0) != program.mechanical:
        name = sim.state_names[program.mechanical]
        raise LuffError(Problem("a signal has a state of its own", name, "plan with signals of time alone"))
    if len(servo_states(sim)) != program.mechanical:
        mistake = "found another mechanism beside the one in which drives realise the constraint"
        raise LuffError(Problem(mistake, ", ".join(found.drives), "invert a netlist of that one alone"))
    if found.stability == "not known":
        mistake = "a root of the internal dynamics lies on the imaginary axis within its bound"
        raise LuffError(Problem(mistake, ", ".join(found.drives), "add damping, or constrain another point"))
    instance, stop = sim.twin().instance, sim.settings.stop

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        made = instance.rates(t, x)
        if not np.isfinite(made).all():
            walk_anchor(instance, t, x)
            made = instance.rates(t, x)
        return made

    first = equilibrium(sim, instance, rates, 0.0, sim.x0, tolerance)
    last = equilibrium(sim, instance, rates, stop, first, tolerance)
    Q_s, Q_u = left_subspaces(rates, 0.0, first)[0], left_subspaces(rates, stop, last)[1]
    if Q_s.shape[1] + Q_u.shape[1] != len(first):
        raise LuffError(
            "the internal dynamics has other numbers of growing roots at the start and at the end"
        )
    solution, residual = collocate(rates, stop, (first, Q_s), (last, Q_u), tolerance)
    every = sim.settings.output_step or sim.settings.step
    times = np.linspace(0.0, stop, max(2, round(stop / every) + 1))
    states = solution(times).T
    table = []
    for t, x in zip(times.tolist(), states, strict=True):
        rates(t, x)
        table.append(instance.outputs(t, x))
    result = Result(times, list(sim.signal_names), np.array(table), sim.units)
    ends = [
        dict(zip(sim.state_names, (x - rest).tolist(), strict=True))
        for x, rest in ((states[0], first), (states[-1], last))
    ]
    return BoundedInversion(result, residual, *ends)


def equilibrium(
    sim: Simulation, instance: Instance, rates: Rates, t: float, guess: np.ndarray, tolerance: float
) -> np.ndarray:
    """Equilibrium of the internal state under the target at time t (Newton).

    At rest are a state and a target whose rates [1/s] the collocation, too, would take for zero.
    """
    x = guess.copy()
    for _ in range(30):
        here = rates(t, x)
        step = np.linalg.lstsq(slopes(rates, t, x)[0], here, rcond=None)[0]
        x = x - step
        if abs(step).max() < 1e-13:
            break
    here = rates(t, x)
    servo = instance.model.constraint[:, f.C_SERVO] >= 0
    moves = abs(instance.data.con[servo, f.PHI_T]).max()
    if not abs(here).max() <= tolerance or not moves <= tolerance:
        what = "the target moves" if moves > tolerance else "what the drives leave free has no equilibrium"
        fix = "let the path begin after the start and end before `stop`"
        raise LuffError(Problem(f"{what} at t = {t:g} s", sim.state_names[int(np.argmax(abs(here)))], fix))
    return x


def slopes(rates: Rates, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian of the rates by the internal state, and the error of each entry."""

    def here(some: np.ndarray) -> np.ndarray:
        return rates(t, some)

    return jacobian(here, x, many=pointwise(here))


def left_subspaces(rates: Rates, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal columns that span the left eigenvectors of decaying, and of growing roots."""
    from scipy.linalg import schur

    A, _ = slopes(rates, t, x)
    spans = []
    for half in ("lhp", "rhp"):
        made = schur(A.T, sort=half)
        spans.append(made[1][:, : int(made[-1])])
    return spans[0], spans[1]


def collocate(
    rates: Rates,
    stop: float,
    start: tuple[np.ndarray, np.ndarray],
    end: tuple[np.ndarray, np.ndarray],
    tolerance: float,
) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
    """Solution of the boundary-value problem as a function of time, and its largest residual."""
    from scipy.integrate import solve_bvp

    (first, Q_s), (last, Q_u) = start, end

    def field(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.array([rates(when, state) for when, state in zip(t.tolist(), x.T.copy(), strict=True)]).T

    def ends(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.concatenate([Q_s.T @ (left - first), Q_u.T @ (right - last)])

    mesh = np.linspace(0.0, stop, NODES)
    guess = first[:, None] + (last - first)[:, None] * mesh / stop
    with np.errstate(all="ignore"):
        found = solve_bvp(field, ends, mesh, guess, tol=tolerance, max_nodes=MOST_NODES, bc_tol=1e-12)
    if not found.success:
        fix = "let the target move slower, or allow a larger tolerance"
        raise LuffError(Problem(f"the boundary-value problem has not converged: {found.message}", fix=fix))
    return found.sol, float(found.rms_residuals.max())

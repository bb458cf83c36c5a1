"""Internal dynamics: the motion that drives which realise programmed constraints leave to itself.

With `reduced` the states of their mechanisms are exactly that motion, the constraints being kept whatever it does (the
zero dynamics, where the target rests). It is linearised with everything else held, by differences as statics are, since
a run must not wait for code with derivatives. A root grows where its real part is positive by more than its bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import Problem
from ..kernels import model_data as f
from ..simulation.finite_differences import jacobian, pointwise
from .eigenvalues import Eigenvalues, components, of_block

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

PARTS = 36.7  # ln(1/eps): after so many time constants rounding has grown to the size of the motion


@dataclass(frozen=True)
class InternalDynamics:
    """Roots [1/s] of the motion that drives leave to itself, with bounds; part by part, with the states of each.

    `drives` are the constraints that drives realise.

    Examples
    --------
    See `luff.internal_dynamics`.
    """

    drives: tuple[str, ...]
    parts: tuple[tuple[tuple[str, ...], Eigenvalues], ...]

    @property
    def eigenvalues(self) -> np.ndarray:
        """Roots of all parts [1/s].

        Returns
        -------
        numpy.ndarray
            Complex roots.
        """
        return np.concatenate([np.zeros(0, complex), *(roots.values for _, roots in self.parts)])

    @property
    def stability(self) -> str:
        """Verdict: `unstable`, `stable`, or `not known` where a root may lie on the axis within its bound.

        Returns
        -------
        str
            The verdict.
        """
        slack = [(roots.values.real, roots.bounds) for _, roots in self.parts]
        if any((real - bound > 0.0).any() for real, bound in slack):
            return "unstable"
        return "stable" if all((real + bound < 0.0).all() for real, bound in slack) else "not known"

    def problems(self) -> list[Problem]:
        """Warn of each part that grows, with its fastest root.

        Returns
        -------
        list[Problem]
            One warning for each such part.
        """
        return [
            growth_warning(", ".join(self.drives), names, roots)
            for names, roots in self.parts
            if (roots.values.real - roots.bounds > 0.0).any()
        ]


def growth_warning(drives: str, names: tuple[str, ...], roots: Eigenvalues) -> Problem:
    """Warning that names the fastest growing root of a part and the time in which rounding grows to its size."""
    k = int(np.argmax(roots.values.real - roots.bounds))
    s, off = roots.values[k], roots.bounds[k]
    turns = f" and turns at {abs(s.imag):.4g} rad/s" if abs(s.imag) > off else ""
    return Problem(
        f"unstable internal dynamics: {', '.join(names)} grows as exp({s.real:.4g} t){turns} while the drives keep the "
        f"constraint (linearised at the start, eigenvalue {s.real:.6g} +- {off:.1g} 1/s); in some "
        f"{PARTS / s.real:.2g} s rounding alone grows to the size of the motion, with any step",
        drives,
        "constrain a point whose internal dynamics is stable",
        severity="warning",
    )


def internal_dynamics(sim: Simulation, t: float = 0.0) -> InternalDynamics | None:
    """Internal dynamics of a model's servo constraints, linearised at its initial state.

    Parameters
    ----------
    sim : Simulation
        A model, with `constraints: {method: reduced}`.
    t : float
        Time at which targets are held [s].

    Returns
    -------
    InternalDynamics or None
        The roots; None where no drive realises a constraint, nothing is left to itself, or rates are not finite.

    Examples
    --------
    >>> import luff
    >>> planner = luff.compile("library/crane_overhead_planner.yaml", beta=1.001)
    >>> found = luff.internal_dynamics(planner)
    >>> found.stability, round(float(found.eigenvalues.real.max()), 1)
    ('unstable', 112.3)
    """
    program = sim.program
    servo = np.flatnonzero(program.model.constraint[:, f.C_SERVO] >= 0)
    own = servo_states(sim)
    if not len(own) or program.model.option[f.O_METHOD] != f.REDUCED:
        return None
    instance, x = sim.twin().instance, sim.x0.copy()

    def rates(some: np.ndarray) -> np.ndarray:
        x[own] = some
        return instance.rates(t, x)[own]

    with np.errstate(all="ignore"):
        A, E = jacobian(rates, x[own].copy(), many=pointwise(rates))
    if not (np.isfinite(A).all() and np.isfinite(E).all()):
        return None
    parts = []
    for members in components((A != 0.0) | (E != 0.0)):
        block = np.ix_(members, members)
        states = program.model.state[own[members]]
        positions = own[members][states[:, f.ST_KIND] == f.Q_STATE]
        names = [sim.state_names[k] for k in (positions if len(positions) else own[members])]
        parts.append((tuple(names), of_block(A[block], E[block])))
    blocks = dict.fromkeys(program.constraints.blocks[c] for c in servo)
    return InternalDynamics(tuple(blocks), tuple(parts))


def servo_states(sim: Simulation) -> np.ndarray:
    """Places in the state vector of the states of mechanisms in which drives realise constraints."""
    state, own = sim.program.model.state, np.zeros(sim.program.mechanical, bool)
    for one in sim.program.components:
        if (one.model.constraint[:, f.C_SERVO] >= 0).any():
            slips, s = state[:, f.ST_KIND] == f.SLIP_STATE, one.spans
            elements = (state[:, f.ST_ROW] >= s.elements) & (
                state[:, f.ST_ROW] < s.elements + len(one.mechanism.elements)
            )
            rows = (state[:, f.ST_ROW] >= one.rows.start) & (state[:, f.ST_ROW] < one.rows.stop)
            own |= np.where(slips, elements, rows)
    return np.flatnonzero(own)


def growing(sim: Simulation) -> list[Problem]:
    """Warnings of internal dynamics that a run of this model cannot follow, with their places."""
    found = internal_dynamics(sim)
    return [sim.program.flat.located(one) for one in found.problems()] if found else []

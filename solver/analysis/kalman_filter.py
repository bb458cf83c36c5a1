"""Steady Kalman filters: the gain of an observer from the noise of a linearised model, by a Riccati equation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from .bounded_roots import signs_of, verdict_of
from .design_weights import Weights, element_values, matrix_errors, refuse_samplers, si_values, weakest_mode
from .eigenvalues import EPS, Complex, eigenvalues
from .held_inputs import held_inputs, map_verdict
from .linear_quadratic import describe_poles, pairs, save_design
from .linearise import Linear, linearise

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


@dataclass
class Estimator:
    """Steady Kalman filter of a model: estimates of its states from measured signals, with their covariance `P`.

    Continuous: dz/dt = A z + B u + L (y - C z - D u). With a `sample_time` [s] z is predicted from one sample to the
    next, z- = A z + B u, and corrected by z = z- + M (y - C z- - D u), with L = A M. z, u and y count from the
    operating point `x`, `u`, `y`. `P` is the covariance of the error of z, after the correction. `poles` are the
    eigenvalues of A - L C [1/s, or per sample], `stability` the verdict on them with their error bounds.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> found = luff.kalman(sim, {"pin.position": "1 deg"}, {"pin.effort": "0.5 N*m"}, sample_time=0.01)
    >>> found.L.shape, found.stability
    ((2, 1), 'stable')
    """

    L: np.ndarray
    M: np.ndarray
    P: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    G: np.ndarray
    poles: Complex
    stability: str
    state_names: list[str]
    input_names: list[str]
    measured_names: list[str]
    x: np.ndarray
    u: np.ndarray
    y: np.ndarray
    sample_time: float = 0.0
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        names = f"{len(self.state_names)} states from {', '.join(self.measured_names)}"
        return f"<Estimator: {names}; its error is {self.stability}>"

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations of the estimates [SI], in the order of the states.

        Returns
        -------
        ndarray
            Square roots of the diagonal of P.
        """
        return np.sqrt(np.diag(self.P))

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON; the block `kalman` reads it.

        Returns
        -------
        dict
            Parameters of the block, names, deviations, poles and verdict.
        """
        return {
            "luff": "kalman",
            "states": self.state_names,
            "inputs": self.input_names,
            "measured": self.measured_names,
            "sample_time": self.sample_time,
            "A": self.A.tolist(),
            "B": self.B.tolist(),
            "C": self.C.tolist(),
            "D": self.D.tolist(),
            "gain": (self.M if self.sample_time else self.L).tolist(),
            "at": self.x.tolist(),
            "input_at": self.u.tolist(),
            "measured_at": self.y.tolist(),
            "deviations": self.deviations.tolist(),
            "poles": pairs(self.poles),
            "stability": self.stability,
            "notes": self.notes,
        }

    def save(self, path: str | Path) -> None:
        """Write a JSON file that the block `kalman` reads.

        Parameters
        ----------
        path : str or Path
            A file .json.

        Raises
        ------
        LuffError
            The extension is another one, or the file cannot be written.
        """
        save_design(self.as_dict(), path)


def kalman(
    sim: Simulation,
    measured: Weights,
    noise: Weights,
    inputs: Sequence[str] = (),
    sample_time: float = 0.0,
    t: float = 0.0,
    x: Sequence[float] | np.ndarray | str | None = "equilibrium",
) -> Estimator:
    """Steady Kalman filter of a model about an operating point.

    With a sample time noise is white from sample to sample: each number is a standard deviation, and what drives the
    model is held over the sample. Without one noise is white in time: each number is the root of its spectral density,
    unit s^(1/2), and is given in the signal's own unit for a density of 1 s.

    Parameters
    ----------
    sim : Simulation
        The model without its controller.
    measured : mapping of str to float or str
        Measured signals, and the noise of each: `{"pin.position": "0.5 deg"}`.
    noise : mapping of str to float or str
        Ports or inputs at which noise drives the model, and how much: `{"wind": "200 N"}`.
    inputs : sequence of str, optional
        Ports or inputs whose values the filter is told.
    sample_time : float, optional
        Time from one sample to the next [s]; 0 for a continuous filter.
    t : float, optional
        Time of the operating point [s].
    x : array_like or str, optional
        The operating point as in `luff.linearise`.

    Returns
    -------
    Estimator
        Gain and covariance.

    Raises
    ------
    LuffError
        There is no such port or signal, or no gain with which errors decay: a mode that the measured signals do not
        show is named.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> found = luff.kalman(sim, {"pin.position": "1 deg"}, {"pin.effort": "0.5 N*m"}, sample_time=0.01)
    >>> bool(found.deviations[0] < 0.0175)  # better than what is measured
    True
    """
    if not measured or not noise:
        missing = "measured" if not measured else "noise"
        raise LuffError(Problem("found no signals, expected one at least with its noise", missing))
    if not 0.0 <= sample_time < np.inf:
        raise LuffError(Problem(f"found {sample_time:g}, expected a time in s of 0 or more", "sample_time"))
    seen, driven = si_values(sim, measured, "measured"), si_values(sim, noise, "noise")
    both = [*inputs, *(name for name in noise if name not in inputs)]
    lin = linearise(sim, t, x, both, [*measured])
    refuse_samplers(lin, "kalman")
    known, drives = columns(lin.input_names, inputs), columns(lin.input_names, noise)
    V = np.diag(element_values(lin.output_names, seen, "measured") ** 2)
    W = np.diag(element_values([lin.input_names[k] for k in drives], driven, "noise") ** 2)
    direct = np.flatnonzero(lin.D[:, drives].any(axis=1))
    if len(direct):
        mistake = f"found {lin.output_names[direct[0]]}, which this noise reaches at once"
        raise LuffError(Problem(mistake, "measured", "measure a position or a rate in its place"))
    A, held, (E_A, E_B, E_C) = lin.A, lin.B, matrix_errors(lin)
    if sample_time:
        A, held, E_A, _ = held_inputs(lin.A, lin.B, E_A, E_B, sample_time)
    B, G = held[:, known], held[:, drives]
    P = predicted_covariance(A, lin, drives, G @ W @ G.T, V, sample_time)
    S = lin.C @ P @ lin.C.T + V if sample_time else V
    M = np.linalg.solve(S, lin.C @ P).T  # P C^T S^-1
    L = A @ M if sample_time else M
    n = len(A)
    by_gain = abs(L) @ (E_C + n * EPS * abs(lin.C))
    if sample_time:
        rest = np.eye(n) - M @ lin.C
        P = rest @ P @ rest.T + M @ V @ M.T  # Joseph's form
        poles, verdict = map_verdict(A - L @ lin.C, E_A @ (np.eye(n) + abs(M) @ abs(lin.C)) + by_gain)
    else:
        found = eigenvalues(A - L @ lin.C, E_A + by_gain)
        poles, verdict = found.values, verdict_of(signs_of(found.values, found.bounds))
    notes = lin.notes
    if verdict != "stable":
        fix = "the filter takes nothing there from what is measured: give a noise that drives it too"
        notes = [
            *notes,
            *(f"{words}: {fix}, such as one of an effort" for words in undriven_modes(lin, drives)),
        ]
    return Estimator(
        L, M, P, A, B, lin.C, lin.D[:, known], G, poles, verdict, lin.state_names,
        [lin.input_names[k] for k in known], lin.output_names, lin.x, lin.u[known], lin.y, sample_time, notes,
    )  # fmt: skip


def undriven_modes(lin: Linear, drives: Sequence[int]) -> Iterator[str]:
    """Words on a mode that stays and that no noise drives, if there is one."""
    E_A, E_B, _ = matrix_errors(lin)
    weak = weakest_mode(lin.A, lin.B[:, drives], E_A, E_B[:, drives], lin.state_names)
    if weak.unmoved:
        yield f"no noise of {', '.join(lin.input_names[k] for k in drives)} drives {weak.words}"


def columns(names: Sequence[str], wanted: Sequence[str] | Weights) -> list[int]:
    """Columns of inputs by the names of their elements or of the whole."""
    return [k for k, name in enumerate(names) if name in wanted or name.partition("[")[0] in wanted]


def predicted_covariance(
    A: np.ndarray, lin: Linear, drives: Sequence[int], Q: np.ndarray, V: np.ndarray, sample_time: float
) -> np.ndarray:
    """Covariance of the error before a correction, from the filter's algebraic Riccati equation."""
    from scipy.linalg import LinAlgError, solve_continuous_are, solve_discrete_are

    solve = solve_discrete_are if sample_time else solve_continuous_are
    try:
        with np.errstate(invalid="ignore"):  # balancing numbers of very unlike size
            return solve(A.T, lin.C.T, Q, V)
    except (LinAlgError, ValueError):
        E_A, _, E_C = matrix_errors(lin)
        weak = weakest_mode(lin.A.T, lin.C.T, E_A.T, E_C.T, lin.state_names)
        undriven = [*undriven_modes(lin, drives)]
        if weak.unmoved:
            mistake, fix = f"the measured signals do not show {weak.words}", "measure a signal that shows it"
        elif undriven:
            mistake, fix = undriven[0], "give a noise that drives it too, such as one of an effort"
        else:
            mistake = f"it is lost in rounding; least shown is {weak.words}"
            fix = "bring the noise of signals and inputs nearer to each other"
        raise LuffError(
            Problem(f"found no gain with which errors decay: {mistake}", "measured", fix)
        ) from None


def describe_estimator(found: Estimator, block: str = "kalman") -> Iterator[str]:
    """Lines of text for a terminal: deviations, gains, verdict, and the wires of the block `kalman`."""
    gains = found.M if found.sample_time else found.L
    yield f"deviation and gains from {', '.join(found.measured_names)}:"
    for name, deviation, row in zip(found.state_names, found.deviations, gains, strict=True):
        yield f"  {deviation:12.5g}  {'  '.join(f'{gain:14.7g}' for gain in row)}  {name}"
    yield from describe_poles("the error", found.stability, found.poles, found.sample_time)
    yield "wires of the block:"
    yield from (f"  {name} -> {block}.measured[{k}]" for k, name in enumerate(found.measured_names))
    yield from (f"  {name} -> {block}.input[{k}]" for k, name in enumerate(found.input_names))

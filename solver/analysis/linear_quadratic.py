"""Linear-quadratic regulators: u = u0 - K (x - x0), K from the algebraic Riccati equation of a linearised model.

Weights follow Bryson's rule: the cost is the integral of the squares of outputs and inputs, each over the largest
deviation that is acceptable. With a sample time the same integral is taken with inputs held between samples
(Van Loan 1978, Computing integrals involving the matrix exponential).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..results.result_files import atomic_replace
from .bounded_roots import signs_of, verdict_of
from .design_weights import Weights, element_values, matrix_errors, refuse_samplers, si_values, weakest_mode
from .eigenvalues import EPS, Complex, eigenvalues
from .held_inputs import held_inputs, map_verdict, sampled_cost
from .linearise import Linear, linearise

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


@dataclass
class Regulator:
    """Linear-quadratic regulator u = u0 - K (x - x0) of a model, with its cost matrix and its closed loop.

    `K` (inputs x states), `S` (cost-to-go (x - x0)^T S (x - x0)), weights `Q`, `R`, `N`; `A`, `B` are those of rates,
    or with a `sample_time` [s] of the map from one sample to the next. `poles` are the eigenvalues of A - B K [1/s, or
    per sample], `stability` the verdict on them with their error bounds. `x`, `u`: the operating point.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> found = luff.lqr(sim, {"pin.effort": "5 N*m"}, {"pin.position": "2 deg"})
    >>> found.K.shape, found.stability
    ((1, 2), 'stable')
    """

    K: np.ndarray
    S: np.ndarray
    A: np.ndarray
    B: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    N: np.ndarray
    poles: Complex
    stability: str
    state_names: list[str]
    input_names: list[str]
    x: np.ndarray
    u: np.ndarray
    sample_time: float = 0.0
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        names = f"{', '.join(self.input_names)} from {len(self.state_names)} states"
        return f"<Regulator: {names}; the closed loop is {self.stability}>"

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON; the block `lqr` reads it.

        Returns
        -------
        dict
            `points` with `gain`, `at` and `effort_at`, names, poles and verdict.
        """
        return {
            "luff": "lqr",
            "states": self.state_names,
            "inputs": self.input_names,
            "sample_time": self.sample_time,
            "points": [self.point()],
            "poles": [pairs(self.poles)],
            "stability": self.stability,
            "notes": self.notes,
        }

    def point(self, value: float = 0.0) -> dict[str, object]:
        """Gain, state and input of the operating point as plain data.

        Parameters
        ----------
        value : float, optional
            The number over which gains are scheduled.

        Returns
        -------
        dict
            An entry of `points` of the block `lqr`.
        """
        return {
            "value": value,
            "gain": self.K.tolist(),
            "at": self.x.tolist(),
            "effort_at": self.u.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write a JSON file that the block `lqr` reads.

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


@dataclass
class GainSchedule:
    """Regulators over the values of a parameter, between which the block `lqr` interpolates the gain.

    Each is optimal, and its closed loop is judged, at its own value; nothing is said of what lies between.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> table = luff.lqr(sim, {"pin.effort": 5}, {"pin.position": 0.03}, over=("rod.mass", [1.0, 3.0]))
    >>> len(table.regulators), table.stability
    (2, 'stable')
    """

    parameter: str
    values: np.ndarray
    regulators: list[Regulator]

    @property
    def stability(self) -> str:
        """Verdict on the closed loops at all points: `stable` if each is, else the verdicts found.

        Returns
        -------
        str
            One word, or several.
        """
        return ", ".join(dict.fromkeys(one.stability for one in self.regulators))

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON; the block `lqr` reads it.

        Returns
        -------
        dict
            As of one regulator, with an entry of `points` for each value of `parameter`.
        """
        points = [one.point(float(value)) for value, one in zip(self.values, self.regulators, strict=True)]
        notes = list(dict.fromkeys(note for one in self.regulators for note in one.notes))
        return self.regulators[0].as_dict() | {
            "parameter": self.parameter,
            "points": points,
            "poles": [pairs(one.poles) for one in self.regulators],
            "stability": self.stability,
            "notes": notes,
        }

    def save(self, path: str | Path) -> None:
        """Write a JSON file that the block `lqr` reads.

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


def lqr(
    sim: Simulation,
    inputs: Weights,
    outputs: Weights,
    sample_time: float = 0.0,
    t: float = 0.0,
    x: Sequence[float] | np.ndarray | str | None = "equilibrium",
    over: tuple[str, Sequence[float] | np.ndarray] | None = None,
) -> Regulator | GainSchedule:
    """Linear-quadratic regulator of a model about an operating point, or a table of them.

    The cost is the integral of sum (y_i / Y_i)^2 + sum (u_j / U_j)^2, counted from the operating point, where Y and U
    are the largest deviations that are acceptable (Bryson's rule).

    Parameters
    ----------
    sim : Simulation
        The model without its controller.
    inputs : mapping of str to float or str
        Ports or inputs that it commands, and the largest deviation U of each: `{"force": "500 N"}`.
    outputs : mapping of str to float or str
        Signals to be kept, and the largest deviation Y of each: `{"pin.position": "2 deg"}`.
    sample_time : float, optional
        Time [s] over which inputs are held; 0 for a continuous controller.
    t : float, optional
        Time of the operating point [s].
    x : array_like or str, optional
        The operating point as in `luff.linearise`.
    over : (str, sequence of float), optional
        A parameter and its values [SI]: one regulator at each.

    Returns
    -------
    Regulator or GainSchedule
        The gain; a schedule where `over` is given.

    Raises
    ------
    LuffError
        There is no such port or signal, no equilibrium, or no gain that makes the loop stable: the mode that the inputs
        do not move, or that the outputs do not show, is named.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> found = luff.lqr(sim, {"pin.effort": "5 N*m"}, {"pin.position": "2 deg"}, sample_time=0.01)
    >>> found.stability
    'stable'
    """
    if not inputs or not outputs:
        missing = "inputs" if not inputs else "outputs"
        raise LuffError(
            Problem(f"found no {missing}, expected one at least with its largest deviation", missing)
        )
    if not 0.0 <= sample_time < np.inf:
        raise LuffError(Problem(f"found {sample_time:g}, expected a time in s of 0 or more", "sample_time"))
    if over is None:
        return regulator(sim, inputs, outputs, sample_time, t, x)
    parameter, values = over
    numbers = np.asarray(values, float)
    if not len(numbers) or (np.diff(numbers) <= 0.0).any():
        raise LuffError(Problem("expected values that grow", "over", "give each once, the smallest first"))
    made = []
    for value in numbers.tolist():
        own = sim.twin()
        own.set(parameter, value)
        made.append(regulator(own, inputs, outputs, sample_time, t, x))
    return GainSchedule(parameter, numbers, made)


def regulator(
    sim: Simulation,
    inputs: Weights,
    outputs: Weights,
    sample_time: float,
    t: float,
    x: Sequence[float] | np.ndarray | str | None,
) -> Regulator:
    """Regulator at one operating point."""
    U, Y = si_values(sim, inputs, "inputs"), si_values(sim, outputs, "outputs")
    lin = linearise(sim, t, x, [*inputs], [*outputs])
    refuse_samplers(lin, "lqr")
    W = np.diag(element_values(lin.output_names, Y, "outputs") ** -2.0)
    R = np.diag(element_values(lin.input_names, U, "inputs") ** -2.0)
    C, D = lin.C, lin.D
    E_A, E_B, _ = matrix_errors(lin)
    Q, N, R = C.T @ W @ C, C.T @ W @ D, R + D.T @ W @ D
    if sample_time:
        Q, R, N = sampled_cost(lin.A, lin.B, Q, R, N, sample_time)
        A, B, E_A, E_B = held_inputs(lin.A, lin.B, E_A, E_B, sample_time)
        K, S = discrete_gain(A, B, Q, R, N, lin)
    else:
        A, B = lin.A, lin.B
        K, S = continuous_gain(A, B, Q, R, N, lin)
    closed, error = A - B @ K, E_A + (E_B + len(A) * EPS * abs(B)) @ abs(K)
    if sample_time:
        poles, verdict = map_verdict(closed, error)
    else:
        found = eigenvalues(closed, error)
        poles, verdict = found.values, verdict_of(signs_of(found.values, found.bounds))
    return Regulator(
        K,
        S,
        A,
        B,
        Q,
        R,
        N,
        poles,
        verdict,
        lin.state_names,
        lin.input_names,
        lin.x,
        lin.u,
        sample_time,
        lin.notes,
    )


def continuous_gain(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, N: np.ndarray, lin: Linear
) -> tuple[np.ndarray, np.ndarray]:
    """K = R^-1 (B^T S + N^T) with A^T S + S A + Q - (S B + N) K = 0."""
    from scipy.linalg import LinAlgError, solve_continuous_are

    try:
        with np.errstate(invalid="ignore"):  # balancing numbers of very unlike size
            S = solve_continuous_are(A, B, Q, R, s=N)
    except (LinAlgError, ValueError):
        raise no_gain(lin) from None
    return np.linalg.solve(R, B.T @ S + N.T), S


def discrete_gain(
    A: np.ndarray,
    B: np.ndarray,
    Q: np.ndarray,
    R: np.ndarray,
    N: np.ndarray,
    lin: Linear,
) -> tuple[np.ndarray, np.ndarray]:
    """K = (R + B^T S B)^-1 (B^T S A + N^T) with S = A^T S A + Q - (A^T S B + N) K."""
    from scipy.linalg import LinAlgError, solve_discrete_are

    try:
        with np.errstate(invalid="ignore"):  # balancing numbers of very unlike size
            S = solve_discrete_are(A, B, Q, R, s=N)
    except (LinAlgError, ValueError):
        raise no_gain(lin) from None
    return np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A + N.T), S


def no_gain(lin: Linear) -> LuffError:
    """Error that names the mode which inputs do not move, or outputs do not show."""
    E_A, E_B, E_C = matrix_errors(lin)
    moved = weakest_mode(lin.A, lin.B, E_A, E_B, lin.state_names)
    shown = weakest_mode(lin.A.T, lin.C.T, E_A.T, E_C.T, lin.state_names, growing=False)
    weak, path = (moved, "inputs") if moved.distance <= shown.distance else (shown, "outputs")
    if not weak.unmoved:
        mistake = f"its equation has no solution but for rounding; weakest is {weak.words}, by the {path}"
        fix = "bring the largest deviations of inputs and outputs nearer to each other"
    elif path == "inputs":
        mistake = f"{', '.join(lin.input_names)} cannot make {weak.words} decay"
        fix = "add an input that moves it, or damping"
    else:
        mistake, fix = f"the outputs do not show {weak.words}", "add an output that shows it"
    return LuffError(Problem(f"found no gain that makes the loop stable: {mistake}", path, fix))


def pairs(roots: Complex) -> list[list[float]]:
    """Real and imaginary parts."""
    return [[float(z.real), float(z.imag)] for z in roots]


def save_design(record: Mapping[str, object], path: str | Path) -> None:
    """Write a controller's design to a JSON file."""
    path = Path(path)
    if path.suffix != ".json":
        mistake = f'found "{path.suffix}"' if path.suffix else "found no extension"
        raise LuffError(f"{mistake}, expected .json", path=str(path))
    with atomic_replace(path, "the design") as part:
        part.write_text(json.dumps(record, indent=1), encoding="utf-8")


def describe_regulator(found: Regulator | GainSchedule, block: str = "lqr") -> Iterator[str]:
    """Lines of text for a terminal: gains, poles, verdict, and the wires of the block `lqr`."""
    regulators = found.regulators if isinstance(found, GainSchedule) else [found]
    for k, one in enumerate(regulators):
        if isinstance(found, GainSchedule):
            yield f"at {found.parameter} = {found.values[k]:.6g}:"
        for row, name in zip(one.K, one.input_names, strict=True):
            yield f"{name}:"
            yield from (f"  {gain:14.7g}  {state}" for gain, state in zip(row, one.state_names, strict=True))
        yield from describe_poles("the closed loop", one.stability, one.poles, one.sample_time)
    one = regulators[0]
    # the rounding leaves out what an equilibrium's search leaves of zeros; it chooses words alone
    at = [f"{name} = {x:.6g}" for name, x in zip(one.state_names, one.x.tolist(), strict=True) if round(x, 9)]
    if at and not isinstance(found, GainSchedule):
        yield f"its target counts from the operating point, {', '.join(at)}"
    yield "wires of the block:"
    yield from (f"  {state} -> {block}.state[{k}]" for k, state in enumerate(one.state_names))


def describe_poles(what: str, verdict: str, poles: Complex, sample_time: float) -> Iterator[str]:
    """Verdict and poles, one of each conjugate pair, slowest first."""
    unit = f"per sample of {sample_time:g} s" if sample_time else "1/s"
    upper = sorted((complex(z) for z in poles if z.imag >= 0.0), key=lambda z: (abs(z), z.imag))
    words = (f"{z.real:.5g}" if z.imag == 0.0 else f"{z.real:.5g} +- {z.imag:.5g}i" for z in upper)
    yield f"{what} is {verdict}, with poles [{unit}] {', '.join(words)}"

"""A model linearised about a state: dx' = A dx + B du, dy = C dx + D du."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import Block, LuffError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.stop_conditions import NAME as CONDITIONS
from ..kernels import model_data as f
from ..results.notebook_display import count_words
from ..results.recorded_run import closes_a_loop, matching, signal_of
from ..results.result_files import atomic_replace
from . import frequency_response
from .bounded_roots import equilibrium_words, stability
from .eigenvalues import EPS
from .model_derivatives import EXACT, PLAIN, Derivatives, derivatives, last_digit_errors
from .operating_point import OperatingPoint
from .sampled_feedback import close_sampled_loops
from .state_space import StateSpace
from .steady_state import find_equilibrium

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulation.simulation import Simulation

ROUNDING = 4.0 * EPS  # relative, of an exact derivative
KINK = "the model has a kink here; the mean of both slopes was taken"  # end of a note
FORMATS = {".npz": "NumPy", ".mat": "MATLAB", ".json": "JSON"}


class Linear(StateSpace):
    """A linear model dx' = A dx + B du, dy = C dx + D du, with its stability, frequency and step responses.

    States count from `x`, inputs from `u`, outputs from `y`, all at time `t`; their names are in `state_names`,
    `input_names`, `output_names`. `error` estimates the relative error of the largest entries. With a `period` [s] the
    matrices are the map of states and memories over that time, inputs held. `unjudged` is the reason where nothing can
    be said of stability.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> lin = luff.linearise(sim, x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"])
    >>> lin.A.shape, lin.C.tolist()
    ((2, 2), [[1.0, 0.0]])
    >>> response = lin.bode([1.0, 4.0])
    """

    def __repr__(self) -> str:
        n, m, p = (len(names) for names in (self.state_names, self.input_names, self.output_names))
        about = self.equilibrium or f"about a state at t = {self.t:g} s, {self.stability}"
        return f"<Linear: {count_words({'states': n, 'inputs': m, 'outputs': p})}; {about}>"

    @property
    def stability(self) -> str:
        """Verdict on the eigenvalues with their error bounds: `stable`, `unstable`, `indifferent` or `unjudged`.

        `indifferent`: some motion neither decays nor grows, or by less than its error. `unjudged`: for the reason in
        `unjudged`.
        """
        return stability(self)

    def bode(
        self, frequencies: Sequence[float] | np.ndarray | None = None
    ) -> frequency_response.FrequencyResponse:
        """Frequency responses of all outputs to all inputs.

        Parameters
        ----------
        frequencies : array_like, optional
            Frequencies [rad/s]; by default such that every mode shows.

        Returns
        -------
        FrequencyResponse
            Complex responses with `plot`.
        """
        return frequency_response.frequency_response(self, frequencies)

    def nyquist(self, frequencies: Sequence[float] | np.ndarray | None = None) -> Figure:
        """Plot the frequency responses in the complex plane.

        Parameters
        ----------
        frequencies : array_like, optional
            Frequencies [rad/s]; by default such that every mode shows.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        return frequency_response.frequency_response(self, frequencies).plot_nyquist()

    def step(self, stop: float | None = None) -> frequency_response.StepResponse:
        """Responses of the outputs to a unit step of each input alone.

        Parameters
        ----------
        stop : float, optional
            End of the responses [s]; by default long enough for the slowest mode.

        Returns
        -------
        StepResponse
            Times and outputs with `plot`.
        """
        return frequency_response.step_response(self, stop)

    def to_control(self) -> object:
        """Convert to python-control (extra `control`).

        Returns
        -------
        control.StateSpace
            The same matrices and names.
        """
        return frequency_response.to_control(self)

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            Matrices as lists, names, state and notes.
        """
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.fields().items()
        }

    def save(self, path: str | Path) -> None:
        """Write to a file that `luff.read` reads.

        Parameters
        ----------
        path : str or Path
            A file .npz (NumPy), .mat (MATLAB) or .json.

        Raises
        ------
        LuffError
            The extension is another one, or the file cannot be written.
        """
        save(self, Path(path))


def linearise(
    sim: Simulation,
    t: float = 0.0,
    x: Sequence[float] | np.ndarray | str | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    errors: bool = False,
) -> Linear:
    """Linearise a model about a state: dx' = A dx + B du, dy = C dx + D du.

    Where a loop closes through samplers or delays, or an input reaches an output by a sampler, A, B, C, D are the map
    over their common `period`: x(t + period) = A x(t) + B u(t).

    Parameters
    ----------
    sim : Simulation
        The model.
    t : float, optional
        Time [s].
    x : array_like or str, optional
        The state: an array, "equilibrium" (near the initial one), or "initial", the default.
    inputs : sequence of str, optional
        Ports of signals or trajectories, `slew.effort`, `pd.target.rate`, `e0.y[1]`. A perturbation at an input port
        acts there alone; one at an output port acts wherever it is wired.
    outputs : sequence of str, optional
        Recorded signals, globs too; the states by default.
    errors : bool, optional
        Also find the error of each entry, by derivatives at as many states beside it as there are states: `errors`.

    Returns
    -------
    Linear
        The linear model, with its stability and responses.

    Raises
    ------
    LuffError
        There is no such port or signal, or no equilibrium.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> lin = luff.linearise(sim, x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"])
    >>> lin.B.round(3).tolist()  # 1 / (m l^2 / 3)
    [[0.0], [1.5]]
    >>> lin.stability
    'stable'
    """
    point = OperatingPoint(sim, t, inputs, outputs=bool(inputs or outputs), memories=True, named=outputs)
    place_point(point, x)
    lin = linear_at(point, outputs, errors)
    if isinstance(x, str) and x == "equilibrium":
        lin.equilibrium = equilibrium_words(lin, point.positions.tolist())
    return lin


def place_point(point: OperatingPoint, x: Sequence[float] | np.ndarray | str | None) -> None:
    """Bring the point to where it is to be analysed."""
    if isinstance(x, str) and x not in ("equilibrium", "initial"):
        raise LuffError(f'found "{x}", expected "equilibrium", "initial" or an array of states', path="x")
    if x is not None and not isinstance(x, str):
        point.go(np.asarray(x, float))
    else:
        point.go(point.sim.x0)
    point.fill()
    if isinstance(x, str) and x == "equilibrium":
        find_equilibrium(point)
    point.remember()


def linear_at(point: OperatingPoint, outputs: Sequence[str], errors: bool = False) -> Linear:
    """Linear model at an operating point, loops through memories closed; with errors of all entries if asked."""
    x, n, m = point.x, len(point.x), len(point.taps)
    if not n + m:
        fix = "name inputs and outputs of a part that has states, or give the model one"
        raise LuffError(
            Problem("found no state and no memory, so that nothing moves by itself", "model", fix)
        )
    names = [column.name for column in point.sim.program.columns]
    picked = pick_columns(names, outputs, point.sim.program.flat.blocks)
    watch = bool(picked)

    made = derivatives(point, picked)
    settled = hold_settlements(point, made)
    J = made.J
    bad = np.argwhere(~np.isfinite(J))
    if len(bad):
        what = (point.sim.state_names + [tap.name for tap in point.taps])[bad[0][1]]
        raise LuffError(Problem("the model cannot be evaluated next to this state", what))
    if watch:
        C, D, y = J[n:, :n], J[n:, n:], point.outputs(x)[picked]
        output_names = [names[k] for k in picked]
    else:
        C, D, y, output_names = np.eye(n), np.zeros((n, m)), x.copy(), list(point.sim.state_names)
    lin = Linear(
        A=J[:n, :n],
        B=J[:n, n:],
        C=C,
        D=D,
        state_names=list(point.sim.state_names),
        input_names=[tap.name for tap in point.taps],
        output_names=output_names,
        x=x.copy(),
        u=operating_inputs(point),
        y=y,
        t=point.t,
        error=relative_paths(J, made.error),
        uncertainty=uncertainty(J, made)[:n, :n],
        quaternions=tuple(point.quaternions[::4].tolist()),
        notes=[*linearisation_notes(point, made), *settled],
        derivatives=made.how if made.how == EXACT else f"differences: {made.how}",
        sticking=sticking_states(point, made),
    )
    if errors and not len(point.memory):
        lin.errors = entry_errors(point, picked, lin, made)
    close_sampled_loops(lin, point, watch)
    return lin


def entry_errors(point: OperatingPoint, picked: Sequence[int], lin: Linear, made: Derivatives) -> np.ndarray:
    """Error of each entry of [A B; C D]: of its derivative, and what the last digits of states change in it."""
    error = uncertainty(made.J, made)
    if made.how == EXACT:
        error = np.maximum(error, np.where(made.bent, 0.0, last_digit_errors(point, picked, made.J)))
    if len(picked):
        return error
    whole = np.zeros((2 * len(lin.A), error.shape[1]))  # outputs are the states, exactly
    whole[: len(error)] = error
    return whole


def hold_settlements(point: OperatingPoint, made: Derivatives) -> list[str]:
    """Make settlements of soil constant, which about rest grow at one sign of a perturbation alone; returns notes."""
    model = point.sim.program.model
    rows = [
        at
        for kind, e, part, at in model.state.tolist()
        if kind == f.SLIP_STATE and part == f.SETTLED_PART and model.element[e, f.E_KIND] == f.SUPPORT
    ]
    made.J[rows], made.error[rows], made.bent[rows] = 0.0, 0.0, False
    return [
        f"{point.sim.state_names[k]}: constant in the linear model, as of soil that is loaded again"
        for k in rows
    ]


def sticking_states(point: OperatingPoint, made: Derivatives) -> tuple[int, ...]:
    """States of feet and contacts that follow velocities alone: what sticks may rest beside where it does.

    All their other derivatives are zero within their errors: z' = v - |v| z / z_ss has none by z or by forces at v = 0.
    """
    kinds = point.sim.program.model.state[:, f.ST_KIND]
    slips = np.flatnonzero(kinds == f.SLIP_STATE)
    moved = np.delete(abs(made.J) > made.error, point.velocities, axis=1)
    return tuple(slips[~moved[slips].any(axis=1)].tolist())


def pick_columns(names: list[str], outputs: Sequence[str], blocks: Mapping[str, Block]) -> list[int]:
    """Columns by name, by signal or by glob, in the order asked for."""
    picked: list[int] = []
    for wanted in outputs:
        hits = [k for k, name in enumerate(names) if wanted in (name, signal_of(name))]
        hits = hits or [names.index(name) for name in matching(wanted, names) if name[0] != "@"]
        if not hits:
            known = {signal_of(name) for name in names if name[0] != "@"}
            cls = type(blocks[wanted.rpartition(".")[0]]) if wanted.rpartition(".")[0] in blocks else None
            fix = (closes_a_loop(wanted, names, cls) if cls else "") or did_you_mean(wanted, known)
            raise LuffError(Problem("there is no such output", wanted, fix))
        picked += [k for k in hits if k not in picked]
    return picked


def operating_inputs(point: OperatingPoint) -> np.ndarray:
    """Values of the perturbed signals at the state; an open input has its default."""
    if not point.taps:
        return np.zeros(0)
    names = [column.name for column in point.sim.program.columns]
    return point.outputs(point.x)[[names.index(tap.column) for tap in point.taps]]


def uncertainty(J: np.ndarray, made: Derivatives) -> np.ndarray:
    """Error of each entry: rounding at least; an exact derivative that is zero is known to be."""
    error = np.maximum(made.error, ROUNDING * abs(J))
    return np.where(J == 0.0, 0.0, error) if made.how == EXACT else error


def relative_paths(J: np.ndarray, error: np.ndarray) -> float:
    """Largest error of an entry relative to the largest entry of its row."""
    size = np.max(abs(J), axis=1, initial=0.0, keepdims=True)
    return float(np.max(error / np.maximum(size, 1e-300), initial=0.0, where=size > 0.0))


def linearisation_notes(point: OperatingPoint, made: Derivatives) -> list[str]:
    """Notes that a user should read before trusting the numbers."""
    notes = [
        f"{name}: its memory is constant in the linear model" for name in point.held if name != CONDITIONS
    ]
    notes += [f"{block.name}: {block.left_out}" for block in point.outside]
    labels = point.sim.state_names + [tap.name for tap in point.taps]
    for column in np.flatnonzero(made.bent.any(axis=0)):
        notes.append(f"{labels[column]}: {KINK}")
    if made.how not in (EXACT, PLAIN):
        notes.append(f"derivatives are differences, not exact: {made.how}")
    return notes


def save(linear: Linear, path: Path) -> None:
    """Write to .npz, .mat or .json, by the extension."""
    if path.suffix not in FORMATS:
        mistake = f'found "{path.suffix}"' if path.suffix else "found no extension"
        raise LuffError(f"{mistake}, expected {', '.join(FORMATS)}", path=str(path))
    with atomic_replace(path, "the linear model") as part:
        _write(linear, part)


def _write(linear: Linear, path: Path) -> None:
    if path.suffix == ".json":
        import json

        path.write_text(json.dumps(linear.as_dict(), indent=2), encoding="utf-8")
        return
    fields = {name: value for name, value in linear.fields().items() if name != "notes"}
    if path.suffix == ".npz":
        arrays: dict[str, np.ndarray] = {name: np.asarray(value) for name, value in fields.items()}
        np.savez(path, allow_pickle=False, **arrays)
        return
    from scipy.io import savemat

    words = {name: np.array(value, object) for name, value in fields.items() if isinstance(value, list)}
    savemat(path, fields | words)

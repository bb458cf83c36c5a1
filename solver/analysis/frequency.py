"""What a linear model answers: frequency responses (Bode, Nyquist), step responses; and python-control's form of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem
from ..result.plots import COLOURS, DASHES, labelled
from .loops import pace_of, period_map
from .units import per

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .state_space import StateSpace

Complex = NDArray[np.complex128]
POINTS = 400  # of a response, before those that resonances ask for
_SIZE = (8.0, 5.6)  # inches
GRAY = "#D9D9D9"
SHORT = 1e-9  # a multiplier below this is zero


@dataclass
class FrequencyResponse:
    """`values[k, i, j]`: output i over input j at `frequencies[k]` [rad/s], complex."""

    frequencies: np.ndarray
    values: Complex
    input_names: list[str]
    output_names: list[str]

    @property
    def magnitude(self) -> np.ndarray:
        return np.abs(self.values)

    @property
    def phase(self) -> np.ndarray:
        """In radians, without jumps along the frequencies."""
        return np.unwrap(np.angle(self.values), axis=0)

    def plot(self) -> Figure:
        """Bode's diagram: magnitude in dB and phase in degrees."""
        from matplotlib.figure import Figure

        made = Figure(figsize=_SIZE, layout="constrained")
        upper, lower = made.subplots(2, sharex=True)
        with np.errstate(divide="ignore"):  # an output that an input does not reach
            decibels = 20.0 * np.log10(self.magnitude)
        for axes, curves, label in ((upper, decibels, "dB"), (lower, np.degrees(self.phase), "deg")):
            _curves(axes, self.frequencies, curves, self)
            axes.set_xscale("log")
            axes.set_ylabel(f"[{label}]")
        lower.set_xlabel("frequency [rad/s]")
        upper.legend(fontsize="small", frameon=False)
        return made

    def plot_nyquist(self) -> Figure:
        """The response in the complex plane, for rising frequency; -1 is marked."""
        from matplotlib.figure import Figure

        made = Figure(figsize=(_SIZE[1], _SIZE[1]), layout="constrained")
        axes = made.subplots()
        for number, (i, j) in enumerate(np.ndindex(self.values.shape[1:])):
            z: Complex = self.values[:, i, j]
            _line(axes, z.real, z.imag, _pair(self, i, j), number)
        axes.plot([-1.0], [0.0], "+", color="black")
        axes.set_xlabel("real part")
        axes.set_ylabel("imaginary part")
        axes.grid(color=GRAY, linewidth=0.6)
        axes.set_aspect("equal", adjustable="datalim")
        axes.legend(fontsize="small", frameon=False)
        return made


@dataclass
class StepResponse:
    """`values[k, i, j]`: output i at `time[k]` after input j rose by one; both count from the operating point."""

    time: np.ndarray
    values: np.ndarray
    input_names: list[str]
    output_names: list[str]

    def plot(self) -> Figure:
        from matplotlib.figure import Figure

        made = Figure(figsize=(_SIZE[0], 3.6), layout="constrained")
        axes = made.subplots()
        _curves(axes, self.time, self.values, self)
        axes.set_xlabel(labelled("time", "s"))
        axes.legend(fontsize="small", frameon=False)
        return made


def _curves(
    axes: Axes, x: np.ndarray, values: np.ndarray, response: FrequencyResponse | StepResponse
) -> None:
    for number, (i, j) in enumerate(np.ndindex(values.shape[1:])):
        _line(axes, x, values[:, i, j], _pair(response, i, j), number)
    axes.grid(color=GRAY, linewidth=0.6)


def _pair(response: FrequencyResponse | StepResponse, i: int, j: int) -> str:
    return f"{response.output_names[i]} / {response.input_names[j]}"


def _line(axes: Axes, x: np.ndarray, y: np.ndarray, label: str, number: int) -> None:
    axes.plot(
        x,
        y,
        label=label,
        color=COLOURS[number % len(COLOURS)],
        linestyle=DASHES[number // len(COLOURS) % len(DASHES)],
        linewidth=1.5,
    )


def peaks(response: FrequencyResponse, units: Mapping[str, str] | None = None) -> Iterator[str]:
    """The greatest gain of each pair, and where it is."""
    for i, out in enumerate(response.output_names):
        for j, into in enumerate(response.input_names):
            gain = response.magnitude[:, i, j]
            k = int(np.nanargmax(gain))
            unit = per(units[out], units[into]) if units else ""
            told = f"{gain[k]:.5g} {unit}".rstrip()
            yield f"{out} / {into}: greatest gain {told} at {response.frequencies[k]:.5g} rad/s"


def response(lin: StateSpace, frequencies: Sequence[float] | np.ndarray | None = None) -> FrequencyResponse:
    """C (jw - A)^-1 B + D at these frequencies [rad/s], or at those that show every mode.

    Delays are exact; of a map e^(jw period) stands for jw, up to half of its sampling frequency.
    """
    _has_inputs(lin)
    w = grid(lin) if frequencies is None else np.asarray(frequencies, float)
    delayed = lin.loop is not None and not lin.loop.samplers
    if lin.period and not delayed and np.any(w > np.pi / lin.period * (1 + 1e-9)):
        mistake = f"found {w.max():.6g} rad/s, beyond half of the sampling frequency, {np.pi / lin.period:.6g} rad/s"
        raise LuffError(Problem(mistake, "frequencies", "ask for lower ones"))
    unit = np.eye(len(lin.A))
    values = np.empty((len(w), *lin.D.shape), complex)
    for k, one in enumerate(w):
        point = np.exp(1j * one * lin.period) if lin.period else 1j * one
        try:
            if lin.loop is not None and delayed:
                values[k] = lin.loop.response(one)
            else:
                values[k] = lin.C @ np.linalg.solve(point * unit - lin.A, lin.B) + lin.D
        except np.linalg.LinAlgError:  # a mode without damping, at its very frequency
            values[k] = np.nan
    return FrequencyResponse(w, values, list(lin.input_names), list(lin.output_names))


def grid(lin: StateSpace) -> np.ndarray:
    """A decade beyond the slowest and the fastest mode, and closer where a mode resonates."""
    values = eigenvalues(lin)
    values = values[np.isfinite(values)]
    sizes = abs(values)[abs(values) > 0.0]
    low, high = (sizes.min() / 10.0, sizes.max() * 10.0) if len(sizes) else (0.01, 100.0)
    if lin.period:
        high = min(high, np.pi / lin.period)
        low = min(low, high / 100.0)
    parts = [np.geomspace(low, high, POINTS)]
    for value in values[values.imag > 0.0]:
        width = max(abs(value.real), 1e-4 * abs(value))
        around = value.imag + width * np.linspace(-8.0, 8.0, 65)
        parts.append(around[(around > low) & (around <= high)])
    return np.unique(np.concatenate(parts))


def step(lin: StateSpace, stop: float | None = None) -> StepResponse:
    """Exact at its times (matrix exponential); to five times the slowest time constant if `stop` is left out."""
    from scipy.linalg import expm

    _has_inputs(lin)
    values = eigenvalues(lin)
    rates = -values[np.isfinite(values)].real
    decaying = rates[rates > 0.0]
    end = stop if stop is not None else min(5.0 / decaying.min(), 1e4) if len(decaying) else 10.0
    if lin.loop is not None:
        return _step_of_map(lin, end)
    time = np.linspace(0.0, end, POINTS + 1)
    n, m = lin.B.shape
    both = np.zeros((n + m, n + m))
    both[:n, :n], both[:n, n:] = lin.A, lin.B
    over = expm(both * (time[1] - time[0]))
    state = np.vstack([np.zeros((n, m)), np.eye(m)])
    values = np.empty((len(time), *lin.D.shape))
    for k in range(len(time)):
        values[k] = lin.C @ state[:n] + lin.D
        state = over @ state
    return StepResponse(time, values, list(lin.input_names), list(lin.output_names))


def _step_of_map(lin: StateSpace, stop: float) -> StepResponse:
    """The same of a model with memories, at the times of its map."""
    assert lin.loop is not None
    A, B, C, D, period = lin.A, lin.B, lin.C, lin.D, lin.period
    if not period:
        pace = pace_of(lin.loop, lin.step_size)
        if pace is None:
            raise LuffError(Problem("its delays are too long for a step response", "step", "ask for bode"))
        A, B, C, D = period_map(lin.loop, pace)
        period = pace.step * pace.count
    time = period * np.arange(round(stop / period) + 1)
    state = np.zeros(B.shape)
    values = np.empty((len(time), *D.shape))
    for k in range(len(time)):
        values[k] = C @ state + D
        state = A @ state + B
    return StepResponse(time, values, list(lin.input_names), list(lin.output_names))


def to_control(lin: StateSpace) -> Any:
    """A `control.StateSpace` with the names of states, inputs and outputs."""
    from ..result.notebook import needed

    control = needed("control", "control", "to_control")
    # a dot separates systems from signals there
    names = {
        kind: [name.replace(".", "_") for name in given]
        for kind, given in (
            ("states", lin.state_names),
            ("inputs", lin.input_names),
            ("outputs", lin.output_names),
        )
    }
    return control.ss(lin.A, lin.B, lin.C, lin.D, **({"dt": lin.period} if lin.period else {}), **names)


def _has_inputs(lin: StateSpace) -> None:
    if not lin.input_names:
        fix = 'linearise(sim, inputs=["slew.effort"], outputs=["slew.position"])'
        raise LuffError(
            Problem("a response needs an input, and this model was linearised without one", "inputs", fix)
        )


def eigenvalues(lin: StateSpace) -> Complex:
    """Those that are zero but for rounding are zero; without one of them for each state that sticks. Those of a map are
    ln(z) / period: minus infinity where z is 0.
    """
    if lin.period:
        return of_map(multipliers(lin.A), lin)
    values: Complex = np.linalg.eigvals(lin.A).astype(complex) if len(lin.A) else np.zeros(0, complex)
    # eigenvalues of a defective pair, such as those of a free axis, are off by the root of A's rounding
    size = max(abs(lin.A).max(initial=0.0), 1.0)
    values = np.where(abs(values) <= np.sqrt(max(lin.error, 1e-15)) * 1e-2 * size, 0.0, values)
    return np.delete(values, np.flatnonzero(values == 0.0)[: lin.sticking]).astype(complex)


def multipliers(A: np.ndarray) -> Complex:
    """Eigenvalues of a map, part by part: what leads nowhere is exactly zero, however long its chain."""
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(A != 0.0, directed=True, connection="strong")
    parts = [np.linalg.eigvals(A[np.ix_(some, some)]) for some in (part == k for k in range(count))]
    return np.concatenate([np.zeros(0, complex), *parts]).astype(complex)


def of_map(z: Complex, lin: StateSpace) -> Complex:
    """Rates that do in continuous time what multipliers do in a period."""
    # those of a defective pair at one, as above
    z = np.where(abs(z - 1.0) <= np.sqrt(max(lin.error, 1e-15)) * 1e-2, 1.0, z)
    with np.errstate(divide="ignore"):
        values: Complex = np.log(abs(z)) / lin.period + 1j * np.angle(z) / lin.period
    return np.where(abs(z) < SHORT, complex(-np.inf, 0.0), values).astype(complex)


def stability(lin: StateSpace) -> str:
    """`stable`, `unstable` or `indifferent`, by the eigenvalues; `unjudged` where they are not known."""
    if lin.unjudged:
        return "unjudged"
    return verdict(eigenvalues(lin), lin.error)


def verdict(values: Complex, error: float) -> str:
    """The same of eigenvalues; `error` is that of the entries of their matrix, relative to the largest."""
    values = values[np.isfinite(values)]
    # a real part below the rounding of its eigenvalue says nothing
    slack = max(error, 1e-12) * abs(values).max(initial=0.0) * 10.0
    if (values.real > slack).any():
        return "unstable"
    return "stable" if (values.real < -slack).all() else "indifferent"


WORDS = {
    "stable": "stable: everything decays",
    "unstable": "unstable: it would leave by itself",
    "indifferent": "indifferent: something neither decays nor grows",
}


def equilibrium_words(lin: StateSpace, positions: Sequence[int]) -> str:
    """Which equilibrium it is: where its coordinates stand, and whether it is stable."""
    shown = [f"{lin.state_names[k]} = {lin.x[k]:.4g}" for k in positions[:6]]
    more = ", ..." if len(positions) > 6 else ""
    where = f" at {', '.join(shown)}{more}" if shown else ""
    if lin.unjudged:
        return f"the equilibrium{where} is not judged: {lin.unjudged}"
    verdict = stability(lin)
    resting = ", to rest where it sticks" if lin.sticking and verdict == "stable" else ""
    return f"the equilibrium{where} is {WORDS[verdict]}{resting}"

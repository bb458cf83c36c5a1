"""Frequency responses (Bode, Nyquist) and step responses of a linear model; conversion to python-control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..results.matplotlib_plots import COLOURS, DASHES, labelled
from .analysis_units import unit_ratio
from .bounded_roots import no_period, spectrum_of
from .eigenvalues import Complex
from .eigenvalues import multipliers as multipliers
from .sampled_loops import map_period, period_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .state_space import StateSpace

FREQUENCY_UNITS = {"rad/s": 1.0, "Hz": 2.0 * np.pi}  # rad/s of each
POINTS = 400  # of a response, before those that resonances ask for
_SIZE = (8.0, 5.6)  # inches
GRAY = "#D9D9D9"


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
        """Phase [rad], unwrapped along the frequencies."""
        return np.unwrap(np.angle(self.values), axis=0)

    def plot(self, unit: str = "rad/s") -> Figure:
        """Bode's diagram: magnitude in dB and phase in degrees, over frequencies in rad/s or Hz."""
        from matplotlib.figure import Figure

        made = Figure(figsize=_SIZE, layout="constrained")
        upper, lower = made.subplots(2, sharex=True)
        with np.errstate(divide="ignore"):  # an output that an input does not reach
            decibels = 20.0 * np.log10(self.magnitude)
        for axes, curves, label in ((upper, decibels, "dB"), (lower, np.degrees(self.phase), "deg")):
            _curves(axes, self.frequencies / FREQUENCY_UNITS[unit], curves, self)
            axes.set_xscale("log")
            axes.set_ylabel(f"[{label}]")
        lower.set_xlabel(labelled("frequency", unit))
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


LOWEST = ", the lowest frequency shown"  # of a gain that falls from there on


def peak_rows(
    response: FrequencyResponse, units: Mapping[str, str] | None = None, frequency_unit: str = "rad/s"
) -> Iterator[tuple[str, str, str]]:
    """Each pair of output and input, its greatest gain, and the frequency at which it is."""
    for i, out in enumerate(response.output_names):
        for j, into in enumerate(response.input_names):
            gain = response.magnitude[:, i, j]
            k = int(np.nanargmax(gain))
            unit = unit_ratio(units[out], units[into]) if units else ""
            where = at(response.frequencies[k], frequency_unit, 5) + LOWEST * (k == 0)
            yield f"{out} / {into}", f"{gain[k]:.5g} {unit}".rstrip(), where


def at(w: float, unit: str, digits: int = 6) -> str:
    """Frequency in words, from rad/s."""
    return f"{w / FREQUENCY_UNITS[unit]:.{digits}g} {unit}"


def resonance_peaks(response: FrequencyResponse, unit: str = "rad/s") -> Iterator[str]:
    """The greatest gain of each pair, and where it is."""
    for pair, gain, where in peak_rows(response, frequency_unit=unit):
        yield f"{pair}: greatest gain {gain} at {where}"


class Transfer:
    """C (jw - A)^-1 B + D of the part through which the inputs reach the outputs, with exact delays.

    Where samplers are in it, e^(jw period) stands for jw: it is that of the map over their own period.
    """

    def __init__(self, lin: StateSpace):
        _has_inputs(lin)
        if lin.open:
            raise LuffError(Problem(f"its loops have no linear model: {lin.open}", lin.input_names[0]))
        assert lin.loop is not None
        whole = lin.loop.reached()
        self.loop, self.step_size = whole.scaled()[0], lin.step_size
        self.period = 0.0
        if whole.samplers:
            pace = map_period(self.loop, lin.step_size)
            if pace is None:
                raise LuffError(Problem(no_period(whole), lin.input_names[0]))
            self.period = pace.step * pace.count
            self.map = period_map(self.loop, pace)

    @cached_property
    def roots(self) -> Complex:
        """Finite roots of this part."""
        values = spectrum_of(self.loop, self.step_size).values
        return values[np.isfinite(values)]

    @property
    def highest(self) -> float:
        """Half of the sampling frequency [rad/s], infinite without samplers."""
        return np.pi / self.period if self.period else np.inf

    def __call__(self, w: float) -> np.ndarray:
        try:
            if not self.period:
                return self.loop.response(w)
            A, B, C, D = self.map
            return C @ np.linalg.solve(np.exp(1j * w * self.period) * np.eye(len(A)) - A, B) + D
        except np.linalg.LinAlgError:  # a mode without damping, at its very frequency
            return np.full(self.loop.F.shape, np.nan, complex)


def frequency_response(
    lin: StateSpace, frequencies: Sequence[float] | np.ndarray | None = None
) -> FrequencyResponse:
    """Outputs over inputs at these frequencies [rad/s], or at those that show every mode on the way."""
    transfer = Transfer(lin)
    w = frequency_grid(transfer) if frequencies is None else np.asarray(frequencies, float)
    if np.any(w > transfer.highest * (1 + 1e-9)):
        raise beyond_sampling(float(w.max()), transfer)
    values = np.array([transfer(one) for one in w], complex).reshape(len(w), *lin.D.shape)
    return FrequencyResponse(w, values, list(lin.input_names), list(lin.output_names))


def frequency_grid(
    transfer: Transfer, lowest: float | None = None, highest: float | None = None
) -> np.ndarray:
    """A decade beyond the slowest and the fastest mode, or a given range; closer where a mode resonates."""
    values = transfer.roots
    sizes = abs(values)[abs(values) > 0.0]
    low, high = (sizes.min() / 10.0, sizes.max() * 10.0) if len(sizes) else (0.01, 100.0)
    if transfer.period:
        high = min(high, transfer.highest)
        low = min(low, high / 100.0)
    if highest is not None:
        high, low = highest, min(low, highest / 100.0)
    if lowest is not None:
        low, high = lowest, high if highest is not None else max(high, 100.0 * lowest)
    if high > transfer.highest * (1.0 + 1e-9):
        if highest is not None or not low < transfer.highest:
            raise beyond_sampling(high if highest is not None else low, transfer)
        high = transfer.highest
    parts = [np.geomspace(low, high, POINTS)]
    for value in values[values.imag > 0.0]:
        width = max(abs(value.real), 1e-4 * abs(value))
        around = value.imag + width * np.linspace(-8.0, 8.0, 65)
        parts.append(around[(around > low) & (around <= high)])
    return np.unique(np.concatenate(parts))


def beyond_sampling(w: float, transfer: Transfer) -> LuffError:
    """Error of a frequency that samplers do not pass."""
    mistake = f"found {w:.6g} rad/s, beyond half of the sampling frequency, {transfer.highest:.6g} rad/s"
    return LuffError(Problem(mistake, "frequencies", "ask for lower ones"))


def step_response(lin: StateSpace, stop: float | None = None) -> StepResponse:
    """Exact at its times (matrix exponential); to five times the slowest time constant if `stop` is left out."""
    from scipy.linalg import expm

    transfer = Transfer(lin)
    rates = -transfer.roots.real
    decaying = rates[rates > 0.0]
    end = stop if stop is not None else min(5.0 / decaying.min(), 1e4) if len(decaying) else 10.0
    loop = transfer.loop
    if loop.echoes:
        return _step_of_map(lin, transfer, end)
    time = np.linspace(0.0, end, POINTS + 1)
    n, m = loop.G.shape
    both = np.zeros((n + m, n + m))
    both[:n, :n], both[:n, n:] = loop.A, loop.G
    over = expm(both * (time[1] - time[0]))
    state = np.vstack([np.zeros((n, m)), np.eye(m)])
    values = np.empty((len(time), *loop.F.shape))
    for k in range(len(time)):
        values[k] = loop.C @ state[:n] + loop.F
        state = over @ state
    return StepResponse(time, values, list(lin.input_names), list(lin.output_names))


def _step_of_map(lin: StateSpace, transfer: Transfer, stop: float) -> StepResponse:
    """Step response of a model with memories, at the times of its map."""
    pace = map_period(transfer.loop, lin.step_size)
    if pace is None:
        raise LuffError(Problem("its delays are too long for a step response", "step", "ask for bode"))
    A, B, C, D = period_map(transfer.loop, pace)
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
    from ..results.notebook_display import import_extra

    control = import_extra("control", "control", "to_control")
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

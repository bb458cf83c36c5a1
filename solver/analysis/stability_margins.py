"""Margins of a loop that is cut at a signal: how far its gain, its phase and its delay are from those of instability.

What is added at the cut arrives behind it as S = 1 / (1 + L), where L is the loop from behind the cut back to before
it, with the sign of negative feedback. So L = 1 / S - 1 follows from the closed loop, about the state where that one
rests, and S has no poles on the axis, even where L does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..flatten.analysis_points import find_signal_part
from . import frequency_response
from .bounded_roots import indifference_words, spectrum_of, standing_states
from .frequency_response import FREQUENCY_UNITS, Complex, at
from .linearise import Linear, linearise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulation.simulation import Simulation

TURN = 0.2  # rad that the loop may turn between two points
MOST_POINTS = 20_000
# beyond the grid over which a loop without delays is followed until its gain is below NOTHING: for one that falls by a
# decade in each, from a gain of 10. What may lie beyond is told (`unseen_crossings`)
DECADES = 10
# gain of a loop below which nothing is said of it but that, so gain margins above 1e9 are told as infinite: L = 1/S - 1
# is known to the relative error of S, 1e-10 where the model's derivatives are differences
NOTHING = 1e-9


@dataclass(frozen=True)
class Crossing:
    """Crossing of the loop with the negative real axis or the unit circle.

    `margin` is the factor that brings it to -1, or the angle to -1 [rad].
    """

    frequency: float  # rad/s
    margin: float


@dataclass
class Margins:
    """Stability margins of one loop; inf where nothing limits them, NaN where the closed loop has none.

    `gain` and `gain_low`: factors at which the loop becomes unstable; `phase` [rad]; `delay` [s]; `modulus`: least
    distance of L(jw) from -1. Each has its `..._frequency` [rad/s]. `stability` is that of the closed loop, `period`
    [s] that of a sampled one.

    Examples
    --------
    >>> import luff
    >>> loop = luff.loads('''
    ... luff: 1
    ... blocks:
    ...   gain: {type: gain, k: -2}
    ...   lag: {type: integrator}
    ... connect: [gain.y -> lag.u, lag.y -> gain.u]
    ... ''')
    >>> found = luff.margins(luff.compile(loop), "lag.u")
    >>> found.stability, round(found.phase_frequency, 3)
    ('stable', 2.0)
    """

    cut: str
    gain: float  # the least factor above 1 with which the loop becomes unstable, inf above 1e9
    gain_low: float  # the greatest factor below 1, 0 if none
    phase: float  # the least angle to -1 where the gain is 1 [rad]
    delay: float  # the least further delay with which it becomes unstable [s]
    modulus: float  # the least distance from -1
    gain_frequency: float  # rad/s, of each
    phase_frequency: float
    delay_frequency: float
    modulus_frequency: float
    stability: str  # of the closed loop
    gain_low_frequency: float = math.nan
    period: float = 0.0  # of a sampled loop [s]
    notes: list[str] = field(default_factory=list)
    frequencies: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)
    loop: Complex = field(default_factory=lambda: np.zeros(0, complex), repr=False)  # L there
    x: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # states about which they are
    drawn: tuple[float, float] = field(
        default=(0.0, math.inf), repr=False
    )  # where something is to be seen [rad/s]

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            Margins, and the loop's frequency response as lists.
        """
        plain = {
            name: value
            for name, value in vars(self).items()
            if name not in ("frequencies", "loop", "x", "drawn")
        }
        return plain | {
            "frequencies": self.frequencies.tolist(),
            "real": np.real(self.loop).tolist(),
            "imaginary": np.imag(self.loop).tolist(),
        }

    def plot(self, unit: str = "rad/s", span: tuple[float | None, float | None] = (None, None)) -> Figure:
        """Plot Bode's diagram of the loop with its margins.

        Parameters
        ----------
        unit : str, optional
            Unit of frequencies, "rad/s" or "Hz".
        span : tuple of float or None, optional
            First and last frequency that are drawn [rad/s]; None is no end.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from .margin_figures import draw_bode

        return draw_bode(self, unit, span)

    def plot_nyquist(self, span: tuple[float | None, float | None] = (None, None)) -> Figure:
        """Plot the loop in the complex plane, near -1 and the unit circle.

        Parameters
        ----------
        span : tuple of float or None, optional
            First and last frequency that are drawn [rad/s]; None is no end.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from .margin_figures import draw_nyquist

        return draw_nyquist(self, span)


def margins(
    sim: Simulation, cut: str, t: float = 0.0, x: Sequence[float] | np.ndarray | str | None = "equilibrium"
) -> Margins:
    """Stability margins of the loop that passes a port.

    Parameters
    ----------
    sim : Simulation
        The model, with the loop closed.
    cut : str
        A port, `slew.effort`: at an input, all that arrives there; at an output, all that it gives. Of a vector, one
        element.
    t : float, optional
        Time [s].
    x : array_like or str, optional
        "equilibrium" of the closed loop, "initial", or an array.

    Returns
    -------
    Margins
        Gain, phase, delay and modulus margins with their frequencies.

    Raises
    ------
    LuffError
        There is no such port, it is a vector, or the loop has no linear model.

    Examples
    --------
    >>> import luff
    >>> loop = luff.loads('''
    ... luff: 1
    ... blocks:
    ...   gain: {type: gain, k: -2}
    ...   lag: {type: integrator}
    ... connect: [gain.y -> lag.u, lag.y -> gain.u]
    ... ''')
    >>> found = luff.margins(luff.compile(loop), "lag.u")
    >>> round(found.phase, 4), found.gain  # L = 2 / s: 90 deg, and no limit to the gain
    (1.5708, inf)
    """
    place = find_signal_part(sim.program.flat, cut)
    if len(place.elements) != 1:
        raise LuffError(
            Problem("found a vector, expected one number to cut", cut, f'"{cut}[0]" is the first')
        )
    lin = linearise(sim, t, x, [cut], [probe_column(sim, cut)])
    if lin.open:
        raise LuffError(Problem(f"its loops have no linear model: {lin.open}", cut))
    return margins_of(lin, cut)


def probe_column(sim: Simulation, cut: str) -> str:
    """Column of the probe behind the cut."""
    from ..flatten.analysis_points import with_probes

    return with_probes(sim.program.flat, [cut])[1][0].column


def margins_of(lin: Linear, cut: str) -> Margins:
    """Margins from a linear model that is cut at a port."""
    transfer = frequency_response.Transfer(lin)
    assert lin.loop is not None

    def S(w: float) -> complex:
        return complex(transfer(w)[0, 0])

    w, s, left = refine_frequencies(S, initial_frequencies(transfer, S))
    if not np.isfinite(s).all() or (abs(1.0 - s) <= NOTHING * abs(s)).all():
        raise LuffError(
            Problem(
                "this signal is in no loop: of a change of it less than 1e-9 comes back, at any frequency",
                cut,
                "cut a wire of a loop",
            )
        )
    axis, circle = phase_crossings(S, w, s), gain_crossings(S, w, s)
    above = min((one for one in axis if one.margin > 1.0), key=margin_of, default=NEVER)
    below = max((one for one in axis if one.margin <= 1.0), key=margin_of, default=Crossing(math.nan, 0.0))
    phase = min(circle, key=lambda one: abs(one.margin), default=NEVER)
    late = [Crossing(one.frequency, (one.margin % (2 * math.pi)) / one.frequency) for one in circle]
    delay = min(late, key=margin_of, default=NEVER)
    at, modulus = nearest_to_minus_one(S, w, s)
    notes = [note for note in lin.notes if "A, B, C, D" not in note]  # which nobody sees here
    if left is not None:
        notes.append(
            f"{cut}: the loop still turns by more than {TURN} rad between two of {MOST_POINTS} frequencies, the "
            f"first at {left:.6g} rad/s: a crossing, and so a smaller margin, may lie there"
        )
    with np.errstate(all="ignore"):  # infinite where S is zero
        loop = 1.0 / s - 1.0
    if beyond := unseen_crossings(transfer, w, s, loop):
        notes.append(f"{cut}: {beyond}")
    whole = verdict = lin.stability
    if whole not in ("stable", "unstable"):
        verdict = spectrum_of(lin.loop.reached(), lin.step_size).stability
    if verdict != whole:
        still = standing_states(lin)
        words = indifference_words([], still) if still else whole
        notes.append(
            f"{cut}: the closed loop is {verdict}; with what this cut does not reach the model is {words}"
        )
    grid = frequency_response.frequency_grid(transfer)
    crossed = [one.frequency for one in (*axis, *circle) if one.frequency > 0.0]
    drawn = min([grid[0], *(0.1 * one for one in crossed)]), max([grid[-1], *(10.0 * one for one in crossed)])
    return Margins(
        cut, above.margin, below.margin, phase.margin, delay.margin, modulus,
        above.frequency, phase.frequency, delay.frequency, at,
        verdict, below.frequency, transfer.period, notes, w, loop, lin.x[: len(lin.loop.A)], drawn,
    )  # fmt: skip


NEVER = Crossing(math.nan, math.inf)
Sensitivity = Callable[[float], complex]


def margin_of(one: Crossing) -> float:
    """Margin of a crossing, as a sort key."""
    return one.margin


def initial_frequencies(transfer: frequency_response.Transfer, S: Sensitivity) -> np.ndarray:
    """Frequencies to begin with; of a sampled loop to half of the sampling frequency, which is among them."""
    w = frequency_response.frequency_grid(transfer)
    if transfer.period:
        rest = np.geomspace(w[-1], transfer.highest, frequency_response.POINTS)
        w = np.union1d(w, rest)
        return np.append(w[w < transfer.highest * (1 - 1e-12)], transfer.highest)
    if lags := lags_of(transfer):
        ends = min(w[0], 0.01 / max(lags)), max(w[-1], 100.0 / min(lags))
        w = np.union1d(np.geomspace(*ends, frequency_response.POINTS), w)
    # a decade more on both sides: loops are faster and slower than what they close to
    parts = [np.geomspace(w[0] / 10.0, w[0], 50), w, np.geomspace(w[-1], 10.0 * w[-1], 50)]
    for _ in range(0 if lags else DECADES):
        end = parts[-1][-1]
        if not abs(1.0 - (s := S(end))) > NOTHING * abs(s):
            break
        parts.append(np.geomspace(end, 10.0 * end, 20))
    return np.unique(np.concatenate(parts))


def lags_of(transfer: frequency_response.Transfer) -> list[float]:
    """Delays of the loop above zero [s]."""
    return [delay for echo in transfer.loop.echoes for _, delay in echo.shares if delay > 0.0]


def unseen_crossings(transfer: frequency_response.Transfer, w: np.ndarray, s: Complex, loop: Complex) -> str:
    """Note on crossings above the last frequency that may have a smaller margin than those seen, or an empty text.

    A sampled loop ends at half of the sampling frequency. Without delays a loop turns no more so far above its modes,
    and has no crossing there if its real part is positive.
    """
    gain, least = abs(loop[-1]), gain_of_interest(loop, s.imag, np.ones(len(w) - 1, bool))
    turned = bool(lags_of(transfer)) or not loop[-1].real > 0.0
    if transfer.period or not turned or gain <= least:
        return ""
    return (
        f"the gain of the loop is still {gain:.3g} at {w[-1]:.4g} rad/s, where the search ends: a crossing, and so a "
        "smaller margin, may lie above"
    )


def refine_frequencies(S: Sensitivity, w: np.ndarray) -> tuple[np.ndarray, Complex, float | None]:
    """Add frequencies where the loop turns quickly and may cross the axis with a margin below those found.

    Third, the first frequency where that was not done within MOST_POINTS.
    """
    s: Complex = np.array([S(one) for one in w], complex)
    while True:
        with np.errstate(all="ignore"):
            loop = 1.0 / s - 1.0
            turn = abs(np.angle(loop[1:] / loop[:-1]))
        # no number, where the loop is infinite, is no small turn
        fine = (turn <= TURN) | ~(np.diff(w) > 1e-9 * w[1:])
        least = gain_of_interest(loop, np.imag(s), fine)
        wide = ~fine & (np.maximum(abs(loop[1:]), abs(loop[:-1])) > least)
        if not wide.any():
            return w, s, None
        if len(w) >= MOST_POINTS:
            return w, s, float(w[:-1][wide][0])
        between = 0.5 * (w[:-1] + w[1:])[wide]
        order = np.argsort(whole := np.concatenate([w, between]))
        w, s = whole[order], np.concatenate([s, [S(one) for one in between]])[order]


def gain_of_interest(loop: Complex, imaginary: np.ndarray, fine: np.ndarray) -> float:
    """Gain |L| below which a crossing has a greater margin than one that was seen: the largest below 1 at -180 deg."""
    size = abs(loop)
    inside = (np.real(loop) < 0.0) & (size < 1.0)
    crossed = fine & inside[1:] & inside[:-1] & (imaginary[1:] * imaginary[:-1] < 0.0)
    return float(np.minimum(size[1:], size[:-1])[crossed].max(initial=NOTHING))


def phase_crossings(S: Sensitivity, w: np.ndarray, s: Complex) -> list[Crossing]:
    """Frequencies at which L is a negative number: S is real, and negative or above 1."""
    roots = zeros(lambda one: S(one).imag, w, np.imag(s))
    # L is real at rest too, and at the end of the axis of a sampled loop
    rest = S(0.0)
    roots += [0.0] if math.isfinite(abs(rest)) and abs(rest) > NOTHING else []
    roots += [float(w[-1])] if abs(s[-1].imag) <= NOTHING * abs(s[-1]) else []
    crossings = []
    for one in roots:
        value = S(one).real
        loop = 1.0 / value - 1.0 if value else math.inf
        if math.isfinite(loop) and loop < -NOTHING:
            crossings.append(Crossing(one, -1.0 / loop))
    return crossings


def gain_crossings(S: Sensitivity, w: np.ndarray, s: Complex) -> list[Crossing]:
    """Frequencies at which |L| = 1."""
    roots = zeros(lambda one: abs(1.0 - (value := S(one))) - abs(value), w, abs(1.0 - s) - abs(s))
    # the angle from -1 to L is that of -L
    return [Crossing(one, float(np.angle(1.0 - 1.0 / S(one)))) for one in roots]


def zeros(f: Callable[[float], float], w: np.ndarray, values: np.ndarray) -> list[float]:
    """Zeros of f by Brent's method between samples whose signs differ."""
    from scipy.optimize import brentq

    changes = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    zeros = [float(brentq(f, w[k], w[k + 1], xtol=1e-15 * w[k], rtol=1e-14)) for k in changes]  # type: ignore[arg-type]
    return zeros + [float(one) for one in w[:-1][values[:-1] == 0.0]]


def nearest_to_minus_one(S: Sensitivity, w: np.ndarray, s: Complex) -> tuple[float, float]:
    """The frequency at which L is nearest to -1, and the distance, 1 / |S|."""
    from scipy.optimize import minimize_scalar

    k = int(np.argmax(abs(s)))
    low, high = w[max(k - 1, 0)], w[min(k + 1, len(w) - 1)]
    best = minimize_scalar(
        lambda one: -abs(S(one)), bounds=(low, high), method="bounded", options={"xatol": 1e-9 * low}
    )
    if -best.fun > abs(s[k]):
        return float(best.x), float(-1.0 / best.fun)
    return float(w[k]), float(1.0 / abs(s[k]))


def margin_rows(told: Margins, unit: str = "rad/s", digits: int = 6) -> Iterator[tuple[str, str, str]]:
    """Name of each margin, its value with unit, and the frequency at which it is."""
    at_digits = partial(at, unit=unit, digits=digits)
    if math.isfinite(told.gain):
        decibels = 20.0 * math.log10(told.gain)
        yield "gain margin", f"{told.gain:.{digits}g} ({decibels:.4g} dB)", at_digits(told.gain_frequency)
    else:
        yield "gain margin", "infinite, or above 1e9", ""
    if told.gain_low > 0.0:
        yield "lowest gain", f"{told.gain_low:.{digits}g} of what it is", ""
    if math.isfinite(told.phase):
        yield "phase margin", f"{math.degrees(told.phase):.{digits}g} deg", at_digits(told.phase_frequency)
        yield "delay margin", f"{told.delay:.{digits}g} s", at_digits(told.delay_frequency)
    else:
        ends = f"{told.frequencies[0] / FREQUENCY_UNITS[unit]:.3g} to {at(told.frequencies[-1], unit, 3)}"
        yield "phase and delay margin", f"infinite, the gain does not pass 1 from {ends}", ""
    # where the last frequency is as near as the nearest, within the error of S, the loop comes nearest beyond
    beyond = not told.period and abs(abs(1.0 + told.loop[-1]) - told.modulus) <= NOTHING
    yield (
        "nearest to -1",
        f"{told.modulus:.{digits}g}",
        "high frequency" if beyond else at_digits(told.modulus_frequency),
    )


def margin_verdict(told: Margins) -> str:
    """Stability of the closed loop, in a sentence."""
    safe = "" if told.stability == "stable" else ": its margins do not say how safe it is"
    return f"the closed loop is {told.stability}{safe}"


def describe_margins(told: Margins, unit: str = "rad/s") -> Iterator[str]:
    """Lines of text for a terminal."""
    yield margin_verdict(told)
    for name, value, where in margin_rows(told, unit):
        yield f"{name}: {value} at {where}" if where else f"{name}: {value}"

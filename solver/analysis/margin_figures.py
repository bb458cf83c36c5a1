"""Figures of stability margins: Bode's and Nyquist's diagram of the loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..results.matplotlib_plots import COLOURS
from .frequency_response import FREQUENCY_UNITS, GRAY, Complex

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Margins(Protocol):
    """Stability margins and the loop over frequencies [rad/s], as figures need them."""

    frequencies: np.ndarray
    loop: Complex
    gain: float
    gain_frequency: float
    phase: float
    phase_frequency: float
    drawn: tuple[float, float]


Span = tuple[float | None, float | None]  # first and last frequency [rad/s]; None is no end
WHOLE: Span = (None, None)


def inside(w: np.ndarray | float, span: Span) -> np.ndarray:
    """Mask of the frequencies within a range."""
    low, high = span
    return (w >= (0.0 if low is None else low)) & (w <= np.asarray(np.inf if high is None else high))


def drawn_span(told: Margins, span: Span) -> tuple[float, float]:
    """Range of a Bode diagram: where no end is given, a decade beyond all modes and crossings."""
    low, high = span
    return told.drawn[0] if low is None else low, told.drawn[1] if high is None else high


def draw_bode(told: Margins, unit: str, span: Span = WHOLE) -> Figure:
    """Plot magnitude and phase of the loop within a range, with the margins there."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(8.0, 5.6), layout="constrained")
    upper, lower = made.subplots(2, sharex=True)
    shown = np.isfinite(told.loop) & (abs(told.loop) > 0.0)
    w, loop, each = told.frequencies[shown], told.loop[shown], FREQUENCY_UNITS[unit]
    phase = np.degrees(np.unwrap(np.angle(loop)))
    span = drawn_span(told, span)
    seen = inside(w, span)
    for axes, curve, label in ((upper, 20.0 * np.log10(abs(loop)), "dB"), (lower, phase, "deg")):
        axes.plot(w[seen] / each, curve[seen], color=COLOURS[0], linewidth=1.5)
        axes.set_xscale("log")
        axes.set_ylabel(f"[{label}]")
        axes.grid(color=GRAY, linewidth=0.6)
    upper.axhline(0.0, color="black", linewidth=0.8)
    lower.set_xlabel(f"frequency [{unit}]")
    if math.isfinite(told.gain) and inside(told.gain_frequency, span):
        upper.vlines(
            told.gain_frequency / each, -20.0 * math.log10(told.gain), 0.0, color=COLOURS[1], linewidth=2.0
        )
    if math.isfinite(told.phase):
        here = float(np.interp(told.phase_frequency, w, phase))
        level = here - math.degrees(told.phase)
        lower.axhline(level, color="black", linewidth=0.8)
        if inside(told.phase_frequency, span):
            lower.vlines(told.phase_frequency / each, level, here, color=COLOURS[1], linewidth=2.0)
    return made


def draw_nyquist(told: Margins, span: Span = WHOLE) -> Figure:
    """Plot the loop within a range of frequencies in the complex plane."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(5.6, 5.6), layout="constrained")
    axes = made.subplots()
    loop = told.loop[np.isfinite(told.loop) & inside(told.frequencies, span)]
    axes.plot(loop.real, loop.imag, color=COLOURS[0], linewidth=1.5)
    axes.plot(loop.real, -loop.imag, "--", color=COLOURS[0], linewidth=1.0)
    circle: Complex = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 361)).astype(complex)
    axes.plot(circle.real, circle.imag, color=GRAY, linewidth=1.0)
    axes.plot([-1.0], [0.0], "+", color="black")
    if math.isfinite(told.gain):
        axes.plot([-1.0 / told.gain], [0.0], "o", color=COLOURS[1])
    if math.isfinite(told.phase):
        there = -np.exp(1j * told.phase)
        axes.plot([there.real], [there.imag], "o", color=COLOURS[1])
    # far from -1 nothing is to be seen, and an integrator goes there without end
    wide = min(max(1.5, abs(loop).max(initial=0.0) * 1.05), 4.0)
    axes.set_xlim(-wide, wide)
    axes.set_ylim(-wide, wide)
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    axes.grid(color=GRAY, linewidth=0.6)
    axes.set_aspect("equal")
    return made

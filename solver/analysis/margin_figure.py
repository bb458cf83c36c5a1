"""The picture of a loop's margins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..result.plots import COLOURS
from .frequency import GRAY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .margins import Margins


def drawn(told: Margins) -> Figure:
    """Magnitude in dB and phase in degrees, with the gain margin below 0 dB and the phase margin above -180 degrees."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(8.0, 5.6), layout="constrained")
    upper, lower = made.subplots(2, sharex=True)
    shown = np.isfinite(told.loop) & (abs(told.loop) > 0.0)
    w, loop = told.frequencies[shown], told.loop[shown]
    phase = np.degrees(np.unwrap(np.angle(loop)))
    for axes, curve, label in ((upper, 20.0 * np.log10(abs(loop)), "dB"), (lower, phase, "deg")):
        axes.plot(w, curve, color=COLOURS[0], linewidth=1.5)
        axes.set_xscale("log")
        axes.set_ylabel(f"[{label}]")
        axes.grid(color=GRAY, linewidth=0.6)
    upper.axhline(0.0, color="black", linewidth=0.8)
    lower.set_xlabel("frequency [rad/s]")
    if math.isfinite(told.gain):
        upper.vlines(told.gain_frequency, -20.0 * math.log10(told.gain), 0.0, color=COLOURS[1], linewidth=2.0)
    if math.isfinite(told.phase):
        here = float(np.interp(told.phase_frequency, w, phase))
        level = here - math.degrees(told.phase)
        lower.axhline(level, color="black", linewidth=0.8)
        lower.vlines(told.phase_frequency, level, here, color=COLOURS[1], linewidth=2.0)
    return made

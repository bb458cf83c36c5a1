"""Numbers of a run, such as a signal's maximum, and their derivatives: from the signal and its slope at each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ...blocks.expression_scope import Scope
from ..results.matplotlib_plots import COLOURS, labelled
from .analysis_units import Shown, unit_ratio
from .sensitivity import Sensitivity, parameter_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulation.simulation import Simulation

NUMBERS = ("final", "maximum", "minimum", "mean", "rms")
PART = 0.01  # of a parameter: the change that is shown
NOT_KNOWN = "not known"  # a derivative that is NaN


def derivative_targets(sim: Simulation, scope: Scope, names: list[str]) -> dict[str, float]:
    """Values about which metrics are derived: parameters of the netlist, numbers of blocks, initial states."""
    own = [name for name in names if name in scope.parameters]
    return {
        name: scope.quantity(f"={name}").value if name in own else parameter_number(sim, name)
        for name in names
    }


def number_and_slope(time: np.ndarray, y: np.ndarray, slope: np.ndarray, number: str) -> tuple[float, float]:
    """A number of a signal, and its derivative where that of the signal is `slope`."""
    if number in ("maximum", "minimum"):
        k = int(np.argmax(y) if number == "maximum" else np.argmin(y))
        return float(y[k]), float(slope[k])
    if number == "final" or len(time) < 2:
        return float(y[-1]), float(slope[-1])
    span = float(time[-1] - time[0])
    if number == "mean":
        return float(np.trapezoid(y, time)) / span, float(np.trapezoid(slope, time)) / span
    rms = float(np.sqrt(np.trapezoid(y * y, time) / span))
    return rms, float(np.trapezoid(y * slope, time)) / (span * rms) if rms else 0.0


def sensitivity_rows(
    table: Sensitivity, at: Mapping[str, float], number: str, shown: Shown
) -> list[list[str]]:
    """Heads, then of each signal and parameter the number, its derivative, and its change for one per cent more."""

    def told(value: float, digits: int, unit: str) -> str:
        return NOT_KNOWN if value != value else f"{value:.{digits}g} {unit}".rstrip()

    if number not in NUMBERS:
        raise LuffError(f'found "{number}", expected one of {", ".join(NUMBERS)}')
    body = []
    for name in table.names:
        unit, factor = shown(name)
        for by in table.by:
            own, scale = shown(by)
            value, slope = number_and_slope(table.time, table[name], table.slope(name, by), number)
            change = told(factor * PART * at[by] * slope, 5, unit) if at[by] else ""
            derivative = told(slope * factor / scale, 6, unit_ratio(unit, own))
            body.append(
                [name, told(factor * value, 6, unit), by, told(scale * at[by], 6, own), derivative, change]
            )
    return [["signal", number, "by", "at", "derivative", "for 1 % more"], *body]


def draw_sensitivities(table: Sensitivity, at: Mapping[str, float], shown: Shown) -> Figure:
    """Over time what one per cent more of each parameter does to each signal; of what is zero, the derivative."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 1.6 + 2.4 * len(table.names)), layout="constrained")
    panes = np.atleast_1d(figure.subplots(len(table.names), 1, sharex=True))
    for axes, name in zip(panes, table.names, strict=True):
        unit, factor = shown(name)
        for k, by in enumerate(table.by):
            part, word = (PART * at[by], f"1 % more {by}") if at[by] else (1.0, f"by {by}")
            slope = factor * part * table.slope(name, by)
            axes.plot(table.time, slope, color=COLOURS[k % len(COLOURS)], label=word, linewidth=1.3)
        axes.set_ylabel(labelled(f"change of {name}", unit), parse_math=False)
        axes.grid(color="#D9D9D9", linewidth=0.6)
    panes[-1].set_xlabel("time [s]")
    figure.legend(*panes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure

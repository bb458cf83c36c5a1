"""Figure of a plan: controls and limited signals over time, with bounds and the times at which they hold back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results.matplotlib_plots import COLOURS, labelled
from .plan_data import PlanData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


GRAY = "#D9D9D9"
WIDTH, HEIGHT = 7.5, 1.6  # inches; of each of the axes


def figure(plan: PlanData) -> Figure:
    """Controls above, limited signals below; a shade where a bound holds the motion back."""
    from matplotlib.figure import Figure

    limited = [name for name in plan.bounds if name not in plan.controls]
    made = Figure(figsize=(WIDTH, HEIGHT * (len(plan.controls) + len(limited))), layout="constrained")
    axes = made.subplots(len(plan.controls) + len(limited), sharex=True, squeeze=False)[:, 0]
    for where, name in zip(axes, [*plan.controls, *limited], strict=True):
        if name in plan.controls:
            values = plan.controls[name]
            if plan.interpolation == "constant":
                where.stairs(values, plan.time, baseline=None, color=COLOURS[0], linewidth=1.5)
            else:
                where.plot(plan.time, values, color=COLOURS[0], linewidth=1.5)
        else:
            for k, (case, time, rows) in enumerate(_curves(plan, name)):
                where.plot(
                    time, rows, color=COLOURS[1 + k % (len(COLOURS) - 1)], linewidth=1.5, label=case or None
                )
        _bounds(where, plan, name)
        where.set_ylabel(labelled(name, plan.units.get(name.partition("[")[0], "")), fontsize="small")
        where.grid(color=GRAY, linewidth=0.6)
        if len(where.get_legend_handles_labels()[0]) > 1:
            where.legend(fontsize="small", frameon=False)
    axes[-1].set_xlabel(labelled("time", "s"))
    return made


def _curves(plan: PlanData, name: str) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Case, times and values of a signal: flown where it was recorded, else planned."""
    flown = {one.case: one.result for one in plan.flown}
    found = []
    for case, states in plan.states.items():
        result = flown.get(case)
        if result is not None and name in result:
            found.append((case, result.time, np.asarray(result[name])))
        elif name in states:
            found.append((case, plan.points, states[name]))
    return found


def _bounds(where: Axes, plan: PlanData, name: str) -> None:
    """Lines at finite bounds, shades where one is active."""
    for bound in plan.bounds.get(name, ()):
        if np.isfinite(bound):
            where.axhline(bound, color="black", linestyle=":", linewidth=1.0)
    for one in plan.limits:
        if one.name == name:
            for a, b in one.spans:
                where.axvspan(a, b, color=GRAY, alpha=0.5, linewidth=0.0)

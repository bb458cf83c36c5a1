"""Pictures of a plan: controls, limited signals and ends over time, with bounds and the times when they hold back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from .graph import Curve, Marks, Picture

if TYPE_CHECKING:
    from ...solver.planning import Plan

DASHED = Qt.PenStyle.DashLine


def plan_pictures(plan: Plan) -> list[Picture]:
    """One picture a quantity: planned curves solid, those of the run that flew the plan dashed; shades hold it back."""
    ends = [name for one in plan.flown for name in one.end]
    names = dict.fromkeys([*plan.controls, *plan.bounds, *ends])
    pictures = [made for name in names if (made := _picture(plan, name)).curves]
    if pictures:
        pictures[-1].below = "time [s]"
    return pictures


def _picture(plan: Plan, name: str) -> Picture:
    unit = plan.units.get(name, plan.units.get(name.partition("[")[0], ""))
    bounds = [bound for bound in plan.bounds.get(name, ()) if np.isfinite(bound)]
    spans = [span for one in plan.limits if one.name == name for span in one.spans]
    curves = _control(plan, name, unit) if name in plan.controls else [*_signal(plan, name, unit)]
    title = "" if name in plan.controls else name
    return Picture(curves, unit=unit, title=title, marks=Marks(bounds=bounds, spans=spans))


def _control(plan: Plan, name: str, unit: str) -> list[Curve]:
    held = plan.interpolation == "constant"
    return [Curve(name, plan.time, plan.controls[name], 0, unit, held=held)]


def _signal(plan: Plan, name: str, unit: str) -> Iterable[Curve]:
    flown = {one.case: one.result for one in plan.flown}
    for k, (case, states) in enumerate(plan.states.items()):
        result, of = flown.get(case), f", {case}" if case else ""
        if name in states:
            yield Curve(f"planned{of}", plan.points, states[name], 1 + k, unit)
        if result is not None and name in result:
            yield Curve(f"simulated{of}", result.time, np.asarray(result[name]), 1 + k, unit, style=DASHED)

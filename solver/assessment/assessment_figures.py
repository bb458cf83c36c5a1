"""Figures of an assessment: the signal behind each governing check, and load spectra."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..results.cycle_counting import spectrum
from ..results.matplotlib_plots import COLOURS, thinned
from ..results.result import Result
from ..studies.run_measures import magnitude
from .findings import Findings
from .findings_tables import SCALES, shown_number, worst_first
from .limit_checks import Check, Floats, rows_in_window, stability_reserve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (7.6, 2.7)
MOST = 10.0  # reserves against tipping above it are drawn as it
NOTE = " Dashed is the limit; dotted is the time that governs."
LIMIT, GREY = "#A4161A", "#8A94A0"


def governing_curves(made: Findings) -> Iterator[tuple[Figure, str]]:
    """The signal of each governing check in the run that governs, and what is seen."""
    for check in worst_first(made.checks):
        figure = _curve(made, check)
        if figure is not None:
            effect = made.assessment.loads[check.run].effect
            factor = f", with the factor {effect:g} on effects" if effect != 1.0 else ""
            words = f"{check.title} in {check.run}{factor}: utilisation {shown_number(check.utilisation)}."
            yield figure, words + NOTE * (len(figure.axes[0].lines) > 1)


def _curve(made: Findings, check: Check) -> Figure | None:
    assessment, result = made.assessment, made.results[check.run]
    if check.kind == "tipping":
        every = np.ones(len(result.time), bool)
        values, limit = np.minimum(stability_reserve(assessment, result, every).curve, MOST), check.limit
        label = "stabilising over\noverturning moment"
        if (values == MOST).any():
            label += f", up to {MOST:g}"
    elif check.curve in result:
        values, limit, label = _signal(made, check, result)
    else:
        return None
    figure, axes = _axes("time [s]", label)
    rows = rows_in_window(assessment, assessment.loads[check.run].case, result)
    time, drawn = thinned(result.time, values, ordered=True)
    axes.plot(time, drawn, color=COLOURS[0], linewidth=1.2)
    if not rows.all():
        shaded = result.time[rows]
        axes.axvspan(shaded[0], shaded[-1], color="#F2F5F9", zorder=0)
    if math.isfinite(limit):
        for line in (limit, -limit) if check.what.startswith("peak") else (limit,):
            axes.axhline(line, color=LIMIT, linewidth=1.0, linestyle="--")
    if values.min() >= 0.0:
        axes.set_ylim(bottom=0.0)  # so that the distance from the limit is seen as it is
    if math.isfinite(check.time):
        axes.axvline(check.time, color=GREY, linewidth=0.8, linestyle=":")
    return figure


def _signal(made: Findings, check: Check, result: Result) -> tuple[Floats, float, str]:
    """Values with the factor on effects, and the limit where it is one of the signal itself."""
    values = made.assessment.loads[check.run].effect * magnitude(result[check.curve])
    unit = result.units.get(check.curve, "")
    scale, shown = SCALES.get(unit, (1.0, unit))
    limit = math.nan
    if check.kind == "section":
        limit = check.limit / scale
    elif check.kind == "rope":
        rope = made.assessment.settings.ropes[check.title]
        limit = rope.breaking / rope.safety / scale
    elif check.unit != unit and math.isfinite(
        check.per_unit
    ):  # the axis has the unit that the limit asks for
        scale, shown, limit = check.per_unit, check.unit, check.limit
    elif math.isfinite(check.per_unit):
        limit = check.limit / scale
    return values / scale, limit, f"{check.curve} [{shown or '1'}]"


def load_spectra(made: Findings) -> Iterator[tuple[Figure, str]]:
    """Yield figures of the load spectra: cycles in the life that reach or exceed a range."""
    for life in made.lives:
        classes = spectrum(life.spectrum)
        if classes:
            shares = ", ".join(f"{case} {shown_number(damage)}" for case, damage in life.by_case.items())
            words = f"{life.title}: load spectrum at {life.point}, in the life. Damage by case: {shares}."
            yield _spectrum(classes), words


def _spectrum(classes: list[tuple[float, float]]) -> Figure:
    figure, axes = _axes("cycles of at least this range", "stress range [MPa]")
    counts = np.cumsum([count for _, count in classes])
    edges = [edge / 1e6 for edge, _ in classes]
    axes.step(np.maximum(counts, 1e-12), edges, where="pre", color=COLOURS[0])
    if counts[-1] > 0.0:
        axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    return figure


def _axes(x: str, y: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#E3E3E3", linewidth=0.6)
    return figure, axes

"""Pictures of answers: Bode and Nyquist diagrams, root loci, derivatives, load charts, residuals. No widgets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from ...solver.analysis.analysis_units import Shown, unit_ratio
from ...solver.analysis.frequency_response import FREQUENCY_UNITS
from ...solver.analysis.margin_figures import WHOLE, Span, drawn_span, inside
from ...solver.analysis.metric_derivatives import PART
from ...solver.analysis.root_locus import drawn_columns
from ...solver.assessment.chart_table import lower_steps
from ...solver.results.matplotlib_plots import labelled
from ...solver.studies.value_ranges import numbers_of, unit_scale
from ..theme.number_format import unit_words
from .graph import Curve, Marks, Picture

if TYPE_CHECKING:
    from ...solver.analysis.frequency_response import FrequencyResponse, StepResponse
    from ...solver.analysis.root_locus import Locus
    from ...solver.analysis.sensitivity import Sensitivity
    from ...solver.analysis.stability_margins import Margins
    from ...solver.assessment.chart_table import Chart
    from ...solver.tuning import Fit

FREQUENCY_SYMBOL = {"rad/s": "w", "Hz": "f"}
PLANE = ("real part", "imaginary part")
DASHED = Qt.PenStyle.DashLine
UNKNOWN = "unknown"
SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p", "h")


def decibels(values: np.ndarray) -> np.ndarray:
    """Magnitude 20 lg |values| [dB]; NaN at zero."""
    size = np.abs(values)
    return 20.0 * np.log10(np.where(size > 0.0, size, np.nan))


# ---------------------------------------------------------------------- responses


def bode_pictures(
    response: FrequencyResponse, units: Mapping[str, str], frequency_unit: str = "rad/s"
) -> list[Picture]:
    """Bode diagram of outputs over inputs: magnitude [dB] and phase [deg]."""
    upper, lower = [], []
    for number, (i, j) in enumerate(np.ndindex(response.values.shape[1:])):
        name = f"{response.output_names[i]} / {response.input_names[j]}"
        unit = unit_ratio(units.get(response.output_names[i], ""), units.get(response.input_names[j], ""))
        w, gain = response.frequencies / FREQUENCY_UNITS[frequency_unit], response.magnitude[:, i, j]
        level = decibels(gain)
        read = _reader(
            lambda k, level=level, gain=gain, unit=unit: (
                f"{level[k]:.4g} dB ({gain[k]:.4g} {unit_words(unit)})" if gain[k] else "no response"
            )
        )
        upper.append(Curve(name, w, level, number, words=read))
        lower.append(Curve(name, w, np.degrees(response.phase[:, i, j]), number, "deg"))
    return [
        Picture(upper, side="magnitude [dB]", log=True),
        Picture(lower, labelled("frequency", frequency_unit), "phase", "deg", log=True),
    ]


def _reader(words: Callable[[int], str]) -> Callable[[int], str]:
    """Reading without the blank of a missing unit."""
    return lambda k: words(k).replace(" )", ")")


def nyquist_picture(
    response: FrequencyResponse, units: Mapping[str, str], frequency_unit: str = "rad/s"
) -> tuple[Picture, Callable[[int, Curve], str]]:
    """Responses in the complex plane for rising frequency; with -1 where one of them is a mere number, as a loop is."""
    curves, numbers = [], False
    for number, (i, j) in enumerate(np.ndindex(response.values.shape[1:])):
        z = response.values[:, i, j]
        name = f"{response.output_names[i]} / {response.input_names[j]}"
        curves.append(Curve(name, z.real.copy(), z.imag.copy(), number, words=complex_words(z)))
        numbers |= units.get(response.output_names[i], "") == units.get(response.input_names[j], "")
    marks = Marks(points=[(-1.0, 0.0, "+", 1)] if numbers else [])
    return Picture(curves, *PLANE, marks=marks), frequency_words(response.frequencies, frequency_unit)


def complex_words(z: np.ndarray) -> Callable[[int], str]:
    """Magnitude and phase of sample k in words."""
    return lambda k: f"{abs(z[k]):.4g}, {math.degrees(np.angle(z[k])):.4g} deg"


def frequency_words(w: np.ndarray, unit: str) -> Callable[[int, Curve], str]:
    """Frequency of sample k in words."""
    return lambda k, _: f"{FREQUENCY_SYMBOL[unit]} = {w[k] / FREQUENCY_UNITS[unit]:.5g} {unit}"


def step_picture(response: StepResponse) -> Picture:
    """Responses to a step of one."""
    curves = [
        Curve(
            f"{response.output_names[i]} / {response.input_names[j]}",
            response.time,
            response.values[:, i, j],
            k,
        )
        for k, (i, j) in enumerate(np.ndindex(response.values.shape[1:]))
    ]
    return Picture(curves, "time [s]")


# ---------------------------------------------------------------------- margins


def margin_pictures(told: Margins, unit: str = "rad/s", span: Span = WHOLE) -> list[Picture]:
    """Bode diagram of a loop; strong lines are the gain margin and the phase margin."""
    span = drawn_span(told, span)
    shown = np.isfinite(told.loop) & (abs(told.loop) > 0.0)
    w, loop, each = told.frequencies[shown], told.loop[shown], FREQUENCY_UNITS[unit]
    level, phase = decibels(loop), np.degrees(np.unwrap(np.angle(loop)))
    above, below = Marks(across=[0.0]), Marks()
    if math.isfinite(told.gain) and told.gain_frequency > 0.0 and inside(told.gain_frequency, span):
        at = told.gain_frequency / each
        above.segments = [((at, -20.0 * math.log10(told.gain)), (at, 0.0))]
    if math.isfinite(told.phase):
        here = float(np.interp(told.phase_frequency, w, phase))
        border = here - math.degrees(told.phase)
        below.across = [border]
        if inside(told.phase_frequency, span):
            at = told.phase_frequency / each
            below.segments = [((at, border), (at, here))]
    name, seen = f"loop at {told.cut}", inside(w, span)
    x, level, phase = w[seen] / each, level[seen], phase[seen]
    side, frequency = "magnitude [dB]", labelled("frequency", unit)
    return [
        Picture([Curve(name, x, level, 0, "dB")], side=side, log=True, marks=above),
        Picture([Curve(name, x, phase, 0, "deg")], frequency, "phase", "deg", log=True, marks=below),
    ]


def margin_plane(
    told: Margins, unit: str = "rad/s", span: Span = WHOLE
) -> tuple[Picture, Callable[[int, Curve], str]]:
    """Loop in the complex plane with -1, the unit circle, and the points of its margins."""
    shown = np.isfinite(told.loop) & inside(told.frequencies, span)
    w, loop = told.frequencies[shown], told.loop[shown]
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    points = [(-1.0, 0.0, "+", 1)]
    if math.isfinite(told.gain):
        points.append((-1.0 / told.gain, 0.0, "o", 1))
    if math.isfinite(told.phase):
        there = -np.exp(1j * told.phase)
        points.append((float(there.real), float(there.imag), "o", 1))
    curves = [
        Curve(f"loop at {told.cut}", loop.real.copy(), loop.imag.copy(), words=complex_words(loop)),
        Curve("negative frequencies", loop.real.copy(), -loop.imag, style=DASHED),
        Curve("unit circle", np.cos(turn), np.sin(turn), 7),
    ]
    return Picture(curves, *PLANE, marks=Marks(points=points)), frequency_words(w, unit)


# ---------------------------------------------------------------------- root locus


def locus_picture(told: Locus) -> tuple[Picture, Callable[[int, Curve], str]]:
    """Roots over the parameter: a cross at its first value, a circle at its last; of many those nearest to the axis."""
    curves, points = [], []
    for number, j in enumerate(drawn_columns(told)):
        z = told.roots[:, j]
        curves.append(
            Curve(
                f"root {number + 1}",
                z.real.copy(),
                z.imag.copy(),
                number % 8,
                words=lambda k: "",
                named=False,
            )
        )
        there = np.flatnonzero(np.isfinite(z))
        for k, symbol in ((0, "x"), (-1, "o")) if len(there) else ():
            root = z[there[k]]
            points.append((float(root.real), float(root.imag), symbol, number % 8))
    title = f"{told.parameter} {told.ends}"
    marks = Marks(upright=[0.0], points=points)
    picture = Picture(curves, "real part [1/s]", "imaginary part [rad/s]", title=title, marks=marks)

    def words(k: int, curve: Curve) -> str:
        value = f"{told.parameter} = {told.values[k]:.6g} {told.unit}".rstrip()
        return f"{value}, {told.stability[k]}: s = {root_words(complex(curve.x[k], curve.y[k]))}"

    return picture, words


def root_words(s: complex) -> str:
    """Root in words: s [1/s], and its damping ratio if it oscillates."""
    if math.isnan(s.real):
        return "none"
    if s.imag == 0.0:
        return f"{s.real:.4g} 1/s"
    return f"{s.real:.4g} ± {abs(s.imag):.4g}j 1/s, damping ratio {-s.real / abs(s):.3g}"


# ---------------------------------------------------------------------- derivatives, charts, residuals


def sensitivity_pictures(table: Sensitivity, at: Mapping[str, float], shown: Shown) -> list[Picture]:
    """Change of each signal over time by one per cent more of each parameter; of a zero one, the derivative."""
    pictures = []
    for name in table.names:
        unit, factor = shown(name)
        curves = []
        for k, by in enumerate(table.by):
            part, word = (PART * at[by], f"1 % more {by}") if at[by] else (1.0, f"by {by}")
            curves.append(Curve(word, table.time, factor * part * table.slope(name, by), k, unit))
        pictures.append(Picture(curves, unit=unit, title=f"change of {name}"))
    pictures[-1].below = "time [s]"
    return pictures


def chart_picture(chart: Chart) -> Picture:
    """Rated load over the last parameter, steps for each combination of the others; symbols tell the limits apart.

    Between two places a step is the lower of their loads.
    """
    names = list(chart.axes)
    x, unit = numbers_of(chart.axes[names[-1]])
    places = np.array(x, float)
    table = chart.rated.reshape(-1, len(places)) / unit_scale(chart.unit)
    limits = np.array([chart.limited(k) for k, _ in chart.places()], object).reshape(-1, len(places))
    others = list(itertools.product(*(chart.axes[name] for name in names[:-1])))
    reasons = {k: f"unknown: {why}" for k, why in chart.reasons.items()}
    known = [reasons.get(k, str(words)) for (k, _), words in zip(chart.places(), limits.ravel(), strict=True)]
    curves, gaps = [], []
    for k, (line, row, at) in enumerate(
        zip(table, np.array(known, object).reshape(limits.shape), others, strict=True)
    ):
        name = (
            ", ".join(f"{one} {value}" for one, value in zip(names[:-1], at, strict=True))
            or f"rated {chart.load}"
        )

        edges, heights = lower_steps(places, line)
        told = limited_words(places, line, [str(kind) for kind in row], chart.unit)
        curves.append(Curve(name, edges, heights, k, style=DASHED, held=True, at=told))
        label = UNKNOWN if len(others) == 1 else f"{name}: {UNKNOWN}"
        gaps += [(low, high, label) for low, high in unknown_spans(places, line)]
    for symbol, kind in zip(SYMBOLS, sorted(set(limits[np.isfinite(table)])), strict=False):
        rows, columns = np.nonzero(limits == kind)
        curves.append(
            Curve(str(kind), places[columns], table[rows, columns], 7, symbol=symbol, words=lambda k: "")
        )
    title = f"largest {chart.load} over {names[-1]}"
    title += f", divided by the margin {chart.margin:g}" if chart.margin != 1.0 else ""
    return Picture(
        curves,
        labelled(names[-1], unit),
        f"rated {chart.load}",
        chart.unit,
        title,
        Marks(unknown=gaps),
        lowest=0.0,
    )


def unknown_spans(places: np.ndarray, loads: np.ndarray) -> list[tuple[float, float]]:
    """Intervals of x in which no load is known: from the neighbour below a place without one to that above it."""
    order = np.argsort(places, kind="stable")
    x, none = places[order], np.isnan(loads[order])
    spans: list[tuple[float, float]] = []
    for k in np.flatnonzero(none):
        low, high = float(x[max(k - 1, 0)]), float(x[min(k + 1, len(x) - 1)])
        if spans and low < spans[-1][1]:
            low = spans.pop()[0]
        spans.append((low, high))
    return [span for span in spans if span[0] < span[1]]


def limited_words(
    places: np.ndarray, loads: np.ndarray, limits: list[str], unit: str
) -> Callable[[float], str]:
    """Reading of a rated load and its limit: at a place, and between two what is known at both."""
    order = np.argsort(places, kind="stable")
    x = places[order]

    def words(at: float) -> str:
        k = int(np.searchsorted(x, at))
        here = order[k : k + 1] if k < len(x) and x[k] == at else order[max(k - 1, 0) : k + 1]
        load = float(np.min(loads[here]))
        value = f"{load:.5g} {unit}".rstrip() if math.isfinite(load) else ""
        return ", ".join(filter(None, [value, *dict.fromkeys(limits[j] for j in here)]))

    return words


def residual_pictures(fitted: Fit, k: int) -> list[Picture]:
    """Measured and computed signals of experiment k, and below each their difference."""
    experiment, pictures = fitted.experiments[k], []
    data = experiment.measured
    for j, name in enumerate(data.signals):
        measured = Curve("measured", data.time, data.values[j], 7, symbol="o")
        computed = Curve("computed", data.time, experiment.computed[j], 0)
        rest = Curve("difference", data.time, data.values[j] - experiment.computed[j], 1)
        pictures += [Picture([measured, computed], title=name), Picture([rest])]
    pictures[-1].below = "time [s]"
    return pictures

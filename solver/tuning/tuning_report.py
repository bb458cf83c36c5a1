"""Report of a fit or a search, in words and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.text.quantity import unit
from ..results.matplotlib_plots import labelled
from ..results.table_files import markdown_lines
from ..studies.markdown_escape import lane_summary
from ..studies.study_tables import shown
from ..studies.templates import SafeMarkdown, markdown
from ..studies.variant_figures import save
from .fit import Fit
from .goodness_of_fit import Estimate, Experiment
from .optimum import Optimum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEFORE = ["before", "change"]  # heads of what the model has, and of the change from it in per cent
CORRELATED = 0.01  # level of the test: probability with which white noise is called correlated


def table(answer: Fit | Optimum) -> list[str]:
    """Lines of Markdown: doubts, values, figures and remarks."""
    lines = markdown_lines(value_rows(answer))
    if isinstance(answer, Optimum):
        return [*lines, "", *_figure_lines(figure_rows(answer)), *remarks(answer)]
    lines = [*answer.doubts, *[""] * bool(answer.doubts), *lines]
    for title, experiment in _titled(answer):
        lines += ["", *_figure_lines(_rms_rows(title, experiment)), *_whiteness(title, experiment)]
    return lines + ["", *_searched(answer)] * bool(answer.differences_why)


def value_rows(answer: Fit | Optimum, digits: int = 8) -> list[list[str]]:
    """Heads, and a row of each number that was searched for, in the unit that its bounds have in the file."""
    in_units = {name: (labelled(name, word), float(unit(word).factor)) for name, word in answer.units.items()}
    before, compared = before_cells(answer, digits), BEFORE if answer.before else []
    if isinstance(answer, Optimum):
        told = [(key, *in_units.get(key, (key, 1.0)), value) for key, value in answer.values.items()]
        rows = [
            [name, f"{value / scale:.{digits}g}", *before(key, value, scale)]
            for key, name, scale, value in told
        ]
        return [["parameter", "value", *compared], *rows]
    profiled = ["95 % by profile likelihood"] * any(each.interval for each in answer.parameters.values())
    rows = []
    for each in (*answer.parameters.values(), *answer.shifts):
        name, scale = in_units.get(each.name, (f"{each.name} [s]", 1.0))
        value, error, *ends = (n / scale for n in (each.value, each.error, each.lower, each.upper))
        found = [name, f"{value:.{digits}g}", *before(each.name, each.value, scale), f"{error:.2g}"]
        interval = [interval_words(each, scale)] * len(profiled)
        rows.append([*found, *interval, "{:g} to {:g}".format(*ends), each.note])
    return [["parameter", "value", *compared, "standard error", *profiled, "bounds", ""], *rows]


def before_cells(answer: Fit | Optimum, digits: int) -> Callable[[str, float, float], list[str]]:
    """Cells of `BEFORE` of a parameter, from its name, its value [SI] and its scale; none of an older file."""

    def cells(name: str, value: float, scale: float) -> list[str]:
        if not answer.before:
            return []
        was = answer.before.get(name)
        return ["", ""] if was is None else [f"{was / scale:.{digits}g}", change_words(was, value)]

    return cells


def change_words(before: float, after: float) -> str:
    """Change in per cent of the value before; empty where that is zero."""
    return f"{float(f'{100.0 * (after - before) / abs(before):.3g}'):+g} %" if before else ""


def quantity(value: float, word: str) -> str:
    """Value in a table's digits, with its unit."""
    return f"{shown(value)} {word}".rstrip()


def was_words(before: float | None, after: float, word: str) -> str:
    """Value before and the change from it; empty where that is not known."""
    if before is None:
        return ""
    change = change_words(before, after)
    return f"before {quantity(before, word)}{f' ({change})' * bool(change)}"


def figure_rows(answer: Fit | Optimum) -> Iterator[tuple[str, str, str]]:
    """Figures that the values reach: name, value, and the value before or the verdict on a requirement."""
    if isinstance(answer, Optimum):
        told = was_words(answer.value_before, answer.value, answer.unit)
        yield answer.title, quantity(answer.value, answer.unit), told
        for each in answer.requirements:
            yield f"{each.title} {each.limits}", shown(each.value), each.verdict.shown
    else:
        for title, experiment in _titled(answer):
            yield from _rms_rows(title, experiment)


def remarks(answer: Fit | Optimum) -> list[str]:
    """Sentences about an answer, without doubts of its values."""
    if isinstance(answer, Optimum):
        return [answer.note] * bool(answer.note)
    return [line for each in _titled(answer) for line in _whiteness(*each)] + _searched(answer)


def _titled(fitted: Fit) -> Iterator[tuple[str, Experiment]]:
    for k, experiment in enumerate(fitted.experiments, 1):
        yield f"experiment {k}{', held out' * experiment.held_out}", experiment


def _rms_rows(title: str, experiment: Experiment) -> Iterator[tuple[str, str, str]]:
    before = experiment.rms_before()
    for name, rms in experiment.rms().items():
        unit_word = experiment.units.get(name, "")
        yield f"{title}, rms of {name}", quantity(rms, unit_word), was_words(before.get(name), rms, unit_word)


def _whiteness(title: str, experiment: Experiment) -> Iterator[str]:
    return (f"{title}, {line}" for line in whiteness_words(experiment))


def _searched(fitted: Fit) -> list[str]:
    why = fitted.differences_why
    return [f"searched by differences of runs: {why}"] * bool(why)


def _figure_lines(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    for name, *told in rows:
        yield f"{name}: {', '.join(filter(None, told))}"


def interval_words(each: Estimate, scale: float) -> str:
    """Ends of a profile's interval; beyond the bounds, or not known."""
    if each.interval is None:
        return ""
    low, high = (n / scale for n in each.interval)
    words = [f"{end:.5g}" if math.isfinite(end) else "beyond its bound" for end in (low, high)]
    return " to ".join(
        "not known" if math.isnan(n) else word for n, word in zip((low, high), words, strict=True)
    )


def whiteness_words(experiment: Experiment) -> Iterator[str]:
    """Line for each signal on how its residuals are correlated; none where that is not known."""
    for name, p in experiment.whiteness().items():
        if p >= CORRELATED:
            yield f"residuals of {name}: no correlation is seen (Ljung-Box p = {p:.2g})"
        elif p < CORRELATED:
            believed = "" if experiment.held_out else "; standard errors count them as independent"
            yield f"residuals of {name} are correlated (Ljung-Box p = {p:.2g}){believed}"


def residual_figure(fitted: Fit, k: int) -> Figure:
    """Measured and computed signals of an experiment, and their difference."""
    from matplotlib.figure import Figure

    experiment = fitted.experiments[k]
    data = experiment.measured
    made = Figure(figsize=(8.0, 3.2 * len(data.signals)), layout="constrained")
    axes = made.subplots(
        2 * len(data.signals), 1, sharex=True, squeeze=False, height_ratios=[2, 1] * len(data.signals)
    )
    for j, name in enumerate(data.signals):
        above, below = axes[2 * j, 0], axes[2 * j + 1, 0]
        above.plot(data.time, data.values[j], ".", markersize=2, label="measured")
        above.plot(data.time, experiment.computed[j], linewidth=1, label="computed")
        above.set_ylabel(name)
        above.legend(loc="best")
        below.plot(data.time, data.values[j] - experiment.computed[j], ".", markersize=2)
        below.axhline(0.0, linewidth=0.5, color="grey")
        below.set_ylabel("difference")
    axes[-1, 0].set_xlabel("time [s]")
    return made


def report(answer: Fit | Optimum, folder: str | Path) -> list[Path]:
    """A page, and for a fit the residuals of each experiment."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files, residuals, correlations = [], [], []
    if isinstance(answer, Fit):
        for k in range(len(answer.experiments)):
            files += save(partial(residual_figure, answer, k), folder / f"residuals_{k + 1}")
            residuals.append(SafeMarkdown(f"residuals_{k + 1}.png"))
        if np.size(answer.correlation) > 1:
            names = [*answer.parameters, *(each.name for each in answer.shifts)]
            rows = [[n, *(f"{c:.3f}" for c in row)] for n, row in zip(names, answer.correlation, strict=True)]
            correlations = markdown_lines([["", *names], *rows])
    text = markdown(
        Path(__file__).with_name("templates"), "report.md", name=answer.name, table=table(answer),
        residuals=residuals, correlations=correlations, lanes=lane_summary(answer.alone, "runs"),
    )  # fmt: skip
    page = folder / "report.md"
    page.write_text(text, encoding="utf-8")
    return [page, *files]

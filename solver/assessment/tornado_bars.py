"""Tornado of a measure: its values at both ends of each parameter, one parameter at a time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem
from ..batch.study_lanes import LaneResults
from ..flatten.diagram import Diagram, load
from ..results.answer_files import save_answer
from ..results.figure_style import FigureStyle
from ..results.recorded_run import matching
from ..results.result import Result
from ..results.table_files import TextTable
from ..simulation.parameters import started_by_form
from ..simulation.script_values import parameter_changes
from ..simulation.simulation import Simulation
from ..studies.run_measures import heading, measure_value, shown_unit, signal_unit, watched_by
from ..studies.sections import read_record
from ..studies.study_settings import METRICS, Measure
from .assessment_file import raw_value, scale_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOGETHER = 32  # runs that are begun, and kept in memory, at a time; values do not depend on it
SHARE = re.compile(r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?)\s*%\s*")
Ends = tuple[object, object]  # raw values, as a netlist has them


@dataclass
class Tornado:
    """Values of a measure at the ends of each parameter, all others as in the model; widest first, unknown before all.

    `base` is the value of the model, `low[k]` and `high[k]` those at the ends `ends[k]` of `names[k]`, in `unit`. A
    value is NaN where its run failed or its signal has no such measure, for the reason in `failed`.

    Examples
    --------
    See `luff.tornado`.
    """

    title: str
    unit: str
    base: float
    names: list[str]
    ends: list[tuple[str, str]]  # in words
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    failed: dict[str, str]

    def rows(self) -> list[list[str]]:
        """Make a table of texts: a heading, and a row for each parameter.

        Returns
        -------
        list of list of str
            Parameter, ends, values there, and change from one to the other.
        """
        unit = f" [{self.unit}]" if self.unit else ""
        heads = ["parameter", "from", "to", f"{self.title}{unit} there", "and there", "range"]
        table = zip(self.names, self.ends, self.low.tolist(), self.high.tolist(), strict=True)
        return [
            heads,
            *(
                [name, *ends, _shown(low), _shown(high), _shown(abs(high - low))]
                for name, ends, low, high in table
            ),
        ]

    def remarks(self) -> list[str]:
        """Value of the model, what failed, and parameters whose ends do not enclose it.

        Returns
        -------
        list of str
            A line for each.
        """
        told = [f"{self.title} of the model: {_shown(self.base)} {self.unit}".rstrip()]
        told += [f"{name}: unknown: {why}" for name, why in self.failed.items()]
        for name, low, high in zip(self.names, self.low.tolist(), self.high.tolist(), strict=True):
            if (low - self.base) * (high - self.base) > 0.0:
                told.append(
                    f"{name}: both ends lie on one side of the model's value: it has an extreme between them, "
                    "or the model's own parameter is not between them"
                )
        return [*told, "left out: values between the ends, and parameters that vary together"]

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON; unknown and infinite values are null.

        Returns
        -------
        dict
            Measure, base and bars.
        """
        table = zip(self.names, self.ends, self.low.tolist(), self.high.tolist(), strict=True)
        return {
            "measure": self.title,
            "unit": self.unit,
            "base": _plain(self.base),
            "bars": [
                {"parameter": name, "from": ends[0], "to": ends[1], "low": _plain(low), "high": _plain(high)}
                for name, ends, low, high in table
            ],
            "failed": self.failed,
        }

    def save(self, path: str | Path, style: FigureStyle | None = None) -> Path:
        """Write to a file; one that was there is replaced.

        Parameters
        ----------
        path : str or Path
            A file .csv, .tex or .md (table), .json (all), .pdf, .png or .svg (figure).
        style : FigureStyle, optional
            Size and font of a figure.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        LuffError
            The extension is another one, or the file cannot be written.
        """
        return save_answer(
            path,
            lambda: TextTable(self.rows(), self.remarks()),
            self.plot,
            {".json": lambda: json.dumps(self.as_dict(), indent=1)},
            style,
        )

    def plot(self) -> Figure:
        """Plot a bar for each parameter about the model's value, the widest on top.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from matplotlib.figure import Figure

        from ..results.matplotlib_plots import COLOURS

        figure = Figure(figsize=(8.0, 1.4 + 0.42 * len(self.names)), layout="constrained")
        axes = figure.subplots()
        places = np.arange(len(self.names))[::-1]
        base = self.base if math.isfinite(self.base) else 0.0
        for values, colour, word in ((self.low, COLOURS[0], "from"), (self.high, COLOURS[1], "to")):
            bars = np.where(np.isfinite(values), values, base) - base
            axes.barh(places, bars, 0.7, left=base, color=colour, label=word, alpha=0.85)
        for place, ends, low, high in zip(places, self.ends, self.low, self.high, strict=True):
            for end, value, other in ((ends[0], low, high), (ends[1], high, low)):
                if not math.isfinite(value):
                    told = " unknown " if math.isnan(value) else f" {end}: infinite "
                    axes.text(base, place, told, va="center", fontsize="small", parse_math=False)
                    continue
                right = value > other or (value == other and end is ends[1])
                shift, side = (3, "left") if right else (-3, "right")
                axes.annotate(
                    end, (value, place), (shift, 0), textcoords="offset points", ha=side, va="center",
                    fontsize="small", parse_math=False,
                )  # fmt: skip
        axes.axvline(base, color="#000000", linewidth=0.8)
        axes.set_yticks(places, self.names, parse_math=False)
        axes.set_xlabel(f"{self.title} [{self.unit}]" if self.unit else self.title, parse_math=False)
        axes.grid(axis="x", color="#D9D9D9", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.margins(x=0.18)
        axes.legend(fontsize="small", frameon=False, loc="best")
        return figure


def tornado(
    model: str | Path | Diagram,
    of: str,
    over: Mapping[str, Sequence[object] | str],
    metric: str = "maximum",
    start: object = 0.0,
    stop: object = None,
    unit: str = "",
    files: Iterable[str | Path] = (),
    progress: Callable[[int, int], object] | None = None,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Tornado:
    """Values of a measure at both ends of each parameter, one parameter at a time, as `luff tornado` finds them.

    Parameters
    ----------
    model : str, Path or Diagram
        A netlist.
    of : str
        A signal.
    over : mapping of str to sequence or str
        Ends by parameter: two values as in a netlist, or a share of the model's own value such as "10%".
    metric : str, optional
        What is measured of the signal, as in studies.
    start, stop : object, optional
        Window of time that is measured.
    unit : str, optional
        Unit to show; the signal's own by default.
    files : iterable of str or Path, optional
        Folders, beside the file's own, that may be read.
    progress : callable, optional
        Called with the number of finished runs and of all.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Tornado
        Values, widest range first.

    Raises
    ------
    LuffError
        A parameter, the signal or the metric is not known, or the model itself does not run.

    Examples
    --------
    >>> import luff
    >>> bars = luff.tornado("library/templates/pendulum.yaml", "pin.velocity", {"rod.mass": "10%"}, stop="0.1 s")
    >>> bars.names
    ['rod.mass']
    """
    diagram = model if isinstance(model, Diagram) else load(model, files=tuple(map(Path, files)))
    changes = parameter_changes(set, changes)
    measure = _measure(of, metric, start, stop, unit)
    if not over:
        raise LuffError(Problem("found nothing to vary", "over", "give load=4t:6t, or load=10%"))
    ends = {name: _ends(diagram, changes, name, given) for name, given in over.items()}
    base = Simulation(diagram, dict(changes))
    columns = [column.name for column in base.program.columns]
    if not matching(of, {*columns, *(name.partition("[")[0] for name in columns)}):
        raise LuffError(Problem(f'the model has no signal "{of}"', "of"))
    orders = [{**changes, name: end} for name, pair in ends.items() for end in pair]
    values, why, shown = _run(diagram, base, orders, measure, progress)
    low, high = np.array(values[1::2]), np.array(values[2::2])
    with np.errstate(invalid="ignore"):  # both ends may be infinite, such as a time that never comes
        wide = np.nan_to_num(abs(high - low), nan=math.inf)
    # unknown ranges come first
    order = sorted(range(len(ends)), key=lambda k: -wide[k])
    names = list(ends)
    failed: dict[str, str] = {}
    for k, told in why.items():
        failed.setdefault(names[(k - 1) // 2], told)
    return Tornado(
        heading(measure), shown, values[0], [names[k] for k in order], [_words(over[names[k]]) for k in order],
        low[order], high[order], failed,
    )  # fmt: skip


def _measure(of: str, metric: str, start: object, stop: object, unit: str) -> Measure:
    if metric not in METRICS:
        raise LuffError(Problem(f'found "{metric}", expected {", ".join(METRICS)}', "metric"))
    given = {"of": of, "metric": metric, "start": start, "unit": unit}
    return read_record(Measure, given | ({"stop": stop} if stop is not None else {}), "a measure")


def _ends(diagram: Diagram, changes: Mapping[str, object], name: str, given: Sequence[object] | str) -> Ends:
    if isinstance(given, str):
        share = SHARE.fullmatch(given)
        if share is None:
            raise LuffError(Problem(f'found "{given}", expected a share such as 10%', f"over {name}"))
        part = float(share[1]) / 100.0
        where = f"over {name}"
        own = changes[name] if name in changes else raw_value(diagram, name, where)
        return scale_value(own, 1.0 - part, where), scale_value(own, 1.0 + part, where)
    if len(given) != 2:
        raise LuffError(
            Problem(f"found {len(given)} values, expected both ends", f"over {name}", "load=4t:6t")
        )
    return given[0], given[1]


def _words(given: Sequence[object] | str) -> tuple[str, str]:
    """Ends as they were given."""
    if isinstance(given, str):
        return f"-{given.strip()}", f"+{given.strip()}"
    return str(given[0]), str(given[1])


def _run(
    diagram: Diagram,
    base: Simulation,
    orders: Sequence[Mapping[str, object]],
    measure: Measure,
    progress: Callable[[int, int], object] | None,
) -> tuple[list[float], dict[int, str], str]:
    """Values of the model and of each order, reasons of those that are unknown, and the unit shown."""
    watched, lanes = watched_by([measure]), LaneResults(len(orders) + 1)
    (first,) = lanes.results([base], watched)
    unit = shown_unit(signal_unit(first, measure), measure)
    values: list[float] = [measure_value(first, measure)]
    why: dict[int, str] = {}

    def results(some: Sequence[Mapping[str, object]]) -> Sequence[Result]:
        sims = [Simulation(diagram, dict(order), started_by_form) for order in some]
        return lanes.results(sims, watched)

    for begin in range(0, len(orders), TOGETHER):
        part = orders[begin : begin + TOGETHER]
        made: Sequence[Result | None]
        try:
            made = results(part)
        except LuffError:  # of one of them: each by itself tells of which
            made = [None] * len(part)
        for order, one in zip(part, made, strict=True):
            try:
                values.append(measure_value(results([order])[0] if one is None else one, measure))
            except LuffError as error:
                why[len(values)] = "; ".join(problem.message for problem in error.problems)
                values.append(math.nan)
        if progress is not None:
            progress(len(values), len(orders) + 1)
    return values, why, unit


def _shown(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.5g}"


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""Table of a load chart: rated loads over its parameters, what governs at each place, its files and its picture."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...blocks.expression_scope import Scope
from ..results.answer_files import save_answer
from ..results.figure_style import FigureStyle
from ..results.table_files import TextTable
from ..studies.value_ranges import numbers_of, unit_scale
from .seeded_capacity import SeedSample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis.confirmation import Confirmation

Values = list[object]  # raw, as a netlist has them


@dataclass
class Chart:
    """Load chart: `rated` [SI] has an axis for each parameter of `axes`; `limits` names what governs at each place.

    `kinds`: "rated"; "none", where even the least load is too much (rated 0); "unknown", where the load was not found
    (NaN, with its reason in `reasons`); "range", where nothing limits the greatest load that was examined. `left_out`
    says what statics does not know of. With a `gust` factor `rated` is the mean of the wind whose gust was found. Of
    a `sample` of seeds `low` and `high` are the ends of its confidence interval, NaN where the seeds are too few.

    Examples
    --------
    See `luff.chart`.
    """

    load: str
    axes: dict[str, Values]
    rated: NDArray[np.float64]
    limits: NDArray[np.str_]
    kinds: NDArray[np.str_]
    margin: float
    dynamic: bool
    evaluations: int
    name: str = ""
    unit: str = ""  # in which the load is shown
    reasons: dict[tuple[int, ...], str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)  # what statics does not know of
    confirmed: list[Confirmation] = field(default_factory=list)  # runs beside the rated loads
    gust: float = 1.0
    sample: SeedSample | None = None
    low: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    high: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def places(self) -> Iterable[tuple[tuple[int, ...], tuple[object, ...]]]:
        """Iterate over the places of the chart.

        Returns
        -------
        iterable of tuple
            Index and values of the parameters at each place.
        """
        sizes = [range(len(values)) for values in self.axes.values()]
        for index in itertools.product(*sizes):
            yield index, tuple(values[k] for values, k in zip(self.axes.values(), index, strict=True))

    def rows(self, digits: int = 6) -> list[list[str]]:
        """Make a table of texts: a heading, and a row for each place.

        Parameters
        ----------
        digits : int, optional
            Significant digits of the loads.

        Returns
        -------
        list of list of str
            Parameters, rated load, its gust or its confidence interval, and limit.
        """
        heads = [*self.axes, f"rated {self.load}{self._in()}", *self._more_heads(), "limit"]
        return [
            heads,
            *(
                [*map(str, at), self.shown(k, digits), *self._more(k, digits), self.limited(k)]
                for k, at in self.places()
            ),
        ]

    def _more_heads(self) -> list[str]:
        gust = [f"as a gust{self._in()}"] if self.gust != 1.0 else []
        sample = self.sample
        return gust if sample is None else [*gust, f"{sample.confidence:g} % interval"]

    def _more(self, k: tuple[int, ...], digits: int) -> list[str]:
        """Gust and confidence interval of a place; "?" is an end that is unknown."""
        gust, found = [], self.kinds[k] not in ("none", "unknown")
        if self.gust != 1.0:
            gust = [self._number(self.gust * self.rated[k], digits) if found else str(self.kinds[k])]
        if self.sample is None:
            return gust
        low, high = (self._number(float(ends[k]), digits) for ends in (self.low, self.high))
        return [*gust, f"{low} to {high}"]

    def _number(self, value: float, digits: int) -> str:
        if math.isinf(value):
            return "no limit"
        return "?" if math.isnan(value) else f"{value / unit_scale(self.unit):.{digits}g}"

    def shown(self, k: tuple[int, ...], digits: int = 6) -> str:
        """Rated load of a place as text, in `unit`; "none" or "unknown" where it is not rated.

        Parameters
        ----------
        k : tuple of int
            Index of the place.
        digits : int, optional
            Significant digits.

        Returns
        -------
        str
            The text.
        """
        if self.kinds[k] in ("none", "unknown"):
            return str(self.kinds[k])
        return self._number(float(self.rated[k]), digits)

    def limited(self, k: tuple[int, ...]) -> str:
        """Limit that governs at a place, in words.

        Parameters
        ----------
        k : tuple of int
            Index of the place.

        Returns
        -------
        str
            The text.
        """
        words = {"none": f"{self.limits[k]}, at the least load already", "range": "no limit in the range"}
        return words.get(str(self.kinds[k]), str(self.limits[k]))

    def remarks(self) -> list[str]:
        """Reasons of unknown loads, and what is left out.

        Returns
        -------
        list of str
            A line for each.
        """
        at = dict(self.places())
        unknown = [f"{', '.join(map(str, at[k]))}: unknown: {why}" for k, why in self.reasons.items()]
        return [*unknown, *self._of_seeds(), *(f"left out: {words}" for words in self.left_out)]

    def _of_seeds(self) -> Iterable[str]:
        """Definition of a load at a percentile, and what its seeds do not show."""
        sample = self.sample
        if sample is None:
            return
        yield (
            f"rated: the load below which {sample.percentile:g} % of {sample.count} seeds break no check in their "
            f"runs, with the interval that has it at {sample.confidence:g} % confidence"
        )
        if sample.ranks[1] < 0:
            yield f"? to: so few seeds give no lower end; {sample.enough} do"
        if sample.ranks[2] >= sample.count:
            yield "to ?: so few seeds give no upper end"

    def _in(self) -> str:
        return f" [{self.unit}]" if self.unit else ""

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON: an unknown load is null, an infinite end of an interval "no limit".

        Returns
        -------
        dict
            Axes, loads, limits, kinds, reasons and settings.
        """
        return {
            "load": self.load,
            "over": self.axes,
            "rated": _plain(self.rated),
            "limits": self.limits.tolist(),
            "kinds": self.kinds.tolist(),
            "unknown": [
                {"at": [*map(str, at)], "why": self.reasons[k]}
                for k, at in self.places()
                if k in self.reasons
            ],
            "left_out": self.left_out,
            "confirmed": [one.as_dict() for one in self.confirmed],
            "margin": self.margin,
            "dynamic": self.dynamic,
            "evaluations": self.evaluations,
            **({"gust": self.gust} if self.gust != 1.0 else {}),
            **(self._sampled() if self.sample is not None else {}),
        }

    def _sampled(self) -> dict[str, object]:
        assert self.sample is not None
        return {
            "seeds": self.sample.count,
            "percentile": self.sample.percentile,
            "confidence": self.sample.confidence,
            "low": _plain(self.low),
            "high": _plain(self.high),
        }

    def save(self, path: str | Path, style: FigureStyle | None = None) -> Path:
        """Write to a file; one that was there is replaced.

        Parameters
        ----------
        path : str or Path
            A file .csv, .tex or .md (table), .json (all), .pdf, .png or .svg (figure), or .yaml (netlist with a table
            block).
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
            {".json": lambda: json.dumps(self.as_dict(), indent=1), ".yaml": self.limiter},
            style,
        )

    def limiter(self) -> str:
        """Make a netlist for a load-moment limiter: `y` and `low` are rated loads at `u`, the last parameter.

        Over the other parameters the least load counts; an unknown load counts as zero. Of a sample of seeds the lower
        end of the interval counts. Between places `y` is linear, above a load that falls ever more slowly; `low` is
        nowhere above the lower of the loads at both places, and so on the safe side of a load that rises or falls
        between them.

        Returns
        -------
        str
            A netlist with a table block for each.
        """
        last = list(self.axes)[-1]
        numbers = [Scope().quantity(value).value for value in self.axes[last]]
        safe = self.rated if self.sample is None else np.minimum(self.low, self.rated)
        least = np.nan_to_num(safe, nan=0.0).reshape(-1, len(numbers)).min(axis=0)
        pairs = sorted(zip(numbers, least.tolist(), strict=True))
        places, loads = zip(*pairs, strict=True)
        rows = {
            "capacity": [f"{y:.6g}" for y in loads],
            "lower": [rounded_down(y) for y in lower_rows(np.array(loads))],
        }
        blocks = "".join(
            f"  {name}: {{type: table, over: input, beyond: hold, data: ["
            + ", ".join(f"[{x!r}, {y}]" for x, y in zip(places, ys, strict=True))
            + "]}\n"
            for name, ys in rows.items()
        )
        return (
            f"luff: 1\nname: rated {self.load} over {last}\n"
            f"doc: >\n  Of a load chart with the margin {self.margin:g}; the least over all other parameters. "
            "Between two places y is linear,\n  above a load that falls ever more slowly, as a tipping load does; "
            "low is nowhere above the lower of their loads.\n"
            "ports: {u: at.u, y: capacity.y, low: lower.y}\n"
            f"blocks:\n  at: {{type: gain, k: 1}}\n{blocks}"
            "connect: [at.y -> capacity.u, at.y -> lower.u]\n"
        )

    def plot(self) -> Figure:
        """Plot the rated load over the last parameter, a curve for each combination of the others.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from matplotlib.figure import Figure

        from ..results.matplotlib_plots import COLOURS

        figure = Figure(figsize=(8.0, 4.6), layout="constrained")
        axes = figure.subplots()
        names = list(self.axes)
        x, unit = numbers_of(self.axes[names[-1]])
        table = self.rated.reshape(-1, len(x)) / unit_scale(self.unit)
        words = np.array([self.limited(k) for k, _ in self.places()])
        limits = words.reshape(-1, len(x))
        others = list(itertools.product(*(self.axes[name] for name in names[:-1])))
        kinds = sorted(set(limits.ravel()))
        for k, (line, at) in enumerate(zip(table, others, strict=True)):
            label = ", ".join(f"{name} {value}" for name, value in zip(names[:-1], at, strict=True))
            edges, heights = lower_steps(np.array(x, float), line)
            colour = COLOURS[k % len(COLOURS)]
            axes.stairs(heights, edges, baseline=None, color=colour, linewidth=1.0, label=label or None)
            if self.sample is not None:
                low, high = (
                    ends.reshape(-1, len(x))[k] / unit_scale(self.unit) for ends in (self.low, self.high)
                )
                axes.vlines(x, low, high, color=colour, alpha=0.4, linewidth=4.0)  # known at the places alone
        if self.gust != 1.0:
            gust = self.gust
            right = axes.secondary_yaxis(
                "right",
                functions=(
                    lambda mean: np.multiply(mean, gust),
                    lambda found: np.divide(found, gust),
                ),
            )
            right.set_ylabel(f"as a gust{self._in()}")
        for mark, kind in zip("osD^vPX*h", kinds, strict=False):
            rows, columns = np.nonzero(limits == kind)
            at = np.array(x)[columns], table[rows, columns]
            axes.plot(*at, mark, color="#000000", markersize=4, label=str(kind))
        axes.set_xlabel(f"{names[-1]} [{unit}]" if unit else names[-1])
        axes.set_ylabel(f"rated {self.load}{self._in()}, margin {self.margin:g}")
        drawn = np.concatenate([self.rated.ravel(), self.high.ravel()]) / unit_scale(self.unit)
        top = np.max(drawn, initial=0.0, where=np.isfinite(drawn))
        axes.set_ylim(0.0, 1.08 * top if top > 0.0 else 1.0)
        axes.grid(color="#D9D9D9", linewidth=0.6)
        if len(others) + len(kinds) <= 24:
            axes.legend(fontsize="small", frameon=False)
        return figure


def _plain(values: NDArray[np.float64]) -> object:
    """Lists of numbers for JSON: an unknown one (NaN) is null, an infinite one the text "no limit"."""
    return json.loads(
        json.dumps(values.tolist()), parse_constant=lambda name: None if name == "NaN" else "no limit"
    )


def lower_rows(loads: np.ndarray) -> np.ndarray:
    """Rows whose chords lie nowhere above the lower load of both ends: each the least of its own and its neighbours."""
    wide = np.concatenate([loads[:1], loads, loads[-1:]])
    return np.minimum(np.minimum(wide[:-2], wide[1:-1]), wide[2:])


def rounded_down(load: float) -> str:
    """Load in six digits that are nowhere above it."""
    text = f"{load:.6g}"  # off by at most 5e-6 of it
    return text if float(text) <= load else f"{load * (1.0 - 1e-5):.6g}"


def lower_steps(x: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the intervals between places, and the lower of the loads at both ends of each; NaN beside an unknown one.

    A chord would lie above a load that falls ever more slowly, as a tipping load does with reach.
    """
    order = np.argsort(x, kind="stable")
    known = line[order]
    return x[order], np.minimum(known[:-1], known[1:])

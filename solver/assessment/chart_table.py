"""Table of a load chart: rated loads over its parameters, what governs at each place, its files and its picture."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem
from ...blocks.expression_scope import Scope
from ..results.result_files import atomic_replace
from ..studies.value_ranges import numbers_of, unit_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis.confirmation import Confirmation

Values = list[object]  # raw, as a netlist has them


@dataclass
class Chart:
    """Load chart: `rated` [SI] has an axis for each parameter of `axes`; `limits` names what governs at each place.

    `kinds`: "rated"; "none", where even the least load is too much (rated 0); "unknown", where the load was not found
    (NaN, with its reason in `reasons`); "range", where nothing limits the greatest load that was examined. `left_out`
    says what statics does not know of.

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
            Parameters, rated load and limit.
        """
        heads = [*self.axes, f"rated {self.load}{self._in()}", "limit"]
        return [heads, *([*map(str, at), self.shown(k, digits), self.limited(k)] for k, at in self.places())]

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
        return f"{self.rated[k] / unit_scale(self.unit):.{digits}g}"

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
        return [*unknown, *(f"left out: {words}" for words in self.left_out)]

    def _in(self) -> str:
        return f" [{self.unit}]" if self.unit else ""

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON; unknown loads are null.

        Returns
        -------
        dict
            Axes, loads, limits, kinds, reasons and settings.
        """
        return {
            "load": self.load,
            "over": self.axes,
            "rated": json.loads(json.dumps(self.rated.tolist()), parse_constant=lambda _: None),
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
        }

    def save(self, path: str | Path) -> Path:
        """Write to a file; one that was there is replaced.

        Parameters
        ----------
        path : str or Path
            A file .csv (table), .json (all), .png or .svg (figure), or .yaml (netlist with a table block).

        Returns
        -------
        Path
            The file.

        Raises
        ------
        LuffError
            The extension is another one, or the file cannot be written.
        """
        path = Path(path)
        writers: dict[str, Callable[[], bytes]] = {
            ".csv": self._csv,
            ".json": lambda: json.dumps(self.as_dict(), indent=1).encode(),
            ".yaml": lambda: self.limiter().encode(),
            ".png": lambda: self._drawn("png"),
            ".svg": lambda: self._drawn("svg"),
        }
        if path.suffix not in writers:
            mistake = f'found "{path.suffix}"' if path.suffix else "found no extension"
            raise LuffError(Problem(f"{mistake}, expected one of {', '.join(writers)}", str(path)))
        text = writers[path.suffix]()
        with atomic_replace(path, "the chart") as part:
            part.write_bytes(text)
        return path

    def _csv(self) -> bytes:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows())
        return text.getvalue().encode()

    def _drawn(self, kind: str) -> bytes:
        raw = io.BytesIO()
        self.plot().savefig(raw, format=kind, dpi=120)
        return raw.getvalue()

    def limiter(self) -> str:
        """Make a netlist for a load-moment limiter: `y` is the rated load at `u`, the last parameter.

        Over the other parameters the least load counts; between places it is linear; an unknown load counts as zero.

        Returns
        -------
        str
            A netlist with one table block.
        """
        last = list(self.axes)[-1]
        numbers = [Scope().quantity(value).value for value in self.axes[last]]
        least = np.nan_to_num(self.rated, nan=0.0).reshape(-1, len(numbers)).min(axis=0)
        pairs = sorted(zip(numbers, least.tolist(), strict=True))
        data = ", ".join(f"[{x!r}, {y:.6g}]" for x, y in pairs)
        return (
            f"luff: 1\nname: rated {self.load} over {last}\n"
            f"doc: Of a load chart with the margin {self.margin:g}; the least over all other parameters.\n"
            "ports: {u: capacity.u, y: capacity.y}\n"
            f"blocks:\n  capacity: {{type: table, over: input, beyond: hold, data: [{data}]}}\n"
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
            axes.plot(x, line, color=COLOURS[k % len(COLOURS)], linewidth=1.0, label=label or None)
        for mark, kind in zip("osD^vPX*h", kinds, strict=False):
            rows, columns = np.nonzero(limits == kind)
            at = np.array(x)[columns], table[rows, columns]
            axes.plot(*at, mark, color="#000000", markersize=4, label=str(kind))
        axes.set_xlabel(f"{names[-1]} [{unit}]" if unit else names[-1])
        axes.set_ylabel(f"rated {self.load}{self._in()}, margin {self.margin:g}")
        axes.set_ylim(bottom=0.0)
        axes.grid(color="#D9D9D9", linewidth=0.6)
        if len(others) + len(kinds) <= 24:
            axes.legend(fontsize="small", frameon=False)
        return figure

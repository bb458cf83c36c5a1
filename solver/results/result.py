"""`Result`: the recorded signals of a run, and where they go: files, tables, figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from ...blocks.errors import LuffError, Problem
from .recorded_run import RecordedRun
from .step_response import WITHIN, StepInfo, step_info

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Result(RecordedRun):
    """Recorded signals of one run by name, with units, parameters, netlist, quality and remarks.

    A mapping: `result["pin.position"]` has a value for each time, a vector signal a column for each element;
    `len(result)` is the number of signals. `time` are the times [s], `status` is finished, cancelled, interrupted or
    failed.

    Examples
    --------
    >>> import luff
    >>> result = luff.compile("library/templates/pendulum.yaml").run(stop=1.0)
    >>> len(result.time), result["pin.position"].shape, result.units["pin.position"]
    (101, (101,), 'rad')
    >>> len(result), "pin.velocity" in result, len(dict(result)["pin.velocity"])
    (15, True, 101)
    >>> round(result.peak("pin.position"), 3)
    1.047
    >>> result.match("energy.*")
    ['energy.kinetic', 'energy.potential', 'energy.total']
    """

    def save(self, path: str | Path) -> None:
        """Write to a file; one that was there is replaced once all is written.

        Parameters
        ----------
        path : str or Path
            The extension names the format: .h5, .csv, .npz, .mat, .json, .parquet, ... (see `luff.read`).

        Raises
        ------
        LuffError
            The extension is unknown, or the file cannot be written.
        """
        from .result_files import save

        save(self, path)

    def write_csv(self, file: TextIO) -> None:
        """Write the lines of a CSV into an open text file.

        Parameters
        ----------
        file : text file
            Open for writing, such as `sys.stdout`.
        """
        from .csv_format import write_lines

        write_lines(self, file)

    def to_pandas(self) -> pandas.DataFrame:
        """Convert to a data frame (extra `data`).

        Returns
        -------
        pandas.DataFrame
            A column for each scalar or element, time [s] as index, units in `.attrs`.
        """
        from .notebook_display import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """Convert to a dataset (extra `data`).

        Returns
        -------
        xarray.Dataset
            A variable for each signal over `time`, its unit in `.attrs`.
        """
        from .notebook_display import to_xarray

        return to_xarray(self)

    def step_info(
        self,
        name: str,
        goal: float | None = None,
        start: float = 0.0,
        stop: float = math.inf,
        within: float = WITHIN,
    ) -> StepInfo:
        """Figures of a step response: overshoot, rise time, settling time, steady error.

        Parameters
        ----------
        name : str
            A scalar signal.
        goal : float, optional
            Final value; the last value by default.
        start, stop : float, optional
            Part of the run that is looked at [s]; the step begins at the value at `start`.
        within : float, optional
            Band about the goal in which the response has settled, as a share of the step.

        Returns
        -------
        StepInfo
            Shares of the step, and times from `start` on [s].

        Raises
        ------
        LuffError
            The signal is a vector, or not recorded.
        """
        from .run_metrics import rows_between

        values = self[name]
        if values.ndim > 1:
            raise LuffError(Problem(f"found {name}, a vector, expected one number", fix=f'"{name}[0]"'))
        chosen = rows_between(self, start, stop)
        return step_info(self.time[chosen], values[chosen], goal, within)

    def plot(
        self,
        *names: str | Sequence[str],
        x: str = "time",
        against: Mapping[str, RecordedRun] | None = None,
        ax: Axes | Sequence[Axes] | np.ndarray | None = None,
    ) -> Figure:
        """Plot signals over time or over another signal, one axes for each unit.

        Parameters
        ----------
        *names : str or sequence of str
            Signals or globs; without any, the plots of the netlist.
        x : str, optional
            Signal of the horizontal axis.
        against : mapping of str to Result, optional
            Other results, by their labels, whose signals are drawn over these.
        ax : matplotlib.axes.Axes or sequence of them, optional
            Axes that are drawn into. All signals go into a single one, with their units in the legend where they
            differ; of several, one is for each unit.

        Returns
        -------
        matplotlib.figure.Figure
            A new figure outside pyplot, or that of `ax`.

        Raises
        ------
        LuffError
            A signal is not recorded, or there are more units or plots than axes.
        """
        from .notebook_display import plot

        wanted = [name for one in names for name in ([one] if isinstance(one, str) else one)]
        return plot(self, wanted, x, against, None if ax is None else [*np.ravel(np.asarray(ax, object))])

    def _repr_html_(self) -> str:
        from .notebook_display import html

        return html(self)


def read_result(path: str | Path) -> Result:
    """The result in a file of any of the formats; a CSV holds the signals and units alone."""
    from .result_files import read_recorded as read_file

    parts = read_file(path)
    return Result(**{field.name: getattr(parts, field.name) for field in fields(parts)})

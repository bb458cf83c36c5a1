"""`Result`: the recorded signals of a run, and where they go: files, tables, figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ...blocks.errors import LuffError, Problem
from .recorded_run import RecordedRun
from .step_response import WITHIN, StepInfo, step_info

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure


class Result(RecordedRun):
    """The recorded signals of one run, with the units, parameters and netlist they came from."""

    def save(self, path: str | Path) -> None:
        """Write in the format that the extension names (`.h5`, `.csv`, ...: `file_formats.py`); a file that was there
        is replaced once all is written."""
        from .result_files import save

        save(self, path)

    def write_csv(self, file: TextIO) -> None:
        """Write the lines of a CSV into an open text file, such as `sys.stdout`."""
        from .csv_format import write_lines

        write_lines(self, file)

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame`: a column for each scalar or element, time [s] as index, units in `.attrs`."""
        from .notebook_display import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset`: a variable for each signal over `time`, its unit in `.attrs`."""
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
        """Overshoot, rise and settling time, ... of a scalar signal from its value at `start` to the goal, which is its
        last value if left out."""
        from .run_metrics import rows_between

        values = self[name]
        if values.ndim > 1:
            raise LuffError(Problem(f"found {name}, a vector, expected one number", fix=f'"{name}[0]"'))
        chosen = rows_between(self, start, stop)
        return step_info(self.time[chosen], values[chosen], goal, within)

    def plot(
        self, *names: str | Sequence[str], x: str = "time", against: Mapping[str, RecordedRun] | None = None
    ) -> Figure:
        """A matplotlib figure of these signals (globs and lists too), one axes for each unit; without, of the
        netlist's plots.

        The same signals of other results are drawn over them: `against={"twice the mass": other}`.
        """
        from .notebook_display import plot

        wanted = [name for one in names for name in ([one] if isinstance(one, str) else one)]
        return plot(self, wanted, x, against)

    def _repr_html_(self) -> str:
        from .notebook_display import html

        return html(self)


def read_result(path: str | Path) -> Result:
    """The result in a file of any of the formats; a CSV holds the signals and units alone."""
    from .result_files import read_recorded as read_file

    parts = read_file(path)
    return Result(**{field.name: getattr(parts, field.name) for field in fields(parts)})

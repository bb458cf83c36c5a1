"""Registry of the formats of results, for all that reads, writes, offers or names them.

A format is a module of this folder and a line of `FORMATS`. The module has three functions:

    write(result, path)     everything of a result
    read(path)              what `write` has written
    columns(path)           numbers and unit by name, of whatever program has written such a file
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.light_dataclass import record

if TYPE_CHECKING:
    import numpy as np

    from .recorded_run import RecordedRun

    Columns = dict[str, tuple[np.ndarray, str]]


PLOT_FORMATS = (".png", ".svg", ".pdf")  # of pictures, which matplotlib writes
TABLE_FORMATS = (".csv", ".tex", ".md")  # of tables of text (`table_files.py`)


class Module(Protocol):
    """Functions of a format's module."""

    write: Callable[[RecordedRun, Path], None]
    read: Callable[[Path], RecordedRun]
    columns: Callable[[Path], Columns]


@record
class Format:
    """The first suffix is the usual one. One that streams takes the rows of a run as they come."""

    suffixes: tuple[str, ...]
    name: str  # in dialogs
    module: str
    streams: bool = False
    needs: str = ""  # a package that not every installation has
    extra: str = ""  # what brings it

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    @property
    def line(self) -> str:
        """Entry of a file dialog."""
        return f"{self.name} (*{self.suffix})"

    def load(self) -> Module:
        if self.needs and find_spec(self.needs) is None:
            raise RunError(f"{self.name} needs {self.needs}", fix=f"pip install 'luff[{self.extra}]'")
        return cast("Module", import_module(f".{self.module}", __package__))


FORMATS = (
    Format((".h5", ".hdf5"), "HDF5", "hdf5_format", streams=True),
    Format((".csv",), "CSV", "csv_format"),
    Format((".mat",), "MATLAB", "mat_format"),
    Format((".npz",), "NumPy", "npz_format"),
    Format((".parquet",), "Parquet", "parquet_format", needs="pyarrow", extra="data"),
)
STREAMED = next(one for one in FORMATS if one.streams)


def suffixes() -> tuple[str, ...]:
    return tuple(suffix for one in FORMATS for suffix in one.suffixes)


def known_format(path: str | Path) -> Format | None:
    """The format of a file by its name; None where no format has such names."""
    suffix = Path(path).suffix.lower()
    return next((one for one in FORMATS if suffix in one.suffixes), None)


def format_of(path: str | Path) -> Format:
    """Format of a path by its extension; RunError for an unknown one."""
    form, suffix = known_format(path), Path(path).suffix
    if form is None:
        told = f'found "{suffix}", expected {listed_suffixes()}' if suffix else f"add {listed_suffixes()}"
        fix = did_you_mean(suffix, suffixes(), listed=True) if suffix else ""
        raise LuffError(Problem(f"a result file's format is its extension: {told}", str(path), fix))
    return form


def streams(path: str | Path | None) -> bool:
    form = known_format(path) if path is not None else None
    return form is not None and form.streams


def listed_suffixes(mark: str = "") -> str:
    """`.h5, .csv or .mat`, the usual suffix of each."""
    words = [f"{mark}{one.suffix}{mark}" for one in FORMATS]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def save_filters() -> str:
    """The lines of a dialog that saves: the first is the one that is offered."""
    return ";;".join(one.line for one in FORMATS)


def open_filter() -> str:
    """The line of a dialog that opens."""
    return f"Results ({' '.join('*' + suffix for suffix in suffixes())})"

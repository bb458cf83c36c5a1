"""Output files of a run: checked before, streamed during, written after it."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..blocks.errors import LuffError, Problem, RunError
from ..blocks.text.safe_read import regular_file, shown
from ..solver.results.file_formats import PLOT_FORMATS, STREAMED, format_of, streams
from .console import UsageError, byte_output
from .shared_options import PIPE

if TYPE_CHECKING:
    from ..solver.results.result import Result


class Outputs:
    """Output files. Rows stream to the first file of a streaming format, else to a partial file beside the first one
    until that is complete."""

    def __init__(self, results: Sequence[Path], plot: Path | None):
        self.pipe = any(str(path) == PIPE for path in results)
        self.results, self.plot = [path for path in dict.fromkeys(results) if str(path) != PIPE], plot
        for path in self.results:
            check_result(path)
        if plot is not None:
            check_format(plot, PLOT_FORMATS)
        wanted = [path for path in self.results if streams(path)]
        files = [*self.results, *([plot] if plot else [])]
        self.partial = (
            files[0].with_name(f"{files[0].stem}.partial{STREAMED.suffix}") if files and not wanted else None
        )
        if self.pipe and not files:
            self._folder = TemporaryDirectory(prefix="luff-")  # goes with the process, however that ends
            self.partial = Path(self._folder.name) / f"rows.partial{STREAMED.suffix}"
        self.stream = wanted[0] if wanted else self.partial
        for path in [*files, *([self.partial] if self.partial else [])]:
            check_writable(path)

    def save(self, result: Result) -> list[Path]:
        """Write the remaining files and return all paths; the partial file stays if that fails."""
        try:
            for path in self.results:
                if path != self.stream:
                    result.save(path)
            if self.pipe:
                result.write_csv(byte_output())
            if self.plot is not None:
                from ..solver.results.matplotlib_plots import plot

                plot(result, self.plot)
        except LuffError as error:
            raise RunError(
                [*error.problems, Problem("the rows of the run are kept in this file", str(self.stream))]
            ) from None
        return [*self.results, *([self.plot] if self.plot else [])]

    def clear(self) -> None:
        """Remove the partial file, once other files have its rows."""
        if self.partial is None:
            return
        try:
            self.partial.unlink()
        except PermissionError:  # Windows: still mapped, by a picture, which holds itself
            gc.collect()
            self.partial.unlink()


def check_result(path: Path) -> None:
    try:
        format_of(path).load()
    except LuffError as error:
        raise UsageError(error.problems) from None


def check_file(path: Path, formats: Sequence[str]) -> None:
    """Check that a file can be written and its format is known; raises UsageError."""
    check_format(path, formats)
    check_writable(path)


def check_format(path: Path, formats: Sequence[str]) -> None:
    if path.suffix not in formats:
        mistake = f'found "{path.suffix}"' if path.suffix else "found no extension"
        raise UsageError(f"{mistake}, expected {', '.join(formats)}", path=str(path))


def check_writable(path: Path) -> None:
    """Check that a file can be written, before long work; raises UsageError."""
    folder = path.parent
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"the folder {folder} is a file, not a folder", path=str(path))
        if not folder.exists():
            raise UsageError(f"the folder {folder} does not exist", path=str(path), fix=f"mkdir -p {folder}")
        regular_file(path, "a file to write")
    except OSError as error:
        raise UsageError(f"cannot write {shown(path)}: {error.strerror}") from None
    except LuffError as error:
        raise UsageError(error.problems) from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"the folder {folder} is not writable", path=str(path))

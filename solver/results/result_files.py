"""Results into files and out of them: the format follows the name's extension (`file_formats.py`)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...blocks.errors import Problem, RunError
from .file_formats import format_of
from .hdf5_stream import failure_reason, reading_results
from .recorded_run import RecordedRun


def save(result: RecordedRun, path: str | Path) -> None:
    """Write a result in the format that the extension names."""
    path = Path(path)
    write = format_of(path).load().write
    with atomic_replace(path, "the result") as part:
        write(result, part)


def read_recorded(path: str | Path) -> RecordedRun:
    """Read a file of any of the formats, as far as each carries."""
    path = Path(path)
    read_file = format_of(path).load().read
    with reading_results(path):
        return read_file(path)


@contextmanager
def atomic_replace(path: Path, what: str) -> Iterator[Path]:
    """A name to write to, which becomes `path` once all is well: a failed save loses no earlier file."""
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise RunError(Problem(f"cannot save {what}: {failure_reason(error)}", str(path))) from error
    finally:
        with contextlib.suppress(OSError):  # a name that is too long, for one
            part.unlink(missing_ok=True)

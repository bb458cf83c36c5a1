"""Run an assessment: as a study, then all its checks, then the report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ..study.running import Progress, run
from ..study.store import read
from .assessed import Assessed, judged
from .page import write
from .spec import Assessment, load


def assess(
    path: str | Path | Assessment,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    files: Iterable[str | Path] = (),
    on: object = None,
    limit: float | None = None,
    report: str | Path | None = None,
    **changes: object,
) -> Assessed:
    """Run an assessment file, as `luff assess` does, and return its checks.

    `output` is NAME.h5 in the folder of the caller by default; runs that it holds already are not done again. `report`
    is an HTML file to write. `on` and `limit` are those of `study`.
    """
    found = path if isinstance(path, Assessment) else load(path, changes, files=files)
    target = (
        Path(output) if output is not None else Path(f"{(found.study.path or Path('assessment')).stem}.h5")
    )
    if target.suffix != ".h5":
        raise LuffError(Problem(f'found "{target.suffix}", expected .h5', str(target)))
    outcomes = run(found.study, target, jobs, progress, on=on, limit=limit)
    made = judged(found, read(target), outcomes)
    if report is not None:
        write(made, Path(report))
    return made

"""`luff fit` and `luff optimise`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from .console import UsageError, duration, print_json, reporting, say
from .options import AllowCode, AllowFiles, Jobs, Json, On, Quiet, Set, overrides
from .outputs import check_file

if TYPE_CHECKING:
    from ..solver.tuning import Fit, Optimum
    from ..solver.tuning.task import Task

    Search = Callable[[Task, Path, int | None, Callable[[int, str], object], bool, str | None], Fit | Optimum]

File = Annotated[Path, typer.Argument(help="What to search for, a YAML file.", show_default=False)]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Result file; FILE's name with .json here.", show_default=False),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", "-r", metavar="DIR", help="Folder for a page and figures.", show_default=False),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Search again what the result file has already.")]


def fit(
    file: File,
    output: Output = None,
    report_: Report = None,
    jobs: Jobs = None,
    set_: Set = None,
    fresh: Fresh = False,
    on: On = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Find parameters of a model from measured signals.

    A fit that was ended goes on where it was.
    """
    with reporting(json):
        from ..solver.tuning import fit as search

        searched(
            "fit", search, file, output, report_, jobs, set_, fresh, on, quiet, json, allow_code, allow_files
        )


def optimise(
    file: File,
    output: Output = None,
    report_: Report = None,
    jobs: Jobs = None,
    set_: Set = None,
    fresh: Fresh = False,
    on: On = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Find the parameters for which a number of a run is least.

    A search that was ended goes on where it was. Exit code 4: a requirement does not hold at the optimum.
    """
    with reporting(json):
        from ..solver.tuning import optimise as search

        optimum = searched(
            "optimise",
            search,
            file,
            output,
            report_,
            jobs,
            set_,
            fresh,
            on,
            quiet,
            json,
            allow_code,
            allow_files,
        )
        if not getattr(optimum, "holds", True):
            raise typer.Exit(4)


def searched(
    kind: str, search: Search, file: Path, output: Path | None, folder: Path | None, jobs: int | None,
    set_: list[str] | None, fresh: bool, on: str | None, quiet: bool, json: bool, allow_code: bool,
    files: list[Path] | None,
) -> Fit | Optimum:  # fmt: skip
    from ..solver.tuning.report import report, table
    from ..solver.tuning.task import load

    changes = overrides(set_)
    try:
        task = load(file, kind, changes, allow_code, files or ())
    except LuffError as error:
        if all(problem.path.startswith("--set") for problem in error.problems):
            raise UsageError(error.problems) from None
        raise
    target = output or Path(f"{file.stem}.json")
    check_file(target, (".json",))
    began = time.perf_counter()
    from .running import Signals

    with Signals() as signals, Line(quiet or json) as line:

        def look(runs: int, words: str) -> bool:
            line.show(runs, words)
            return not signals.caught

        answer = search(task, target, jobs, look, fresh, on)
    files_written = [target] if answer.status == "finished" else []
    if folder is not None:
        files_written += report(answer, folder)
    if json:
        print_json({**answer.as_dict(), "files": [str(path) for path in files_written]})
    elif not quiet:
        print("\n".join(table(answer)))
        print(f"{answer.runs} runs in {duration(time.perf_counter() - began)}")
        if files_written:
            print("wrote " + ", ".join(map(str, files_written)))
    if answer.status == "interrupted":
        say("luff: the search was ended; the same command goes on")
        raise typer.Exit(3)
    return answer


class Line:
    """One line that is written over, on a terminal."""

    def __init__(self, quiet: bool):
        self.on = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Line:
        return self

    def show(self, runs: int, words: str) -> None:
        if self.on:
            print(
                f"\r\033[K{runs} runs{', ' * bool(words)}{words}"[:120], end="", file=sys.stderr, flush=True
            )

    def __exit__(self, *_: object) -> None:
        if self.on:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

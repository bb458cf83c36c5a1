"""`luff fit` and `luff optimise`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import duration, own, print_json, print_line, shown_plainly
from .model_options import TaskFileOptions
from .run_outputs import check_file
from .shared_options import option

if TYPE_CHECKING:
    from ..solver.tuning import Fit, Optimum
    from ..solver.tuning.tuning_file import Task

    Search = Callable[[Task, Path, int | None, Callable[[int, str], object], bool, str | None], Fit | Optimum]

Output = Annotated[Path | None, option("--output", "-o", help="Result file; FILE's name with .json here.")]
Report = Annotated[
    Path | None, option("--report", "-r", metavar="DIR", help="Folder for a page and figures.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Search again what the result file has already.")]


@dataclass(frozen=True, kw_only=True)
class SearchOptions(TaskFileOptions):
    """Options of a search."""

    output: Output = None
    report_: Report = None
    fresh: Fresh = False


def fit(options: SearchOptions) -> None:
    """Find parameters of a model from measured signals.

    A fit that was ended goes on where it was.
    """
    from ..solver.tuning import fit as search

    run_search("fit", search, options)


def optimise(options: SearchOptions) -> None:
    """Find the parameters for which a number of a run is least.

    A search that was ended goes on where it was. Exit code 4: a requirement does not hold at the optimum.
    """
    from ..solver.tuning import optimise as search

    if not getattr(run_search("optimise", search, options), "holds", True):
        raise typer.Exit(4)


def run_search(kind: str, search: Search, options: SearchOptions) -> Fit | Optimum:
    from ..solver.tuning.tuning_file import load
    from ..solver.tuning.tuning_report import report, table

    with options.blaming_set():
        task = load(options.file, kind, options.changes, *options.opening)
    target = options.output or Path(f"{options.file.stem}.json")
    check_file(target, (".json",))
    began = time.perf_counter()
    from .run_progress import SignalHandler

    with SignalHandler() as signals, Line(options.silent) as line:

        def look(runs: int, words: str) -> bool:
            line.show(runs, words)
            return not signals.caught

        answer = search(task, target, options.jobs, look, options.fresh, options.on)
    files_written = [answer.file] if answer.file else []
    if options.report_ is not None:
        files_written += report(answer, options.report_)
    if options.json:
        print_json({**answer.as_dict(), "files": [str(path) for path in files_written]})
    elif not options.quiet:
        print("\n".join(table(answer)))
        print(f"{answer.runs} runs in {duration(time.perf_counter() - began)}")
        if files_written:
            print("wrote " + ", ".join(map(str, files_written)))
    if answer.status == "interrupted":
        print_line(
            f"luff: the search was stopped: this is the best so far; {_afterwards(target, answer, options)}"
        )
        raise typer.Exit(3)
    return answer


def _afterwards(target: Path, answer: Fit | Optimum, options: SearchOptions) -> str:
    """Words on what is kept of a search that was stopped, and how it goes on."""
    kept = "" if answer.file else f"{target} keeps the finished result of before"
    on = "the same command continues it" if not options.fresh else "without --fresh it is continued"
    return "; ".join(filter(None, [kept, on if answer.file or not options.fresh else ""]))


class Line:
    """Status line on a terminal that overwrites itself."""

    def __init__(self, quiet: bool, counted: str = "runs"):
        self.on, self.counted = not quiet and sys.stderr.isatty(), counted

    def __enter__(self) -> Line:
        return self

    def show(self, runs: int, words: str) -> None:
        if self.on:
            line = f"{runs} {self.counted}{', ' * bool(words)}{shown_plainly(words)}"[:110]
            print(f"\r\033[K{line}", end="", file=own(sys.stderr), flush=True)

    def __exit__(self, *_: object) -> None:
        if self.on:
            print("\r\033[K", end="", file=own(sys.stderr), flush=True)

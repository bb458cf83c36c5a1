"""`luff study`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError, Problem
from ..solver.results.file_formats import STREAMED, streams
from .console import UsageError, duration, in_bar, own_console, print_json, print_line, problem_records
from .model_options import VariantOptions
from .run_outputs import check_writable
from .shared_options import Font, Size, option, style_of

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..solver.studies import PassRate, Study, VariantOutcome


def study(
    options: VariantOptions,
    report_: Annotated[
        Path | None,
        option(
            "--report",
            "-r",
            metavar="DIR",
            help="Folder for tables and figures; PDF too by --size, --font.",
        ),
    ] = None,
    size: Size = None,
    font: Font = None,
) -> None:
    """Run a netlist in variants, side by side, and compare them.

    Variants that the result file has already are not run again, so that a study that was ended goes on where it was.
    """
    from ..solver.studies import load, report, verdicts
    from ..solver.studies.study_run import run, with_alone_figures

    check_limit(options.limit)
    style = style_of(size, font) if size is not None or font is not None else None
    with options.blaming_set():
        loaded = load(options.file, options.changes, *options.opening)
    if options.list_:
        listed(loaded, options.json)
        return
    target = options.target
    check_target(target)
    began = time.perf_counter()
    with StudyProgress(len(loaded.variants), options.silent) as watch:
        outcomes = run(
            loaded, target, options.jobs, watch.show_outcome, options.fresh, options.on, options.limit
        )
    from ..solver.studies import read_study

    results = with_alone_figures(read_study(target), outcomes)
    mistakes: list[Problem] = []
    files, judged, code = [target], [], 0
    try:
        if report_ is not None:
            files += report(loaded, results, report_, style)
        elif not options.silent:
            from ..solver.studies.study_report import tables

            print("\n".join(tables(loaded, results)), end="")
        judged = verdicts(loaded, results)
    except LuffError as error:
        mistakes, code = error.problems, error.exit_code
    code = exit_code(outcomes, code, judged)
    if options.json:
        told = summary(loaded, outcomes, files, code, time.perf_counter() - began, mistakes)
        print_json({**told, "requirements": [verdict.as_dict() for verdict in judged]})
    else:
        for problem in mistakes:
            print_line(problem)
        for verdict in judged:
            if not verdict.holds:
                print_line(f"luff: {failure(verdict)}")
        print_outcome(outcomes, files, time.perf_counter() - began, options.quiet)
    if code:
        raise typer.Exit(code)


def check_target(target: Path) -> None:
    """Raise an error where results cannot be streamed to the file."""
    if not streams(target):
        mistake = f'found "{target.suffix}"' if target.suffix else "found no extension"
        raise UsageError(f"{mistake}, expected {STREAMED.suffix}", path=str(target))
    check_writable(target)


def check_limit(limit: float | None) -> None:
    if limit is not None and not 0.0 < limit < inf:
        raise UsageError(
            f"found {limit:g}, expected seconds", path="--limit", fix="leave it out for no limit"
        )


def exit_code(outcomes: Sequence[VariantOutcome], mistake: int, judged: Sequence[PassRate]) -> int:
    if any(outcome.status in ("failed", "interrupted") and not outcome.refuted for outcome in outcomes):
        return 3
    if mistake:
        return mistake
    refuted = any(outcome.refuted for outcome in outcomes)
    return 4 if refuted or not all(verdict.holds for verdict in judged) else 0


def failure(verdict: PassRate) -> str:
    met = f"{verdict.met} of {verdict.of} variants meet it, expected {100 * verdict.required:g} %"
    unit = f" {verdict.unit}" if verdict.unit else ""
    worst = f"worst {verdict.worst:.4g}{unit} in {verdict.worst_variant}"
    word = "failed" if verdict.holds is False else "unknown, since values are no numbers"
    return f"requirement {word}: {verdict.title} {verdict.limits}: {met}; {worst}"


def listed(loaded: Study, json: bool) -> None:
    shown = [{"name": variant.name, "changes": loaded.overrides(variant)} for variant in loaded.variants]
    if json:
        print_json({"status": "fine", "name": loaded.name, "model": str(loaded.model), "variants": shown})
        return
    print(f"{loaded.name}: {len(shown)} variants of {loaded.model.name}")
    for one in shown:
        print("  " + one["name"])


def print_outcome(
    outcomes: Sequence[VariantOutcome], files: Sequence[Path], spent: float, quiet: bool
) -> None:
    for outcome in outcomes:
        if outcome.status == "failed":
            print_line(f"luff: {outcome.variant.name} failed: {outcome.message}")
    ended = sum(outcome.status == "interrupted" for outcome in outcomes)
    if ended:
        print_line(f"luff: the study was stopped with {ended} left to run; the same command continues it")
    if quiet:
        return
    counts = {
        status: sum(outcome.status == status for outcome in outcomes)
        for status in ("finished", "kept", "failed")
    }
    parts = [f"{counts['finished']} run", f"{counts['kept']} there before", f"{counts['failed']} failed"]
    print(f"{len(outcomes)} variants: {', '.join(parts)}, in {duration(spent)}")
    print("wrote " + ", ".join(map(str, files)))


def summary(
    loaded: Study,
    outcomes: Sequence[VariantOutcome],
    files: Sequence[Path],
    code: int,
    spent: float,
    mistakes: Sequence[Problem],
) -> dict[str, object]:
    ended = any(outcome.status == "interrupted" for outcome in outcomes)
    return {
        "status": "interrupted"
        if ended
        else {0: "finished", 1: "error", 4: "requirements failed"}.get(code, "failed"),
        "name": loaded.name,
        "model": str(loaded.model),
        "wall_time": spent,
        "variants": [
            {
                "name": outcome.variant.name,
                "status": outcome.status,
                "message": outcome.message,
                "wall_time": outcome.seconds,
                "alone": outcome.alone,
                "changes": loaded.overrides(outcome.variant),
            }
            for outcome in outcomes
        ],
        "files": [str(path) for path in files],
        "problems": problem_records(mistakes),
    }


class StudyProgress:
    """Study progress: a bar on a terminal, a line per variant in a pipe; clean end on Ctrl-C or SIGTERM."""

    def __init__(self, total: int, quiet: bool):
        from .run_progress import SignalHandler

        self.total, self.quiet = total, quiet
        self.signals = SignalHandler()
        self._progress: Progress | None = None

    def __enter__(self) -> StudyProgress:
        self.signals.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.signals.__exit__(None, None, None)
        if self._progress is not None:
            self._progress.stop()

    def show_outcome(self, outcomes: Sequence[VariantOutcome], ended: VariantOutcome | None) -> bool:
        if not self.quiet and sys.stderr.isatty():
            self._bar(outcomes)
        elif not self.quiet and ended is not None:
            done = sum(outcome.status in ("finished", "failed", "kept") for outcome in outcomes)
            took = f" in {duration(ended.seconds)}" if ended.seconds is not None else ""
            print_line(f"{done}/{self.total} {ended.variant.name}: {ended.status}{took}")
        return not self.signals.caught

    def _bar(self, outcomes: Sequence[VariantOutcome]) -> None:
        if self._progress is None:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.fields[done]}/{task.total} variants"),
                BarColumn(),
                TextColumn("{task.percentage:3.0f} %  {task.fields[running]}"),
                TimeRemainingColumn(),
                console=own_console(),
                transient=True,
            )
            self._progress.add_task("", total=self.total, done=0, running="")
            self._progress.start()
        shares = [1.0 if o.status in ("finished", "failed", "kept") else o.share for o in outcomes]
        running = [outcome.variant.name for outcome in outcomes if outcome.status == "running"]
        done = sum(share == 1.0 for share in shares)
        self._progress.update(
            self._progress.task_ids[0],
            completed=sum(shares),
            done=done,
            running=in_bar("; ".join(running)[:60]),
        )

"""`luff assess`."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import UsageError, duration, print_json, print_line
from .model_options import VariantOptions
from .run_outputs import check_file, check_writable
from .shared_options import option
from .study_command import StudyProgress

if TYPE_CHECKING:
    from ..solver.assessment import Assessed, Assessment


def assess(
    options: VariantOptions,
    report: Annotated[Path | None, option("--report", "-r", metavar="HTML", help="Report to write.")] = None,
    against: Annotated[
        Path | None,
        option("--against", help="The assessment of another design, to compare; --set is not for it."),
    ] = None,
) -> None:
    """Check a crane: load cases with partial factors, sections, ropes, limits, stability, damage over its life.

    Runs that the result file has already are not done again. Exit code 4 tells that a check fails, or that its value is
    no number and so nothing is known. Factors and limits
    are those of the file: no conformity with a standard is claimed.
    """
    from ..solver.assessment import load

    if report is not None:
        check_file(report, (".html",))
    target = options.target
    if target.suffix != ".h5":
        raise UsageError(f'found "{target.suffix}", expected .h5', path=str(target))
    with options.blaming_set():
        loaded = load(options.file, options.changes, *options.opening)
    if options.list_:
        _list(loaded, options.json)
        return
    check_writable(target)
    other, other_target = None, target.with_name(f"{target.stem}-against.h5")
    if against is not None:
        other = load(against, None, *options.opening)
        check_writable(other_target)
    from ..solver.assessment.design_comparison import as_dict, comparison
    from ..solver.results.table_files import markdown_lines
    from ..solver.results.verdict import Verdict

    began = time.perf_counter()
    made, ended = _assessed(loaded, target, options)
    files, compared = [target], None
    if other is not None and not ended:
        compared, ended = _assessed(other, other_target, options)
        files.append(other_target)
    if report is not None:
        files.append(made.save(report, shlex.join(["luff", *sys.argv[1:]]), options.jobs, compared))
    code = 3 if made.failed or ended else 0 if made.holds else 4
    if options.json:
        checks = "unknown" if made.verdict is Verdict.UNKNOWN else "checks failed"
        status = {0: "holds", 3: "interrupted" if ended else "failed", 4: checks}[code]
        told = {} if compared is None else {"against": as_dict(comparison(made, compared))}
        print_json({"status": status, **made.as_dict(), **told, "files": [str(path) for path in files]})
    else:
        if compared is not None and not options.quiet:
            print("\n".join([f"Compared with {compared.assessment.name}", ""]))
            print("\n".join([*markdown_lines(comparison(made, compared)), ""]))
        _tell(made, files, time.perf_counter() - began, options.quiet)
    if code:
        raise typer.Exit(code)


def _assessed(loaded: Assessment, target: Path, options: VariantOptions) -> tuple[Assessed, bool]:
    """Run an assessment into a file and judge it; True beside it if the runs were interrupted."""
    from ..solver.assessment import judge_runs
    from ..solver.studies import read_study
    from ..solver.studies.study_run import run

    with StudyProgress(len(loaded.study.variants), options.silent) as watch:
        outcomes = run(
            loaded.study, target, options.jobs, watch.show_outcome, options.fresh, options.on, options.limit
        )
    ended = any(outcome.status == "interrupted" for outcome in outcomes)
    return judge_runs(loaded, read_study(target), outcomes), ended


def _tell(made: Assessed, files: list[Path], spent: float, quiet: bool) -> None:
    """Print the tables, and the checks that fail."""
    from ..solver.assessment.findings_tables import summary
    from ..solver.results.table_files import markdown_lines
    from ..solver.results.verdict import Verdict

    if not quiet:
        for heading, rows in summary(made).items():
            print("\n".join([heading, "", *markdown_lines(rows), ""]))
    for words, runs in made.warnings.items():
        print_line(f"luff: warning: {words} (in {', '.join(runs)})")
    for one in made.judged:
        if one.verdict is Verdict.FAILS:
            print_line(f"luff: {one.title} fails")
        elif one.verdict is Verdict.UNKNOWN:
            print_line(f"luff: {one.title} is unknown: its value is no number")
    for name, why in made.failed.items():
        print_line(f"luff: {name} failed: {why}")
    if not quiet:
        print(f"{len(made.outcomes)} runs, {len(made.checks)} checks, in {duration(spent)}")
        print("wrote " + ", ".join(map(str, files)))


def _list(loaded: Assessment, json: bool) -> None:
    if json:
        print_json(
            {
                "name": loaded.name,
                "model": str(loaded.study.model),
                "runs": [
                    {"name": variant.name, "changes": loaded.study.overrides(variant)}
                    for variant in loaded.study.variants
                ],
            }
        )
        return
    print(f"{loaded.name}: {len(loaded.study.variants)} runs of {loaded.study.model.name}")
    for variant in loaded.study.variants:
        print(f"  {variant.name}")

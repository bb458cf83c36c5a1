"""`luff chart`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from ..solver.results.file_formats import PLOT_FORMATS, TABLE_FORMATS
from .console import UsageError, duration, own, print_json, print_line
from .model_options import OverrideOptions
from .run_outputs import check_file
from .shared_options import Font, Jobs, Size, argument, listed, once_each, option, style_of

if TYPE_CHECKING:
    from ..solver.assessment.chart_table import Chart

SUFFIXES = (*TABLE_FORMATS, ".json", *PLOT_FORMATS, ".yaml")


@dataclass(frozen=True, kw_only=True)
class ChartOptions(OverrideOptions):
    """Options of load charts: the crane, its varied parameters, and its limits."""

    file: Annotated[Path, argument("An assessment, or a netlist: a file, or a name in the library.")]
    load: Annotated[str, option("--load", metavar="PARAM[=FROM:TO]", help="The load: load, or load=0t:40t.")]
    over: Annotated[
        list[str],
        listed("--over", help="What varies: radius=8m,12m,16m, 0deg:360deg:15deg, or '6 m to 12 m in 4'."),
    ]
    margin: Annotated[
        float, typer.Option("--margin", min=1e-3, help="Ratio of the load found to the rated load.")
    ] = 1.0
    limit: Annotated[
        list[str] | None, listed("--limit", help='A limit of any signal: "rope.tension<80kN".')
    ] = None
    dynamic: Annotated[
        bool, typer.Option("--dynamic", help="Run all cases at each place, rather than statics.")
    ] = False
    confirm: Annotated[
        bool,
        typer.Option(
            "--confirm", help="Fly runs at 1.02 and 0.98 of each load that is found, and show them."
        ),
    ] = False
    gust: Annotated[
        float,
        typer.Option(
            "--gust",
            min=1.0,
            help="Gust over mean, where the load is a wind: the gust acts, the mean is told.",
        ),
    ] = 1.0
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", min=2, help="Runs of all cases in so many seeds of sea and wind.", show_default=False
        ),
    ] = None
    percentile: Annotated[
        float, typer.Option("--percentile", help="Share of the seeds that break no check [%].")
    ] = 90.0
    output: Annotated[
        list[Path] | None,
        option(
            "--output",
            "-o",
            help="A .csv, .tex or .md table, .json, .pdf, .png, .svg, or a .yaml table block. Repeatable.",
        ),
    ] = None
    jobs: Jobs = None
    size: Size = None
    font: Font = None


def chart(options: ChartOptions) -> None:
    """Find the load that a crane may carry over radius, slewing or any parameters, and what limits it where.

    Limits are those of an assessment file; of a netlist its section_sensors with an allowable stress, its one-sided
    supports, and --limit. Statics decide, in the mean wind, or with --dynamic the motions of all cases. A place is
    `none` where not even the least load is borne, `unknown` where its load was not found. The load may be any
    parameter: --load speed=1m/s:40m/s --gust 1.4 is a wind-limit chart; --load Hs=0m:6m --seeds 40 is the sea in which
    90 % of 40 seeds break no check, with its confidence interval.
    """
    for path in options.output or ():
        check_file(path, SUFFIXES)
    style = style_of(options.size, options.font)
    began = time.perf_counter()
    made = _charted(options)
    files = [made.save(path, style) for path in options.output or ()]
    if options.json:
        print_json({"status": "finished", **made.as_dict(), "files": [str(path) for path in files]})
        return
    if not options.quiet:
        from ..solver.analysis.confirmation import table
        from ..solver.results.table_files import markdown_lines

        print("\n".join(markdown_lines(made.rows())))
        for line in (*made.remarks(), *(table(made.confirmed) if options.confirm else ())):
            print(line)
        spent = duration(time.perf_counter() - began)
        print(f"\n{made.rated.size} places, {made.evaluations} evaluations, in {spent}")
    if files:
        print_line("wrote " + ", ".join(map(str, files)))


def _charted(options: ChartOptions) -> Chart:
    name, lower, upper = _range(options.load)
    axes = once_each(map(_axis, options.over), "--over")
    limits = [_limit(text) for text in options.limit or ()]
    from ..solver.assessment.load_chart import chart

    shown = not options.silent and sys.stderr.isatty()

    def tell(done: int, of: int) -> None:
        if shown:
            print(f"\r{done}/{of} places", end="\n" if done == of else "", file=own(sys.stderr), flush=True)

    return chart(
        options.file, name, axes, lower, upper, options.margin, limits, options.dynamic, options.jobs,
        options.allow_files or (), tell, options.confirm, options.gust, options.seeds or 0, options.percentile,
        set=options.changes,
    )  # fmt: skip


def _range(text: str) -> tuple[str, object, object]:
    from ..solver.netlist import read_value

    name, equals, span = text.partition("=")
    if not equals:
        return name.strip(), 0.0, None
    low, colon, high = span.partition(":")
    if not colon:
        raise UsageError(f'found "{text}", expected load=FROM:TO', path="--load", fix="load=0t:40t")
    return name.strip(), read_value(low), read_value(high)


def _axis(text: str) -> tuple[str, list[object]]:
    """Axis name and values, from `radius=8,12,16` or `slewing=0deg:360deg:15deg` with both ends."""
    from ..solver.studies.value_ranges import values_of

    name, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise UsageError(f'found "{text}", expected parameter=values', path="--over", fix="radius=8m,12m,16m")
    try:
        return name.strip(), values_of(values, "--over")
    except LuffError as error:
        raise UsageError(error.problems) from None


def _limit(text: str) -> dict[str, object]:
    from ..solver.assessment.load_chart import limit_from

    try:
        return limit_from(text, "--limit")
    except LuffError as error:
        raise UsageError(error.problems) from None

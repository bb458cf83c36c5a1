"""`luff tornado`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..solver.results.file_formats import PLOT_FORMATS, TABLE_FORMATS
from .console import UsageError, own, print_json, print_line
from .model_options import ModelOptions
from .run_outputs import check_file
from .shared_options import Font, Size, listed, once_each, option, style_of

SUFFIXES = (*TABLE_FORMATS, ".json", *PLOT_FORMATS)


def tornado(
    options: ModelOptions,
    of: Annotated[str, option("--of", metavar="SIGNAL", help="The signal that is measured: rope.tension.")],
    over: Annotated[
        list[str],
        listed("--over", help="A parameter and its ends: load=4t:6t, or load=10% of its own value."),
    ],
    metric: Annotated[
        str, typer.Option("--metric", help="What is measured of it, as in studies.")
    ] = "maximum",
    start: Annotated[str | None, option("--start", help="Measured from here: 5 s.")] = None,
    stop: Annotated[str | None, option("--stop", help="To here.")] = None,
    unit: Annotated[str, option("--unit", help="Unit to show.")] = "",
    output: Annotated[
        list[Path] | None,
        listed("--output", "-o", help="A .csv, .tex or .md table, .json, a .pdf, .png or .svg figure."),
    ] = None,
    size: Size = None,
    font: Font = None,
) -> None:
    """Vary one parameter at a time between two ends, and rank them by how far a measure of the run goes.

    All others are as in the model: what two parameters do together is for a study with `sensitivity`.
    """
    for path in output or ():
        check_file(path, SUFFIXES)
    style = style_of(size, font)
    ends = once_each(map(_ends, over), "--over")
    from ..solver.assessment.tornado_bars import tornado as find
    from ..solver.netlist import read_value

    shown = not options.silent and sys.stderr.isatty()

    def tell(done: int, all_: int) -> None:
        if shown:
            print(f"\r{done}/{all_} runs", end="\n" if done == all_ else "", file=own(sys.stderr), flush=True)

    first, last = 0.0 if start is None else read_value(start), None if stop is None else read_value(stop)
    made = find(options.diagram(), of, ends, metric, first, last, unit, (), tell, set=options.changes)
    files = [made.save(path, style) for path in output or ()]
    if options.json:
        print_json({"status": "finished", **made.as_dict(), "files": [str(path) for path in files]})
        return
    if not options.quiet:
        from ..solver.results.table_files import markdown_lines

        print("\n".join([*markdown_lines(made.rows()), *made.remarks()]))
    if files:
        print_line("wrote " + ", ".join(map(str, files)))


def _ends(text: str) -> tuple[str, list[object] | str]:
    """Parameter and ends, from `load=4t:6t` or `load=10%`."""
    from ..solver.netlist import read_value

    name, equals, ends = text.partition("=")
    low, colon, high = ends.partition(":")
    if equals and ends.strip().endswith("%") and not colon:
        return name.strip(), ends.strip()
    if not equals or not colon or not low.strip() or not high.strip() or ":" in high:
        raise UsageError(f'found "{text}", expected load=4t:6t or load=10%', path="--over", fix="load=10%")
    return name.strip(), [read_value(low), read_value(high)]

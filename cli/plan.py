"""`luff plan`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .console import duration, print_json, print_line
from .model_options import ModelOptions
from .run_outputs import check_file
from .shared_options import argument, option
from .tuning_commands import Line

Output = Annotated[
    Path | None, option("--output", "-o", help="Plan, .json; FILE's name with .plan.json here.")
]
Table = Annotated[
    Path | None, option("--table", help="Controls over time, .csv, which luff run --input plays.")
]
Netlist = Annotated[Path | None, option("--netlist", help="The model with the controls in it, .yaml.")]
Flight = Annotated[
    Path | None,
    option(
        "--result", help="The simulation of the plan, in a format of results; of several cases the first."
    ),
]

Picture = Annotated[
    Path | None, option("--plot", help="Controls and limited signals over time, .png, .svg or .pdf.")
]


@dataclass(frozen=True, kw_only=True)
class PlanOptions(ModelOptions):
    """Options of a plan."""

    file: Annotated[Path, argument("The YAML file that says what to do.")]
    output: Output = None
    table: Table = None
    netlist: Netlist = None
    result: Flight = None
    plot: Picture = None


def plan(options: PlanOptions) -> None:
    """Find the best motion of a model within limits, and fly it again.

    Ctrl-C ends the search with the best motion so far.
    """
    from ..solver.planning import plan as search
    from ..solver.planning.plan_file import load
    from .run_progress import SignalHandler

    task = load(options.file, options.changes, *options.opening)
    target = options.output or Path(f"{options.file.stem}.plan.json")
    for path, suffixes in (
        (target, (".json",)),
        (options.table, (".csv",)),
        (options.netlist, (".yaml", ".yml")),
    ):
        if path is not None:
            check_file(path, suffixes)
    began = time.perf_counter()
    with SignalHandler() as signals, Line(options.silent, "iterations") as line:

        def look(iterations: int, words: str) -> bool:
            line.show(iterations, words)
            return not signals.caught

        made = search(task, progress=look)
    written = [target]
    made.save(target)
    if options.table is not None:
        made.save(options.table)
        written.append(options.table)
    if options.netlist is not None:
        made.to_netlist().save(options.netlist)
        written.append(options.netlist)
    if options.result is not None and made.result is not None:
        made.result.save(options.result)
        written.append(options.result)
    if options.plot is not None:
        made.plot().savefig(options.plot, dpi=120)
        written.append(options.plot)
    if options.json:
        print_json({**made.as_dict(), "files": [str(path) for path in written]})
    elif not options.quiet:
        print("\n".join(made.table()))
        print(f"found in {duration(time.perf_counter() - began)}; wrote {', '.join(map(str, written))}")
    sys.stdout.flush()
    if made.status in ("interrupted", "unfinished"):
        print_line(f"luff: the search was {made.status}; this is the best motion so far")
        raise typer.Exit(3)

"""`luff buckling`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..solver.result.formats import PLOT_FORMATS
from .analysis import Time
from .asked import AskedOfModel
from .console import print_json, say
from .options import written
from .outputs import check_file


def buckling(
    asked: AskedOfModel,
    load: Annotated[str, typer.Option("--load", help="The parameter that grows: F.value, world.gravity.")],
    time: Time = 0.0,
    output: Annotated[
        Path | None, written("-o", "--output", help="Draw the mode: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Find the multiple of a load at which the equilibrium loses its stability, and the mode."""
    from ..solver.analysis import buckling as solver

    if output is not None:
        check_file(output, PLOT_FORMATS)
    sim = asked.simulation()
    answer = solver.buckling(sim, load, time)
    if output is not None:
        answer.plot().savefig(output, dpi=120)
    if asked.json:
        print_json(answer.as_dict())
        return
    if asked.quiet:
        return
    for note in answer.notes:
        say(f"luff: {note}")
    for line in solver.described(answer):
        print(line)
    if output is not None:
        print(f"wrote {output}")

"""`luff margins`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ..solver.result.formats import PLOT_FORMATS
from .analysis import At, AtState, Kind, Time, tell_drawn
from .asked import AskedOfModel
from .console import UsageError, print_json
from .outputs import check_file

EXAMPLE = "luff margins crane.yaml --cut slew.effort"


def margins(
    asked: AskedOfModel,
    cut: Annotated[str, typer.Option("--cut", help="The port at which the loop is cut: slew.effort.")] = "",
    kind: Annotated[Kind, typer.Option(help="bode or nyquist: what is drawn.")] = Kind.bode,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; FILE-margins.png if left out.")
    ] = None,
) -> None:
    """Gain, phase and delay margin of a loop, cut at a signal."""
    from ..solver.analysis.margins import described
    from ..solver.analysis.margins import margins as solver

    if not cut:
        raise UsageError("found no --cut, expected a port of a loop", path="luff margins", fix=EXAMPLE)
    if kind is Kind.step:
        raise UsageError("found step, expected bode or nyquist", path="--kind")
    path = output or Path(f"{asked.file.stem}-margins.png")
    check_file(path, PLOT_FORMATS)
    told = solver(asked.simulation(), cut, time, at.value)
    if asked.json:
        finite = {
            k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in told.as_dict().items()
        }
        print_json(finite)
        return
    (told.plot_nyquist() if kind is Kind.nyquist else told.plot()).savefig(path, dpi=120)
    tell_drawn(asked, told.notes, described(told), path)

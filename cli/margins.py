"""`luff margins`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .analysis import At, AtState, Kind, Time
from .console import UsageError, print_json, reporting, say
from .options import AllowCode, AllowFiles, File, Json, Quiet, Set, compiled, overrides
from .outputs import PLOT_FORMATS, check_file

if TYPE_CHECKING:
    from ..solver.analysis.margins import Margins

EXAMPLE = "luff margins crane.yaml --cut slew.effort"


def margins(
    file: File,
    cut: Annotated[str, typer.Option("--cut", help="The port at which the loop is cut: slew.effort.")] = "",
    kind: Annotated[Kind, typer.Option(help="bode or nyquist: what is drawn.")] = Kind.bode,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; FILE-margins.png if left out.")
    ] = None,
    set_: Set = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Gain, phase and delay margin of a loop, cut at a signal."""
    with reporting(json):
        from ..solver.analysis.margins import margins as solver

        if not cut:
            raise UsageError("found no --cut, expected a port of a loop", path="luff margins", fix=EXAMPLE)
        if kind is Kind.step:
            raise UsageError("found step, expected bode or nyquist", path="--kind")
        path = output or Path(f"{file.stem}-margins.png")
        check_file(path, PLOT_FORMATS)
        told = solver(compiled(file, overrides(set_), allow_code, allow_files), cut, time, at.value)
        if json:
            finite = {
                k: None if isinstance(v, float) and not math.isfinite(v) else v
                for k, v in told.as_dict().items()
            }
            print_json(finite)
            return
        (told.plot_nyquist() if kind is Kind.nyquist else told.plot()).savefig(path, dpi=120)
        if not quiet:
            for note in told.notes:
                say(f"luff: {note}")
            for line in lines(told):
                print(line)
            print(f"wrote {path}")


def lines(told: Margins) -> Iterator[str]:
    yield f"the closed loop is {told.stability}" + (
        "" if told.stability == "stable" else ": its margins say nothing of safety"
    )
    if math.isfinite(told.gain):
        decibels = 20.0 * math.log10(told.gain)
        yield f"gain margin: {told.gain:.6g} ({decibels:.4g} dB) at {told.gain_frequency:.6g} rad/s"
    else:
        yield "gain margin: infinite"
    if told.gain_low > 0.0:
        yield f"the gain may fall to {told.gain_low:.6g} of what it is"
    if math.isfinite(told.phase):
        yield f"phase margin: {math.degrees(told.phase):.6g} deg at {told.phase_frequency:.6g} rad/s"
        yield f"delay margin: {told.delay:.6g} s at {told.delay_frequency:.6g} rad/s"
    else:
        yield "phase and delay margin: infinite, the gain is nowhere 1"
    yield f"nearest to -1: {told.modulus:.6g} at {told.modulus_frequency:.6g} rad/s"

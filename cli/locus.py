"""`luff locus`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from .analysis import At, AtState, Time
from .console import UsageError, print_json, reporting, say
from .options import AllowCode, AllowFiles, File, Json, Quiet, Set, compiled, overrides
from .outputs import PLOT_FORMATS, check_file

if TYPE_CHECKING:
    import numpy as np

EXAMPLE = "luff locus crane.yaml --over drive.kp=1..100"


def locus(
    file: File,
    over: Annotated[
        str, typer.Option("--over", help="The parameter and its range: drive.kp=1..100, king.mass=1 t..9 t.")
    ] = "",
    points: Annotated[int, typer.Option("--points", min=2, max=10_000, help="Values in the range.")] = 101,
    log: Annotated[
        bool, typer.Option("--log", help="Each value the same multiple of the one before.")
    ] = False,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; FILE-locus.png if left out.")
    ] = None,
    set_: Set = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Roots of the linear model over a parameter, and where it becomes unstable."""
    with reporting(json):
        from ..solver.analysis.locus import described
        from ..solver.analysis.locus import locus as solver

        parameter, values = ranged(over, points, log)
        path = output or Path(f"{file.stem}-locus.png")
        check_file(path, PLOT_FORMATS)
        changes = overrides(set_)
        sim = compiled(file, {**changes, parameter: float(values[0])}, allow_code, allow_files)
        told = solver(sim, parameter, values, time, at.value)
        if json:
            print_json(told.as_dict())
            return
        told.plot().savefig(path, dpi=120)
        if not quiet:
            for note in told.notes:
                say(f"luff: {note}")
            for line in described(told):
                print(line)
            print(f"wrote {path}")


def ranged(over: str, points: int, log: bool) -> tuple[str, np.ndarray]:
    """The parameter, and its values in SI units."""
    import numpy as np

    from ..blocks.text.quantity import quantity

    parameter, _, ends = (part.strip() for part in over.partition("="))
    low, _, high = (part.strip() for part in ends.partition(".."))
    if not parameter or not low or not high:
        mistake = f'found "{over}" for --over, expected BLOCK.PARAM=LOW..HIGH'
        raise UsageError(mistake, path="luff locus", fix=EXAMPLE)
    try:
        first, last = quantity(low), quantity(high)
    except LuffError as error:
        raise UsageError(error.problems) from None
    if not first.value < last.value:
        raise UsageError(f'found the range "{ends}", expected a lower end first', path="--over", fix=EXAMPLE)
    if log and first.value <= 0.0:
        raise UsageError(f'found the range "{ends}", expected --log from above zero', path="--over")
    spread = np.geomspace if log else np.linspace
    return parameter, spread(first.value, last.value, points)

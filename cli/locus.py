"""`luff locus`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from ..solver.result.formats import PLOT_FORMATS
from .analysis import At, AtState, Time, tell_drawn
from .asked import AskedOfModel
from .console import UsageError, print_json
from .outputs import check_file

if TYPE_CHECKING:
    import numpy as np

EXAMPLE = "luff locus crane.yaml --over drive.kp=1..100"


def locus(
    asked: AskedOfModel,
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
) -> None:
    """Roots of the linear model over a parameter, and where it becomes unstable."""
    from ..solver.analysis.locus import described
    from ..solver.analysis.locus import locus as solver

    parameter, values = ranged(over, points, log)
    path = output or Path(f"{asked.file.stem}-locus.png")
    check_file(path, PLOT_FORMATS)
    told = solver(asked.simulation({parameter: float(values[0])}), parameter, values, time, at.value)
    if asked.json:
        print_json(told.as_dict())
        return
    told.plot().savefig(path, dpi=120)
    tell_drawn(asked, told.notes, described(told), path)


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

"""`luff modes`, `luff linearize` and `luff bode`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..solver.result.formats import PLOT_FORMATS
from .asked import AskedOfModel
from .console import UsageError, print_json, say
from .options import listed, written
from .outputs import check_file

if TYPE_CHECKING:
    from ..solver.analysis.frequency import FrequencyResponse, StepResponse
    from ..solver.analysis.linearise import Linear
    from ..solver.analysis.modes import Modes


class At(StrEnum):
    """Where a model is linearised."""

    equilibrium = "equilibrium"
    initial = "initial"


AtState = Annotated[
    At, typer.Option("--at", help="The state to linearise about: the equilibrium, or the initial state.")
]
Inputs = Annotated[list[str] | None, listed("--input", help="A port that is perturbed: slew.effort.")]
Outputs = Annotated[
    list[str] | None, listed("--output", help="An output signal, or a glob; all states by default.")
]
Time = Annotated[
    float, typer.Option("--time", help="Time [s] at which sources and planned motions are evaluated.")
]


def modes(
    asked: AskedOfModel,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
) -> None:
    """Natural frequencies, damping ratios and mode shapes.

    For models with input shapers it says how to tune them to the lowest mode.
    """
    from ..solver.analysis import modes as solver

    answer = solver.modes(asked.simulation(), time, at.value)
    if asked.json:
        print_json(answer.as_dict())
        return
    if asked.quiet:
        return
    for line in solver.described(answer):
        print(line)
    tell(answer)
    if any(answer.oscillating):
        tuned = answer.tuning(1) if answer.damping[0] >= 0.0 else {}
        for shaper in answer.shapers if tuned else ():
            words = " ".join(f"--set {shaper}.{name}={value:.10g}" for name, value in tuned.items())
            print(f"{shaper} is tuned to mode 1 by {words}")


def linearize(
    asked: AskedOfModel,
    input_: Inputs = None,
    output: Outputs = None,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    out: Annotated[Path | None, written("-o", "--out", help="Write to .npz, .mat or .json.")] = None,
) -> None:
    """Linearise: dx/dt = A x + B u, y = C x + D u."""
    import numpy as np

    from ..solver.analysis.linearise import FORMATS, linearise

    if out is not None:
        check_file(out, tuple(FORMATS))
    sim = asked.simulation()
    lin = linearise(sim, time, at.value, input_ or (), output or ())
    if out is not None:
        lin.save(out)
    if asked.json:
        print_json(lin.as_dict())
        return
    tell(lin)
    if asked.quiet:
        return
    names = {"states": lin.state_names, "inputs": lin.input_names, "outputs": lin.output_names}
    for kind, words in names.items():
        print(f"{kind}: {', '.join(words) or 'none'}")
    with np.printoptions(precision=6, suppress=False, linewidth=110, threshold=400):
        for letter in "ABCD":
            print(f"{letter} =\n{getattr(lin, letter)}")
    if out is not None:
        print(f"wrote {out}")


def tell(lin: Linear | Modes) -> None:
    """What to know before trusting the numbers."""
    for note in remarks(lin):
        say(f"luff: {note}")


def remarks(lin: Linear | Modes) -> list[str]:
    return [*([lin.equilibrium] if lin.equilibrium else []), *lin.notes]


def tell_drawn(asked: AskedOfModel, notes: Sequence[str], lines: Iterable[str], path: Path) -> None:
    """What a picture shows, in words."""
    if asked.quiet:
        return
    for note in notes:
        say(f"luff: {note}")
    for line in lines:
        print(line)
    print(f"wrote {path}")


class Kind(StrEnum):
    """What is drawn of a linear model."""

    bode = "bode"
    nyquist = "nyquist"
    step = "step"


def bode(
    asked: AskedOfModel,
    from_: Annotated[list[str] | None, listed("--from", help="A port that is excited: slew.effort.")] = None,
    to: Annotated[list[str] | None, listed("--to", help="An output signal, or a glob.")] = None,
    kind: Annotated[Kind, typer.Option(help="Bode's diagram, Nyquist's, or the step response.")] = Kind.bode,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; FILE-KIND.png if left out.")
    ] = None,
) -> None:
    """Linearise, and draw how outputs answer to inputs."""
    from ..solver.analysis.frequency import StepResponse, peaks
    from ..solver.analysis.linearise import linearise

    if not from_ or not to:
        raise UsageError("found no --from or no --to, expected both", path="luff bode", fix=EXAMPLE)
    path = output or Path(f"{asked.file.stem}-{kind.value}.png")
    check_file(path, PLOT_FORMATS)
    sim = asked.simulation()
    lin = linearise(sim, time, at.value, from_, to)
    response = lin.step() if kind is Kind.step else lin.bode()
    if asked.json:
        print_json({**answer(response), "stability": lin.stability, "notes": lin.notes})
        return
    made = lin.nyquist() if kind is Kind.nyquist else response.plot()
    made.savefig(path, dpi=120)
    lines = [] if isinstance(response, StepResponse) else peaks(response)
    tell_drawn(asked, remarks(lin), lines, path)


EXAMPLE = "luff bode crane.yaml --from drive.effort --to slew.position"


def answer(response: FrequencyResponse | StepResponse) -> dict[str, object]:
    """Lists for JSON: by output, by input, along the axis."""
    names = {"inputs": response.input_names, "outputs": response.output_names}
    from ..solver.analysis.frequency import StepResponse

    if isinstance(response, StepResponse):
        return {
            **names,
            "time": response.time.tolist(),
            "values": response.values.transpose(1, 2, 0).tolist(),
        }
    magnitude, phase = (a.transpose(1, 2, 0).tolist() for a in (response.magnitude, response.phase))
    return {**names, "frequency": response.frequencies.tolist(), "magnitude": magnitude, "phase": phase}

"""Analyses of a model at one state: `luff static`, `modes`, `linearize`, `bode`, `margins`, `locus`, `buckling`; and
along a path: `invert`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.models import OptionInfo

from ..blocks.errors import LuffError
from ..solver.results.file_formats import PLOT_FORMATS
from ..solver.results.file_formats import listed_suffixes as listed_formats
from .console import UsageError, plain, print_json, print_line, problem_records, warn
from .frequency_options import FrequencyUnit, Range, Unit, frequency_span
from .model_options import ModelOptions
from .run_outputs import check_file, check_result
from .shared_options import Confirm, listed, option

if TYPE_CHECKING:
    import numpy as np

    from ..solver.analysis.confirmation import Confirmation
    from ..solver.analysis.frequency_response import FrequencyResponse, StepResponse
    from ..solver.analysis.linearise import Linear
    from ..solver.analysis.natural_modes import Modes


TIMES = "leave them out: its axis is time"
BODE = "luff bode crane.yaml --from drive.effort --to slew.position"
MARGINS = "luff margins crane.yaml --cut slew.effort"
LOCUS = "luff locus crane.yaml --over drive.kp=1..100"


class OperatingOptions(StrEnum):
    """State at which a model is linearised."""

    equilibrium = "equilibrium"
    initial = "initial"


Hold = Annotated[list[str] | None, listed("--hold", help="A joint or coordinate that keeps its value: slew.")]
Inputs = Annotated[list[str] | None, listed("--from", help="A port that is perturbed: slew.effort.")]
Outputs = Annotated[
    list[str] | None, listed("--to", help="An output signal, or a glob; all states by default.")
]


def refuse_input(given: list[str] | None) -> None:
    """Refuse --input, which elsewhere gives an input its values."""
    if given:
        raise typer.BadParameter(f"found {given[0]}; ports are named by --from {given[0]}")


NoInput = Annotated[list[str] | None, typer.Option("--input", hidden=True, callback=refuse_input)]
Time = Annotated[
    float, typer.Option("--time", help="Time, in s, at which sources and planned motions are evaluated.")
]


@dataclass(frozen=True, kw_only=True)
class LinearOptions(ModelOptions):
    """Options of analyses about a state."""

    at: Annotated[
        OperatingOptions,
        typer.Option("--at", help="The state to linearise about: the equilibrium, or the initial state."),
    ] = OperatingOptions.equilibrium
    time: Time = 0.0


def picture(file: str) -> OptionInfo:
    """Option for the name of a picture file."""
    return typer.Option("--output", "-o", help=f"The picture; {file}.png if left out.")


def static(
    options: ModelOptions,
    hold: Hold = None,
    output: Annotated[Path | None, option("--output", "-o", help="Write to this .json file too.")] = None,
    confirm: Confirm = False,
) -> None:
    """Find the equilibrium under gravity, springs and supports.

    Joints keep their values where `hold`, here or in the netlist's `initial`, says so; drives do nothing else. Told are
    positions, the efforts that the held joints carry, the forces of supports, and what nothing holds. `--confirm` also
    flies the model from there, kicked and damped.
    """
    from ..solver.analysis.analysis_units import display_unit_of
    from ..solver.analysis.confirmation import table
    from ..solver.analysis.perturbed_rest import confirm_rest
    from ..solver.analysis.static_tables import describe_static

    if output is not None:
        check_file(output, (".json",))
    held = {"initial.hold": list(hold)} if hold else {}
    sim = options.simulation({**held, "initial.solve": "static"})
    warnings = sim.remarks
    rest = sim.static()
    runs = confirm_rest(sim) if confirm else None
    confirmed = {} if runs is None else {"confirmed": [one.as_dict() for one in runs]}
    record = {"status": "fine", **rest, **confirmed, "warnings": problem_records(warnings)}
    if output is not None:
        from ..blocks.text.atomic_write import write_whole

        write_whole(output, dumps(plain(record), indent=2, ensure_ascii=False) + "\n")
    if options.json:
        print_json(record)
        return
    if options.quiet:
        return
    warn(warnings)
    for line in [*describe_static(rest, display_unit_of(sim)), *(table(runs) if runs is not None else ())]:
        print(line)
    if output is not None:
        print(f"wrote {output}")


def modes(options: LinearOptions, confirm: Confirm = False) -> None:
    """Natural frequencies, damping ratios and mode shapes.

    For models with input shapers it says how to tune them to the lowest mode.
    """
    from ..solver.analysis import natural_modes as solver
    from ..solver.analysis.perturbed_runs import confirm_modes

    sim = options.simulation()
    answer = solver.modes(sim, options.time, options.at.value)
    runs = confirmation_runs(options, lambda: confirm_modes(sim, answer)) if confirm else None
    if options.json:
        print_json({**answer.as_dict(), **runs_as_dict(runs)})
        return
    if options.quiet:
        return
    for line in solver.describe_modes(answer):
        print(line)
    print_warnings(answer)
    if any(answer.oscillating):
        tuned = answer.tuning(1) if answer.damping[0] >= 0.0 else {}
        for shaper in answer.shapers if tuned else ():
            words = " ".join(f"--set {shaper}.{name}={value:.10g}" for name, value in tuned.items())
            print(f"{shaper} is tuned to mode 1 by {words}")
    show_runs(runs)


def confirmation_runs(
    options: LinearOptions, runs: Callable[[], Iterable[Confirmation]]
) -> list[Confirmation]:
    """Confirmation runs of an analysis; they start at the equilibrium at time zero, other states are refused."""
    if options.at is not OperatingOptions.equilibrium or options.time != 0.0:
        raise UsageError(
            "found --confirm with another state or time, expected the equilibrium at time 0", path="--confirm"
        )
    return list(runs())


def runs_as_dict(runs: list[Confirmation] | None) -> dict[str, object]:
    return {} if runs is None else {"confirmed": [one.as_dict() for one in runs]}


def show_runs(runs: list[Confirmation] | None) -> None:
    from ..solver.analysis.confirmation import table

    for line in table(runs) if runs is not None else ():
        print(line)


def linearize(
    options: LinearOptions,
    from_: Inputs = None,
    to: Outputs = None,
    output: Annotated[Path | None, option("--output", "-o", help="Write to .npz, .mat or .json.")] = None,
    no_input: NoInput = None,
) -> None:
    """Linearise: dx/dt = A x + B u, y = C x + D u."""
    import numpy as np

    from ..solver.analysis.linear_tables import certain_matrices, describe_linear
    from ..solver.analysis.linearise import FORMATS, linearise

    if output is not None:
        check_file_of_signals(output, tuple(FORMATS))
    sim = options.simulation()
    lin = linearise(sim, options.time, options.at.value, from_ or (), to or (), errors=not options.json)
    if output is not None:
        lin.save(output)
    if options.json:
        print_json(lin.as_dict())
        return
    print_warnings(lin)
    if options.quiet:
        return
    names = {"states": lin.state_names, "inputs": lin.input_names, "outputs": lin.output_names}
    for kind, words in names.items():
        print(f"{kind}: {', '.join(words) or 'none'}")
    with np.printoptions(precision=6, suppress=False, linewidth=110, threshold=400):
        for letter, matrix in certain_matrices(lin).items():
            print(f"{letter} =\n{matrix}")
    for line in describe_linear(lin):
        print(line)
    if output is not None:
        print(f"wrote {output}")


def check_file_of_signals(path: Path, formats: Sequence[str]) -> None:
    """Check that a file can be written, where a signal may have been meant; raises UsageError."""
    if path.suffix not in formats:
        mistake = f'found "{path}", expected a file: {", ".join(formats)}'
        raise UsageError(mistake, path="--output", fix="--to names signals, --from the ports that move them")
    check_file(path, formats)


def print_warnings(lin: Linear | Modes) -> None:
    """Print the remarks that limit the validity of the results."""
    for note in remarks(lin):
        print_line(f"luff: {note}")


def remarks(lin: Linear | Modes) -> list[str]:
    return [*([lin.equilibrium] if lin.equilibrium else []), *lin.notes]


def print_figure(options: ModelOptions, notes: Sequence[str], lines: Iterable[str], path: Path) -> None:
    """Print notes and lines about a figure, and its path."""
    if options.quiet:
        return
    for note in notes:
        print_line(f"luff: {note}")
    for line in lines:
        print(line)
    print(f"wrote {path}")


class Kind(StrEnum):
    """Diagram of a linear model."""

    bode = "bode"
    nyquist = "nyquist"
    step = "step"


def bode(
    options: LinearOptions,
    from_: Annotated[list[str] | None, listed("--from", help="A port that is excited: slew.effort.")] = None,
    to: Annotated[list[str] | None, listed("--to", help="An output signal, or a glob.")] = None,
    kind: Annotated[Kind, typer.Option(help="Bode's diagram, Nyquist's, or the step response.")] = Kind.bode,
    range_: Range = "",
    unit: Unit = FrequencyUnit.rad,
    output: Annotated[Path | None, picture("FILE-KIND")] = None,
) -> None:
    """Linearise, and draw how outputs answer to inputs."""
    from ..solver.analysis.frequency_response import StepResponse, Transfer, frequency_grid, resonance_peaks
    from ..solver.analysis.linearise import linearise

    span = frequency_span(range_, unit)
    if kind is Kind.step and (range_ or unit is not FrequencyUnit.rad):
        raise UsageError(
            "found --range or --unit, expected neither for a step response", path="luff bode", fix=TIMES
        )
    if not from_ or not to:
        raise UsageError("found no --from or no --to, expected both", path="luff bode", fix=BODE)
    path = output or Path(f"{options.file.stem}-{kind.value}.png")
    check_file(path, PLOT_FORMATS)
    sim = options.simulation()
    lin = linearise(sim, options.time, options.at.value, from_, to)
    response = lin.step() if kind is Kind.step else lin.bode(frequency_grid(Transfer(lin), *span))
    if options.json:
        print_json({**response_lists(response), "stability": lin.stability, "notes": lin.notes})
        return
    if isinstance(response, StepResponse):
        made, lines = response.plot(), iter(())
    else:
        made = response.plot_nyquist() if kind is Kind.nyquist else response.plot(unit.value)
        lines = resonance_peaks(response, unit.value)
    made.savefig(path, dpi=120)
    print_figure(options, remarks(lin), lines, path)


def response_lists(response: FrequencyResponse | StepResponse) -> dict[str, object]:
    """Response as nested lists for JSON: by output, by input, along the axis."""
    names = {"inputs": response.input_names, "outputs": response.output_names}
    from ..solver.analysis.frequency_response import StepResponse

    if isinstance(response, StepResponse):
        return {
            **names,
            "time": response.time.tolist(),
            "values": response.values.transpose(1, 2, 0).tolist(),
        }
    magnitude, phase = (a.transpose(1, 2, 0).tolist() for a in (response.magnitude, response.phase))
    return {**names, "frequency": response.frequencies.tolist(), "magnitude": magnitude, "phase": phase}


def margins(
    options: LinearOptions,
    cut: Annotated[str, typer.Option("--cut", help="The port at which the loop is cut: slew.effort.")] = "",
    kind: Annotated[Kind, typer.Option(help="bode or nyquist: what is drawn.")] = Kind.bode,
    unit: Unit = FrequencyUnit.rad,
    output: Annotated[Path | None, picture("FILE-margins")] = None,
    confirm: Confirm = False,
) -> None:
    """Gain, phase and delay margin of a loop, cut at a signal."""
    from ..solver.analysis.perturbed_runs import confirm_margins
    from ..solver.analysis.stability_margins import describe_margins
    from ..solver.analysis.stability_margins import margins as solver

    if not cut:
        raise UsageError("found no --cut, expected a port of a loop", path="luff margins", fix=MARGINS)
    if kind is Kind.step:
        raise UsageError("found step, expected bode or nyquist", path="--kind")
    path = output or Path(f"{options.file.stem}-margins.png")
    check_file(path, PLOT_FORMATS)
    sim = options.simulation()
    told = solver(sim, cut, options.time, options.at.value)
    runs = confirmation_runs(options, lambda: confirm_margins(sim, told)) if confirm else None
    if options.json:
        print_json({**told.as_dict(), **runs_as_dict(runs)})
        return
    (told.plot_nyquist() if kind is Kind.nyquist else told.plot(unit.value)).savefig(path, dpi=120)
    print_figure(options, told.notes, describe_margins(told, unit.value), path)
    if not options.quiet:
        show_runs(runs)


def locus(
    options: LinearOptions,
    over: Annotated[
        str, typer.Option("--over", help="The parameter and its range: drive.kp=1..100, king.mass=1 t..9 t.")
    ] = "",
    points: Annotated[int, typer.Option("--points", min=2, max=10_000, help="Values in the range.")] = 101,
    log: Annotated[
        bool, typer.Option("--log", help="Each value the same multiple of the one before.")
    ] = False,
    output: Annotated[Path | None, picture("FILE-locus")] = None,
    confirm: Confirm = False,
) -> None:
    """Roots of the linear model over a parameter, and where it becomes unstable."""
    from ..solver.analysis.perturbed_runs import confirm_locus
    from ..solver.analysis.root_locus import describe_locus
    from ..solver.analysis.root_locus import locus as solver

    parameter, values = parameter_range(over, points, log)
    path = output or Path(f"{options.file.stem}-locus.png")
    check_file(path, PLOT_FORMATS)
    sim = options.simulation({parameter: float(values[0])})
    told = solver(sim, parameter, values, options.time, options.at.value, refine=not options.json)
    runs = confirmation_runs(options, lambda: confirm_locus(sim, told)) if confirm else None
    if options.json:
        print_json({**told.as_dict(), **runs_as_dict(runs)})
        return
    told.plot().savefig(path, dpi=120)
    print_figure(options, told.notes, describe_locus(told), path)
    if not options.quiet:
        show_runs(runs)


def parameter_range(over: str, points: int, log: bool) -> tuple[str, np.ndarray]:
    """Parameter name and its values in SI units, from NAME=FROM..TO."""
    import numpy as np

    from ..blocks.text.quantity import quantity

    parameter, _, ends = (part.strip() for part in over.partition("="))
    low, _, high = (part.strip() for part in ends.partition(".."))
    if not parameter or not low or not high:
        mistake = f'found "{over}" for --over, expected BLOCK.PARAM=LOW..HIGH'
        raise UsageError(mistake, path="luff locus", fix=LOCUS)
    try:
        first, last = quantity(low), quantity(high)
    except LuffError as error:
        raise UsageError(error.problems) from None
    if not first.value < last.value:
        raise UsageError(f'found the range "{ends}", expected a lower end first', path="--over", fix=LOCUS)
    if log and first.value <= 0.0:
        raise UsageError(f'found the range "{ends}", expected --log from above zero', path="--over")
    spread = np.geomspace if log else np.linspace
    return parameter, spread(first.value, last.value, points)


def buckling(
    options: ModelOptions,
    load: Annotated[str, typer.Option("--load", help="The parameter that grows: F.value, world.gravity.")],
    time: Time = 0.0,
    output: Annotated[
        Path | None, option("-o", "--output", help="Draw the mode: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Find the multiple of a load at which the equilibrium loses its stability, and the mode."""
    from ..solver.analysis import buckling as solver
    from ..solver.analysis.analysis_units import display_unit_of

    if output is not None:
        check_file(output, PLOT_FORMATS)
    sim = options.simulation()
    answer = solver.buckling(sim, load, time)
    if output is not None:
        answer.plot().savefig(output, dpi=120)
    if options.json:
        print_json(answer.as_dict())
        return
    if options.quiet:
        return
    for note in answer.notes:
        print_line(f"luff: {note}")
    for line in solver.describe_buckling(answer, display_unit_of(sim)):
        print(line)
    if output is not None:
        print(f"wrote {output}")


def invert(
    options: ModelOptions,
    output: Annotated[
        list[Path] | None, listed("--output", "-o", help=f"Table of the plan: {listed_formats()}.")
    ] = None,
) -> None:
    """Plan drives' motion along a path that a run cannot follow, since what they leave free would grow.

    The whole run is one boundary-value problem, from rest to rest; drives begin before the target does.
    """
    from ..solver.analysis.bounded_inversion import bounded_inversion
    from ..solver.analysis.internal_dynamics import internal_dynamics

    for path in output or ():
        check_result(path)
    sim = options.simulation()
    free = internal_dynamics(sim)
    made = bounded_inversion(sim)
    for path in output or ():
        made.result.save(path)
    if options.json:
        roots = [[s.real, s.imag] for s in free.eigenvalues.tolist()] if free else []
        print_json(
            {
                "internal_dynamics": roots,
                "residual": made.residual,
                "at_start": made.at_start,
                "at_end": made.at_end,
                "files": [str(path) for path in output or ()],
            }
        )
        return
    if options.quiet:
        return
    for line in made.described():
        print(line)
    for path in output or ():
        print(f"wrote {path}")

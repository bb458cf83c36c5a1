"""Controllers from a linear model: `luff lqr`, `luff kalman`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .analysis_commands import LinearOptions, NoInput, check_file_of_signals, parameter_range
from .console import UsageError, print_json, print_line
from .shared_options import listed, option

if TYPE_CHECKING:
    from ..solver.analysis.kalman_filter import Estimator
    from ..solver.analysis.linear_quadratic import GainSchedule, Regulator

LQR = "luff lqr plant.yaml --from 'force=2 kN' --to 'pin.position=3 deg' -o lqr.json"
KALMAN = "luff kalman plant.yaml --measured 'pin.position=0.2 deg' --noise 'gust=50 N' -o kalman.json"


@dataclass(frozen=True, kw_only=True)
class DesignOptions(LinearOptions):
    """Options of a controller's design."""

    sample_time: Annotated[
        str, typer.Option("--sample-time", help="Time between samples, 20 ms; continuous if left out.")
    ] = "0 s"
    output: Annotated[
        Path | None, option("--output", "-o", help="Write the design for the block, .json.")
    ] = None
    no_input: NoInput = None

    @property
    def period(self) -> float:
        """Sample time [s]."""
        from ..blocks.text.quantity import in_unit, quantity

        return in_unit(quantity(self.sample_time), "s", self.sample_time)


def named_numbers(given: list[str] | None, name: str, fix: str) -> dict[str, float | str]:
    """NAME=VALUE entries of a repeated option."""
    found: dict[str, float | str] = {}
    for text in given or ():
        key, equals, value = (part.strip() for part in text.partition("="))
        if not key or not equals or not value:
            raise UsageError(f'found "{text}" for {name}, expected SIGNAL=VALUE', path=name, fix=fix)
        found[key] = value
    if not found:
        raise UsageError(f"found no {name}, expected one at least", path=name, fix=fix)
    return found


def lqr(
    options: DesignOptions,
    from_: Annotated[
        list[str] | None,
        listed(
            "--from", metavar="PORT=VALUE", help="A commanded port, and its largest deviation: force=2kN."
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        listed("--to", metavar="SIGNAL=VALUE", help="A signal to keep, and its largest deviation: x=0.5m."),
    ] = None,
    over: Annotated[
        str, typer.Option("--over", help="A parameter and its range, for a table of gains: rope=4m..8m.")
    ] = "",
    points: Annotated[int, typer.Option("--points", min=2, max=1000, help="Values in the range.")] = 5,
) -> None:
    """Linear-quadratic regulator: the gain of the block `lqr` for a plant without its controller.

    The cost is the integral of squares of outputs and inputs, each over the largest deviation that is acceptable.
    """
    from ..solver.analysis.linear_quadratic import describe_regulator
    from ..solver.analysis.linear_quadratic import lqr as solver

    if options.output is not None:
        check_file_of_signals(options.output, (".json",))
    inputs, outputs = named_numbers(from_, "--from", LQR), named_numbers(to, "--to", LQR)
    schedule = parameter_range(over, points, log=False) if over else None
    sim = options.simulation({schedule[0]: float(schedule[1][0])} if schedule else {})
    found = solver(sim, inputs, outputs, options.period, options.time, options.at.value, schedule)
    finish(options, found, describe_regulator(found))


def kalman(
    options: DesignOptions,
    measured: Annotated[
        list[str] | None,
        listed(
            "--measured",
            metavar="SIGNAL=VALUE",
            help="A measured signal, and its noise: pin.position=0.2deg.",
        ),
    ] = None,
    noise: Annotated[
        list[str] | None,
        listed("--noise", metavar="PORT=VALUE", help="A port at which noise drives the model: gust=50N."),
    ] = None,
    from_: Annotated[
        list[str] | None,
        listed("--from", metavar="PORT", help="A port whose value the filter is told: force."),
    ] = None,
) -> None:
    """Steady Kalman filter: the matrices of the block `kalman` for a plant without its controller.

    With a sample time noise is given as standard deviations of samples, else as roots of spectral densities in s.
    """
    from ..solver.analysis.kalman_filter import describe_estimator
    from ..solver.analysis.kalman_filter import kalman as solver

    if options.output is not None:
        check_file_of_signals(options.output, (".json",))
    seen, driven = named_numbers(measured, "--measured", KALMAN), named_numbers(noise, "--noise", KALMAN)
    found = solver(
        options.simulation(), seen, driven, from_ or (), options.period, options.time, options.at.value
    )
    finish(options, found, describe_estimator(found))


def finish(options: DesignOptions, found: Regulator | GainSchedule | Estimator, lines: Iterable[str]) -> None:
    """Write the design, and print it."""
    if options.output is not None:
        found.save(options.output)
    record = found.as_dict()
    if options.json:
        print_json(record | ({"files": [str(options.output)]} if options.output else {}))
        return
    if options.quiet:
        return
    notes = record["notes"]
    for note in notes if isinstance(notes, list) else ():
        print_line(f"luff: {note}")
    for line in lines:
        print(line)
    if options.output is not None:
        print(f"wrote {options.output}")

"""`luff run`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from ..blocks.errors import Problem
from ..solver.integrators.methods import METHODS, in_words
from ..solver.result.formats import listed as listed_formats
from .compiling import tell_of_compiling
from .console import UsageError, as_records, duration, print_json, reporting, say, warn
from .options import (
    AllowCode,
    AllowFiles,
    File,
    Input,
    Joystick,
    Json,
    Quiet,
    Set,
    compiled,
    listed,
    number,
    overrides,
    word,
)
from .outputs import Outputs

if TYPE_CHECKING:
    from ..solver.result.recorded import Quality
    from ..solver.run.session import Session
    from ..solver.run.simulation import Simulation


def run(
    file: File,
    output: Annotated[
        list[Path] | None,
        listed("--output", "-o", help=f"Result file: {listed_formats()}; - is CSV to a pipe."),
    ] = None,
    set_: Set = None,
    input_: Input = None,
    stop: Annotated[str | None, typer.Option(help='End time: 20, "1 min".', show_default=False)] = None,
    step: Annotated[str | None, typer.Option(help='Step: 1e-3, "1 ms".', show_default=False)] = None,
    method: Annotated[
        str | None, typer.Option(help=f"{in_words(METHODS.values())}.", show_default=False)
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(
            help="step, or locate: end steps where a limit, contact or relay switches.", show_default=False
        ),
    ] = None,
    output_step: Annotated[
        str | None, typer.Option(help="Time between recorded rows.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the netlist's plots: .png, .svg or .pdf.", show_default=False)
    ] = None,
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Keep to the clock, and tell how late the run was.")
    ] = False,
    joystick: Joystick = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Keep what the operator did, as a result is kept.", show_default=False),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", help="Do again what was kept by --keep: the same bits.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Simulate a netlist.

    A result in .h5 is written as the run goes on and stays readable whatever ends it. For other formats the rows
    wait in NAME.partial.h5 beside them until the run is over.
    """
    with reporting(json):
        outputs = Outputs(output or (), plot)
        if outputs.pipe and json:
            raise UsageError("found -o - and --json, which both write to the pipe", path="luff run")
        quiet = quiet or outputs.pipe  # nothing but rows goes there
        given: Given = {
            "stop": number("stop", stop),
            "step": number("step", step),
            "method": word("method", method),
            "events": word("events", events),
            "output_step": number("output_step", output_step),
        }
        changes = overrides(set_)
        if given["step"] is not None:
            changes["simulation.step"] = given["step"]  # delays are laid out for the step
        tell_of_compiling(quiet or json)
        sim = compiled(file, changes, allow_code, allow_files, input_)
        warnings = sim.remarks
        if plot is not None:
            check_plots(sim)
        if not quiet and not json:
            warn(warnings)
        session = sim.start(**given)
        began = time.perf_counter()
        from .driving import Driving
        from .running import run_to_end

        driving = Driving(sim, session, realtime, joystick, keep, replay)
        driving.tell_missing(quiet or json)
        with driving:
            quality = run_to_end(sim, session, outputs.stream, bar=not quiet and not json, go=driving.advance)
        spent = time.perf_counter() - began
        files = [*save(outputs), *driving.files]
        if json:
            told = report(sim, session, quality, files, spent, [*warnings, *session.remarks])
            print_json(told | driving.report())
        elif not quiet:
            warn(session.remarks)
            for line in (*summary(sim, session, quality, spent), *driving.lines()):
                print(line)
        if session.status != "finished":
            if not json:
                say_why(session, files)
            raise typer.Exit(4 if session.refuted else 3)
        if files and not quiet and not json:
            print("wrote " + ", ".join(map(str, files)))


class Given(TypedDict):
    """What options say of the run; None: as the netlist says."""

    stop: float | None
    step: float | None
    method: str | None
    events: str | None
    output_step: float | None


def save(outputs: Outputs) -> list[Path]:
    if outputs.stream is None:
        return []
    from ..solver.result.result import read_result

    return outputs.save(read_result(outputs.stream))


def check_plots(sim: Simulation) -> None:
    """A plot of a signal that is not recorded is told before the run."""
    import numpy as np

    from ..solver.result.plots import check
    from ..solver.result.result import Result

    names = [column.name for column in sim.program.columns]
    probe = Result(np.zeros(1), names, np.zeros((1, len(names))), sim.units, plots=sim.program.flat.plots)
    check(probe, probe.plots)


def report(
    sim: Simulation,
    session: Session,
    quality: Quality,
    files: list[Path],
    spent: float,
    warnings: Sequence[Problem],
) -> dict[str, object]:
    failed = [session.problem] if session.status == "failed" else []
    return {
        "status": session.status,
        "message": session.message,
        "name": sim.program.flat.name,
        "time": session.time,
        "stop": session.stop,
        "step": session.step_size,
        "steps": session.done,
        "rows": session.done // session.every + 1,
        "method": session.method,
        "signals": len(session.columns),
        "wall_time": spent,
        "real_time_factor": session.time / spent if spent > 0 else None,
        "quality": quality,
        "files": [str(path) for path in files],
        "warnings": as_records(warnings),
        "problems": as_records(failed),
    }


def summary(sim: Simulation, session: Session, quality: Quality, spent: float) -> list[str]:
    name = sim.program.flat.name or "run"
    factor = session.time / spent if spent > 0 else 0.0
    pace = f"{session.time:g} s in {duration(spent)} ({factor:.3g} x real time)"
    lines = [f"{name}: {pace}, {session.done} steps of {session.step_size:g} s, {session.method}"]
    if session.status == "failed":
        return lines
    lines += [session.message] if session.status == "finished" and session.message else []
    if "energy" in quality:
        energy = quality["energy"]
        share = f"{energy['relative_residual']:.1g} of the largest term"
        lines.append(f"energy balance: off by {energy['residual']:.2g} J, {share}")
    if "newton_euler_residual" in quality:
        share = f"{quality['newton_euler_residual']:.1g} of the largest force"
        lines.append(
            f"reactions: bodies balance to {share}, {quality.get('newton_euler_body', '')} the least"
        )
    if "constraint_violation" in quality:
        lines.append(f"constraints: violated by {quality['constraint_violation']:.1g} at most")
    return lines


def say_why(session: Session, files: list[Path]) -> None:
    say(session.problem if session.status == "failed" else f"luff: {session.message}")
    rows = session.done // session.every + 1
    kept = (
        f"{rows} rows are kept in {', '.join(map(str, files))}"
        if files
        else "nothing was kept: no -o was given"
    )
    say(f"luff: {kept}")

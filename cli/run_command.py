"""`luff run`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from ..blocks.errors import Problem
from ..solver.integrators.method_table import METHODS, listed_names
from ..solver.results.file_formats import listed_suffixes as listed_formats
from .console import UsageError, duration, print_json, print_line, problem_records, show_compiling, warn
from .model_options import InputOptions
from .run_outputs import Outputs
from .shared_options import Input, listed, number, option, word

if TYPE_CHECKING:
    from ..solver.results.recorded_run import Quality
    from ..solver.simulation.session import Session
    from ..solver.simulation.simulation import Simulation


class RunSettings(TypedDict):
    """Run settings from the options; None keeps the netlist's value."""

    stop: float | None
    step: float | None
    method: str | None
    events: str | None
    output_step: float | None


@dataclass(frozen=True, kw_only=True)
class RunOptions(InputOptions):
    """Options of one run: settings and outputs."""

    output: Annotated[
        list[Path] | None,
        listed("--output", "-o", help=f"Result file: {listed_formats()}; - is CSV to a pipe."),
    ] = None
    input_: Input = None
    stop: Annotated[str | None, option(help='End time: 20, "1 min".')] = None
    step: Annotated[str | None, option(help='Step: 1e-3, "1 ms".')] = None
    method: Annotated[str | None, option(help=f"{listed_names(METHODS.values())}.")] = None
    events: Annotated[
        str | None, option(help="step, or locate: end steps where a limit, contact or relay switches.")
    ] = None
    output_step: Annotated[str | None, option(help="Time between recorded rows.")] = None
    plot: Annotated[Path | None, option(help="Draw the netlist's plots: .png, .svg or .pdf.")] = None

    def settings(self) -> RunSettings:
        """Run settings from the options; None keeps the netlist's value."""
        return {
            "stop": number("stop", self.stop),
            "step": number("step", self.step),
            "method": word("method", self.method),
            "events": word("events", self.events),
            "output_step": number("output_step", self.output_step),
        }


def run(options: RunOptions) -> None:
    """Simulate a netlist.

    A result in .h5 is written as the run goes on and stays readable whatever ends it. For other formats the rows
    wait in NAME.partial.h5 beside them until the run is over.
    """
    outputs = Outputs(options.output or (), options.plot)
    if outputs.pipe and options.json:
        raise UsageError("found -o - and --json, which both write to the pipe", path="luff run")
    if outputs.pipe:
        options = replace(options, quiet=True)  # nothing but rows goes there
    given = options.settings()
    # delays are laid out for the step
    step = {} if given["step"] is None else {"simulation.step": given["step"]}
    show_compiling(options.silent)
    sim = options.simulation(step, options.input_)
    if options.plot is not None:
        check_plots(sim)
    warnings = [*sim.remarks, *growth_warnings(sim)]
    warn(() if options.silent else warnings)
    session = sim.start(**given)
    began = time.perf_counter()
    from .operator_inputs import DrivenSession
    from .run_progress import run_to_end

    with DrivenSession(sim, session, options) as driving:
        quality = run_to_end(sim, session, outputs.stream, bar=not options.silent, go=driving.advance)
    spent = time.perf_counter() - began
    files = [*save(outputs), *driving.files]
    if options.json:
        told = report(sim, session, quality, files, spent, [*warnings, *session.remarks])
        print_json(told | driving.report())
    elif not options.quiet:
        warn(session.remarks)
        for line in (*summary(sim, session, quality, spent), *driving.lines()):
            print(line)
    if session.status != "finished":
        if not options.json:
            print_failure(session, files)
        raise typer.Exit(4 if session.refuted else 3)
    if files and not options.silent:
        print("wrote " + ", ".join(map(str, files)))


def growth_warnings(sim: Simulation) -> list[Problem]:
    """Warnings of what drives leave to itself and no step can follow; models without such drives load nothing."""
    from ..solver.kernels import model_data as f

    if not sim.program.model.option[f.O_SERVO]:
        return []
    from ..solver.analysis.internal_dynamics import growing as found

    return found(sim)


def save(outputs: Outputs) -> list[Path]:
    if outputs.stream is None:
        return []
    from ..solver.results.result import read_result

    written = outputs.save(read_result(outputs.stream))
    outputs.clear()
    return written


def check_plots(sim: Simulation) -> None:
    """Check before the run that plotted signals are recorded."""
    import numpy as np

    from ..solver.results.matplotlib_plots import check
    from ..solver.results.result import Result

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
        "warnings": problem_records(warnings),
        "problems": problem_records(failed),
    }


SHOWN_PAIRS = 3  # pairs of shapes that never met; --json has all


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
        off = energy["relative_residual"]
        share = f"{off:.1g} of the largest change" if off else "within rounding"
        lines.append(f"energy balance: off by {energy['residual']:.2g} J, {share}")
    if "newton_euler_residual" in quality:
        share = f"{quality['newton_euler_residual']:.1g} of the largest force"
        lines.append(
            f"reactions: bodies balance to {share}, {quality.get('newton_euler_body', '')} the least"
        )
    if "constraint_violation" in quality:
        lines.append(f"constraints: violated by {quality['constraint_violation']:.1g} at most")
    if "never_met" in quality:
        pairs = quality["never_met"]
        rest = f"; and {len(pairs) - SHOWN_PAIRS} more" if len(pairs) > SHOWN_PAIRS else ""
        lines.append(f"touch: never met: {', '.join(pairs[:SHOWN_PAIRS])}{rest}")
    for held in quality.get("held_by_friction", [])[:SHOWN_PAIRS]:
        percent = round(100.0 * held["share"])
        if percent == 0:
            continue
        share = f"friction alone carries {percent} % of its load"
        lines.append(f"touch: {held['body']} does not slip: {share} ({held['by']}), however hard that pulls")
    if "step_error" in quality:
        step = quality["step_error"]
        off = (
            f" (about {step.get('estimate'):.1g} of the range of {step.get('state')})"
            if step.get("state")
            else ""
        )
        lines.append(f"step: {step['verdict']}{off}")
    return lines


def print_failure(session: Session, files: list[Path]) -> None:
    print_line(session.problem if session.status == "failed" else f"luff: {session.message}")
    rows = session.done // session.every + 1
    kept = (
        f"{rows} rows are kept in {', '.join(map(str, files))}"
        if files
        else "nothing was kept: no -o was given"
    )
    print_line(f"luff: {kept}")

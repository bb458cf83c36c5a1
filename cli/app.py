"""Command table in display order, and the exit of the process."""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from ..version import told
from . import (
    analysis_commands,
    block_listing,
    check_and_info,
    design_commands,
    project_commands,
    tuning_commands,
)
from .animate import animate
from .assess import assess
from .console import print_line
from .diff_and_merge import diff, merge
from .exchange_commands import export, import_
from .load_chart_command import chart
from .mcp_server import mcp
from .model_options import command
from .plan import plan
from .reduce_command import reduce
from .run_command import run
from .study_command import study
from .tornado_command import tornado

app = typer.Typer(
    name="luff",
    help="Simulate cranes, manipulators and other mechanisms from block diagrams.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"luff {told()}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version, with its commit, and exit.",
        ),
    ] = False,
) -> None:
    pass


for function in (
    run,
    study,
    assess,
    chart,
    tornado,
    tuning_commands.fit,
    tuning_commands.optimise,
    plan,
    check_and_info.check,
    check_and_info.info,
):
    app.command()(command(function))
app.command("compile")(command(check_and_info.compile_))
for function in (
    analysis_commands.static,
    analysis_commands.modes,
    analysis_commands.linearize,
    analysis_commands.bode,
    analysis_commands.margins,
    analysis_commands.locus,
    analysis_commands.buckling,
    analysis_commands.invert,
    design_commands.lqr,
    design_commands.kalman,
):
    app.command()(command(function))
app.command("import")(command(import_))
for function in (
    reduce,
    project_commands.plot,
    animate,
    export,
    diff,
    merge,
    block_listing.blocks,
    block_listing.schema,
    project_commands.warmup,
    project_commands.gui,
    mcp,
    project_commands.new,
):
    app.command()(command(function))


def main() -> None:
    """The entry point.

    Exit codes: 0 fine, 1 the model is wrong, 2 usage, 3 the run failed, 4 a requirement or a check does not hold.
    """
    code = 0
    warnings.formatwarning = _warning
    if isinstance(sys.stdout, TextIOWrapper):
        # names that the terminal's encoding does not have are spelled, rather than the end of the command
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as end:
        code = end.code
    except OSError as error:
        code = _write_failed(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _write_failed(error)
    sys.exit(code)


_python_warning = warnings.formatwarning


def _warning(
    message: Warning | str, category: type[Warning], file: str, number: int, line: str | None = None
) -> str:
    """Warning format: warnings for the user have no position in luff's code."""
    if category is UserWarning:
        return f"luff: warning: {message}\n"
    return _python_warning(message, category, file, number, line)


def _write_failed(error: OSError) -> int:
    """Report a failed write to standard output, and redirect it so that nothing is flushed at exit; return exit code
    3."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print_line(f"luff: cannot write the output: {error.strerror or error}")
    return 3

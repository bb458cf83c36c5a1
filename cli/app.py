"""The commands and their order; and how the process ends."""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper
from typing import Annotated

import typer

from ..version import told
from . import analysis, catalog, exchange, model, project, tuning
from .animate import animate
from .asked import command
from .assess import assess
from .chart import chart
from .compare import diff, merge
from .console import say
from .exporting import export
from .run import run
from .study import study

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


for function in (run, study, assess, chart, tuning.fit, tuning.optimise, model.check, model.info):
    app.command()(command(function))
app.command("compile")(command(model.compile_))
for function in (
    analysis.static,
    analysis.modes,
    analysis.linearize,
    analysis.bode,
    analysis.margins,
    analysis.locus,
    analysis.buckling,
):
    app.command()(command(function))
app.command("import")(command(exchange.import_))
for function in (
    project.plot,
    animate,
    export,
    diff,
    merge,
    catalog.blocks,
    catalog.schema,
    project.warmup,
    project.gui,
    project.new,
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
    """What is meant for the user comes without the place in luff's code."""
    if category is UserWarning:
        return f"luff: warning: {message}\n"
    return _python_warning(message, category, file, number, line)


def _write_failed(error: OSError) -> int:
    """Nothing is left to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    say(f"luff: cannot write the output: {error.strerror or error}")
    return 3

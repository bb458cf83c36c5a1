"""`luff import`: models of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import UsageError, print_json, print_line
from .model_options import CommandOptions
from .run_outputs import check_file
from .shared_options import AllowFiles, argument

SHOWN = 12  # names in a line; the netlist has them all
NETLISTS = (".yaml", ".yml")


def import_(
    asked: CommandOptions,
    file: Annotated[Path, argument("A URDF, MJCF or SSP file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The netlist; NAME.yaml here if left out.")
    ] = None,
    floating: Annotated[
        bool, typer.Option("--floating", help="Let the root link of a URDF move freely.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")] = False,
    allow_files: AllowFiles = None,
) -> None:
    """Make a netlist of a URDF or MJCF robot or of a system of FMUs (SSP), and tell what was not taken over."""
    from ..solver.diagram.netlist_document import write_whole
    from ..solver.exchange import read_model

    if not file.is_file():
        raise UsageError("there is no such file", path=str(file))
    path = output or Path(file.with_suffix(".yaml").name)
    check_file(path, NETLISTS)
    if path.exists() and not force:
        raise UsageError(
            "there is such a file already", path=str(path), fix="choose another name, or --force"
        )
    model = read_model(file, floating, path.parent, allow_files or ())
    model.write_files(path.parent)
    write_whole(path, model.text)
    if asked.json:
        print_json({"status": "fine", "file": str(path), "not_taken_over": model.told})
        return
    if not asked.quiet:
        for line in model.told_shortly(SHOWN):
            print_line(f"not taken over: {line}")
        print(f"wrote {path}; next: luff check {path}")

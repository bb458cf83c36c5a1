"""Arguments and options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from ..blocks.errors import LuffError
from ..solver.result.formats import listed as listed_formats
from .console import UsageError


def listed(*names: str, help: str) -> OptionInfo:
    """An option that may be given several times."""
    return typer.Option(*names, help=f"{help} Repeatable.", show_default=False)


def written(*names: str, help: str) -> OptionInfo:
    """An option that names a file to write."""
    return typer.Option(*names, help=help, show_default=False)


PIPE = "-"  # instead of a file: standard input or output
File = Annotated[
    Path, typer.Argument(help="The netlist, a YAML file; - reads it from a pipe.", show_default=False)
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="BLOCK.PARAM=VALUE",
        help="Change a parameter as if the netlist said so: king.mass=9t. Repeatable.",
        show_default=False,
    ),
]
Input = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=SOURCE",
        help="Where a signal of `inputs:` comes from: force=log.csv, force=log.csv:column, or a value, force=3N; "
        f"log.csv alone feeds all inputs that it has columns for. Files are {listed_formats()}. Repeatable.",
        show_default=False,
    ),
]
Joystick = Annotated[
    list[str] | None,
    typer.Option(
        "--joystick",
        metavar="[BLOCK=]FILE",
        help="The device of a joystick, /dev/input/event5; else it is looked for by its name. Repeatable.",
        show_default=False,
    ),
]
AllowCode = Annotated[bool, typer.Option("--allow-code", help="Run the Python files that the netlist lists.")]
AllowFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow-files",
        metavar="DIR",
        help="Let the netlist read tables and other netlists from here, too. Repeatable.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
On = Annotated[
    str | None,
    typer.Option(
        "--on", metavar="WHERE", help="Scheduler of Dask, tcp://host:8786, or local.", show_default=False
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
# of commands that make many runs
ResultFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Result file; FILE's name with .h5 here.", show_default=False),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Runs in parallel; one per processor.", show_default=False),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run again what the result file has already.")]
Limit = Annotated[
    float | None,
    typer.Option(
        "--limit", min=0.001, help="Seconds that a run may take, once compiled.", show_default=False
    ),
]
OnlyList = Annotated[bool, typer.Option("--list", help="Say what would run, and run nothing.")]


def by_block(devices: Sequence[str] | None) -> dict[str, str]:
    """Files of devices by the block that they drive: `levers=/dev/input/event5`, or under an empty name one for all."""
    paths: dict[str, str] = {}
    for text in devices or ():
        name, equals, path = text.partition("=")
        paths[name if equals else ""] = path if equals else name
    return paths


def number(name: str, text: str | None) -> float | None:
    """A setting of the run, `--stop "1 min"`, checked as the netlist's own is; None if it is not given."""
    value = _setting(name, text) if text is not None else None
    return float(value) if isinstance(value, float | int) else None


def word(name: str, text: str | None) -> str | None:
    """The same of a setting that is one of a few words."""
    return str(_setting(name, text)) if text is not None else None


def _setting(name: str, text: str) -> object:
    from ..blocks.scope import Scope
    from ..solver.diagram.settings import SimulationSettings
    from ..solver.netlist import read_value

    option = "--" + name.replace("_", "-")
    try:
        return SimulationSettings.params[name].convert(read_value(text), Scope({}), option)
    except LuffError as error:
        raise UsageError(error.problems) from None

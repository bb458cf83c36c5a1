"""Arguments and options shared by commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from typer.models import ArgumentInfo, OptionInfo

from ..blocks.errors import LuffError
from ..solver.results.file_formats import listed_suffixes as listed_formats
from .console import UsageError

if TYPE_CHECKING:
    from ..solver.results.figure_style import FigureStyle

T = TypeVar("T")


def option(*names: str, help: str, metavar: str | None = None) -> OptionInfo:
    """Option whose help text states its default."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False)


def listed(*names: str, help: str, metavar: str | None = None) -> OptionInfo:
    """Repeatable option."""
    return option(*names, help=f"{help} Repeatable.", metavar=metavar)


def argument(help: str) -> ArgumentInfo:
    return typer.Argument(help=help, show_default=False)


PIPE = "-"  # instead of a file: standard input or output
File = Annotated[Path, argument("The netlist, a YAML file; - reads it from a pipe.")]
Set = Annotated[
    list[str] | None,
    listed(
        "--set",
        metavar="BLOCK.PARAM=VALUE",
        help="Change a parameter as if the netlist said so: king.mass=9t.",
    ),
]
Input = Annotated[
    list[str] | None,
    listed(
        "--input",
        metavar="NAME=SOURCE",
        help="Where a signal of `inputs:` comes from: force=log.csv, force=log.csv:column, or a value, force=3N; "
        f"log.csv alone feeds all inputs that it has columns for. Files are {listed_formats()}.",
    ),
]
Joystick = Annotated[
    list[str] | None,
    listed(
        "--joystick",
        metavar="[BLOCK=]FILE",
        help="The device of a joystick, /dev/input/event5; else it is looked for by its name.",
    ),
]
Door = Annotated[
    list[str] | None,
    listed(
        "--door",
        metavar="KIND=ADDRESS",
        help="Inputs and outputs over opcua-server=opc.tcp://127.0.0.1:4840, opcua=opc.tcp://HOST:4840 or "
        "mqtt=mqtt://HOST:1883/TOPIC, in real time.",
    ),
]
AllowCode = Annotated[bool, typer.Option("--allow-code", help="Run the Python files that the netlist lists.")]
AllowFiles = Annotated[
    list[Path] | None,
    listed(
        "--allow-files",
        metavar="DIR",
        help="Let the file read tables, meshes and other files of its kind from here, too.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
On = Annotated[
    str | None, option("--on", metavar="WHERE", help="Scheduler of Dask, tcp://host:8786, or local.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
# of commands that make many runs
ResultFile = Annotated[Path | None, option("--output", "-o", help="Result file; FILE's name with .h5 here.")]
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
Confirm = Annotated[
    bool, typer.Option("--confirm", help="Also make the runs just beside the border, and show what they do.")
]
Size = Annotated[
    str | None,
    option("--size", metavar="WIDTH[,HEIGHT]", help="Size of figures: 160mm,90mm."),
]
Font = Annotated[
    str | None, option("--font", metavar="FONT", help='Size and family of the font of figures: "9pt serif".')
]
OnlyList = Annotated[bool, typer.Option("--list", help="Say what would run, and run nothing.")]


def once_each(pairs: Iterable[tuple[str, T]], path: str) -> dict[str, T]:
    """Mapping from pairs of an option; UsageError where a name comes twice."""
    made: dict[str, T] = {}
    for name, value in pairs:
        if name in made:
            raise UsageError(f'found "{name}" twice, expected it once', path=path)
        made[name] = value
    return made


def device_files(devices: Sequence[str] | None) -> dict[str, str]:
    """Device files by block, from `levers=/dev/input/event5`; the empty name is for all blocks."""
    paths: dict[str, str] = {}
    for text in devices or ():
        name, equals, path = text.partition("=")
        paths[name if equals else ""] = path if equals else name
    return paths


def style_of(size: str | None, font: str | None) -> FigureStyle:
    """Size and font of figures; what is wrong with a text names its option."""
    from ..solver.results.figure_style import figure_style

    try:
        return figure_style(size, font)
    except LuffError as error:
        raise UsageError(error.problems) from None


def number(name: str, text: str | None) -> float | None:
    """Numeric run setting, such as `--stop "1 min"`, checked like the netlist's; None if not given."""
    value = _setting(name, text) if text is not None else None
    return float(value) if isinstance(value, float | int) else None


def word(name: str, text: str | None) -> str | None:
    """Enumerated run setting, checked like the netlist's; None if not given."""
    return str(_setting(name, text)) if text is not None else None


def _setting(name: str, text: str) -> object:
    from ..blocks.expression_scope import Scope
    from ..solver.diagram.run_settings import SimulationSettings
    from ..solver.netlist import read_value

    option = "--" + name.replace("_", "-")
    try:
        return SimulationSettings.params[name].convert(read_value(text), Scope({}), option)
    except LuffError as error:
        raise UsageError(error.problems) from None

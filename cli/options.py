"""Arguments and options that several commands take, and what they mean."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from typer.models import OptionInfo

from ..blocks.errors import LuffError, Problem
from ..solver.result.formats import listed as listed_formats
from .console import UsageError

if TYPE_CHECKING:
    from ..solver.flat.opening import Diagram
    from ..solver.program.program import Program
    from ..solver.run.simulation import Simulation


LONGEST_PATH = 500  # characters


def listed(*names: str, help: str) -> OptionInfo:
    """An option that may be given several times."""
    return typer.Option(*names, help=f"{help} Repeatable.", show_default=False)


def written(*names: str, help: str) -> OptionInfo:
    """An option that names a file to write."""
    return typer.Option(*names, help=help, show_default=False)


class Exported(NamedTuple):
    """A model that is written for other programs, and what options say of it."""

    source: Path
    inputs: Sequence[str]
    parameters: Sequence[str]
    changes: Sequence[str] | None
    allow_code: bool
    files: Sequence[Path] | None
    quiet: bool


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
    typer.Option("--jobs", "-j", min=1, help="Runs side by side; one a processor.", show_default=False),
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


def overrides(texts: Sequence[str] | None) -> dict[str, object]:
    """What `--set` changes, by path."""
    from ..solver.netlist import read_value

    overrides: dict[str, object] = {}
    for text in texts or ():
        path, equals, value = text.partition("=")
        if not equals or not path.strip() or not value.strip():
            raise UsageError(f'found "{text}", expected block.param=value', path="--set", fix="king.mass=9t")
        if len(path) > LONGEST_PATH:
            raise UsageError(f"found a name of {len(path)} characters", path="--set", fix="king.mass=9t")
        overrides[path.strip()] = read_value(value)
    return overrides


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


def compiled(
    file: Path,
    changes: Mapping[str, object],
    allow_code: bool,
    files: Sequence[Path] | None,
    inputs: Sequence[str] | None = None,
) -> Simulation:
    """The netlist, checked and laid out; mistakes of `--set` and `--input` are told as such."""
    from ..solver.run.simulation import Simulation

    diagram = opened(file, allow_code, files)
    said = {path: f"--set {path}" for path in changes}
    for name, value in fed(diagram, inputs or ()).items():
        path = f"inputs.{name}.default"
        changes, said[path] = {**changes, path: value}, f"--input {name}"
    with telling_options(said):
        return Simulation(diagram, changes)


def described(
    file: Path, changes: Mapping[str, object], allow_code: bool, files: Sequence[Path] | None
) -> Program:
    """What the netlist computes; no machine code is made, and nothing starts."""
    from ..solver.flat.flatten import flatten
    from ..solver.program.program import make_program

    diagram = opened(file, allow_code, files)
    with telling_options({path: f"--set {path}" for path in changes}):
        return make_program(flatten(diagram, changes))


@contextmanager
def telling_options(said: dict[str, str]) -> Iterator[None]:
    """Mistakes in what options gave are told as such; `said` is the option by the path that it set."""
    try:
        yield
    except LuffError as error:
        problems = [_of_command(problem, said) for problem in error.problems]
        if all(problem.path.startswith(("--set", "--input")) for problem in problems):
            raise UsageError(problems) from None
        error.problems = problems
        raise


def opened(file: Path, allow_code: bool, files: Sequence[Path] | None) -> Diagram:
    """The netlist in a file, or what comes from a pipe: `-`, which names other files from the current folder."""
    from ..solver.flat.opening import load, loads

    if str(file) == PIPE:
        return loads(sys.stdin.read(), Path.cwd(), allow_code, files or ())
    return load(file, allow_code, files or ())


def fed(diagram: Diagram, inputs: Sequence[str]) -> dict[str, object]:
    """Have inputs fed from tables; returns those that are given a value."""
    from ..solver.diagram.feeding import feed
    from ..solver.netlist import read_value

    try:
        values = feed(diagram, inputs)
    except LuffError as error:
        raise UsageError(error.problems) from None
    return {name: read_value(value) for name, value in values.items()}


def _of_command(problem: Problem, said: dict[str, str]) -> Problem:
    """A mistake in what an option gave has no place in the file; `said` is the option by the path that it set."""
    for path, option in said.items():
        short = path.removeprefix("blocks.")
        if problem.path.removeprefix("blocks.").startswith(short) and problem.severity == "error":
            return replace(problem, path=option, mark=None)
    return problem

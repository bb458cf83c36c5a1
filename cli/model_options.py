"""Option records shared by commands.

The parameter `asked` of a command is a record; its class defines the options that the command takes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_type_hints

import typer

from ..blocks.errors import LuffError, Problem
from .console import UsageError, guarded, print_written, reporting
from .shared_options import (
    PIPE,
    AllowCode,
    AllowFiles,
    Door,
    File,
    Fresh,
    Jobs,
    Joystick,
    Json,
    Limit,
    On,
    OnlyList,
    Quiet,
    ResultFile,
    Set,
    argument,
    option,
)

if TYPE_CHECKING:
    from ..solver.flatten.diagram import Diagram
    from ..solver.program.program import Program
    from ..solver.simulation.simulation import Simulation

LONGEST_PATH = 500  # characters


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """Output options of a command."""

    quiet: Quiet = False
    json: Json = False

    @property
    def silent(self) -> bool:
        """True if nothing but errors or JSON is printed."""
        return self.quiet or self.json

    def tell_written(self, files: Sequence[Path], spent: float | None = None, next_: str = "") -> None:
        print_written(files, self.quiet, self.json, spent, next_)


@dataclass(frozen=True, kw_only=True)
class OverrideOptions(CommandOptions):
    """Options with parameter overrides (`--set`)."""

    set_: Set = None
    allow_files: AllowFiles = None

    @cached_property
    def changes(self) -> dict[str, object]:
        """Raw override values by path."""
        return dict(_change(text) for text in self.set_ or ())


@dataclass(frozen=True, kw_only=True)
class ModelOptions(OverrideOptions):
    """Options of commands that open a netlist."""

    file: File
    allow_code: AllowCode = False

    @property
    def opening(self) -> tuple[bool, Sequence[Path]]:
        """Permissions for opening a netlist: code, and folders that it may read."""
        return self.allow_code, self.allow_files or ()

    def diagram(self) -> Diagram:
        return open_netlist(self.file, *self.opening)

    def simulation(
        self, more: Mapping[str, object] | None = None, inputs: Sequence[str] | None = None
    ) -> Simulation:
        """Checked and compiled netlist with the overrides and `more`; errors in overrides name their option."""
        from ..solver.simulation.simulation import Simulation

        changes = {**self.changes, **(more or {})}
        diagram = self.diagram()
        said = {path: f"--set {path}" for path in changes}
        for name, value in _connect_inputs(diagram, inputs or ()).items():
            path = f"inputs.{name}.default"
            changes[path], said[path] = value, f"--input {name}"
        with naming_options(said):
            return Simulation(diagram, changes)

    def described(self) -> Program:
        """Program of the netlist, without machine code or initialisation."""
        from ..solver.flatten.flatten import flatten
        from ..solver.program.program import make_program

        changes = self.changes
        diagram = self.diagram()
        with naming_options({path: f"--set {path}" for path in changes}):
            return make_program(flatten(diagram, changes))


@dataclass(frozen=True, kw_only=True)
class TaskFileOptions(ModelOptions):
    """Options of commands with a YAML task file for a netlist."""

    file: Annotated[Path, argument("The YAML file that says what to do.")]
    jobs: Jobs = None
    fresh: Fresh = False
    on: On = None

    @contextmanager
    def telling_set(self) -> Iterator[None]:
        """Raise UsageError if all problems stem from `--set`, so that the command and not the file is blamed."""
        try:
            yield
        except LuffError as error:
            if all(problem.path.startswith("--set") for problem in error.problems):
                raise UsageError(error.problems) from None
            raise


@dataclass(frozen=True, kw_only=True)
class VariantOptions(TaskFileOptions):
    """Options of many runs with one result file."""

    output: ResultFile = None
    limit: Limit = None
    list_: OnlyList = False

    @property
    def target(self) -> Path:
        return self.output or Path(f"{self.file.stem}.h5")


@dataclass(frozen=True, kw_only=True)
class InputOptions(ModelOptions):
    """Options for the input signals of a run."""

    realtime: Annotated[
        bool, typer.Option("--realtime", help="Run in real time, and report how late the steps were.")
    ] = False
    joystick: Joystick = None
    door: Door = None
    keep: Annotated[
        Path | None, option("--keep", help="Record the operator's inputs, in a format of results.")
    ] = None
    replay: Annotated[
        Path | None, option("--replay", help="Replay what --keep has recorded, bit for bit.")
    ] = None


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Typer command of a function: the fields of its record `asked` become options, and LuffError becomes an exit
    code."""
    own = dict(inspect.signature(function, eval_str=True).parameters)
    if "asked" not in own:
        return _guarded(function)
    record: type[CommandOptions] = own.pop("asked").annotation
    shared = _parameters(record)
    first = [one for one in shared if one.default is inspect.Parameter.empty]
    last = [one for one in shared if one.default is not inspect.Parameter.empty]
    whole = [*first, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.values()), *last]

    def unfolded(**given: object) -> None:
        asked = cast("Callable[..., CommandOptions]", record)(
            **{one.name: given.pop(one.name) for one in shared}
        )
        with guarded(), reporting(asked.json):
            function(asked=asked, **given)

    unfolded.__name__, unfolded.__doc__ = function.__name__, function.__doc__
    unfolded.__annotations__ = {one.name: one.annotation for one in whole}
    vars(unfolded)["__signature__"] = inspect.Signature(whole)
    return unfolded


def _guarded(function: Callable[..., None]) -> Callable[..., None]:
    @wraps(function)
    def called(*words: object, **given: object) -> None:
        with guarded():
            function(*words, **given)

    vars(called)["__signature__"] = inspect.signature(function, eval_str=True)
    return called


def _parameters(record: type[CommandOptions]) -> list[inspect.Parameter]:
    """Parameters for the fields of an option record, fields of derived classes first."""
    hints = get_type_hints(record, include_extras=True)
    defaults = {
        one.name: inspect.Parameter.empty if one.default is MISSING else one.default for one in fields(record)
    }
    names = dict.fromkeys(name for cls in record.__mro__ for name in inspect.get_annotations(cls))
    kind = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(name, kind, default=defaults[name], annotation=hints[name]) for name in names]


def _change(text: str) -> tuple[str, object]:
    """Path and raw value of an override such as `king.mass=9t`"""
    from ..solver.netlist import read_value

    path, equals, value = text.partition("=")
    if not equals or not path.strip() or not value.strip():
        raise UsageError(f'found "{text}", expected block.param=value', path="--set", fix="king.mass=9t")
    if len(path) > LONGEST_PATH:
        raise UsageError(f"found a name of {len(path)} characters", path="--set", fix="king.mass=9t")
    return path.strip(), read_value(value)


@contextmanager
def naming_options(said: dict[str, str]) -> Iterator[None]:
    """Attribute errors in option values to the option; `said` maps paths to options."""
    try:
        yield
    except LuffError as error:
        problems = [_of_command(problem, said) for problem in error.problems]
        if all(problem.path.startswith(("--set", "--input")) for problem in problems):
            raise UsageError(problems) from None
        error.problems = problems
        raise


def open_netlist(file: Path, allow_code: bool, files: Sequence[Path] | None) -> Diagram:
    """Netlist from a file, or from standard input for `-`; the latter resolves file names from the current folder."""
    from ..solver.flatten.diagram import load, loads

    if str(file) == PIPE:
        return loads(sys.stdin.read(), Path.cwd(), allow_code, files or ())
    return load(file, allow_code, files or ())


def _connect_inputs(diagram: Diagram, inputs: Sequence[str]) -> dict[str, object]:
    """Connect inputs to tables; return the inputs with constant values."""
    from ..solver.diagram.input_tables import feed_inputs
    from ..solver.netlist import read_value

    try:
        values = feed_inputs(diagram, inputs)
    except LuffError as error:
        raise UsageError(error.problems) from None
    return {name: read_value(value) for name, value in values.items()}


def _of_command(problem: Problem, said: dict[str, str]) -> Problem:
    """Problem attributed to the option that set its path; `said` maps paths to options."""
    for path, given in said.items():
        short = path.removeprefix("blocks.")
        if problem.path.removeprefix("blocks.").startswith(short) and problem.severity == "error":
            return replace(problem, path=given, mark=None)
    return problem

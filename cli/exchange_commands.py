"""`luff export` and `luff import`: results and models in the formats of other programs, chosen by the extension.

Exports: .csv, .h5 and others of a result; .fmu, .ssp, .html (a page that runs the model), .a or .lib (or a folder, with
--library: a static library) of a model. Imports: URDF, MJCF, SSP.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError, ModelWarning, Problem
from ..blocks.text.safe_read import regular_file, shown
from ..solver.results.file_formats import listed_suffixes as listed_formats
from .console import UsageError, byte_output, print_json, print_line, show_compiling, warn
from .model_options import CommandOptions, ModelOptions
from .run_outputs import Outputs, check_file, check_writable
from .shared_options import PIPE, AllowFiles, argument, listed

if TYPE_CHECKING:
    from ..solver.flatten.diagram import Diagram
    from ..solver.results.result import Result


Targets = Annotated[
    list[Path] | None,
    listed("--output", "-o", help=f"File to write: {listed_formats()}; or .fmu, .ssp, .html, .a, .lib."),
]
SHOWN = 12  # names in a line; the netlist has them all
NETLISTS = (".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class ExportOptions(ModelOptions):
    """Options of exports."""

    file: Annotated[
        Path,
        argument(f"A result ({listed_formats()}); for all else a netlist."),
    ]
    output: Targets = None
    fmi: Annotated[int, typer.Option(help="Version of the Functional Mock-up Interface: 2 or 3.")] = 2
    platform: Annotated[
        list[str] | None,
        listed(
            "--platform",
            help="linux64, win64, linux-aarch64, macos-arm64 or macos-x86_64; this machine's if left out.",
        ),
    ] = None
    input_: Annotated[
        list[str] | None,
        listed("--input", help="An open input of a block, which is set from outside: luff.effort."),
    ] = None
    parameter: Annotated[
        list[str] | None, listed("--parameter", help="Parameters to offer, names or globs; all if left out.")
    ] = None
    derivatives: Annotated[
        bool, typer.Option("--derivatives", help="Add code for exact directional derivatives to the FMU.")
    ] = False
    slider: Annotated[
        list[str] | None,
        listed("--slider", help="A parameter or input that a page's reader moves: king.mass=5 t..15 t."),
    ] = None
    trail: Annotated[
        list[str] | None, listed("--trail", help="A frame whose path a page draws: boom.frame_b.")
    ] = None
    library: Annotated[
        bool, typer.Option("--library", help="Write a folder with a static library for each --target.")
    ] = False
    target: Annotated[
        list[str] | None,
        listed(
            "--target", help="Of a library: linux-x86_64, linux-aarch64, cortex-m7, ...; all if left out."
        ),
    ] = None

    def only(self) -> Path:
        """Single output file; raises UsageError unless there is exactly one."""
        if not self.output or len(self.output) != 1:
            raise UsageError(
                "found no -o, or several, expected the folder to write to",
                path="--library",
                fix="-o crane_library",
            )
        return self.output[0]


def write_fmu(options: ExportOptions, path: Path) -> list[Path]:
    from ..solver.fmi import export_fmu
    from ..solver.fmi.toolchain import PLATFORMS

    if options.fmi not in (2, 3):
        raise UsageError(f"found {options.fmi}, expected 2 or 3", path="--fmi")
    platforms = known("--platform", options.platform or (), PLATFORMS)
    diagram = open_exportable(options, path)
    export_fmu(
        diagram,
        path,
        options.fmi,
        platforms,
        *offered_names(options),
        derivatives=options.derivatives,
        set=options.changes,
    )
    return [path]


def write_ssp(options: ExportOptions, path: Path) -> list[Path]:
    from ..solver.exchange import export_ssp

    export_ssp(open_exportable(options, path, compiles=False), path, set=options.changes)
    return [path]


def write_live_page(options: ExportOptions, path: Path) -> list[Path]:
    from ..gui.html_page import export_page

    diagram, sliders = open_exportable(options, path), options.slider or ()
    export_page(
        diagram, path, sliders, options.input_ or (), "", "", options.trail or (), set=options.changes
    )
    return [path]


def write_library(options: ExportOptions, path: Path) -> list[Path]:
    from ..solver.fmi import export_library
    from ..solver.fmi.c_library_files import TARGETS, symbol_prefix

    targets = known("--target", options.target or (), TARGETS)
    file = (
        path / f"{symbol_prefix(path)}.h" if path.is_dir() else path
    )  # a folder that is there can be that of an earlier export
    return [
        *export_library(
            open_exportable(options, file), path, targets, *offered_names(options), set=options.changes
        )
    ]


WRITERS: dict[str, Callable[[ExportOptions, Path], list[Path]]] = {
    ".a": write_library,
    ".lib": write_library,
    ".html": write_live_page,
    ".ssp": write_ssp,
    ".fmu": write_fmu,
}


def offered_names(options: ExportOptions) -> tuple[Sequence[str], Sequence[str]]:
    """Inputs and parameters that the other program may set."""
    return options.input_ or (), options.parameter or ("*",)


def known(option: str, names: Sequence[str], names_known: Collection[str]) -> Sequence[str]:
    """Names, checked against the known ones; raises UsageError for an unknown name."""
    for name in names:
        if name not in names_known:
            raise UsageError(f'found "{name}", expected {", ".join(names_known)}', path=option)
    return names


def open_exportable(options: ExportOptions, path: Path, compiles: bool = True) -> Diagram:
    """Model to export, after a check that the output can be written."""
    from ..solver.flatten.diagram import load

    check_writable(path)
    if compiles:
        show_compiling(options.silent)
    return load(options.file, *options.opening)


def export(options: ExportOptions) -> None:
    """Write a result in other formats; or a model as an FMU, as a page that runs it, or as a library for C."""
    began = time.perf_counter()
    suffixes = [path.suffix for path in options.output or ()]
    write = None if len(suffixes) != 1 else WRITERS.get(suffixes[0])
    if options.library:
        write = write_library
    if write is None:
        _write_result(options)
    else:
        with warnings.catch_warnings(record=True, action="always", category=ModelWarning) as told:
            from .run_progress import temporary_folder_removed

            with temporary_folder_removed("the export"):
                files = write(options, options.only())
        warn(Problem(str(one.message), "", severity="warning") for one in told)
        options.print_files(files, time.perf_counter() - began)


def _write_result(options: ExportOptions) -> None:
    source, output = options.file, options.output or ()
    if options.json and any(str(path) == PIPE for path in output):
        raise UsageError("found --json with rows on standard output", path="-o -", fix="-o crane.csv")
    outputs = Outputs(output, None)
    targets = outputs.results
    if not targets and not outputs.pipe:
        raise UsageError("found no -o, expected a file to write", path="luff export", fix="-o crane.csv")
    if any(_same(path, source) for path in targets):
        raise UsageError(
            "found the source itself as the file to write", path=str(source), fix="choose another name"
        )
    result = read_result_file(source)
    for path in targets:
        result.save(path)
    if outputs.pipe:
        result.write_csv(byte_output())
    else:
        options.print_files(targets)


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def read_result_file(path: Path) -> Result:
    from ..solver.results.result import read_result

    try:
        if regular_file(path, "a result") is None:
            raise UsageError("there is no such file", path=shown(path))
    except LuffError as error:
        raise UsageError(error.problems) from None
    return read_result(path)


def import_(
    options: CommandOptions,
    file: Annotated[Path, argument("A URDF, MJCF or SSP file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The netlist; NAME.yaml here if left out.")
    ] = None,
    floating: Annotated[
        bool, typer.Option("--floating", help="Let the root link of a URDF move freely.")
    ] = False,
    touch: Annotated[
        bool,
        typer.Option("--touch", help="Let collision geometry touch, by the source's groups and friction."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")] = False,
    allow_files: AllowFiles = None,
) -> None:
    """Make a netlist of a URDF or MJCF robot or of a system of FMUs (SSP), and tell what was not taken over."""
    from ..blocks.text.atomic_write import write_whole
    from ..solver.exchange import read_model

    if not file.is_file():
        raise UsageError("there is no such file", path=str(file))
    path = output or Path(file.with_suffix(".yaml").name)
    check_file(path, NETLISTS)
    if path.exists() and not force:
        raise UsageError(
            "there is such a file already", path=str(path), fix="choose another name, or --force"
        )
    model = read_model(file, floating, path.parent, allow_files or (), touch)
    model.write_files(path.parent)
    write_whole(path, model.text)
    if options.json:
        print_json({"status": "fine", "file": str(path), "not_taken_over": model.note_lines})
        return
    if not options.quiet:
        for line in model.summarised_notes(SHOWN):
            print_line(f"not taken over: {line}")
        print(f"wrote {path}; next: luff check {path}")

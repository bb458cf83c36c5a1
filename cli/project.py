"""`luff plot`, `export`, `warmup`, `new` and `gui`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from ..blocks.text.reading import regular, shown
from ..solver.result.formats import listed as listed_formats
from .console import UsageError, duration, reporting, tell_written
from .options import PIPE, AllowCode, AllowFiles, Exported, Joystick, Json, Quiet, Set, by_block, listed
from .outputs import PLOT_FORMATS, Outputs, check_file, check_writable

if TYPE_CHECKING:
    from ..solver.result.result import Result

TEMPLATES = Path(__file__).resolve().parents[1] / "library" / "templates"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
QT_PACKAGES = ("PySide6", "shiboken6", "pyqtgraph")


Source = Annotated[Path, typer.Argument(help=f"A result: {listed_formats()}.", show_default=False)]
Targets = Annotated[
    list[Path] | None, listed("--output", "-o", help=f"File to write: {listed_formats()}; or .fmu, .html.")
]


def plot(
    result: Source,
    signals: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names or globs; without them the plots of the netlist. Further results are drawn over the first.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; RESULT.png if left out.")
    ] = None,
    x: Annotated[str, typer.Option(help="Signal along the horizontal axis.")] = "time",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Draw a result, or several over each other."""
    from ..solver.result.notebook import by_unit
    from ..solver.result.plots import plot as draw

    with reporting(json):
        path = output or result.with_suffix(".png")
        check_file(path, PLOT_FORMATS)
        first = _opened(result)
        others, names = _parted(first, signals or ())
        wanted = by_unit(first, names, x) if names else None
        shown = {name: _opened(other) for name, other in _told_apart([result, *others])} if others else first
        draw(shown, path, wanted)
        tell_written([path], quiet, json)


def _parted(first: Result, words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Results and signals: a name of the first result is a signal, however it ends."""
    from ..solver.result.formats import known

    own = {*first.names, *first.columns}
    others = [word for word in words if known(word) is not None and word not in own]
    return [Path(word) for word in others], [word for word in words if word not in others]


def _told_apart(paths: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Results by the least of their paths that tells them apart."""
    stems = [path.stem for path in paths]
    alike = len(set(stems)) < len(stems)
    return zip([str(path) for path in paths] if alike else stems, paths, strict=True)


def export(
    source: Annotated[
        Path,
        typer.Argument(
            help=f"A result ({listed_formats()}); for .fmu, .html and .ssp a netlist.", show_default=False
        ),
    ],
    output: Targets = None,
    fmi: Annotated[int, typer.Option(help="Version of the Functional Mock-up Interface: 2 or 3.")] = 2,
    platform: Annotated[
        list[str] | None,
        listed(
            "--platform",
            help="linux64, win64, linux-aarch64, macos-arm64 or macos-x86_64; this machine's if left out.",
        ),
    ] = None,
    input_: Annotated[
        list[str] | None,
        listed("--input", help="An open input of a block, which is set from outside: luff.effort."),
    ] = None,
    parameter: Annotated[
        list[str] | None, listed("--parameter", help="Parameters to offer, names or globs; all if left out.")
    ] = None,
    slider: Annotated[
        list[str] | None,
        listed("--slider", help="A parameter or input that a page's reader moves: king.mass=5 t..15 t."),
    ] = None,
    trail: Annotated[
        list[str] | None, listed("--trail", help="A frame whose way a page draws: boom.frame_b.")
    ] = None,
    library: Annotated[
        bool, typer.Option("--library", help="Write a folder with a static library for each --target.")
    ] = False,
    target: Annotated[
        list[str] | None,
        listed(
            "--target", help="Of a library: linux-x86_64, linux-aarch64, cortex-m7, ...; all if left out."
        ),
    ] = None,
    set_: Set = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Write a result in other formats; or a model as an FMU, as a page that runs it, or as a library for C."""
    with reporting(json):
        began = time.perf_counter()
        asked = Exported(
            source, input_ or (), parameter or ("*",), set_, allow_code, allow_files, quiet or json
        )
        suffixes = [path.suffix for path in output or ()]
        if library or suffixes in ([".a"], [".lib"]):
            from .exporting import write_library

            if not output or len(output) != 1:
                raise UsageError("found no -o, expected one folder", path="--library", fix="-o crane_library")
            files = write_library(asked, output[0], target or ())
        elif output and suffixes == [".html"]:
            from .exporting import write_live_page

            files = write_live_page(asked, output[0], slider or (), trail or ())
        elif output and suffixes == [".ssp"]:
            from .exporting import write_ssp

            files = write_ssp(asked, output[0])
        elif output and suffixes == [".fmu"]:
            from .exporting import write_fmu

            files = write_fmu(asked, output[0], fmi, platform or ())
        else:
            _write_result(source, output or (), quiet, json)
            return
        tell_written(files, quiet, json, time.perf_counter() - began)


def _write_result(source: Path, output: Sequence[Path], quiet: bool, json: bool) -> None:
    if json and any(str(path) == PIPE for path in output):
        raise UsageError("found --json with rows on standard output", path="-o -", fix="-o crane.csv")
    outputs = Outputs(output, None)
    targets = outputs.results
    if not targets and not outputs.pipe:
        raise UsageError("found no -o, expected a file to write", path="luff export", fix="-o crane.csv")
    if any(_same(path, source) for path in targets):
        raise UsageError("this is the file that is read", path=str(source), fix="choose another name")
    result = _opened(source)
    for path in targets:
        result.save(path)
    if outputs.pipe:
        result.write_csv(sys.stdout)
    else:
        tell_written(targets, quiet, json)


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _opened(path: Path) -> Result:
    from ..solver.result.result import read_result

    try:
        if regular(path, "a result") is None:
            raise UsageError("there is no such file", path=shown(path))
    except LuffError as error:
        raise UsageError(error.problems) from None
    return read_result(path)


def warmup(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One line of JSON for each function, as it goes.")
    ] = False,
) -> None:
    """Compile everything now that models may need, so that no run has to wait."""
    from ..solver.machine.cache_folder import cache_dir
    from ..solver.machine.jit import ENABLED
    from ..solver.run.warmup import warm_up
    from .compiling import tell_of_compiling

    began = time.perf_counter()
    tell_of_compiling(quiet or json)
    count = warm_up(as_lines if json else None)
    if not quiet and not json:
        spent = duration(time.perf_counter() - began)
        print(
            f"{count} functions ready in {spent}, kept in {cache_dir()}"
            if ENABLED
            else "nothing to compile: NUMBA_DISABLE_JIT"
        )


def as_lines(done: int, total: int, what: str) -> None:
    """Progress for another program."""
    from json import dumps

    print(dumps({"done": done, "total": total, "what": what}), flush=True)


def new(
    name: Annotated[str, typer.Argument(help="Name of the model; NAME.yaml is written.", show_default=False)],
    template: Annotated[str, typer.Option("--template", "-t", help="crane, pendulum or empty.")] = "empty",
    block: Annotated[
        bool, typer.Option("--block", help="Begin a package with a block of one's own: luff-NAME.")
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Begin a netlist from a template, or a block of one's own."""
    from ..blocks.errors import did_you_mean
    from ..solver.flat.opening import Diagram

    with reporting(json):
        if block:
            from .scaffold import write_package

            steps = f"; next: cd luff-{name} && pip install -e '.[test]' && pytest"
            tell_written([write_package(name)], quiet, json, next_=steps)
            return
        known = {path.stem: path for path in sorted(TEMPLATES.glob("*.yaml"))}
        if template not in known:
            raise UsageError(
                f'there is no template "{template}"', path="--template", fix=did_you_mean(template, known)
            )
        path = Path(name) if name.endswith((".yaml", ".yml")) else Path(f"{name}.yaml")
        check_writable(path)
        if path.exists():
            raise UsageError("there is such a file already", path=str(path), fix="choose another name")
        diagram = Diagram.load(known[template])
        diagram.data["name"] = path.stem
        diagram.save(path)
        steps = f"; next: luff run {path} --plot {path.with_suffix('.png')}"
        tell_written([path], quiet, json, next_=steps)


def gui(
    file: Annotated[Path | None, typer.Argument(help="A netlist to open.", show_default=False)] = None,
    joystick: Joystick = None,
) -> None:
    """Open the canvas."""
    with reporting():
        raise typer.Exit(window_module("luff gui", "luff run needs none").main(file, by_block(joystick)))


def window_module(wanted_by: str, fix: str) -> ModuleType:
    """`gui.app`, which is there with Qt and a display alone."""
    if sys.platform == "linux" and not any(os.environ.get(name) for name in DISPLAYS):
        # Qt itself would abort the process
        raise UsageError("there is no display to open a window on", path=wanted_by, fix=fix)
    try:
        return import_module("...gui.app", __name__)
    except ImportError as error:
        raise _without_qt(error) from None


def _without_qt(error: ImportError) -> LuffError:
    if (error.name or "").split(".")[0] in QT_PACKAGES:
        fix = "pip install 'luff[gui]'"
        return UsageError(f"the window needs {error.name}, which is not installed", path="luff gui", fix=fix)
    return UsageError(
        f"the window cannot be opened: {error}", path="luff gui", fix="luff run works without it"
    )

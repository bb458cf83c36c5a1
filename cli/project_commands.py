"""`luff plot`, `warmup`, `new` and `gui`."""

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
from ..solver.results.file_formats import PLOT_FORMATS
from ..solver.results.file_formats import listed_suffixes as listed_formats
from .console import UsageError, duration, reporting
from .exchange_commands import read_result_file
from .model_options import CommandOptions
from .run_outputs import check_file, check_writable
from .shared_options import Font, Joystick, Size, argument, by_block, style_of

if TYPE_CHECKING:
    from ..solver.results.result import Result

TEMPLATES = Path(__file__).resolve().parents[1] / "library" / "templates"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
QT_PACKAGES = ("PySide6", "shiboken6", "pyqtgraph")


Source = Annotated[Path, argument(f"A result: {listed_formats()}.")]


def plot(
    asked: CommandOptions,
    result: Source,
    signals: Annotated[
        list[str] | None,
        argument(
            "Names or globs; without them the plots of the netlist. Further results are drawn over the first."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; RESULT.png if left out.")
    ] = None,
    x: Annotated[str, typer.Option(help="Signal along the horizontal axis.")] = "time",
    size: Size = None,
    font: Font = None,
) -> None:
    """Draw a result, or several over each other."""
    from ..solver.results.matplotlib_plots import plot as draw
    from ..solver.results.notebook_display import by_unit

    path = output or result.with_suffix(".png")
    check_file(path, PLOT_FORMATS)
    style = style_of(size, font)
    first = read_result_file(result)
    others, names = _files_and_signals(first, signals or ())
    wanted = by_unit(first, names, x) if names else None
    shown = (
        {name: read_result_file(other) for name, other in distinct_labels([result, *others])}
        if others
        else first
    )
    draw(shown, path, wanted, style)
    asked.tell_written([path])


def _files_and_signals(first: Result, words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Split arguments into result files and signals; a name in the first result is a signal, whatever its suffix."""
    from ..solver.results.file_formats import known_format

    own = {*first.names, *first.columns}
    others = [word for word in words if known_format(word) is not None and word not in own]
    return [Path(word) for word in others], [word for word in words if word not in others]


def distinct_labels(paths: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Results with the shortest labels that distinguish their paths."""
    stems = [path.stem for path in paths]
    alike = len(set(stems)) < len(stems)
    return zip([str(path) for path in paths] if alike else stems, paths, strict=True)


def warmup(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One line of JSON for each function, as it goes.")
    ] = False,
) -> None:
    """Compile everything now that models may need, so that no run has to wait."""
    from ..solver.codegen.cache_folder import cache_dir
    from ..solver.codegen.jit import ENABLED
    from ..solver.simulation.warmup import warm_up
    from .console import show_compiling

    began = time.perf_counter()
    show_compiling(quiet or json)
    count = warm_up(as_lines if json else None)
    if not quiet and not json:
        spent = duration(time.perf_counter() - began)
        print(
            f"{count} functions ready in {spent}, kept in {cache_dir()}"
            if ENABLED
            else "nothing to compile: NUMBA_DISABLE_JIT"
        )


def as_lines(done: int, total: int, what: str) -> None:
    """Print progress as a JSON line."""
    from json import dumps

    print(dumps({"done": done, "total": total, "what": what}), flush=True)


def new(
    asked: CommandOptions,
    name: Annotated[str, argument("Name of the model; NAME.yaml is written.")],
    template: Annotated[str, typer.Option("--template", "-t", help="crane, pendulum or empty.")] = "empty",
    block: Annotated[
        bool, typer.Option("--block", help="Begin a package with a block of your own: luff-NAME.")
    ] = False,
) -> None:
    """Begin a netlist from a template, or a block of one's own."""
    from ..blocks.errors import did_you_mean
    from ..solver.flatten.diagram import Diagram

    if block:
        from .block_scaffold import write_package

        steps = f"; next: cd luff-{name} && pip install -e '.[test]' && pytest"
        asked.tell_written([write_package(name)], next_=steps)
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
    asked.tell_written([path], next_=steps)


def gui(
    files: Annotated[
        list[Path] | None,
        argument("Netlists to open, each in a tab; without them those of the last session."),
    ] = None,
    joystick: Joystick = None,
) -> None:
    """Open the canvas."""
    with reporting():
        raise typer.Exit(
            window_module("luff gui", "luff run needs none").main(files or (), by_block(joystick))
        )


def window_module(wanted_by: str, fix: str) -> ModuleType:
    """Import `gui.app`; raises UsageError without Qt or a display."""
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

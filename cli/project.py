"""`luff plot`, `export`, `warmup`, `new` and `gui`."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from ..blocks.reading import regular, shown
from .console import UsageError, duration, reporting
from .options import listed
from .outputs import PLOT_FORMATS, Outputs, check_file, check_writable

if TYPE_CHECKING:
    from ..solver.result import Result

TEMPLATES = Path(__file__).resolve().parents[1] / "library" / "templates"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
QT_PACKAGES = ("PySide6", "shiboken6", "pyqtgraph", "OpenGL")


Source = Annotated[Path, typer.Argument(help="A result: .h5, .npz, .mat or .csv.", show_default=False)]
Targets = Annotated[
    list[Path] | None, listed("--output", "-o", help="File to write: .csv, .mat, .npz or .h5.")
]


def plot(
    result: Source,
    signals: Annotated[
        list[str] | None,
        typer.Argument(help="Names or globs; without them the plots of the netlist.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The picture; RESULT.png if left out.")
    ] = None,
    x: Annotated[str, typer.Option(help="Signal along the horizontal axis.")] = "time",
) -> None:
    """Draw a result."""
    from ..solver.notebook import by_unit
    from ..solver.plots import plot as draw

    with reporting():
        path = output or result.with_suffix(".png")
        check_file(path, PLOT_FORMATS)
        found = _read(result)
        wanted = by_unit(found, signals, x) if signals else None
        draw(found, path, wanted)
        print(f"wrote {path}")


def export(result: Source, output: Targets = None) -> None:
    """Write a result in other formats, with all that it holds."""
    with reporting():
        targets = Outputs(output or (), None).results
        if not targets:
            raise UsageError("found no -o, expected a file to write", path="luff export", fix="-o crane.csv")
        if any(_same(path, result) for path in targets):
            raise UsageError("this is the file that is read", path=str(result), fix="choose another name")
        found = _read(result)
        for path in targets:
            found.save(path)
        print("wrote " + ", ".join(map(str, targets)))


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _read(path: Path) -> Result:
    from ..solver.result import read

    try:
        if regular(path, "a result") is None:
            raise UsageError("there is no such file", path=shown(path))
    except LuffError as error:
        raise UsageError(error.problems) from None
    return read(path)


def warmup(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One line of JSON for each function, as it goes.")
    ] = False,
) -> None:
    """Compile everything now that models may need, so that no run has to wait."""
    from ..solver.cache_folder import cache_dir
    from ..solver.machine.jit import ENABLED
    from ..solver.warmup import warm_up
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
) -> None:
    """Begin a netlist from a template."""
    from ..blocks.errors import did_you_mean
    from ..solver.diagram import Diagram

    with reporting():
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
        print(f"wrote {path}; next: luff run {path} --plot {path.with_suffix('.png')}")


def gui(
    file: Annotated[Path | None, typer.Argument(help="A netlist to open.", show_default=False)] = None,
) -> None:
    """Open the canvas."""
    with reporting():
        if sys.platform == "linux" and not any(os.environ.get(name) for name in DISPLAYS):
            # Qt itself would abort the process
            raise UsageError(
                "there is no display to open a window on", path="luff gui", fix="luff run needs none"
            )
        try:
            window = import_module("...gui.app", __name__)
        except ImportError as error:
            raise _without_qt(error) from None
        raise typer.Exit(window.main(file))


def _without_qt(error: ImportError) -> LuffError:
    if (error.name or "").split(".")[0] in QT_PACKAGES:
        fix = "pip install 'luff[gui]'"
        return UsageError(f"the window needs {error.name}, which is not installed", path="luff gui", fix=fix)
    return UsageError(
        f"the window cannot be opened: {error}", path="luff gui", fix="luff run works without it"
    )

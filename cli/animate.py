"""`luff animate`: a film of a mechanism, without a window."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from ..blocks.errors import LuffError
from ..solver.results.file_formats import known_format
from .console import UsageError, own_console
from .model_options import ModelOptions
from .run_outputs import check_file
from .shared_options import argument, option

if TYPE_CHECKING:
    from ..gui.view3d.film import Film

VIEWS = ("iso", "front", "side", "top", "back", "left", "bottom")


@dataclass(frozen=True, kw_only=True)
class FilmOptions(ModelOptions):
    """Options of a film."""

    file: Annotated[Path, argument("A result (.h5), or a netlist, which is run.")]
    against: Annotated[Path | None, argument("Another result, shown faded beside it.")] = None
    output: Annotated[
        Path | None, option("--output", "-o", help="A page for browsers (.html), .mp4 or .gif.")
    ] = None
    view: Annotated[
        str,
        option(
            help="iso, front, side, top, back, left or bottom; as the netlist's view: says, or what shows most."
        ),
    ] = ""
    follow: Annotated[str, option(help="A frame, BLOCK.PORT, that stays in the middle.")] = ""
    inside: Annotated[str, option(help="A frame from which the camera looks along its x axis.")] = ""
    size: Annotated[str, typer.Option(help="Pixels of .mp4 and .gif.")] = "1280x720"
    fps: Annotated[float, typer.Option(help="Pictures per second of .mp4 and .gif.")] = 25.0
    speed: Annotated[float, typer.Option(help="Simulated seconds per second of .mp4 and .gif.")] = 1.0
    trail: Annotated[
        list[str] | None, option(help="A frame whose path is drawn, BLOCK.PORT. Repeatable.")
    ] = None
    stresses: Annotated[
        bool,
        typer.Option(
            "--stresses", help="Colour links and flexible bodies by a result's stresses; .mp4 and .gif."
        ),
    ] = False
    theme: Annotated[str, option(help="light or dark; a page takes the browser's.")] = ""
    folder: Annotated[Path | None, option(help="Where the netlist of a result lay, if not beside it.")] = None

    def check(self) -> None:
        from ..gui.theme.colours import THEMES

        _check("--view", self.view, VIEWS)
        _check("--theme", self.theme, THEMES)
        for name, value, most in (("--fps", self.fps, 240.0), ("--speed", self.speed, 1e6)):
            if not 0.0 < value <= most:
                raise UsageError(f"found {value:g}, expected a number above 0, at most {most:g}", path=name)
        if known_format(self.file) is not None and self.set_:
            raise UsageError("found --set with a result, whose run is over", path="--set")
        if self.against is not None and known_format(self.against) is None:
            raise UsageError(f'found "{self.against}", expected a result (.h5)', path="AGAINST")
        if self.follow and self.inside:
            raise UsageError("found --follow and --inside, expected one of them", path="luff animate")
        if self.stresses and (self.path.suffix == ".html" or known_format(self.file) is None):
            mistake = "colours of stresses need a result (.h5), and go into .mp4 and .gif"
            fix = "luff run MODEL -o a.h5; luff animate a.h5 --stresses -o a.mp4"
            raise UsageError(mistake, path="--stresses", fix=fix)

    @property
    def path(self) -> Path:
        return self.output or Path(self.file.with_suffix(".html").name)


def animate(options: FilmOptions) -> None:
    """Film a mechanism: from the signals of a result, or from a run of its own."""
    from ..gui.view3d.film import KINDS, coloured, with_extras
    from ..solver.results.result import read_result

    path, source = options.path, options.file
    check_file(path, tuple(KINDS))
    options.check()
    width, height = _size(options.size)
    film = _of_run(options) if known_format(source) is None else _of_result(source, options)
    if options.stresses:
        film = coloured(film, read_result(source))
    ghost = options.against and _of_result(options.against, options)
    shot: Frame = {
        "width": width,
        "height": height,
        "fps": options.fps,
        "speed": options.speed,
        "view": options.view,
        "follow": options.follow,
        "inside": options.inside,
    }
    write_film(with_extras(film, options.trail or (), ghost), path, shot, options.theme, options.silent)
    options.print_files([path])


def _check(option: str, word: str, known: Collection[str]) -> None:
    if word and word not in known:
        raise UsageError(f'found "{word}", expected {", ".join(known)}', path=option)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,4})x(\d{2,4})", text)
    if not match or max(map(int, match.groups())) > 4096:
        raise UsageError(f'found "{text}", expected WIDTHxHEIGHT up to 4096', path="--size", fix="1280x720")
    width, height = (2 * round(int(word) / 2) for word in match.groups())  # even, as video encoders need
    return width, height


def _of_result(source: Path, options: FilmOptions) -> Film:
    from ..gui.view3d.film import film_of_result
    from ..solver.results.result import read_result

    allow_code, files = options.opening
    return film_of_result(
        read_result(source), options.folder or source.resolve().parent, allow_code, tuple(files)
    )


def _of_run(options: ModelOptions) -> Film:
    from ..gui.view3d.film import film_of_run
    from .console import show_compiling
    from .run_progress import run_to_end

    show_compiling(options.silent)
    sim = options.simulation()
    return film_of_run(sim, lambda session: run_to_end(sim, session, None, bar=not options.silent))


class Frame(TypedDict):
    """Keyword arguments of `Shot` from the options."""

    width: int
    height: int
    fps: float
    speed: float
    view: str
    follow: str
    inside: str


def write_film(film: Film, path: Path, shot: Frame, theme: str, quiet: bool) -> None:
    """Write a film atomically: the file is complete or absent."""
    if path.suffix == ".html":
        from ..gui.view3d.html_replay import write_page

        write_page(film, path, shot["view"], theme, shot["follow"], shot["inside"])
        return
    try:
        from ..gui.theme.active_theme import holder
        from ..gui.view3d.film_encoding import WRITERS, Shot
    except ImportError:
        raise LuffError(
            f"{path.suffix} needs PySide6", fix="pip install 'luff[gui,film]', or write .html"
        ) from None
    holder.use(theme or "light")
    part = path.with_name(f"{path.stem}.partial{path.suffix}")
    try:
        with _progress(not quiet) as told:
            WRITERS[path.suffix](film, part, Shot(**shot), told)
        part.replace(path)
    except OSError as error:
        raise LuffError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _progress(wanted: bool) -> Iterator[Callable[[int, int], bool]]:
    """Progress bar on a terminal; yields the callback (done, total) -> continue."""
    if not wanted or not sys.stderr.isatty():
        yield lambda done, whole: True
        return
    from rich.progress import Progress

    with Progress(console=own_console(), transient=True) as bar:
        task = bar.add_task("pictures")

        def told(done: int, whole: int) -> bool:
            bar.update(task, completed=done, total=whole)
            return True

        yield told

"""Output of commands: results on stdout, all else on stderr; with --json one object on stdout and nothing else.

Texts from files (names, comments, foreign messages) reach a terminal with escaped control characters: `guarded`
replaces the standard streams by escaping ones. Progress bars draw on `own_console`.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer

from ..blocks.errors import LuffError, Problem

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# what a terminal obeys rather than shows: controls (C0 but tab and line feed, DEL, C1), marks of direction (UAX 9),
# ends of lines and paragraphs, marks of annotations, and tags (the Unicode Standard, chapter 23)
COMMANDS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]"
)


class UsageError(LuffError):
    """Usage error of the command line (exit code 2)."""

    exit_code = 2


def shown_plainly(text: str) -> str:
    r"""Text with control characters escaped, as \x1b, so that a terminal displays them and does not execute them."""
    return COMMANDS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Guarded:
    """Standard stream wrapper that escapes control characters in everything written."""

    def __init__(self, stream: TextIO):
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(shown_plainly(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Escape control characters on standard output and error inside the context."""
    out, err = (cast("TextIO", Guarded(own(stream))) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def own(stream: TextIO) -> TextIO:
    """Unwrapped standard stream, for luff's own drawing."""
    return stream.stream if isinstance(stream, Guarded) else stream


def byte_output() -> TextIO:
    """Standard output for a file passed on byte by byte; wrapped on a terminal, so that control characters are
    escaped."""
    return sys.stdout if sys.stdout.isatty() else own(sys.stdout)


def own_console() -> Console:
    """Rich console on standard error for progress bars; texts from files pass through `in_bar`."""
    from rich.console import Console

    return Console(file=own(sys.stderr))


def in_bar(text: str) -> str:
    """File text for a progress bar, with control characters and rich markup escaped."""
    from rich.markup import escape

    return escape(shown_plainly(text))


def print_line(text: object) -> None:
    """Print one line for the user on standard error, separate from piped output."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def reporting(as_json: bool = False) -> Iterator[None]:
    """Report a LuffError raised inside as one line per problem, and exit with its code."""
    try:
        yield
    except LuffError as error:
        if as_json:
            status = "failed" if error.exit_code == 3 else "error"
            print_json({"status": status, "problems": problem_records(error.problems)})
        else:
            for problem in error.problems:
                print_line(problem)
        raise typer.Exit(error.exit_code) from None


def warn(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print_line(problem)


def problem_records(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """Problems as JSON records."""
    return [problem.record() for problem in problems]


def print_json(value: Mapping[str, object]) -> None:
    # a pipe of another encoding gets JSON's own spelling
    spelled = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    text = json.dumps(plain(value), indent=2, ensure_ascii=spelled, allow_nan=False, default=str)
    # in JSON's own spelling: whoever reads it gets the same text
    print(COMMANDS.sub(lambda match: _in_json(match[0]), text))


def _in_json(letter: str) -> str:
    return json.dumps(letter)[1:-1] if letter != "\x7f" else "\\u007f"


def print_written(
    files: Sequence[Path], quiet: bool, as_json: bool, spent: float | None = None, next_: str = ""
) -> None:
    """Print the files that a command wrote; with `spent` [s], also their sizes and the time."""
    if as_json:
        seconds = {} if spent is None else {"seconds": spent}
        print_json({"status": "fine", "files": [str(path) for path in files], **seconds})
    elif not quiet and spent is None:
        print(f"wrote {', '.join(map(str, files))}{next_}")
    elif not quiet and spent is not None:
        sizes = [f"{path}, {path.stat().st_size / 1000:.0f} kB" for path in files]
        print(f"wrote {'; '.join(sizes)}, in {duration(spent)}")


def plain(value: object) -> object:
    """JSON value with NaN and infinities replaced by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def duration(seconds: float) -> str:
    """Duration as text: 0.043 s, 4.3 s, 2 min 5 s."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


class CompileBar:
    """Listener for compiled functions: number done, total, last name."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._told = False

    def __call__(self, done: int, total: int, what: str) -> None:
        if sys.stderr.isatty():
            self._show(done, total, what)
        elif not self._told:
            self._told = True
            from ..solver.codegen.cache_folder import cache_dir

            print_line(f"luff: compiling functions, once for this version and machine; kept in {cache_dir()}")

    def _show(self, done: int, total: int, what: str) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        if self._progress is None:
            columns = (
                TextColumn("compiling {task.fields[what]}"),
                BarColumn(),
                TextColumn("{task.completed:.0f} of {task.total:.0f}, once for this version"),
            )
            self._progress = Progress(*columns, console=own_console(), transient=True)
            self._progress.add_task("", total=total, what=in_bar(what))
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=done, total=total, what=in_bar(what))
        if done >= total:
            self._progress.stop()
            self._progress = None


def show_compiling(quiet: bool = False) -> None:
    """Show compilation progress from now on in this process."""
    from ..solver.codegen import object_loader

    object_loader.listener = None if quiet else CompileBar()

"""What commands say: results on stdout, all else on stderr; with --json one object on stdout and nothing else."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from ..blocks.errors import LuffError, Problem


class UsageError(LuffError):
    """The command cannot mean what it says."""

    exit_code = 2


def say(text: object) -> None:
    """One line for the user, apart from what a pipe carries on."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def reporting(as_json: bool = False) -> Iterator[None]:
    """Whatever luff refuses inside ends the command with one line for each mistake and the exit code."""
    try:
        yield
    except LuffError as error:
        if as_json:
            status = "failed" if error.exit_code == 3 else "error"
            print_json({"status": status, "problems": as_records(error.problems)})
        else:
            for problem in error.problems:
                say(problem)
        raise typer.Exit(error.exit_code) from None


def warn(problems: Iterable[Problem]) -> None:
    for problem in problems:
        say(problem)


def as_records(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """Problems as an editor or a script wants them."""
    return [problem.record() for problem in problems]


def print_json(value: Mapping[str, object]) -> None:
    # a pipe of another encoding gets JSON's own spelling
    spelled = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(plain(value), indent=2, ensure_ascii=spelled, allow_nan=False, default=str))


def tell_written(
    files: Sequence[Path], quiet: bool, as_json: bool, spent: float | None = None, next_: str = ""
) -> None:
    """Which files a command wrote; with the seconds that it took (`spent`), also how large they are."""
    if as_json:
        seconds = {} if spent is None else {"seconds": spent}
        print_json({"status": "fine", "files": [str(path) for path in files], **seconds})
    elif not quiet and spent is None:
        print(f"wrote {', '.join(map(str, files))}{next_}")
    elif not quiet and spent is not None:
        sizes = [f"{path}, {path.stat().st_size / 1000:.0f} kB" for path in files]
        print(f"wrote {'; '.join(sizes)}, in {duration(spent)}")


def plain(value: object) -> object:
    """JSON knows no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def duration(seconds: float) -> str:
    """0.043 s, 4.3 s, 2 min 5 s."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"

"""The one error hierarchy, and the problem record that canvas, netlist and command line all show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from .light_dataclass import record
from .text.did_you_mean import KnownWords

LONGEST = 200  # letters of a path in a message: a name in a file may have any number
CODE = "code"  # that the netlist lists or names, to be run; or the network, to be used


class Mark(NamedTuple):
    """A place in a text file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@record
class Problem:
    """One mistake: where it is, what was found and expected, and the likely fix."""

    message: str
    path: str = ""  # block, port or entry it concerns: `blocks.slew.axis`, `pd.effort`
    fix: str = ""
    mark: Mark | None = None
    severity: str = "error"  # or "warning"
    key: bool = False  # it concerns the entry's name, not its value
    incomplete: bool = False  # nothing is wrong yet: something is left to do
    wants: str = ""  # what a user may allow so that it goes: a folder to read from, or CODE

    def __str__(self) -> str:
        place = f"{self.mark}: " if self.mark else ""
        path = self.path if len(self.path) <= LONGEST else f"{self.path[:LONGEST]}..."
        subject = f"{path}: " if path else ""
        kind = "warning: " if self.severity == "warning" else ""
        fix = f" ({self.fix})" if self.fix else ""
        return f"{place}{kind}{subject}{self.message}{fix}"

    def record(self) -> dict[str, object]:
        """As an editor, a script or a file wants it."""
        place = self.mark or (None, None, None)
        return {
            "severity": self.severity, **dict(zip(("file", "line", "column"), place, strict=True)),
            "path": self.path, "message": self.message, "fix": self.fix,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> Problem:
        line, column = record.get("line"), record.get("column")
        mark = None
        if isinstance(line, int) and isinstance(column, int):
            mark = Mark(str(record.get("file")), line, column)
        message, path, fix = (str(record.get(name, "")) for name in ("message", "path", "fix"))
        return cls(message, path, fix, mark, str(record.get("severity", "warning")))

    def at(self, mark: Mark | None = None, path: str | None = None) -> Problem:
        """The same problem with its place filled in where it is still unknown."""
        return replace(self, mark=self.mark or mark, path=self.path or path or "")


class ModelWarning(UserWarning):
    """A remark on a model or a finished run, given once, with its place; they are in `result.remarks`."""


class LuffError(Exception):
    """Base of luff's own errors: one or several problems, one line each."""

    exit_code = 1

    def __init__(self, problems: str | Problem | Iterable[Problem], *, path: str = "", fix: str = ""):
        if isinstance(problems, str):
            problems = [Problem(problems, path, fix)]
        elif isinstance(problems, Problem):
            problems = [problems]
        self.tell(problems)

    def tell(self, problems: Iterable[Problem]) -> None:
        """Say it in other words: the same problems, for one, with their places in a file."""
        self.problems = list(problems)
        self.args = ("\n".join(map(str, self.problems)),)


class NetlistError(LuffError):
    """A netlist that does not follow its format."""


class MissingFileError(NetlistError):
    """A file that a command or a script names, and that is not there."""

    exit_code = 2


class ConnectError(LuffError):
    """Two ports that cannot be wired together."""


class CompileError(LuffError):
    """The diagram is valid, but no ODE can be built from it."""


class RunError(LuffError):
    """A run stopped before its end; what was computed is kept."""

    exit_code = 3


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """In the order of the text, each mistake once: two inputs without a wire are two, on one line as they may be."""
    first: dict[tuple[object, str, str], Problem] = {}
    for problem in problems:
        # a part of a composite that is used twice has two paths and one place in the text
        last = problem.path.rpartition(".")[2]
        first.setdefault((problem.mark or problem.path, last, problem.message), problem)
    return sorted(first.values(), key=lambda p: (p.mark is None, p.mark or ("", 0, 0)))


def did_you_mean(word: str, known: Iterable[str] | KnownWords, listed: bool = False) -> str:
    """`did you mean "revolute"?` or, without a near match, what is known (unless the message has `listed` it)."""
    known = known if isinstance(known, KnownWords) else KnownWords(known)
    near = known.near(word)
    if near:
        return f'did you mean "{near}"?'
    if not known.words or listed:
        return ""
    shown = ", ".join(known.words[:12]) + (", ..." if len(known.words) > 12 else "")
    return f"known: {shown}"

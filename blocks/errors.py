"""The one error hierarchy, and the problem record that canvas, netlist and command line all show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import UnionType
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
    """A mistake or warning: where it is, what was found and expected, and the likely fix."""

    message: str
    path: str = ""  # block, port or entry it concerns: `blocks.slew.axis`, `pd.effort`
    fix: str = ""
    mark: Mark | None = None
    severity: str = "error"  # or "warning"
    key: bool = False  # it concerns the entry's name, not its value
    incomplete: bool = False  # nothing is wrong yet: something is left to do
    spare: str = ""  # path of an entry or wire that nothing reads: it may go
    wants: str = ""  # what a user may allow so that it goes: a folder to read from, or CODE

    def __str__(self) -> str:
        place = f"{self.mark}: " if self.mark else ""
        path = self.path if len(self.path) <= LONGEST else f"{self.path[:LONGEST]}..."
        subject = f"{path}: " if path else ""
        kind = "warning: " if self.severity == "warning" else ""
        fix = f" ({self.fix})" if self.fix else ""
        return f"{place}{kind}{subject}{self.message}{fix}"

    def record(self) -> dict[str, object]:
        """Plain data for JSON."""
        place = self.mark or (None, None, None)
        return {
            "severity": self.severity, **dict(zip(("file", "line", "column"), place, strict=True)),
            "path": self.path, "message": self.message, "fix": self.fix,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> Problem:
        """Make a problem of `record`'s data."""
        line, column = record.get("line"), record.get("column")
        mark = None
        if isinstance(line, int) and isinstance(column, int):
            mark = Mark(str(record.get("file")), line, column)
        message, path, fix = (str(record.get(name, "")) for name in ("message", "path", "fix"))
        return cls(message, path, fix, mark, str(record.get("severity", "warning")))

    def at(self, mark: Mark | None = None, path: str | None = None) -> Problem:
        """Copy with the mark and path filled in where they are unknown."""
        return replace(self, mark=self.mark or mark, path=self.path or path or "")


class ModelWarning(UserWarning):
    """Python warning of a remark on a model or a finished run; `result.remarks` has them too.

    Examples
    --------
    >>> import luff, warnings
    >>> warnings.simplefilter("error", luff.ModelWarning)  # remarks become errors
    """


class LuffError(Exception):
    r"""Base of luff's errors: one or several problems, a line each, in `problems`.

    A `Problem` has `message`, `path` (the block, port or entry), `fix`, `mark` (file, line, column) and `severity`.

    Examples
    --------
    >>> import luff
    >>> try:
    ...     luff.loads("luff: 1\nblocks: {pin: {type: revolut}}\n").block_class("pin")
    ... except luff.LuffError as error:
    ...     print(error.problems[0].fix)
    did you mean "revolute"?
    """

    exit_code = 1

    def __init__(self, problems: str | Problem | Iterable[Problem], *, path: str = "", fix: str = ""):
        if isinstance(problems, str):
            problems = [Problem(problems, path, fix)]
        elif isinstance(problems, Problem):
            problems = [problems]
        self.replace_problems(problems)

    def replace_problems(self, problems: Iterable[Problem]) -> None:
        """Replace the problems, for instance by the same ones with their places in a file.

        Parameters
        ----------
        problems : iterable of Problem
            What the error says from now on.
        """
        self.problems = list(problems)
        self.args = ("\n".join(map(str, self.problems)),)


class NetlistError(LuffError):
    r"""A netlist that does not follow its format.

    Examples
    --------
    >>> import luff
    >>> luff.loads("luff: 1\nblocs: {}\n")
    Traceback (most recent call last):
        ...
    luff.blocks.errors.NetlistError: <text>:2:1: blocs: there is no section "blocs" (did you mean "blocks"?)
    """


class MissingFileError(NetlistError):
    """A file that a command or a script names, and that is not there."""

    exit_code = 2


class ConnectError(LuffError):
    """Two ports that cannot be wired together.

    Examples
    --------
    >>> import luff
    >>> diagram = luff.load("library/templates/pendulum.yaml")
    >>> try:
    ...     diagram.check_connect("pin.position", "rod.frame_a")
    ... except luff.ConnectError as error:
    ...     print(len(error.problems))
    1
    """


class CompileError(LuffError):
    """A valid netlist of which no ODE can be made: vanishing masses, loops that do not close, no start.

    Examples
    --------
    >>> import luff
    >>> issubclass(luff.CompileError, luff.LuffError)
    True
    """


class RunError(LuffError):
    """A run that stopped before its end, or a wrong setting of a run; `result` has the rows up to there.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> sim.run(method="rk5")
    Traceback (most recent call last):
        ...
    luff.blocks.errors.RunError: found method "rk5", expected one of ...
    """

    exit_code = 3


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Sort problems by their places in the text and drop repetitions.

    Two inputs without a wire are two problems, also on one line.
    """
    first: dict[tuple[object, str, str], Problem] = {}
    for problem in problems:
        # a part of a composite that is used twice has two paths and one place in the text
        last = problem.path.rpartition(".")[2]
        first.setdefault((problem.mark or problem.path, last, problem.message), problem)
    return sorted(first.values(), key=lambda p: (p.mark is None, p.mark or ("", 0, 0)))


class Suggestion(str):
    """Likely fix in words, with what it replaces and by what; `certain` if nothing else is as near.

    `declares` is the parameter that may be declared in place of that, or, where it is what is near, for it.
    """

    found: str
    near: str
    certain: bool
    declares: str

    def __new__(  # noqa: D102
        cls, found: str, near: str, certain: bool, words: str = "", declares: str = ""
    ) -> Suggestion:
        made = super().__new__(cls, words or f'did you mean "{near}"?')
        made.found, made.near, made.certain, made.declares = found, near, certain, declares
        return made

    def __reduce__(self) -> tuple[type[Suggestion], tuple[str, str, bool, str, str]]:
        return Suggestion, (self.found, self.near, self.certain, str(self), self.declares)


class Declaration(str):
    """Likely fix in words, for a parameter `name` that is used and not declared."""

    name: str

    def __new__(cls, name: str, known: str = "") -> Declaration:  # noqa: D102
        made = super().__new__(cls, f"declare {name} in `parameters:`{known}")
        made.name = name
        return made

    def __reduce__(self) -> tuple[type[Declaration], tuple[str, str]]:
        return Declaration, (self.name, self.removeprefix(f"declare {self.name} in `parameters:`"))


class OpenInput(str):
    """Likely fix in words, for an input `port` without a wire."""

    port: str

    def __new__(cls, port: str, wanted: str) -> OpenInput:  # noqa: D102
        made = super().__new__(cls, f"connect a {wanted}: something.out -> {port}")
        made.port = port
        return made

    def __reduce__(self) -> tuple[type[OpenInput], tuple[str, str]]:
        wanted = self.removeprefix("connect a ").removesuffix(f": something.out -> {self.port}")
        return OpenInput, (self.port, wanted)


class OtherBlock(str):
    """Likely fix in words, by a parameter of another `block` than the problem's."""

    block: str
    key: str

    def __new__(cls, block: str, key: str, words: str) -> OtherBlock:  # noqa: D102
        made = super().__new__(cls, words)
        made.block, made.key = block, key
        return made

    def __reduce__(self) -> tuple[type[OtherBlock], tuple[str, str, str]]:
        return OtherBlock, (self.block, self.key, str(self))


class Place(NamedTuple):
    """A place in a block to which an entry may move: the words of that, and what is written, by path in the block."""

    words: str
    entries: dict[str, object]


class Move(str):
    """Likely fix in words, for an entry that stands at the wrong level: the places that it may have meant."""

    places: tuple[Place, ...]

    def __new__(cls, words: str, places: Iterable[Place]) -> Move:  # noqa: D102
        made = super().__new__(cls, words)
        made.places = tuple(places)
        return made

    def __reduce__(self) -> tuple[type[Move], tuple[str, tuple[Place, ...]]]:
        return Move, (str(self), self.places)


class Missing(str):
    """Likely fix in words, for a required parameter `name` that has no value."""

    name: str

    def __new__(cls, name: str, words: str) -> Missing:  # noqa: D102
        made = super().__new__(cls, words)
        made.name = name
        return made

    def __reduce__(self) -> tuple[type[Missing], tuple[str, str]]:
        return Missing, (self.name, str(self))


class LoopCut(str):
    """Likely fix in words, for an algebraic loop."""


class Addition(str):
    """Likely fix in words, for a signal input that several wires drive."""


class TableOrFile(str):
    """Likely fix in words, for a block whose table, at the problem's path, is neither written nor in a file."""


def declaration_fix(name: str, known: Iterable[str]) -> str:
    """Fix for a name that no parameter has: the one that was meant, or its declaration."""
    near = did_you_mean(name, known)
    if isinstance(near, Suggestion):
        words = f"{near} Else declare {name} in `parameters:`"
        return Suggestion(near.found, near.near, near.certain, words, name)
    return Declaration(name, f"; {near}" if near else "")


def did_you_mean(word: str, known: Iterable[str] | KnownWords, listed: bool = False) -> str:
    """`did you mean "revolute"?` or, without a near match, what is known (unless the message has `listed` it)."""
    known = known if isinstance(known, KnownWords) else KnownWords(known)
    near = known.near(word)
    if near:
        return Suggestion(word, near, known.only(word))
    return "" if listed else listing(word, known)


def listing(word: str, known: KnownWords) -> str:
    """What is known, those words first that are likest."""
    shown = ", ".join(known.listed(word)[:12]) + (", ..." if len(known.words) > 12 else "")
    return f"known: {shown}" if known.words else ""


def wrong_type(
    name: str, blocks: Mapping[str, object], kinds: type | UnionType, expected: str, path: str = ".of"
) -> Problem:
    """Problem of a parameter `path` that names a block of a wrong type, or none: expected are those of `kinds`."""
    block = blocks.get(name)
    found = f"a {getattr(block, 'type_name', '')}" if block is not None else "no block"
    known = [each for each, one in blocks.items() if isinstance(one, kinds)]
    return Problem(f'"{name}" is {found}, expected {expected}', path, did_you_mean(name, known))

"""Read a file of sections (a study, an assessment, a fit) into records that `Param`s declare; mistakes with places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from ...blocks.errors import LuffError, NetlistError, Problem, in_order
from ...blocks.expression_scope import Scope as Names
from ...blocks.params import REQUIRED, Param, Scope, Struct, Sub, convert_all, fail, shown_value
from ..netlist import Document

Record = TypeVar("Record", bound=Struct)
Entry = Callable[[object, Scope, str], object]  # raw, scope, path -> value


class MapOf(Param):
    """A mapping from names to entries of one kind, each read by `entry`; `words` say what is expected."""

    kind = "mapping"

    def __init__(
        self, entry: Entry, words: str, default: object = REQUIRED, *, empty: bool = True, doc: str = ""
    ):
        super().__init__(default, doc=doc)
        self.entry, self.words, self.empty = entry, words, empty

    def convert(self, raw: object, scope: Scope, path: str) -> dict[str, object]:
        if not isinstance(raw, dict) or not (raw or self.empty):
            raise self.refused(raw, path)
        return {str(name): self.entry(one, scope, f"{path}.{name}") for name, one in raw.items()}

    def expected(self) -> str:
        return self.words


def words(raw: object, scope: Scope, path: str) -> str:
    """Entry of a `MapOf` that is text."""
    if isinstance(raw, dict | list):
        raise fail(path, f"found {shown_value(raw)}, expected words")
    return str(raw)


def records(
    struct: type[Struct], default: object = REQUIRED, *, short: str = "", empty: bool = True, doc: str = ""
) -> MapOf:
    """A mapping from names to records; `short` is the entry that a plain value stands for."""

    def entry(raw: object, scope: Scope, path: str) -> Struct:
        raw = {short: raw} if short and not isinstance(raw, dict) else raw
        return Sub(struct).group({} if raw is None and empty else raw, scope, path)

    expected = f"a mapping from names to {{{', '.join(struct.params)}}}"
    return MapOf(entry, expected, default, empty=empty, doc=doc)


def read_record(cls: type[Record], raw: Mapping[str, object], what: str) -> Record:
    """The record that a mapping says; all mistakes in it as one error."""
    return cls(convert_all(cls.params, raw, Names(), "", what), frozenset(raw))


@contextmanager
def placed_in(document: Document) -> Iterator[None]:
    """Mistakes are told with their line and column of the document."""
    try:
        yield
    except LuffError as error:
        refuse(error.problems, document)


def refuse(problems: Iterable[Problem], document: Document) -> None:
    """Raise what is wrong, if anything is, in the order of the document."""
    placed = [
        replace(p, path=p.path.lstrip("."), mark=p.mark or document.mark(p.path, p.key)) for p in problems
    ]
    if placed:
        raise NetlistError(in_order(placed)) from None

"""`Diagram`: a netlist that is opened, edited, checked and saved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...blocks import NetlistError
from ...blocks.errors import Problem
from ..diagram.netlist_document import Netlist
from .flatten import check


class Diagram(Netlist):
    """A netlist as a document that can be edited, checked and saved without losing a comment."""

    def __fspath__(self) -> str:
        """The file that holds it: processes of a study read it there."""
        if self.path is None or self.modified:
            raise NetlistError(
                "this netlist is in no file yet, or was changed since", fix="diagram.save(path)"
            )
        return str(self.path.resolve())

    def check(self) -> list[Problem]:
        """Every mistake that can be found without compiling, each with its place."""
        return check(self)


def load(path: str | Path, allow_code: bool = False, files: Iterable[str | Path] = ()) -> Diagram:
    """Read a netlist file; Python files that it lists run only with `allow_code=True`.

    Tables and other netlists are read from its own folder and below, and from the folders `files`.
    """
    return Diagram.load(path, allow_code, files)


def loads(
    text: str, base: str | Path | None = None, allow_code: bool = False, files: Iterable[str | Path] = ()
) -> Diagram:
    """Read a netlist from text; `base` is the folder from which it names other files."""
    folder = Path(base) if base is not None else None
    return Diagram.from_yaml(text, base=folder, allow_code=allow_code, files=files)

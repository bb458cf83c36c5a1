"""Text and file of a netlist: read, written with every unchanged character, copied."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Generic, Self, TypeVar

from ...blocks.errors import NetlistError, in_order
from ...blocks.text.atomic_write import write_whole
from ...blocks.text.raw_types import RawMap
from ..netlist import Document, deep_copy, read_netlist, read_text, same_data
from ..netlist.library_paths import library_path
from ..netlist.section_structure import check_structure, foreign_format, malformed_blocks, well_formed_part
from .netlist_levels import Levels

Value = TypeVar("Value")


class RootAttribute(Generic[Value]):
    """Attribute that all levels of a document share: that of the outermost netlist."""

    def __set_name__(self, owner: type[NetlistText], name: str) -> None:
        self.key = f"_own_{name}"

    def __get__(self, netlist: NetlistText, owner: type[NetlistText]) -> Value:
        if netlist is None:  # asked of the class
            return self
        return getattr(netlist.root, self.key)

    def __set__(self, netlist: NetlistText, value: Value) -> None:
        setattr(netlist.root, self.key, value)


class NetlistText(Levels):
    """A netlist with the text that it was read from, which stays the base of every text written later.

    Unchanged entries keep their very characters, and an edit undone gives back the identical file. Levels inside share
    text and file with the outermost one.
    """

    path = RootAttribute[Path | None]()
    base = RootAttribute[Path | None]()
    allow_code = RootAttribute[bool]()
    files = RootAttribute[tuple[Path, ...]]()  # folders beside its own from which it may read
    document = RootAttribute[Document | None]()

    def __init__(self) -> None:
        super().__init__({"luff": 1, "blocks": {}, "connect": []})
        self.path = None
        self.base = None
        self.allow_code = False
        self.files = ()
        self.feeds: dict[str, RawMap] = {}  # of its inputs, those that a run takes from tables
        self.document = None
        self._broken: set[tuple[str, ...]] = set()  # paths of malformed blocks, while mistakes are collected
        self._malformed = False  # the text says more than `data`, which is nowhere else than in the text
        self._code_run: set[Path] = set()
        self._saved = deep_copy(self.data)
        self._bom = ""

    @classmethod
    def from_yaml(
        cls,
        text: str,
        file: str = "<text>",
        base: Path | None = None,
        allow_code: bool = False,
        files: Iterable[str | Path] = (),
        path: Path | None = None,
        nested: bool = False,
    ) -> Self:
        """Read a netlist from text.

        Parameters
        ----------
        text : str
            The netlist.
        file : str, optional
            Name of the file, for messages.
        base : Path, optional
            Folder in which the files that it names are looked for.
        allow_code : bool, optional
            Permission to run the Python files that it lists.
        files : iterable of str or Path, optional
            Further folders from which it may read.
        path : Path, optional
            File that holds it.
        nested : bool, optional
            It is a block of another netlist: only mistakes of form are raised.

        Returns
        -------
        Diagram
            The netlist as a document.

        Raises
        ------
        NetlistError
            It is not well formed; the error has all mistakes.
        """
        document = read_netlist(text, file)
        other = foreign_format(document)
        if other:
            raise NetlistError(other)
        problems = check_structure(document)
        diagram = cls()
        diagram.path, diagram.base, diagram.allow_code, diagram.document = path, base, allow_code, document
        diagram.files = tuple(map(Path, files))
        if problems:
            raw = document.root.raw if document.root else {}
            diagram._take_over(well_formed_part(raw))
            diagram._broken = set(malformed_blocks(raw, diagram.data))
            diagram._malformed = True
            if isinstance(raw, dict) and raw and not nested:
                problems += diagram.check()
            raise NetlistError(in_order(problems))
        data = document.data
        assert isinstance(data, dict)  # the check of form has refused all else
        diagram._take_over(data)
        diagram._bom = "\ufeff" if text.startswith("\ufeff") else ""
        return diagram

    def _take_over(self, data: RawMap) -> None:
        self.data.clear()
        self.data.update(data)
        self._saved = deep_copy(data)

    @classmethod
    def load(
        cls,
        path: str | Path,
        allow_code: bool = False,
        files: Iterable[str | Path] = (),
        nested: bool = False,
    ) -> Self:
        """Read a netlist file.

        Parameters
        ----------
        path : str or Path
            The file.
        allow_code : bool, optional
            Permission to run the Python files that it lists.
        files : iterable of str or Path, optional
            Further folders from which it may read.
        nested : bool, optional
            It is a block of another netlist: only mistakes of form are raised.

        Returns
        -------
        Diagram
            The netlist as a document.

        Raises
        ------
        NetlistError
            The file is not there or not well formed.
        """
        path = library_path(path)
        text = read_text(path)
        return cls.from_yaml(text, str(path), path.resolve().parent, allow_code, files, path, nested)

    def at_level(self, level: tuple[str, ...]) -> Self:
        """Netlist at a level of the nesting, which edits the same document.

        Parameters
        ----------
        level : tuple of str
            Subsystems in place from the outermost netlist inwards; none of them for that one itself.

        Returns
        -------
        Diagram
            The level; its sections are empty where there is no such subsystem.
        """
        if not level:
            return self.root
        inner = type(self)()
        inner._enter(self.root, level)
        return inner

    @property
    def broken(self) -> set[str]:
        """Blocks of this level that are too malformed to look at."""
        return {path[-1] for path in self.root._broken if path[:-1] == self.level}

    def copy(self) -> Self:
        """Copy the document; subscribers are not copied.

        Returns
        -------
        Diagram
            The copy, at the level of this one.
        """
        if self.level:
            return self.root.copy().at_level(self.level)
        other = type(self)()
        other.path, other.base, other.allow_code, other.files = (
            self.path,
            self.base,
            self.allow_code,
            self.files,
        )
        other.document, other._bom = self.document, self._bom
        other.feeds = {name: deep_copy(table) for name, table in self.feeds.items()}
        other._replace(self.data)
        other._saved = deep_copy(self._saved)
        return other

    def to_yaml(self) -> str:
        """Text of the netlist: that of the file, changed only where the data changed.

        Returns
        -------
        str
            YAML; of a level inside, that of the outermost netlist.
        """
        if self.level:
            return self.root.to_yaml()
        document = self.document or read_netlist("")
        if document.says(self.data):
            return self._bom + document.text
        from ..netlist.text_patch import patched_text

        return self._bom + patched_text(document, self.data)

    def save(self, path: str | Path | None = None) -> None:
        """Write the file, whole or not at all.

        Parameters
        ----------
        path : str or Path, optional
            The file; the one that was read by default.

        Raises
        ------
        NetlistError
            There is no file yet.
        RunError
            The file cannot be written; the old one is untouched.
        """
        if self.level:
            self.root.save(path)
            return
        target = Path(path) if path is not None else self.path
        if target is None:
            raise NetlistError("this netlist has no file yet", fix="save it under a name")
        write_whole(target, self.to_yaml())
        self.path, self.base = target, target.resolve().parent
        self._saved = deep_copy(self.data)

    def take_text(self, other: Self) -> None:
        """Write later edits into the text of another reading of the file.

        Parameters
        ----------
        other : Diagram
            The file as it is now.
        """
        root = self.root
        root.document, root._bom, root._saved = other.document, other._bom, deep_copy(other.data)

    @property
    def modified(self) -> bool:
        """True if the data differs from the saved one, at any level."""
        return not same_data(self.root.data, self.root._saved)

    def mark(self, path: str, key: bool = False):
        """Place of an entry in the file.

        Parameters
        ----------
        path : str
            The entry, `blocks.pin.axis`.
        key : bool, optional
            Place of its name, not of its value.

        Returns
        -------
        Mark or None
            File, line and column; None once the diagram differs from the file.
        """
        text = self.read_text()
        return None if text is None else text.mark(path, key)

    def read_text(self) -> Document | None:
        """Text of this level with the places of its entries.

        Returns
        -------
        Document or None
            None once the diagram differs from its file.
        """
        root = self.root
        document = root.document
        if document is None or document.root is None:
            return None
        if not (root._malformed or document.says(root.data)):
            return None
        return document.part(self._steps())

    def comment(self, path: str) -> str:
        """Comment behind an entry.

        Parameters
        ----------
        path : str
            The entry, `parameters.load`.

        Returns
        -------
        str
            Words of the text as it was read; empty where it has none.
        """
        document = self.root.document
        part = None if document is None else document.part(self._steps())
        return "" if part is None else part.comment(path)

    def _steps(self) -> list[str]:
        """Keys of the text that lead to this level."""
        return [step for name in self.level for step in ("blocks", name, "type")]

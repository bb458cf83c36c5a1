"""Data of a netlist and of the subsystems in place inside it: sections, subscribers, snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Self, cast

from ...blocks.block import Block
from ...blocks.errors import Problem
from ...blocks.params import Param
from ...blocks.ports import Port
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy, same_data
from ..netlist.nested_entries import Path, Tree
from ..netlist.plain_data import plain
from ..netlist.section_structure import Kind, put_section, section, subsystem
from .composite_types import CompositeType
from .edit_events import Event, seen_from


class Levels(ABC):
    """Raw data of a netlist at one level; all levels change one document, and hear of each other's edits.

    `level` names the subsystems in place from the outermost netlist, `root`, inwards to the one that is edited here;
    it is empty for the outermost netlist itself.
    """

    def __init__(self, data: RawMap):
        self.level: tuple[str, ...] = ()
        self._root: Self = self
        self._data = data
        self._entries = Tree(data)
        self._listeners: list[tuple[tuple[str, ...], Callable[[Event], None]]] = []

    @property
    def root(self) -> Self:
        """The outermost netlist, of which this is a level."""
        return self._root

    @property
    def data(self) -> RawMap:
        """Raw document, or the sections of this level; empty once its subsystem is gone."""
        data = self._sections()
        return {} if data is None else data

    @property
    def exists(self) -> bool:
        """True as long as the subsystem of this level is there; always for the outermost netlist."""
        return self._sections() is not None

    def _sections(self) -> RawMap | None:
        data = self._root._data
        for name in self.level:
            inner = subsystem(section(data, "blocks", dict).get(name))
            if inner is None:
                return None
            data = inner
        return data

    @property
    def _tree(self) -> Tree:
        # a level's sections are other ones after the outer netlist was replaced
        self._entries.data = self.data
        return self._entries

    def _enter(self, root: Self, level: tuple[str, ...]) -> None:
        """Become a level of another netlist."""
        self._root, self.level, self._data = root, level, {}

    @abstractmethod
    def at_level(self, level: tuple[str, ...]) -> Self:
        """Netlist at a level inside.

        Parameters
        ----------
        level : tuple of str
            Names of the subsystems that lead to it from the outermost netlist.

        Returns
        -------
        Diagram
            A view: what it edits, it edits in this one.
        """

    @abstractmethod
    def block_ports(self, name: str) -> dict[str, Port]:
        """Ports of a block, as its parameters make them.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        dict of str to Port
            Ports by name.
        """

    @abstractmethod
    def block_class(self, name: str) -> type[Block] | CompositeType:
        """Class of a block, or the composite that it is.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        type of Block or CompositeType
            The class.
        """

    @abstractmethod
    def block_params(self, name: str) -> dict[str, Param]:
        """Parameters of a block's type.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        dict of str to Param
            Declarations by name.
        """

    @abstractmethod
    def check(self) -> list[Problem]:
        """Find mistakes of what the entries mean together.

        Returns
        -------
        list of Problem
            Problems in the order of the text.
        """

    def __getstate__(self) -> RawMap:
        return {**self.__dict__, "_listeners": []}  # what listens is a part of this process

    # listeners

    def subscribe(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Call back after every edit.

        Parameters
        ----------
        callback : callable
            Called with the `Event`.

        Returns
        -------
        callable
            Ends the subscription.
        """
        listeners, entry = self._root._listeners, (self.level, callback)
        listeners.append(entry)
        return lambda: listeners.remove(entry) if entry in listeners else None

    def _emit(self, kind: str, name: str, detail: str = "", before: RawMap | None = None) -> None:
        event = Event(kind, name, detail, before)
        for level, callback in list(self._root._listeners):
            seen = seen_from(level, self.level, event)
            if seen is not None:
                callback(seen)

    # sections

    def _section(self, name: str, kind: type[Kind]) -> Kind:
        """A section to edit, made in its place if it is missing."""
        section = self.data.get(name)
        if not isinstance(section, kind):
            section = kind()
            self._put_section(name, section)
        return section

    def _put_section(self, name: str, raw: Raw) -> None:
        put_section(self.data, name, raw, self._tree.place_of((name,)))

    def set_section(self, name: str, raw: Raw) -> None:
        """Replace a top-level section.

        Parameters
        ----------
        name : str
            The section, `simulation`.
        raw : object
            Its raw content; None removes it.
        """
        if raw is None:
            self._tree.unset((name,))
        else:
            self._put_section(name, cast("Raw", plain(raw)))
        self._emit("section", name)

    # the order of entries

    def order_of(self, paths: Iterable[Path]) -> list[tuple[Path, list[str]]]:
        """Order of the entries of mappings, for `put_in_order`.

        Parameters
        ----------
        paths : iterable of tuple
            Paths of mappings in `data`.

        Returns
        -------
        list
            Each path with the names of its entries.
        """
        mappings = ((path, self._tree.get(path)) for path in paths)
        return [(path, list(mapping)) for path, mapping in mappings if isinstance(mapping, dict)]

    def put_in_order(self, order: Iterable[tuple[Path, list[str]]]) -> None:
        """Restore the order of entries; only the text shows it, so subscribers are not told.

        Parameters
        ----------
        order : iterable
            Answer of `order_of`.
        """
        for path, names in order:
            mapping = self._tree.get(path)
            if isinstance(mapping, dict) and list(mapping) != names and mapping.keys() == set(names):
                for name in names:
                    mapping[name] = mapping.pop(name)

    # everything at once

    def snapshot(self) -> RawMap:
        """Copy all data, for `restore`.

        Returns
        -------
        dict
            The raw data.
        """
        return deep_copy(self.data)

    def restore(self, snapshot: RawMap) -> None:
        """Go back to a snapshot.

        Parameters
        ----------
        snapshot : dict
            Answer of `snapshot`.
        """
        if not same_data(self.data, snapshot):
            before = dict(self.data)
            self._replace(snapshot)
            self._emit("reset", "", before=before if self._root is self else None)

    def _replace(self, snapshot: RawMap) -> None:
        data = self.data
        data.clear()
        data.update(deep_copy(snapshot))

"""Entries of nested raw data, set and unset such that each undoes the other exactly, order included."""

from __future__ import annotations

from ...blocks.text.raw_types import Raw, RawMap

Path = tuple[str | int, ...]


def insert_at(mapping: RawMap, index: int | None, key: str, value: Raw) -> None:
    """Insert an entry so that it becomes the `index`-th (None: the last)."""
    rest = [] if index is None else list(mapping)[index:]
    mapping[key] = value
    for name in rest:
        if name != key:
            mapping[name] = mapping.pop(name)


def index_of(mapping: RawMap, key: str) -> int:
    return list(mapping).index(key)


class Tree:
    """Sets and unsets entries of `data`; remembers where an entry stood among its neighbours, for when it comes back
    to the same ones: undone, what was done among others in between says nothing of them."""

    def __init__(self, data: RawMap):
        self.data = data
        self._places: dict[tuple[Path, tuple[str, ...]], int] = {}
        self._empty: set[Path] = set()  # mappings that were empty before something was set in them

    def get(self, path: Path) -> Raw:
        """The entry at a path, None where there is none."""
        entry: Raw = self.data
        for step in path:
            entry = _below(entry, step)
        return entry

    def set(self, path: Path, value: Raw) -> None:
        """Set an entry, with the mappings that lead to it where they are missing; LookupError, and nothing is changed,
        where a step is no item of a list."""
        entry: Raw = self.data
        for step in path:
            if isinstance(step, int) and not (isinstance(entry, list) and step < len(entry)):
                raise LookupError(step)
            entry = _below(entry, step)
        parent: Raw = self.data
        for k in range(1, len(path)):
            below = self.get(path[:k])
            if not isinstance(below, dict | list):
                below = {}
                self._enter(parent, path[:k], below)
                self._empty.discard(path[:k])
            elif not below:
                self._empty.add(path[:k])
            parent = below
        self._enter(parent, path, value)

    def _enter(self, parent: Raw, path: Path, value: Raw) -> None:
        step = path[-1]
        if isinstance(parent, list) and isinstance(step, int):
            parent[step] = value
        elif not isinstance(parent, dict):
            raise LookupError(step)
        elif step in parent:
            parent[str(step)] = value
        else:
            insert_at(parent, self.place_of(path), str(step), value)

    def place_of(self, path: Path) -> int | None:
        """Place that a removed entry had among the neighbours that it would have now; None if that is not known."""
        parent = self.get(path[:-1])
        return self._places.get((path, tuple(parent))) if isinstance(parent, dict) else None

    def unset(self, path: Path, keep: int = 1) -> None:
        """Remove an entry, and the mappings it leaves empty, as long as the path has `keep` steps."""
        while len(path) >= keep:
            parent = self.get(path[:-1])
            if isinstance(parent, list):
                if isinstance(path[-1], int) and path[-1] < len(parent):
                    del parent[path[-1]]
                return
            if not isinstance(parent, dict) or path[-1] not in parent:
                return
            place = index_of(parent, str(path[-1]))
            del parent[path[-1]]
            self._places[path, tuple(parent)] = place
            path = path[:-1]
            if parent or path in self._empty:
                return


def _below(parent: Raw, step: str | int) -> Raw:
    if isinstance(parent, dict):
        return parent.get(step) if isinstance(step, str) else None
    if isinstance(parent, list) and isinstance(step, int) and step < len(parent):
        return parent[step]
    return None

"""Entries of nested raw data, set and unset such that each undoes the other exactly, order included."""

from __future__ import annotations

from typing import Any

Path = tuple[str | int, ...]


def put_at(mapping: dict[str, Any], index: int | None, key: str, value: Any) -> None:
    """Insert an entry so that it becomes the `index`-th (None: the last)."""
    rest = [] if index is None else list(mapping)[index:]
    mapping[key] = value
    for name in rest:
        if name != key:
            mapping[name] = mapping.pop(name)


def index_of(mapping: dict[str, Any], key: str) -> int:
    return list(mapping).index(key)


class Tree:
    """Sets and unsets entries of `data`; remembers where an entry stood, for when it comes back."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self._places: dict[Path, int] = {}
        self._empty: set[Path] = set()  # mappings that were empty before something was set in them

    def get(self, path: Path) -> Any:
        """The entry at a path, None where there is none."""
        found: Any = self.data
        for step in path:
            found = _below(found, step)
        return found

    def set(self, path: Path, value: Any) -> None:
        """Set an entry, with the mappings that lead to it where they are missing; LookupError for no item of a list."""
        parent: Any = self.data
        for k in range(1, len(path)):
            below = self.get(path[:k])
            if not isinstance(below, dict | list):
                below = {}
                self._enter(parent, path[:k], below)
            elif not below:
                self._empty.add(path[:k])
            parent = below
        self._enter(parent, path, value)

    def _enter(self, parent: Any, path: Path, value: Any) -> None:
        step: Any = path[-1]
        if isinstance(parent, list) and not isinstance(step, int):
            raise LookupError(step)
        if not isinstance(parent, dict) or step in parent:
            parent[step] = value
        else:
            place = self._places.get(path)
            put_at(parent, place if place is not None and place < len(parent) else None, str(step), value)

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
            self._places[path] = index_of(parent, str(path[-1]))
            del parent[path[-1]]
            path = path[:-1]
            if parent or path in self._empty:
                return


def _below(parent: Any, step: str | int) -> Any:
    if isinstance(parent, dict):
        return parent.get(step)
    if isinstance(parent, list) and isinstance(step, int) and step < len(parent):
        return parent[step]
    return None

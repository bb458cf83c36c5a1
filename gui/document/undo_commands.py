"""Undo commands: one small edit of the diagram each, with its exact inverse."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Self, TypeGuard

from PySide6.QtGui import QUndoCommand

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.block_edits import RemovedBlock
from ...solver.diagram.wire_edits import RemovedWire
from ...solver.flatten.diagram import Diagram
from ...solver.netlist import path_steps
from ...solver.netlist.nested_entries import Path
from ...solver.netlist.section_structure import WIRES


class Command(QUndoCommand):
    """Base of the undo commands: subclasses define `do` and `take_back`. Sections created by the edit are removed,
    and the order of entries is restored."""

    def __init__(self, diagram: Diagram, text: str, merge: int = -1):
        super().__init__(text)
        self.diagram = diagram
        self.merge = merge  # number of a gesture whose edits may be one step; -1: never
        self._sections: RawMap = {}
        self._order: list[tuple[Path, list[str]]] = []
        self._made = False  # ahead of the stack's first redo

    @property
    def level(self) -> tuple[str, ...]:
        """Level at which the edit was made."""
        return self.diagram.level

    def touched(self) -> list[Path]:
        """Paths of the mappings, besides the sections, in which entries may be removed and restored."""
        return [("layout",), ("layout", WIRES)]

    def make(self) -> None:
        """Make the edit before the command is pushed: the stack keeps also those whose `redo` raises."""
        self.redo()
        self._made = True

    def redo(self) -> None:
        if self._made:
            self._made = False
            return
        self._order = self.diagram.order_of([(), *self.touched()])
        self._sections = {key: raw if raw else copy.deepcopy(raw) for key, raw in self.diagram.data.items()}
        self.do()

    def undo(self) -> None:
        self.take_back()
        for key, raw in list(self.diagram.data.items()):
            before = self._sections.get(key)
            if not raw and not before and (raw != before or type(raw) is not type(before)):
                self.diagram.set_section(key, before)
        self.diagram.put_in_order(self._order)

    def do(self) -> None: ...

    def take_back(self) -> None: ...

    def id(self) -> int:
        return self.merge

    def joins(self, later: QUndoCommand) -> TypeGuard[Self]:
        """True for an edit of what this one changed, at the same level: one step may undo both."""
        return (
            isinstance(later, type(self)) and later.level == self.level and later.changes() == self.changes()
        )

    def changes(self) -> Collection[str]:
        """Entries that a command changes which joins others."""
        return ()


def level_of(command: QUndoCommand | None) -> tuple[str, ...] | None:
    """Level at which a step of the undo stack was made; None where it does not say so."""
    while command is not None and not isinstance(command, Command):
        command = command.child(0) if command.childCount() else None
    return None if command is None else command.level


class AddBlock(Command):
    def __init__(self, diagram: Diagram, name: str, raw: RawMap):
        super().__init__(diagram, f"add {name}")
        self.name, self.raw = name, raw

    def do(self) -> None:
        self.diagram.add_block(self.name, self.raw)

    def take_back(self) -> None:
        self.diagram.take_block_back(self.name)


class RemoveBlock(Command):
    def __init__(self, diagram: Diagram, name: str):
        super().__init__(diagram, f"remove {name}")
        self.name = name
        self.removed: RemovedBlock | None = None

    def do(self) -> None:
        self.removed = self.diagram.remove_block(self.name)

    def take_back(self) -> None:
        assert self.removed is not None  # done before
        self.diagram.restore_block(self.name, self.removed)


class RenameBlock(Command):
    def __init__(self, diagram: Diagram, old: str, new: str):
        super().__init__(diagram, f"rename {old}")
        self.old, self.new = old, new
        self.before: RawMap = {}

    def do(self) -> None:
        self.before = self.diagram.rename_block(self.old, self.new)

    def take_back(self) -> None:
        self.diagram.rename_back(self.old, self.new, self.before)


class Unset:
    """Type of `UNSET`, which marks an absent entry."""


UNSET = Unset()


class SetValue(Command):
    """Set one parameter or, with `UNSET`, remove it; the steps of one drag or one typing merge."""

    def __init__(self, diagram: Diagram, path: str, raw: Raw | Unset, merge: int = -1):
        super().__init__(diagram, f"change {path}", merge)
        self.path, self.raw = path, raw
        self.before: Raw | Unset = UNSET

    def touched(self) -> list[Path]:
        where = ("blocks", *path_steps(self.path))
        return [where[:k] for k in range(1, len(where))]

    def changes(self) -> Collection[str]:
        return (self.path,)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not self.joins(other):
            return False
        self.raw = other.raw
        return True

    def do(self) -> None:
        self.before = current(self.diagram, self.path)
        put(self.diagram, self.path, self.raw)

    def take_back(self) -> None:
        put(self.diagram, self.path, self.before)


def current(diagram: Diagram, path: str) -> Raw | Unset:
    """Raw value at a path, or `UNSET`; an explicit null differs from an absent entry."""
    raw = diagram.value(path)
    if raw is not None:
        return raw
    parent, _, key = path.rpartition(".")
    holder = diagram.value(parent) if "." in parent else diagram.blocks.get(parent)
    return None if isinstance(holder, dict) and key in holder else UNSET


def put(diagram: Diagram, path: str, raw: Raw | Unset) -> None:
    if isinstance(raw, Unset):
        diagram.unset_value(path)
    else:
        diagram.set_value(path, raw)


class SetSection(Command):
    """Set a whole top-level section, such as `plots`."""

    def __init__(self, diagram: Diagram, name: str, raw: Raw, merge: int = -1, key: str = ""):
        super().__init__(diagram, f"change {key or name}", merge)
        self.name, self.raw, self.key = name, raw, key
        self.before: Raw = None

    def changes(self) -> Collection[str]:
        return (self.name, self.key)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not self.joins(other):
            return False
        self.raw = other.raw
        return True

    def do(self) -> None:
        self.before = self.diagram.data.get(self.name)
        self.diagram.set_section(self.name, self.raw)

    def take_back(self) -> None:
        self.diagram.set_section(self.name, self.before)


class Connect(Command):
    def __init__(self, diagram: Diagram, a: str, b: str, index: int | None = None):
        super().__init__(diagram, f"connect {a} and {b}")
        self.a, self.b, self.index = a, b, index
        self.connection = ""

    def do(self) -> None:
        self.connection = self.diagram.connect(self.a, self.b, self.index)

    def take_back(self) -> None:
        last = len(self.diagram.connections) - 1
        self.diagram.disconnect(self.connection, last if self.index is None else self.index)


class Snapshot(Command):
    """Replace the whole diagram, for edits whose parts have no cheap inverse; the old diagram is kept."""

    def __init__(self, diagram: Diagram, text: str, edit: Callable[[Diagram], None]):
        super().__init__(diagram, text)
        self.edit = edit
        self.before: RawMap = {}
        self.after: RawMap | None = None

    def do(self) -> None:
        if self.after is not None:
            self.diagram.restore(self.after)
            return
        self.before = self.diagram.snapshot()
        self.edit(self.diagram)
        self.after = self.diagram.snapshot()

    def take_back(self) -> None:
        self.diagram.restore(self.before)


class Rewrite(Command):
    """Give all levels of a document other data, for an edit that concerns several; `level` is where it was made."""

    def __init__(self, diagram: Diagram, text: str, after: RawMap):
        super().__init__(diagram, text)
        self.after = after
        self.before: RawMap = {}

    def do(self) -> None:
        self.before = self.diagram.root.snapshot()
        self.diagram.root.restore(self.after)

    def take_back(self) -> None:
        self.diagram.root.restore(self.before)


class Disconnect(Command):
    def __init__(self, diagram: Diagram, connection: str):
        super().__init__(diagram, f"remove wire {connection}")
        self.connection = connection
        self.unwired: RemovedWire | None = None

    def do(self) -> None:
        self.unwired = self.diagram.disconnect(self.connection)

    def take_back(self) -> None:
        assert self.unwired is not None  # done before
        self.diagram.reconnect(self.unwired)


class MoveBlocks(Command):
    """Move blocks, name -> (x, y, rotation); corners of dragged wires may move along."""

    def __init__(
        self,
        diagram: Diagram,
        text: str,
        places: dict[str, tuple[float, float, int]],
        merge: int = -1,
        routes: dict[str, list[tuple[float, float]]] | None = None,
    ):
        super().__init__(diagram, text, merge)
        self.places, self.routes = places, routes or {}
        self.old_places: dict[str, Raw] = {}
        self.old_routes: dict[str, Raw] = {}

    def changes(self) -> Collection[str]:
        return self.places.keys()

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not self.joins(other):
            return False
        self.places = {**self.places, **other.places}  # in the order in which they were entered
        self.routes.update(other.routes)
        self.old_routes = {**other.old_routes, **self.old_routes}
        return True

    def do(self) -> None:
        layout = self.diagram.layout or {}
        self.old_places = {name: copy.deepcopy(layout.get(name)) for name in self.places}
        self.old_routes = {connection: route_of(self.diagram, connection) for connection in self.routes}
        for name, (x, y, rotation) in self.places.items():
            self.diagram.place(name, round(x, 1), round(y, 1), rotation)
        for connection, points in self.routes.items():
            self.diagram.set_route(connection, [[round(x, 1), round(y, 1)] for x, y in points])

    def take_back(self) -> None:
        for connection in reversed(self.old_routes):
            self.diagram.put_route_back(connection, self.old_routes[connection])
        for name in reversed(self.old_places):
            self.diagram.put_back(name, self.old_places[name])


def route_of(diagram: Diagram, connection: str) -> Raw:
    """Stored corners of a wire; None if it has none."""
    routes = (diagram.layout or {}).get("wires")
    return copy.deepcopy(routes.get(connection)) if isinstance(routes, dict) else None


class RouteAs(Command):
    """Set the layout entry of a wire: corners, display as labels, or none."""

    def __init__(self, diagram: Diagram, connection: str, entry: Raw, text: str = "route wire"):
        super().__init__(diagram, text)
        self.connection, self.entry = connection, entry
        self.old_entry: Raw = None

    def do(self) -> None:
        self.old_entry = route_of(self.diagram, self.connection)
        self.diagram.put_route_back(self.connection, self.entry)

    def take_back(self) -> None:
        self.diagram.put_route_back(self.connection, self.old_entry)


class Route(RouteAs):
    """Set the corners of a wire that the user dragged; an empty list gives it back to the router."""

    def __init__(self, diagram: Diagram, connection: str, points: list[tuple[float, float]]):
        super().__init__(diagram, connection, None, "drag wire" if points else "route wire")
        self.points = points

    def do(self) -> None:
        self.old_entry = route_of(self.diagram, self.connection)
        self.diagram.set_route(self.connection, [[round(x, 1), round(y, 1)] for x, y in self.points])

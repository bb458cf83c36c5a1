"""The edits of a diagram: each changes the raw data, tells the subscribers once, and has an exact inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Self, cast

from ...blocks.errors import LuffError, NetlistError, Problem, did_you_mean
from ...blocks.light_dataclass import record
from ...blocks.params import Param
from ...blocks.ports import Port
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy, path_steps, same_data
from ..netlist.nested_entries import Path, Tree, index_of, insert_at
from ..netlist.plain_data import plain
from ..netlist.section_structure import (
    FILES,
    RESERVED,
    WIRES,
    Kind,
    entry_problem,
    put_section,
    section,
    subsystem,
)
from ..netlist.syntax_nodes import DEEPEST, height
from ..netlist.wire_syntax import ACAUSAL, parse_end, parse_wire
from .block_renaming import Change, follow_inside, follow_names, move_setting, rename_block, renaming
from .entry_paths import expected_at
from .port_compatibility import wire_sign

SPARE = 6  # levels of nesting that are left for values and corners in the innermost subsystem
Taken = list[tuple[Path, Raw]]  # entries of the layout that went with a block or a wire


@record
class Removed:
    """A block that was taken out, with all that goes with it; numbers say where each stood."""

    index: int
    raw: Raw
    wires: list[tuple[int, Raw]]
    layout: Taken


@record
class Unwired:
    """A connection that was taken out: as it was written, where it stood, and its corners."""

    text: str
    index: int
    layout: Taken


@record
class Event:
    """An edit that was made. `renamed` has the new name, and the old one in `detail`; `changed` the path in it."""

    kind: str  # added removed renamed changed connected disconnected moved routed section reset
    name: str
    detail: str = ""


def seen_from(level: tuple[str, ...], where: tuple[str, ...], event: Event) -> Event | None:
    """Event at the level `where` as it appears at another one.

    Outside it is a change of the subsystem's block, inside a new diagram; None where it concerns nothing there.
    """
    if where == level:
        return event
    depth = min(len(level), len(where))
    if level[:depth] != where[:depth]:
        return None
    if len(where) > depth:
        block = where[depth]
        if event.kind == "renamed":  # names outside have followed
            return Event("reset", "")
        if event.kind in ("moved", "routed") or (event.kind == "section" and event.name == "layout"):
            return Event("moved", block)
        inner = ".".join(where[depth:])
        path = f"{inner}.{event.detail}" if event.kind == "changed" else f"{block}.type"
        return Event("changed", block, path)
    block = level[depth]
    own = event.kind in ("added", "removed", "renamed", "changed") and block in (event.name, event.detail)
    shared = event.kind == "reset" or (event.kind == "section" and event.name in ("parameters", "blocks"))
    return Event("reset", "") if own or shared else None


class Edits:
    """Edits of a diagram: each changes the raw data, tells the subscribers once, and has an exact inverse.

    `level` names the subsystems in place from the outermost netlist, `root`, inwards to the one that is edited here;
    it is empty for the outermost netlist itself. All levels edit one document, and hear of each other's edits.
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
        self._entries.data = (
            self.data
        )  # a level's sections are other ones after the outer netlist was replaced
        return self._entries

    def _enter(self, root: Self, level: tuple[str, ...]) -> None:
        """Become a level of another netlist."""
        self._root, self.level, self._data = root, level, {}

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
        raise LuffError(f"{'.'.join(level)} is not known here")  # Diagram answers

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
        raise LuffError(f"{name} is not known here")  # Diagram answers

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
        raise LuffError(f"{name} is not known here")  # Diagram answers

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

    def _emit(self, kind: str, name: str, detail: str = "") -> None:
        event = Event(kind, name, detail)
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

    # blocks

    def add_block(self, name: str, raw: RawMap, index: int | None = None) -> None:
        """Add a block.

        Parameters
        ----------
        name : str
            Its name.
        raw : dict
            Its raw entry: `type` and parameters; numbers, texts with units, lists, arrays of numpy, mappings.
        index : int, optional
            Place among the blocks; the end by default.

        Raises
        ------
        NetlistError
            The name is taken, reserved or no identifier, or the entry is no mapping.
        """
        self.check_name(name)
        entry = _block_entry(name, raw)
        self.check_height(entry)
        insert_at(self._section("blocks", dict), index, name, entry)
        self._emit("added", name)

    def take_block_back(self, name: str) -> None:
        """Undo `add_block`; wires that named the block before it was there stay.

        Parameters
        ----------
        name : str
            The block.
        """
        self._known(name).pop(name)
        self._emit("removed", name)

    def check_height(self, raw: RawMap) -> None:
        """Check that a block's entry is not nested deeper, at this level, than a file that is read may be.

        Parameters
        ----------
        raw : dict
            Its raw entry.

        Raises
        ------
        NetlistError
            It is.
        """
        if 2 + 3 * len(self.level) + height(raw) > DEEPEST - SPARE:
            fix = "make a file of a subsystem: Save as Block"
            raise NetlistError(f"more than {DEEPEST - SPARE} levels of nesting", fix=fix)

    def check_name(self, name: str) -> None:
        """Check that a new block may have a name.

        Parameters
        ----------
        name : str
            The name.

        Raises
        ------
        NetlistError
            It is taken, reserved or no identifier.
        """
        if not name.isidentifier():
            raise NetlistError(f'found the block name "{name}", expected letters, digits and underscores')
        if name in RESERVED:
            raise NetlistError(f'no block can be named "{name}": {RESERVED[name]}', fix="choose another name")
        if name in self._section("blocks", dict):
            raise NetlistError(f'there already is a block "{name}"', fix="choose another name")

    def _known(self, name: str) -> RawMap:
        blocks = self._section("blocks", dict)
        if name not in blocks or name == FILES:
            raise NetlistError(f'there is no block "{name}"', fix=did_you_mean(name, blocks))
        return blocks

    def remove_block(self, name: str) -> Removed:
        """Remove a block with its wires and its place in the layout.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        Removed
            What `restore_block` puts back.

        Raises
        ------
        NetlistError
            There is no such block.
        """
        blocks, wires = self._known(name), self._section("connect", list)
        index, raw = index_of(blocks, name), blocks.pop(name)
        taken = [(k, text) for k, text in enumerate(wires) if _touches(text, name)]
        for k, _ in reversed(taken):
            del wires[k]
        own: list[Path] = [("layout", name)] if name in section(self.data, "layout", dict) else []
        removed = Removed(
            index, raw, taken, self._take([*own, *self._routes_of(lambda text: _touches(text, name))])
        )
        self._emit("removed", name)
        return removed

    def restore_block(self, name: str, removed: Removed) -> None:
        """Undo `remove_block`.

        Parameters
        ----------
        name : str
            The block.
        removed : Removed
            Answer of `remove_block`.
        """
        insert_at(self._section("blocks", dict), removed.index, name, deep_copy(removed.raw))
        wires = self._section("connect", list)
        for k, text in removed.wires:
            wires.insert(k, text)
        self._give(removed.layout)
        self._emit("added", name)

    def _routes_of(self, wanted: Callable[[str], bool]) -> list[Path]:
        """Paths of the layout entries that hold corners of certain wires."""
        routes = self._tree.get(("layout", WIRES))
        return (
            [("layout", WIRES, text) for text in routes if wanted(text)] if isinstance(routes, dict) else []
        )

    def _take(self, paths: Iterable[Path]) -> Taken:
        """Forget entries of the layout, and the one that held corners where none are left."""
        taken = [(path, self._tree.get(path)) for path in paths]
        for path, _ in taken:
            self._tree.unset(path, keep=2)
        return taken

    def _give(self, taken: Taken) -> None:
        for path, raw in reversed(taken):
            self._tree.set(path, deep_copy(raw))

    def rename_block(self, old: str, new: str) -> RawMap:
        """Rename a block; wires, plots, ports, names in other blocks and the layout follow, outside of a subsystem too.

        Parameters
        ----------
        old : str
            Its name.
        new : str
            Its new name.

        Returns
        -------
        dict
            Data that `rename_back` needs.

        Raises
        ------
        NetlistError
            There is no such block, or the new name is taken, reserved or no identifier.
        """
        self._known(old)
        before = self._root.snapshot()
        if old != new:
            self.check_name(new)
            try:
                self.follow_name(old, new)
            except LuffError:
                self._root._replace(before)
                raise
            self._emit("renamed", new, old)
        return before

    def follow_name(self, old: str, new: str) -> None:
        """Rename a block wherever its name stands, without telling subscribers: a part of a `rewrite`.

        Parameters
        ----------
        old, new : str
            Its name so far, and its new name.

        Raises
        ------
        NetlistError
            A subsystem that names it has a block of the new name.
        """
        rename_block(self.data, old, new, self.block_params)
        self._follow_at_other_levels(renaming(old, new))
        for depth in range(len(self.level) - 1, -1, -1):
            path = self.level[depth:]
            outer = self.at_level(self.level[:depth])
            move_setting(outer.data, (*path, old), (*path, *new.split(".")))

    def follow(self, change: Change) -> None:
        """Change names of blocks here, in the levels outside, and in those inside.

        Parameters
        ----------
        change : callable
            The new name for a name that a text has here, `rod` or `arm.rod.position`; itself where nothing changes.

        Raises
        ------
        NetlistError
            A subsystem that names such a block has a block of the new name.
        """
        follow_names(self.data, change, self.block_params)
        self._follow_at_other_levels(change)

    def rewrite(self, edit: Callable[[], None]) -> RawMap:
        """Make an edit that concerns several levels; an error leaves everything as it was.

        Parameters
        ----------
        edit : callable
            Changes the raw data of any level.

        Returns
        -------
        dict
            Data of the outermost netlist before, for its `restore`.

        Raises
        ------
        LuffError
            The edit raised it.
        """
        before = self._root.snapshot()
        try:
            edit()
            for raw in section(self._root.data, "blocks", dict).values():
                self._root.check_height(cast("RawMap", raw))
        except LuffError:
            self._root._replace(before)
            raise
        self._root._emit("reset", "")
        return before

    def _follow_at_other_levels(self, change: Change) -> None:
        for depth in range(len(self.level) - 1, -1, -1):
            path = ".".join(self.level[depth:]) + "."
            outer = self.at_level(self.level[:depth])

            def outside(text: str, path: str = path) -> str:
                return path + change(text.removeprefix(path)) if text.startswith(path) else text

            follow_names(outer.data, outside, outer.block_params)
        follow_inside(self, change)

    def rename_back(self, old: str, new: str, before: RawMap) -> None:
        """Undo `rename_block`.

        Parameters
        ----------
        old : str
            The former name.
        new : str
            The present name.
        before : dict
            Answer of `rename_block`.
        """
        self._known(new)
        self._root._replace(before)
        self._emit("renamed", old, new)

    # values

    def _path(self, path: str) -> tuple[str | int, ...]:
        where = ("blocks", *path_steps(path))
        if where[1:2] != ("world",):
            self._known(str(where[1]))
        return where

    def value(self, path: str) -> Raw:
        """Raw entry of a parameter.

        Parameters
        ----------
        path : str
            The parameter, `pin.damping`.

        Returns
        -------
        object
            The entry as the netlist has it; None where the default holds.
        """
        return deep_copy(self._tree.get(("blocks", *path_steps(path))))

    def set_value(self, path: str, raw: Raw) -> None:
        """Set a parameter.

        Parameters
        ----------
        path : str
            The parameter, `pin.damping` or `pin.initial.position`.
        raw : object
            Its raw entry: a number, a text with a unit, a list or array, a mapping, ...

        Raises
        ------
        LuffError
            There is no such block or element, or the entry of a whole block is no mapping.
        """
        where = self._path(path)
        entry = cast("Raw", plain(raw)) if len(where) > 2 else _block_entry(path, raw)
        try:
            self._tree.set(where, entry)
        except LookupError:
            fix = expected_at(self.block_params(str(where[1])), where[2:])
            raise LuffError(Problem("there is no such element to set", path, fix)) from None
        self._emit("changed", str(where[1]), path)

    def unset_value(self, path: str) -> None:
        """Reset a parameter to its default.

        Parameters
        ----------
        path : str
            The parameter, `pin.damping`.
        """
        where = ("blocks", *path_steps(path))
        world = where[1] == "world"
        self._tree.unset(where, keep=2 if world else 3)
        self._emit("changed", str(where[1]), path)

    # wires

    def connect(self, a: str, b: str, index: int | None = None) -> str:
        """Wire two ports. `check_connect` says beforehand whether they fit.

        Parameters
        ----------
        a, b : str
            Ports, `pin.frame_b`, in either order.
        index : int, optional
            Place among the connections; the end by default.

        Returns
        -------
        str
            Text of the connection.
        """
        end_a, end_b = parse_end(a), parse_end(b)
        port_a = self.block_ports(end_a.block).get(end_a.port)
        port_b = self.block_ports(end_b.block).get(end_b.port)
        known = port_a or port_b
        sign = wire_sign(known) if known else ACAUSAL
        backwards = (port_a and port_a.direction == "in") or (port_b and port_b.direction == "out")
        text = f"{b} {sign} {a}" if backwards else f"{a} {sign} {b}"
        wires = self._section("connect", list)
        wires.insert(len(wires) if index is None else index, text)
        self._emit("connected", text)
        return text

    def disconnect(self, text: str, index: int | None = None) -> Unwired:
        """Remove a connection.

        Parameters
        ----------
        text : str
            Its text, however spaced.
        index : int, optional
            Which of several alike; the first by default.

        Returns
        -------
        Unwired
            What `reconnect` puts back.

        Raises
        ------
        NetlistError
            There is no such connection.
        """
        wires = self._section("connect", list)
        if index is None:
            index = wires.index(text) if text in wires else _find(wires, text)
        wire = wires.pop(index)
        corners = self._routes_of(lambda text: text == wire) if wire not in wires else []
        unwired = Unwired(wire, index, self._take(corners))
        self._emit("disconnected", wire)
        return unwired

    def reconnect(self, unwired: Unwired) -> None:
        """Undo `disconnect`.

        Parameters
        ----------
        unwired : Unwired
            Answer of `disconnect`.
        """
        self._section("connect", list).insert(unwired.index, unwired.text)
        self._give(unwired.layout)
        self._emit("connected", unwired.text)

    # layout

    def place(self, name: str, x: float, y: float, rotation: float = 0) -> None:
        """Place a block on the canvas.

        Parameters
        ----------
        name : str
            The block.
        x, y : float
            Its place [px].
        rotation : float, optional
            Its rotation [deg].
        """
        place: list[Raw] = [_short(x), _short(y), *([_short(rotation)] if rotation else [])]
        self._tree.set(("layout", name), place)
        self._emit("moved", name)

    def put_back(self, name: str, entry: Raw) -> None:
        """Restore the layout entry of a block.

        Parameters
        ----------
        name : str
            The block.
        entry : object
            The entry that it had; None removes it.
        """
        if entry is None:
            self._tree.unset(("layout", name))
        else:
            self._tree.set(("layout", name), deep_copy(entry))
        self._emit("moved", name)

    def set_route(self, connection_text: str, points: Sequence[Sequence[float]] | None) -> None:
        """Fix the corners of a wire.

        Parameters
        ----------
        connection_text : str
            The connection.
        points : sequence of (float, float) or None
            Corners [px]; none of them leaves the wire to the router.
        """
        if points:
            self._tree.set(("layout", WIRES, connection_text), [[_short(x), _short(y)] for x, y in points])
        else:
            self._tree.unset(("layout", WIRES, connection_text))
        self._emit("routed", connection_text)

    def put_route_back(self, connection_text: str, entry: Raw) -> None:
        """Restore the layout entry of a wire.

        Parameters
        ----------
        connection_text : str
            The connection.
        entry : object
            The entry that it had; None removes it.
        """
        if entry is None:
            self._tree.unset(("layout", WIRES, connection_text))
        else:
            self._tree.set(("layout", WIRES, connection_text), deep_copy(entry))
        self._emit("routed", connection_text)

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
            self._replace(snapshot)
            self._emit("reset", "")

    def _replace(self, snapshot: RawMap) -> None:
        data = self.data
        data.clear()
        data.update(deep_copy(snapshot))


def _block_entry(name: str, raw: object) -> RawMap:
    """Plain copy of a block's entry; NetlistError where it is no mapping."""
    entry = plain(raw)
    problem = entry_problem(name, entry)
    if problem is not None:
        raise NetlistError(problem)
    return cast("RawMap", entry)


def _short(x: float) -> float:
    """Whole pixels are written without a point."""
    return int(x) if x == int(x) else float(x)


def _touches(text: object, block: str) -> bool:
    try:
        wire = parse_wire(text) if isinstance(text, str) else None
    except LuffError:
        return False
    return wire is not None and block in (wire.a.block.split(".")[0], wire.b.block.split(".")[0])


def _find(wires: list[Raw], text: str) -> int:
    """Index of a connection that is spaced otherwise."""
    squeezed = "".join(text.split())
    for k, other in enumerate(wires):
        if isinstance(other, str) and "".join(other.split()) == squeezed:
            return k
    known = [other for other in wires if isinstance(other, str)]
    raise NetlistError(Problem(f'there is no connection "{text}"', fix=did_you_mean(text, known)))

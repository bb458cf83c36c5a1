"""Edits of blocks and of their parameters."""

from __future__ import annotations

from typing import cast

from ...blocks.errors import LuffError, NetlistError, Problem, did_you_mean
from ...blocks.light_dataclass import record
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy, path_steps
from ..netlist.nested_entries import Path, index_of, insert_at
from ..netlist.plain_data import plain
from ..netlist.section_structure import FILES, RESERVED, entry_problem, section
from ..netlist.syntax_nodes import DEEPEST, height
from ..netlist.wire_syntax import parse_wire
from .entry_paths import expected_at
from .layout_edits import LayoutEdits, Taken

SPARE = 6  # levels of nesting that are left for values and corners in the innermost subsystem


@record
class RemovedBlock:
    """A block that was taken out, with all that goes with it; numbers say where each stood."""

    index: int
    raw: Raw
    wires: list[tuple[int, Raw]]
    layout: Taken


class BlockEdits(LayoutEdits):
    """Edits of the section `blocks:`."""

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

    def remove_block(self, name: str) -> RemovedBlock:
        """Remove a block with its wires and its place in the layout.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        RemovedBlock
            What `restore_block` puts back.

        Raises
        ------
        NetlistError
            There is no such block.
        """
        blocks, wires = self._known(name), self._section("connect", list)
        index, raw = index_of(blocks, name), blocks.pop(name)
        taken = [(k, text) for k, text in enumerate(wires) if _ends_at_block(text, name)]
        for k, _ in reversed(taken):
            del wires[k]
        own: list[Path] = [("layout", name)] if name in section(self.data, "layout", dict) else []
        removed = RemovedBlock(
            index,
            raw,
            taken,
            self._take_entries([*own, *self._routes_of(lambda text: _ends_at_block(text, name))]),
        )
        self._emit("removed", name)
        return removed

    def restore_block(self, name: str, removed: RemovedBlock) -> None:
        """Undo `remove_block`.

        Parameters
        ----------
        name : str
            The block.
        removed : RemovedBlock
            Answer of `remove_block`.
        """
        insert_at(self._section("blocks", dict), removed.index, name, deep_copy(removed.raw))
        wires = self._section("connect", list)
        for k, text in removed.wires:
            wires.insert(k, text)
        self._give(removed.layout)
        self._emit("added", name)

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
        name, below = str(where[1]), where[2:]
        entry = cast("Raw", plain(raw)) if below else _block_entry(name, raw)
        try:
            self._tree.set(where, entry)
        except LookupError:
            fix = expected_at(self.block_params(name), below)
            raise LuffError(Problem("there is no such element to set", path, fix)) from None
        self._emit("changed", name, path)

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


def _block_entry(name: str, raw: object) -> RawMap:
    """Plain copy of a block's entry; NetlistError where it is no mapping."""
    entry = plain(raw)
    problem = entry_problem(name, entry)
    if problem is not None:
        raise NetlistError(problem)
    return cast("RawMap", entry)


def _ends_at_block(text: object, block: str) -> bool:
    try:
        wire = parse_wire(text) if isinstance(text, str) else None
    except LuffError:
        return False
    return wire is not None and block in (wire.a.block.split(".")[0], wire.b.block.split(".")[0])

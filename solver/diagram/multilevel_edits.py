"""Edits that concern several levels: new names of blocks, and rewrites of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import RawMap
from ..netlist.section_structure import section
from .block_edits import BlockEdits
from .block_renaming import Change, follow_inside, follow_names, move_setting, rename_block, renaming
from .composite_types import CompositeType
from .record_patterns import follow_rename, pattern_lists


class MultilevelEdits(BlockEdits):
    """Edits whose changes reach the levels around and inside."""

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
        is_leaf, others = self._is_leaf(old), self._leaves_but(old)
        rename_block(self.data, old, new, self.block_params)
        self._follow_at_other_levels(renaming(old, new))
        self._follow_patterns(old, new, is_leaf, others)
        for depth in range(len(self.level) - 1, -1, -1):
            path = self.level[depth:]
            outer = self.at_level(self.level[:depth])
            move_setting(outer.data, (*path, old), (*path, *new.split(".")))

    def follow_patterns(self, names: Mapping[str, str]) -> None:
        """Let patterns of records and plots cover blocks under their new names: a part of a `rewrite`.

        Parameters
        ----------
        names : mapping of str to str
            Names that blocks of this level have by now, by those of before.
        """
        left = {**names}
        for old, new in names.items():
            del left[old]
            others = self._leaves_but(new)
            others |= {before: others.pop(now) for before, now in left.items() if now in others}
            self._follow_patterns(old, new, self._is_leaf(new), others)

    def _follow_patterns(self, old: str, new: str, is_leaf: bool, others: dict[str, bool]) -> None:
        """Change patterns of this level, which has the `others` beside the block, and of the levels outside."""
        for patterns in pattern_lists(self.data):
            follow_rename(patterns, old, new, is_leaf, others)
        for depth in range(len(self.level) - 1, -1, -1):
            path = self.level[depth:]
            outer, inside = self.at_level(self.level[:depth]), ".".join(path)
            others = {f"{path[0]}.{name}": leaf for name, leaf in others.items()}
            others |= outer._leaves_but(path[0])
            for patterns in pattern_lists(outer.data):
                follow_rename(patterns, f"{inside}.{old}", f"{inside}.{new}", is_leaf, others)

    def _leaves_but(self, left_out: str) -> dict[str, bool]:
        """Blocks of this level but one, and whether they are leaves; empty where no record or plot has a pattern."""
        patterns = [str(one) for patterns in pattern_lists(self._root.data) for one in patterns]
        blocks = section(self.data, "blocks", dict) if any({"*", "?"} & {*one} for one in patterns) else {}
        return {name: self._is_leaf(name) for name in blocks if name != left_out}

    def _is_leaf(self, name: str) -> bool:
        """True if a block has no blocks inside; False too where its type cannot be found."""
        try:
            return not isinstance(self.block_class(name), CompositeType)
        except LuffError:
            return False

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

    def _follow_at_other_levels(self, change: Change) -> None:
        for depth in range(len(self.level) - 1, -1, -1):
            path = ".".join(self.level[depth:]) + "."
            outer = self.at_level(self.level[:depth])

            def outside(text: str, path: str = path) -> str:
                return path + change(text.removeprefix(path)) if text.startswith(path) else text

            follow_names(outer.data, outside, outer.block_params)
        follow_inside(self, change)

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
        self._root._emit("reset", "", before=before)
        return before

"""Comparison of two netlists: blocks, wires and settings that differ, apart from those that only moved."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from ...blocks.errors import LuffError
from ...blocks.params import Param
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy
from ..netlist.entry_diff import Absent, Change, Path, changes, same_entry
from ..netlist.section_structure import FILES, NOTES, WIRES, section
from ..netlist.wire_syntax import renamed as as_renamed
from .diff_text import difference_words, heading
from .netlist_document import Netlist

ADDED, REMOVED, CHANGED, RENAMED, MOVED = "added", "removed", "changed", "renamed", "moved"
LAYOUT = "layout"


class Difference(NamedTuple):
    """A difference in words; `subject` is the block or wire that it is of, as b calls it."""

    heading: str
    words: str
    subject: str = ""
    changes: tuple[Change, ...] = ()  # that it tells, alone or with others
    renamed: str = ""  # what the subject is called in a


class Comparison(NamedTuple):
    """Edits that make b of a: first the renamings, then the changes."""

    renamed: dict[str, str]  # new names of blocks by the old ones
    changes: list[Change]
    units: dict[Path, str]  # of parameters that changed: what a bare number means there

    def __bool__(self) -> bool:
        return bool(self.renamed or self.changes)

    def blocks(self) -> dict[str, str]:
        """Kind of change of each changed block; removed ones by their names in a, others in b."""
        fates = dict.fromkeys(self.renamed.values(), RENAMED)
        for change in self.changes:
            if change.path[0] == "blocks" and len(change.path) > 1 and at_level(change.path)[1][0] != LAYOUT:
                fates[change.path[1]] = _change_kind(change) if len(change.path) == 2 else CHANGED
        return fates

    def wires(self, kind: str) -> list[str]:
        """Wires added, or removed."""
        sides = [_wires(c) for c in self.changes if c.path[0] == "connect"]
        here = 0 if kind == REMOVED else 1
        return [text for pair in sides for text in pair[here] if text not in pair[1 - here]]

    def record(self) -> dict[str, object]:
        """Plain data for JSON: an entry that is not there is null, and `kind` says on which side."""
        return {
            "renamed": self.renamed,
            "changes": [
                {
                    "path": list(change.path),
                    "kind": _change_kind(change),
                    "before": None if isinstance(change.before, Absent) else change.before,
                    "after": None if isinstance(change.after, Absent) else change.after,
                }
                for change in self.changes
            ],
        }

    def moved(self) -> list[str]:
        """Blocks and wires that only lie elsewhere on the canvas."""
        return [*self._moves()]

    def _moves(self) -> dict[str, list[Change]]:
        """Changes that move each block or wire."""
        moves: dict[str, list[Change]] = {}
        for change in self.changes:
            level, path = at_level(change.path)
            if path[0] == LAYOUT:
                for name in _moved_items(change._replace(path=path)):
                    moves.setdefault(".".join((*level, name)), []).append(change)
        return moves

    def marks(self) -> tuple[dict[str, str], dict[str, str]]:
        """Kinds of change of blocks and wires, by their names in a, and by those in b."""
        fates = dict.fromkeys(self.moved(), MOVED) | self.blocks()
        for kind in (ADDED, REMOVED):
            fates |= dict.fromkeys(self.wires(kind), kind)
        before = {self.before(name): fate for name, fate in fates.items() if fate != ADDED}
        return before, {name: fate for name, fate in fates.items() if fate != REMOVED}

    def before(self, subject: str) -> str:
        """A block or a wire as a calls it."""
        for old, new in self.renamed.items():
            subject = old if subject == new else as_renamed(subject, new, old)
        return subject

    def difference_lines(self) -> list[Difference]:
        """A line for each difference, by sections: blocks and wires first."""
        said = [
            Difference("blocks", f"{old} is now {new}", new, renamed=old) for old, new in self.renamed.items()
        ]
        by_path = {change.path: change for change in self.changes}
        for change in self.changes:
            level, path = at_level(change.path)
            head = path[0]
            if head != LAYOUT:
                subject = change.path[1] if head in ("blocks", "connect") and len(change.path) > 1 else ""
                unit = self.units.get(change.path, "")
                lines = difference_words(change._replace(path=path), unit, ".".join(level))
                # with the place of a block that has come or gone
                placed = (*change.path[:-2], LAYOUT, path[1]) if head == "blocks" and len(path) == 2 else ()
                told = (change, by_path[placed]) if placed in by_path else (change,)
                said += [
                    Difference(heading(head), words, level[0] if level else subject, told) for words in lines
                ]
        order = dict.fromkeys(["blocks", "wires", *(one.heading for one in said)])
        said = [one for name in order for one in said if one.heading == name]
        return said + [
            Difference(LAYOUT, f"{name} moved", name, tuple(moving)) for name, moving in self._moves().items()
        ]

    def lines(self) -> list[str]:
        """Lines of text: a heading for each section, a line for each difference."""
        lines: list[str] = []
        for name, each in groupby(self.difference_lines(), key=lambda one: one.heading):
            if name == LAYOUT:
                lines += [name, f"  moved on the canvas: {', '.join(one.subject for one in each)}"]
            else:
                lines += [name, *(f"  {one.words}" for one in each)]
        return lines


def compare_netlists(a: Netlist, b: Netlist) -> Comparison:
    names = detect_renames(a.data, b.data)
    try:
        same = with_names(a, names)
    except LuffError:  # a type that only the folder of the file knows: its parameters may name blocks
        names, same = {}, a
    differences = changes(same.data, b.data)
    return Comparison(names, differences, _units(same, b, differences))


def taken_back(b: Netlist, differences: Iterable[Difference]) -> RawMap:
    """Data of b in which some of its differences from a are again as a has them."""
    differences = list(differences)
    copy, data = b.copy(), b.snapshot()
    changes = {change.path: change for one in differences for change in one.changes}.values()
    # what came goes first: places in lists count in a
    for change in sorted(changes, key=lambda change: not isinstance(change.before, Absent)):
        _put_back(data, change)
    copy.restore(data)
    for one in differences:
        if one.renamed:
            copy.rename_block(one.subject, one.renamed)
    return copy.snapshot()


def _put_back(data: RawMap, change: Change) -> None:
    """Give an entry the value before its change."""
    holder: Raw = data
    for key in change.path[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if isinstance(holder, list) and change.place is not None:
        if not isinstance(change.after, Absent):
            holder.remove(change.after)
        if not isinstance(change.before, Absent):
            holder.insert(change.place, deep_copy(change.before))
    elif isinstance(holder, dict):
        if isinstance(change.before, Absent):
            holder.pop(change.path[-1], None)
        else:
            holder[change.path[-1]] = deep_copy(change.before)


def at_level(path: Path) -> tuple[tuple[str, ...], Path]:
    """Subsystems in place that a path leads through, and the path within the innermost of them."""
    level: tuple[str, ...] = ()
    while len(path) > 3 and path[0] == "blocks" and path[2] == "type":
        level, path = (*level, path[1]), path[3:]
    return level, path


def _units(a: Netlist, b: Netlist, differences: list[Change]) -> dict[Path, str]:
    units: dict[Path, str] = {}
    for change in differences:
        level, path = at_level(change.path)
        if path[0] != "blocks" or len(path) != 3:
            continue
        params: dict[str, Param] = {}
        for netlist in (a, b):
            params |= netlist.at_level(level).block_params(path[1])
        unit = getattr(params.get(path[2]), "unit", "")
        units[change.path] = unit if isinstance(unit, str) else ""
    return units


def with_names(netlist: Netlist, names: dict[str, str]) -> Netlist:
    """A copy whose blocks bear other names, wherever they are named."""
    if not names:
        return netlist
    copy = netlist.copy()
    for old, new in names.items():
        copy.rename_block(old, new)
    return copy


def detect_renames(a: RawMap, b: RawMap) -> dict[str, str]:
    """Blocks with another name in b: equal in all, or the only ones of their type with the same wires."""
    old, new = section(a, "blocks", dict), section(b, "blocks", dict)
    gone = [name for name in old if name not in new and name != FILES]
    come = [name for name in new if name not in old and name != FILES]
    names: dict[str, str] = {}
    for name in gone:
        left = [other for other in come if other not in names.values()]
        same = [other for other in left if same_entry(old[name], new[other]) and old[name]]
        kin = [other for other in left if _type(new[other]) == _type(old[name])]
        rivals = [other for other in gone if _type(old[other]) == _type(old[name])]
        if len(same) == 1 or (same and _wired_alike(a, b, name, same[0])):
            names[name] = same[0]
        elif len(kin) == len(rivals) == 1 and _wired_alike(a, b, name, kin[0]):
            names[name] = kin[0]
    return names


def _wired_alike(a: RawMap, b: RawMap, old: str, new: str) -> bool:
    wires = {text for text in section(b, "connect", list) if isinstance(text, str)}
    follow = [as_renamed(text, old, new) for text in section(a, "connect", list) if isinstance(text, str)]
    own = [text for text in follow if text not in section(a, "connect", list)]
    return bool(own) and sum(text in wires for text in own) * 2 >= len(own)


def _type(raw: Raw) -> Raw:
    return raw.get("type") if isinstance(raw, dict) else None


def _change_kind(change: Change) -> str:
    if isinstance(change.before, Absent):
        return ADDED
    return REMOVED if isinstance(change.after, Absent) else CHANGED


def _wires(change: Change) -> tuple[list[str], list[str]]:
    """The texts on both sides, of one wire or of all."""
    before, after = (
        side if isinstance(side, list) else [] if isinstance(side, Absent) else [side]
        for side in (change.before, change.after)
    )
    return [str(text) for text in before], [str(text) for text in after]


def _moved_items(change: Change) -> list[str]:
    """Blocks and wires that a change of the layout moves."""
    if len(change.path) == 1:
        sides = [side for side in (change.before, change.after) if isinstance(side, dict)]
        return [name for side in sides for name in side if name not in (WIRES, NOTES)]
    return list(change.path[2:3] if change.path[1] == "wires" else change.path[1:2])

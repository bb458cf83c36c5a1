"""Two netlists compared, in words: blocks, wires and settings that differ, and apart from these what only moved."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

from ...blocks.errors import LuffError
from ...blocks.text.raw import Raw, RawMap
from ..netlist import copied
from ..netlist.compare import NOTHING, Change, Nothing, Side, alike, changes, respelled
from ..netlist.structure import FILES, section
from ..netlist.wires import renamed
from ..netlist.writer import flow
from .diagram import Netlist

ADDED, REMOVED, CHANGED, RENAMED = "added", "removed", "changed", "renamed"
LONGEST = 120  # characters of a value in words


class Comparison(NamedTuple):
    """What makes b of a: first the renamings, then the changes."""

    renamed: dict[str, str]  # new names of blocks by the old ones
    changes: list[Change]

    def __bool__(self) -> bool:
        return bool(self.renamed or self.changes)

    def blocks(self) -> dict[str, str]:
        """What became of each block that is not as it was; of those removed and renamed by their names in b."""
        fates = dict.fromkeys(self.renamed.values(), RENAMED)
        for change in self.changes:
            if change.path[0] == "blocks" and len(change.path) > 1:
                fates[change.path[1]] = _fate(change) if len(change.path) == 2 else CHANGED
        return fates

    def wires(self, kind: str) -> list[str]:
        """Those added, or removed."""
        return [
            c.path[1] for c in self.changes if c.path[0] == "connect" and len(c.path) > 1 and _fate(c) == kind
        ]

    def record(self) -> dict[str, object]:
        """For JSON: an entry that is not there is null, and `kind` says on which side."""
        return {
            "renamed": self.renamed,
            "changes": [
                {
                    "path": list(change.path),
                    "kind": _fate(change),
                    "before": None if isinstance(change.before, Nothing) else change.before,
                    "after": None if isinstance(change.after, Nothing) else change.after,
                }
                for change in self.changes
            ],
        }

    def lines(self) -> list[str]:
        """In words: a heading for each section, a line for each difference."""
        said: dict[str, list[str]] = {}
        if self.renamed:
            said["blocks"] = [f"  {old} is now {new}" for old, new in self.renamed.items()]
        moved: dict[str, None] = {}
        for change in self.changes:
            head = change.path[0]
            if head == "layout":
                moved |= dict.fromkeys(_placed(change))
            else:
                said.setdefault(_headed(head), []).extend(f"  {words}" for words in _said(change))
        if moved:
            said["layout"] = [f"  moved on the canvas: {', '.join(moved)}"]
        return [line for heading, lines in said.items() for line in (heading, *lines)]


def compare(a: Netlist, b: Netlist) -> Comparison:
    names = renames(a.data, b.data)
    try:
        same = with_names(a, names)
    except LuffError:  # a type that only the folder of the file knows: its parameters may name blocks
        names, same = {}, a
    return Comparison(names, changes(same.data, b.data))


def with_names(netlist: Netlist, names: dict[str, str]) -> Netlist:
    """A copy whose blocks bear other names, wherever they are named."""
    if not names:
        return netlist
    copy = netlist.copy()
    for old, new in names.items():
        copy.rename_block(old, new)
    return copy


def renames(a: RawMap, b: RawMap) -> dict[str, str]:
    """Blocks that bear another name in b: alike in all, or alone of their type with wires that are the same."""
    old, new = section(a, "blocks", dict), section(b, "blocks", dict)
    gone = [name for name in old if name not in new and name != FILES]
    come = [name for name in new if name not in old and name != FILES]
    names: dict[str, str] = {}
    for name in gone:
        left = [other for other in come if other not in names.values()]
        same = [other for other in left if alike(old[name], new[other]) and old[name]]
        kin = [other for other in left if _type(new[other]) == _type(old[name])]
        rivals = [other for other in gone if _type(old[other]) == _type(old[name])]
        if len(same) == 1 or (same and _wired_alike(a, b, name, same[0])):
            names[name] = same[0]
        elif len(kin) == len(rivals) == 1 and _wired_alike(a, b, name, kin[0]):
            names[name] = kin[0]
    return names


def _wired_alike(a: RawMap, b: RawMap, old: str, new: str) -> bool:
    wires = {text for text in section(b, "connect", list) if isinstance(text, str)}
    follow = [renamed(text, old, new) for text in section(a, "connect", list) if isinstance(text, str)]
    own = [text for text in follow if text not in section(a, "connect", list)]
    return bool(own) and sum(text in wires for text in own) * 2 >= len(own)


def _type(raw: Raw) -> Raw:
    return raw.get("type") if isinstance(raw, dict) else None


def _fate(change: Change) -> str:
    if isinstance(change.before, Nothing):
        return ADDED
    return REMOVED if isinstance(change.after, Nothing) else CHANGED


def _placed(change: Change) -> list[str]:
    """Blocks and wires that a change of the layout moves."""
    if len(change.path) == 1:
        return [name for side in (change.before, change.after) if isinstance(side, dict) for name in side]
    return list(change.path[2:3] if change.path[1] == "wires" else change.path[1:2])


def _headed(section_name: str) -> str:
    return "wires" if section_name == "connect" else section_name


def _said(change: Change) -> list[str]:
    if change.place is not None:
        return [f"{'+' if isinstance(change.before, Nothing) else '-'} {change.path[-1]}"]
    where = ".".join(change.path[1:]) or "all"
    if change.path[0] == "blocks" and len(change.path) == 2:
        whole = change.after if isinstance(change.before, Nothing) else change.before
        return [f"{'+' if isinstance(change.before, Nothing) else '-'} {where}: {_short(whole)}"]
    if _groups(change.before) and _groups(change.after):
        return _said_of_groups(where, change.before, change.after)  # type: ignore[arg-type]
    return [_from_to(where, change.before, change.after)]


def _from_to(where: str, before: Side, after: Side) -> str:
    note = " (the same value)" if respelled(before, after) else ""
    return f"{where}: {spelled(before)} -> {spelled(after)}{note}"


def _groups(side: Side) -> bool:
    """Whether it is a list of groups, such as transitions."""
    return isinstance(side, list) and all(isinstance(one, dict) for one in side)


def _said_of_groups(where: str, before: list[RawMap], after: list[RawMap]) -> list[str]:
    """Those that came, those that went, and what differs in those that stand in one place."""
    words: list[str] = []
    texts = [[flow(copied(one)) for one in side] for side in (before, after)]
    for kind, i, k, j, m in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if kind == "replace" and k - i == m - j:
            for n, (old, new) in enumerate(zip(before[i:k], after[j:m], strict=True), j):
                sides = {key: (old.get(key, NOTHING), new.get(key, NOTHING)) for key in {**old, **new}}
                words += [_from_to(f"{where}[{n}].{key}", x, y) for key, (x, y) in sides.items() if x != y]
        elif kind != "equal":
            words += [f"- {where}[{n}]: {_short(before[n])}" for n in range(i, k)]
            words += [f"+ {where}[{n}]: {_short(after[n])}" for n in range(j, m)]
    return words


def spelled(side: Side) -> str:
    """An entry in words."""
    return "not given" if isinstance(side, Nothing) else _short(side)


def _short(raw: Side) -> str:
    text = flow(copied(raw)) if not isinstance(raw, Nothing) else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."

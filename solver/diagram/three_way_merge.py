"""Three-way merge of netlists: the changes of both sides, in the words that each wrote.

Entries decide: what one side changed is taken, what both changed differently is a conflict and stays as the first side
has it. The text is merged by lines first, so that comments of both survive, and patched where entries say otherwise.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy, read_netlist
from ..netlist.entry_diff import NOTHING, Absent, Path, Side, is_text_set, same_entry, same_quantity
from ..netlist.text_patch import patched_text
from .diff_text import entry_words
from .netlist_diff import detect_renames, with_names
from .netlist_document import Netlist


class Conflict(NamedTuple):
    """An entry that both sides changed, each in its way."""

    path: Path
    base: Side
    ours: Side
    theirs: Side

    def __str__(self) -> str:
        where = ".".join(self.path)
        base, ours, theirs = map(entry_words, (self.base, self.ours, self.theirs))
        return f"{where}: {base} before, here {ours}, there {theirs}"


class MergeResult(NamedTuple):
    text: str
    conflicts: list[Conflict]

    def marked(self) -> str:
        """The text with a comment above each entry in conflict."""
        lines, document = self.text.splitlines(keepends=True), read_netlist(self.text)
        notes: dict[int, list[str]] = {}
        for conflict in self.conflicts:
            path, place = conflict.path, None
            while path and place is None:  # an entry that ours has removed is told where it was
                place, path = document.mark(path, key=True), path[:-1]
            notes.setdefault(place.line - 1 if place else 0, []).append(f"# conflict in {conflict}\n")
        for at in sorted(notes, reverse=True):
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at:at] = [indent + note for note in notes[at]]
        return "".join(lines)


def merge_netlists(base: Netlist, ours: Netlist, theirs: Netlist) -> MergeResult:
    here, there = detect_renames(base.data, ours.data), detect_renames(base.data, theirs.data)
    # a block that one side named anew bears that name on all three; named anew by both it keeps our name
    base, ours_names = with_names(base, {**there, **here}), {k: v for k, v in there.items() if k not in here}
    theirs_names = {there.get(old, old): new for old, new in here.items()}
    ours, theirs = with_names(ours, ours_names), with_names(theirs, theirs_names)
    conflicts = [
        Conflict(("blocks", old), old, here[old], there[old])
        for old in here
        if old in there and here[old] != there[old]
    ]
    merger = _Merger()
    data = merger.maps((), base.data, ours.data, theirs.data)
    text = merged_lines(base.to_yaml(), ours.to_yaml(), theirs.to_yaml())
    return MergeResult(_text(text, ours.to_yaml(), data), [*conflicts, *merger.conflicts])


def _text(lines: str, ours: str, data: RawMap) -> str:
    """The merged entries, in the merged lines where these can be read, else in our own."""
    for text in (lines, ours):
        try:
            return patched_text(read_netlist(text), data)
        except LuffError:
            continue
    raise AssertionError("unreachable: this text was read when its model was opened")


class _Merger:
    def __init__(self) -> None:
        self.conflicts: list[Conflict] = []

    def maps(self, path: Path, base: RawMap, ours: RawMap, theirs: RawMap) -> RawMap:
        merged: RawMap = {}
        for key in (*ours, *(key for key in theirs if key not in ours)):
            sides = (base.get(key, NOTHING), ours.get(key, NOTHING), theirs.get(key, NOTHING))
            entry = self._entry((*path, key), *sides)
            if not isinstance(entry, Absent):
                merged[key] = deep_copy(entry)
        return merged

    def _entry(self, path: Path, base: Side, ours: Side, theirs: Side) -> Side:
        if same_entry(ours, theirs) or same_entry(theirs, base) or same_quantity(ours, theirs):
            return ours
        if same_entry(ours, base):
            return theirs
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return self.maps(path, base if isinstance(base, dict) else {}, ours, theirs)
        if isinstance(ours, list) and isinstance(theirs, list) and is_text_set(ours) and is_text_set(theirs):
            common = base if isinstance(base, list) and is_text_set(base) else []
            return merged_texts(common, ours, theirs)
        self.conflicts.append(Conflict(path, base, ours, theirs))
        return ours


def merged_texts(base: list[Raw], ours: list[Raw], theirs: list[Raw]) -> list[Raw]:
    """Merge lists of texts, each once: additions and removals of both sides hold; in our order, then in theirs."""
    kept = [text for text in ours if text in theirs or text not in base]
    for i, text in enumerate(theirs):
        if text in kept or text in base:
            continue
        before = next((other for other in reversed(theirs[:i]) if other in kept), None)
        kept.insert(kept.index(before) + 1 if before is not None else 0, text)
    return kept


def merged_lines(base: str, ours: str, theirs: str) -> str:
    """Merged by lines; where both sides changed the same line, ours stands."""
    old = base.splitlines(keepends=True)
    mine, other = (_line_places(old, text.splitlines(keepends=True)) for text in (ours, theirs))
    return "".join(
        line for i in range(len(old) + 1) for line in _merge_line(old[i : i + 1], mine[i], other[i])
    )


class _Place(NamedTuple):
    """Lines that a side writes before a line of the base, and in place of it."""

    before: list[str]
    line: list[str]


def _merge_line(old: list[str], mine: _Place, other: _Place) -> list[str]:
    added = mine.before if other.before in ([], mine.before) else [*mine.before, *other.before]
    return [*added, *(other.line if mine.line == old else mine.line)]


def _line_places(base: list[str], text: list[str]) -> list[_Place]:
    """A place for each line of the base and one for the end; of lines that differ the k-th stands for the k-th."""
    places = [_Place([], [line]) for line in base] + [_Place([], [])]
    for _, i, i_end, j, j_end in SequenceMatcher(None, base, text, autojunk=False).get_opcodes():
        paired = min(i_end - i, j_end - j)
        for n in range(i, i_end):
            places[n].line[:] = text[j + n - i : j + n - i + 1] if n < i + paired else []
        places[i_end].before.extend(text[j + paired : j_end])
    return places

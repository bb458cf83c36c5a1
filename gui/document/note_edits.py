"""Edits of notes: comments, and coloured areas that may hold blocks. They are stored in `layout: {notes: [...]}`,
which runs ignore."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import replace as replace
from typing import TypedDict, Unpack

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.flatten.diagram import Diagram
from ...solver.netlist.section_structure import NOTES
from ..drawing.polylines import Rect
from . import dial_edits
from .document import Document

COLOURS = ("", "blue", "green", "orange", "violet", "teal", "grey")
LEAST = (60.0, 30.0)  # width and height


class Change(TypedDict, total=False):
    """Fields of a note that an edit can change."""

    text: str
    x: float
    y: float
    width: float
    height: float
    colour: str
    holds: bool


@dataclass(frozen=True)
class Note:
    text: str
    x: float
    y: float
    width: float = 200.0
    height: float = 60.0
    colour: str = ""  # colour of an area; comments have none
    holds: bool = False  # the blocks in it go along when it moves

    @classmethod
    def of(cls, raw: Raw) -> Note | None:
        """Parse a note entry; None if it is no note, which the window then leaves unchanged."""
        if not isinstance(raw, dict):
            return None
        at, size = _pair(raw.get("at")), _pair(raw.get("size", [200, 60]))
        if at is None or size is None:
            return None
        width, height = max(size[0], LEAST[0]), max(size[1], LEAST[1])
        colour = str(raw.get("colour") or "")
        return cls(str(raw.get("text") or ""), *at, width, height, colour, bool(raw.get("holds")))

    @property
    def area(self) -> Rect:
        return self.x, self.y, self.x + self.width, self.y + self.height

    def raw(self) -> RawMap:
        given: RawMap = {
            "text": self.text,
            "at": [_short(self.x), _short(self.y)],
            "size": [_short(self.width), _short(self.height)],
        }
        if self.colour:
            given["colour"] = self.colour
        return {**given, "holds": True} if self.holds else given


def notes(document: Document) -> dict[int, Note]:
    """Notes by their index in the list."""
    notes = ((k, Note.of(raw)) for k, raw in enumerate(_listed(document)))
    return {k: note for k, note in notes if note is not None}


def add(document: Document, note: Note) -> int:
    with document.step("add note"):
        document.settle()
        _write(document, [*_listed(document), note.raw()])
    return len(_listed(document)) - 1


def set_of(diagram: Diagram, chosen: Iterable[Note]) -> None:
    """Set the notes of a diagram that has none yet."""
    entries: list[Raw] = [note.raw() for note in chosen]
    if entries:
        diagram.set_section("layout", {**(diagram.layout or {}), NOTES: entries})


def change(document: Document, index: int, title: str = "change note", /, **what: Unpack[Change]) -> None:
    note = notes(document)[index]
    if replace(note, **what) != note:
        with document.step(title):
            _put(document, {index: replace(note, **what)})


def remove(document: Document, indices: Iterable[int]) -> None:
    gone = set(indices)
    if gone:
        with document.step("remove note" if len(gone) == 1 else f"remove {len(gone)} notes"):
            _write(document, [raw for k, raw in enumerate(_listed(document)) if k not in gone])


def move(
    document: Document,
    indices: Iterable[int],
    names: Iterable[str],
    offset: tuple[float, float],
    moved: Iterable[int] = (),
) -> None:
    """Move notes, blocks and dials together in one undo step."""
    known, (dx, dy) = notes(document), offset
    indices, names, moved = list(indices), list(names), list(moved)
    if moved and offset != (0.0, 0.0):
        with document.step("move dial" if len(moved) == 1 else f"move {len(moved)} dials"):
            move(document, indices, names, offset)
            dial_edits.shift(document, moved, offset)
    elif not indices:
        document.move(dict.fromkeys(names, offset))
    elif offset != (0.0, 0.0):
        with document.step("move note" if len(indices) == 1 else f"move {len(indices)} notes"):
            if names:
                document.move(dict.fromkeys(names, offset))
            else:
                document.settle()
            _put(
                document,
                {k: replace(known[k], x=known[k].x + dx, y=known[k].y + dy) for k in indices},
            )


def held(document: Document, note: Note) -> list[str]:
    """Blocks inside a note's area."""
    held = []
    for name in document.block_names():
        left, top, right, bottom = document.card(name)
        inside = left >= note.x and top >= note.y
        if inside and right <= note.x + note.width and bottom <= note.y + note.height:
            held.append(name)
    return held


def around(document: Document, names: Iterable[str], room: float = 20.0, head: float = 20.0) -> Note:
    """Area note around some blocks."""
    cards = [document.card(name) for name in names]
    left, top = min(c[0] for c in cards) - room, min(c[1] for c in cards) - room - head
    right, bottom = max(c[2] for c in cards) + room, max(c[3] for c in cards) + room
    return Note("", left, top, right - left, bottom - top, "blue", holds=True)


def _listed(document: Document) -> list[Raw]:
    listed = (document.diagram.layout or {}).get(NOTES)
    return listed if isinstance(listed, list) else []


def _put(document: Document, changed: Mapping[int, Note]) -> None:
    entries = _listed(document)
    raw: list[Raw] = [
        _changed(entry, changed[k]) if k in changed else copy.deepcopy(entry)
        for k, entry in enumerate(entries)
    ]
    _write(document, raw)


def _changed(entry: Raw, note: Note) -> RawMap:
    """Netlist entry of a note with its new values; unknown keys are kept."""
    own = note.raw()
    before = entry if isinstance(entry, dict) else {}
    return {key: value for key, value in before.items() if key not in ("colour", "holds")} | own


def _write(document: Document, entries: list[Raw]) -> None:
    layout = dict(document.diagram.layout or {})
    layout.pop(NOTES, None) if not entries else layout.update({NOTES: entries})
    document.set_section("layout", layout)


def _pair(raw: Raw) -> tuple[float, float] | None:
    entries = raw if isinstance(raw, list) else []
    numbers = [n for n in entries if isinstance(n, int | float) and not isinstance(n, bool)]
    return (float(numbers[0]), float(numbers[1])) if len(numbers) == len(entries) == 2 else None


def _short(value: float) -> float:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded

"""Edits of dashboard items: their place on the canvas or in the panel, and their copies."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.block_renaming import follow_or_operate
from ...solver.flatten.diagram import Diagram
from ..drawing.polylines import Point
from .document import Document


def put(document: Document, places: Mapping[int, Point | None], title: str) -> None:
    """Put items on the canvas with their upper left corners at places, or back into the panel (None)."""
    entries: list[Raw] = [*document.diagram.dashboard]
    for k, place in places.items():
        raw: RawMap = {key: value for key, value in document.diagram.dashboard[k].items() if key != "at"}
        entries[k] = raw if place is None else {**raw, "at": [_short(place[0]), _short(place[1])]}
    with document.step(title):
        document.set_section("dashboard", entries)


def shift(document: Document, chosen: Iterable[int], offset: Point) -> None:
    known = document.dials()
    places = {k: (known[k].at[0] + offset[0], known[k].at[1] + offset[1]) for k in chosen if k in known}
    put(document, places, "move dial")


def remove(document: Document, chosen: Iterable[int]) -> None:
    gone = set(chosen)
    if gone:
        left: list[Raw] = [raw for k, raw in enumerate(document.diagram.dashboard) if k not in gone]
        with document.step("remove from dashboard"):
            document.set_section("dashboard", left)


def set_of(diagram: Diagram, entries: Iterable[RawMap]) -> None:
    """Set the dashboard of a diagram that has none yet."""
    listed: list[Raw] = [copy.deepcopy(raw) for raw in entries]
    if listed:
        diagram.set_section("dashboard", listed)


def add(document: Document, part: Document, offset: Point, names: Mapping[str, str]) -> list[int]:
    """Copy the canvas dials of another document, shifted by `offset` and bound to the new block names; return their
    indices."""
    first = len(document.diagram.dashboard)
    entries: list[Raw] = [*document.diagram.dashboard]
    for k, dial in part.dials().items():
        of: Raw = next(
            (new for old in names if (new := follow_or_operate(dial.of, old, names[old])) != dial.of), dial.of
        )
        at: Raw = [_short(dial.at[0] + offset[0]), _short(dial.at[1] + offset[1])]
        entries.append({**copy.deepcopy(part.diagram.dashboard[k]), "of": of, "at": at})
    if len(entries) > first:
        with document.step("add to dashboard"):
            document.set_section("dashboard", entries)
    return [*range(first, len(entries))]


def _short(value: float) -> float:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded

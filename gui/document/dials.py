"""Edits of where items of the dashboard stand: on the canvas, or in the panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...blocks.text.raw import Raw, RawMap
from ..drawing.lines import Point
from .document import Document


def put(document: Document, places: Mapping[int, Point | None], title: str) -> None:
    """On the canvas with their upper left corners at places, or back in the panel."""
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


def _short(value: float) -> float:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded

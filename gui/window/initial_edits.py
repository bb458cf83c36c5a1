"""Initial values of joint coordinates: where they are written, in the joint or in a parameter that it names. No Qt."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...blocks import LuffError
from ...blocks.geometry.rotations import angles_of_quaternion
from ...blocks.params import Sub
from ...blocks.text.quantity import unit
from ...blocks.text.raw_types import Raw
from ...solver.diagram.composite_types import CompositeType
from ...solver.diagram.netlist_document import Netlist
from ...solver.initial.drag_ik import DragPose, PosedCoordinate
from ..document.document import Document
from ..properties.value_text import split

NAME = re.compile(r"=\s*([A-Za-z_]\w*)\s*")
SHOWN, WHOLE = 5, 12  # digits of a start, and of one that has to agree with others
USUAL = {"rad": "deg"}  # unit for bare SI units where none is given


@dataclass(frozen=True)
class StartEntry:
    """Entry of the outermost diagram that holds an initial value: `path` of a block's value, or a parameter's name."""

    path: str
    parameter: bool
    raw: Raw  # raw value, or the default
    unit: str  # unit of bare numbers


def start_entry(diagram: Netlist, block: str, name: str, group: str = "initial") -> StartEntry | None:
    """Entry that holds an initial value such as `king.slew`; None if only another file sets it."""
    try:
        return _initial_entry(diagram, block.split("."), name, group)
    except LuffError:
        return None


def _initial_entry(diagram: Netlist, names: list[str], name: str, group: str) -> StartEntry | None:
    cls = diagram.block_class(names[0], diagram.chain())
    if isinstance(cls, CompositeType):
        inner = cls.diagram
        if len(names) == 1 or not isinstance(inner, Netlist):
            return None
        inner_home = _initial_entry(inner, names[1:], name, group)
        if inner_home is None or not inner_home.parameter:
            return None
        raw = diagram.value(f"{names[0]}.{inner_home.path}")
        return _parameter_entry(
            diagram,
            StartEntry(f"{names[0]}.{inner_home.path}", False, raw or inner_home.raw, inner_home.unit),
        )
    given = getattr(cls, "params", {}).get(group)
    members = given.struct.params if isinstance(given, Sub) else {}
    if len(names) > 1 or name not in members:
        return None
    path = f"{names[0]}.{group}.{name}"
    return _parameter_entry(diagram, StartEntry(path, False, diagram.value(path), members[name].unit))


def _parameter_entry(diagram: Netlist, home: StartEntry) -> StartEntry:
    """Entry of the parameter that a value names; the entry itself for other values."""
    named = NAME.fullmatch(home.raw) if isinstance(home.raw, str) else None
    if named is None or named[1] not in diagram.parameters:
        return home
    return _parameter_entry(diagram, StartEntry(named[1], True, diagram.parameters[named[1]], home.unit))


def may_write(diagram: Netlist, block: str, name: str) -> bool:
    """True if a coordinate's initial value can be edited in this diagram."""
    return start_entry(diagram, block, name.partition("[")[0]) is not None


def write_starts(document: Document, posing: DragPose) -> list[str]:
    """Write the moved initial values as one undo step; return them as text."""
    moved = posing.starts()
    turned = posing.turned()
    if not moved and not turned:
        return []
    with document.step("pose"):
        return [
            *_numbers(document, moved),
            *_vectors(document, moved),
            *_write_orientations(document, turned),
        ]


def _numbers(document: Document, moved: list[PosedCoordinate]) -> Iterator[str]:
    for placed in moved:
        if "[" in placed.name:
            continue
        place = start_entry(
            document.diagram, placed.block, placed.name, "initial" if placed.given else "guess"
        )
        if place is None or (not placed.given and place.parameter):
            continue  # the loops say it
        raw = _text(placed.value, place, WHOLE if placed.whole else SHOWN)
        _put(document, place, raw)
        if placed.given:
            yield f"{placed.block}.{placed.name} = {raw}"


def _vectors(document: Document, moved: list[PosedCoordinate]) -> Iterator[str]:
    """Write the positions of free joints, whose three coordinates are one entry."""
    for block in dict.fromkeys(placed.block for placed in moved if "[" in placed.name):
        place = start_entry(document.diagram, block, "position")
        if place is None:
            continue
        entries: list[Raw] = list(place.raw) if isinstance(place.raw, list) else [0, 0, 0]
        for placed in moved:
            if placed.block == block:
                k = int(placed.name.partition("[")[2].rstrip("]"))
                before = StartEntry("", False, entries[k], place.unit)
                entries[k] = _text(placed.value, before, SHOWN)
        _put(document, place, entries)
        yield f"{block}.position = {entries}"


def _write_orientations(document: Document, turned: dict[str, np.ndarray]) -> Iterator[str]:
    for block, quaternion in turned.items():
        place = start_entry(document.diagram, block, "rotate")
        if place is None:
            yield from _write_angles(document, block, quaternion)
            continue
        w, about = float(quaternion[0]), quaternion[1:]
        size = float(np.linalg.norm(about))
        degrees = math.degrees(2.0 * math.atan2(size, w))
        axis: list[Raw] = [float(f"{part / max(size, 1e-12):.6g}") for part in about]
        _put(document, place, [[axis, f"{degrees:.{SHOWN}g} deg"]])
        yield f"{block} is turned"


def _write_angles(document: Document, block: str, quaternion: np.ndarray) -> Iterator[str]:
    """Write the orientation of a ball joint as its three angles."""
    angles = angles_of_quaternion(quaternion)
    for name, angle in zip(("psi", "theta", "phi"), angles, strict=True):
        place = start_entry(document.diagram, block, name)
        if place is not None:
            raw = _text(angle, place, SHOWN)
            _put(document, place, raw)
            yield f"{block}.{name} = {raw}"


def _put(document: Document, place: StartEntry, raw: Raw) -> None:
    if place.parameter:
        document.set_parameter(place.path, raw)
    else:
        document.set_value(place.path, raw)


def _text(value: float, place: StartEntry, digits: int) -> Raw:
    """Netlist text of a value in the unit of the existing entry."""
    parts = split(place.raw)
    name = (parts[1] if parts else "") or (USUAL.get(place.unit, place.unit) if parts is None else "")
    number = value / float(unit(name or place.unit).factor) if name or place.unit else value
    text = f"{number:.{digits}g}"
    if float(text) == 0.0:
        text = "0"
    return f"{text} {name}" if name else float(text)

"""Blocks that may stand at the other end of a wire that is drawn from a port: those that are usual there first."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks import LuffError, Port
from ...blocks.ports import FRAME, SIGNAL, TRAJECTORY
from ..theme.block_catalog import MECHANICAL, Entry, rank
from .block_cards import WORLD
from .document import Document
from .wire_splice import ports_fit, ports_of_type

SOURCES = ("constant", "sum", "gain", "step", "sine", "expression", "joystick")
DRIVES = ("pd", "pid", "computed_torque", "gravity_compensation")
EFFORT = "effort"  # input of a joint
MOTIONS = ("motion_law", "path", "make_trajectory", "trajectory_limiter", "sampled_command")
# types by the kind and direction of the port that a wire is drawn from, and by the family of its block; "" is any other
USUAL = {
    (FRAME, "", "joints"): ("rigid_link", "rfem_link"),
    (FRAME, "", "bodies"): ("revolute", "prismatic"),
    (TRAJECTORY, "out", ""): ("pd", "pid", "computed_torque", "split_trajectory"),
    (TRAJECTORY, "in", ""): (*MOTIONS, "constant", "sine"),
    (SIGNAL, "out", ""): ("gain", "sum", "integrator", "expression", "transfer_function"),
    (SIGNAL, "in", ""): SOURCES,
    **{(SIGNAL, "in", family): (*DRIVES, *SOURCES) for family in ("joints", "forces", "drives")},
}


def following(document: Document, entries: Iterable[Entry], reference: str) -> list[Entry]:
    """Entries with a port that fits the one at `reference`: usual ones, then those of its unit, then the others; at
    signals those for signals first, mechanical blocks last; at a joint's frame that is wired drives before all."""
    block, name = document.split(reference)
    port, family = document.ports(block).get(name), document.type_and_family(block)[1]
    if port is None:
        return list(entries)
    kind, way = port.kind, "" if port.acausal else port.direction
    drives: list[Entry] = []
    if kind == FRAME and family == "joints" and name in document.used_ports().get(block, ()):
        drives = _drives(document, entries, block)
    usual = USUAL.get((kind, way, family)) or USUAL.get((kind, way, "")) or ()
    ranked: list[tuple[int, bool, bool, bool, int, int, Entry]] = []
    for entry in entries:
        if entry.type_name == WORLD or entry in drives:
            continue  # it is there
        units = _fitting_units(document, reference, port, entry.type_name)
        if units:
            first = usual.index(entry.type_name) if entry.type_name in usual else len(usual)
            mechanical = bool(way) and entry.family in MECHANICAL
            other = kind == SIGNAL and entry.family != "signals"
            place = rank(entry.family), len(ranked)
            ranked.append((first, mechanical, not any(units), other, *place, entry))
    return [*drives, *(entry for *_, entry in sorted(ranked, key=lambda row: row[:-1]))]


def _drives(document: Document, entries: Iterable[Entry], joint: str) -> list[Entry]:
    """Drives that fit the effort of a joint; none where it has one."""
    if EFFORT not in document.ports(joint) or EFFORT in document.used_ports().get(joint, ()):
        return []
    return following(document, [entry for entry in entries if entry.type_name in DRIVES], f"{joint}.{EFFORT}")


def _fitting_units(document: Document, reference: str, port: Port, type_name: str) -> list[bool]:
    """Flags of the ports of a type that fit: True for one of the same unit; a port without one takes any, and a torque
    is no energy."""
    try:
        ports = ports_of_type(document, type_name)
    except LuffError:  # a file that does not open now
        return []
    new = {f"new.{name}": own for name, own in ports.items()}
    pairs = (
        (f"new.{name}", own) for name, own in ports.items() if own.acausal or own.direction != port.direction
    )
    return [
        port.unit is not None and own.unit == port.unit
        for end, own in pairs
        if ports_fit(document, *((end, reference) if own.direction == "out" else (reference, end)), new)
    ]

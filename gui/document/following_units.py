"""Units that a parameter does not declare: those of a controller's gains and limits follow from what it is wired to,
those of friction from the joint, that of a cubic spring from its law, and others from the laws of their block."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ...blocks.params import Sub
from ...blocks.text.quantity import unit as unit_named
from ...solver.analysis.analysis_units import unit_ratio
from ...solver.netlist.wire_syntax import parse_end
from .document import Document

GAINS = ("kp", "kd", "ki")
LIMITS = (("lower",), ("upper",))  # of a controller's effort
# in the joint's unit
OF_FRICTION = {"stribeck": "{}/s", "sigma_0": "1/{}", "sigma_1": "s/{}", "sigma_2": "s/{}"}
ELECTRIC = {"resistance": "Ω", "inductance": "H"}


def number_unit(document: Document, block: str, key: str) -> str:
    """Unit in which a bare number of a block is read; empty if it has none."""
    param = document.diagram.block_params(block).get(key)
    return (param.unit or _unit_by_kind(document, block, (key,))) if param is not None else ""


def following_unit(document: Document, block: str, keys: tuple[str, ...]) -> str:
    """Unit of a bare number at `keys` of a block whose parameter declares none; empty if it has none."""
    by_kind = _unit_by_kind(document, block, keys)
    if by_kind or len(keys) > 1 or is_controller(document, block):
        return by_kind
    return _lawful_unit(document, block, ".".join(keys))


def _unit_by_kind(document: Document, block: str, keys: tuple[str, ...]) -> str:
    """Unit at `keys` of a controller, of friction, a spring or a motor; empty for other parameters."""
    key = keys[-1]
    if key in GAINS and is_controller(document, block):
        return _gain_unit(document, block, key)
    if keys in LIMITS and is_controller(document, block):
        return _unit_at(document, block, ("effort",))
    if keys[0] == "friction" and key in OF_FRICTION:
        unit = _coordinate_unit(document, block)
        return OF_FRICTION[key].format(unit) if unit else ""
    if keys == ("rotational", "stiffness"):
        law = document.diagram.value(f"{block}.rotational.law")
        return "N*m/rad^3" if law == "cubic" else "N*m/rad"
    return ELECTRIC.get(key, "") if "motor" in document.type_and_family(block)[0] else ""


def _lawful_unit(document: Document, block: str, key: str) -> str:
    """Unit of a parameter by the laws of its block and its wires, as the last check found it; a bare number is in SI,
    whatever unit is written elsewhere."""
    units = {*_units_told(document, ".".join((*document.diagram.level, block)), key)}
    told = units.pop() if len(units) == 1 else ""
    return told if told and unit_named(told).factor == 1 else ""


def _gain_unit(document: Document, block: str, key: str) -> str:
    """Unit of the gain `key` of a controller: N*m/rad of kp between a joint's angle and its torque; else empty."""
    effort = _unit_at(document, block, ("effort",))
    measured = _unit_at(document, block, ("measured", "target"))
    if not effort or not measured:
        return ""
    if key == "ki":
        return f"{effort}/({measured}*s)"
    return unit_ratio(f"{effort}*s" if key == "kd" else effort, measured)


def is_controller(document: Document, block: str) -> bool:
    """True if gains of a block have units by what it measures and drives."""
    return {"effort", "measured"} <= document.ports(block).keys()


def _coordinate_unit(document: Document, joint: str) -> str:
    """Unit of the coordinate of a joint: rad of a pin, m of a slide; empty for other blocks."""
    initial = document.diagram.block_params(joint).get("initial")
    position = initial.struct.params.get("position") if isinstance(initial, Sub) else None
    return position.unit if position else ""


def _unit_at(document: Document, block: str, ports: tuple[str, ...]) -> str:
    """The one unit that the other ends of the wires at a block's ports declare; empty where they differ."""
    ends = {port: {*_units_wired(document, block, port)} for port in ports}
    units = set[str]().union(*ends.values()) - {""}
    if not units:
        full = ".".join((*document.diagram.level, block))
        units = {unit for port in ports if ends[port] for unit in _units_told(document, full, port)}
    return units.pop() if len(units) == 1 else ""


def _units_told(document: Document, block: str, port: str) -> Iterator[str]:
    """Units of the elements of a port of a leaf, as the last check found them behind sums, gains and other blocks."""
    for k in itertools.count():
        unit = document.root.units.get((block, port, k))
        if unit is None:
            return
        yield unit


def _units_wired(document: Document, block: str, port: str) -> Iterator[str]:
    """Units of ports wired to one of a block, empty where none is declared; also outside of a subsystem that hands it
    on."""
    for _, here, there in document.wiring.leaving(block):
        declared = document.ports(there.block).get(there.port) if here.port == port else None
        if declared is not None:
            yield declared.unit or ""
    for name, inner in document.diagram.ports.items() if document.outer is not None else ():
        if document.outer is not None and document.split(str(inner)) == (block, port):
            yield from _units_wired(document.outer, document.diagram.level[-1], name)


def unit_at(document: Document, reference: str) -> str | None:
    """Unit of a port or element: the declared one, else that which wires told at the last check; None if unknown."""
    end = parse_end(reference)
    declared = document.ports(end.block).get(end.port)
    if declared is not None and declared.unit:
        return declared.unit
    block = ".".join((*document.diagram.level, end.block))
    return document.root.units.get((block, end.port, end.elements[0] if end.elements else 0))

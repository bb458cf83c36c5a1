"""Units of a controller's gains, which follow from the ports that it is wired to."""

from __future__ import annotations

from ...solver.analysis.analysis_units import unit_ratio
from ..document.document import Document

GAINS = ("kp", "kd", "ki")


def gain_unit(document: Document, block: str, key: str) -> str:
    """Unit of the gain `key` of a controller: N*m/rad of kp between a joint's angle and its torque; else empty."""
    if key not in GAINS or not {"effort", "measured"} <= document.ports(block).keys():
        return ""
    effort = _unit_at(document, block, ("effort",))
    measured = _unit_at(document, block, ("measured", "target"))
    if not effort or not measured:
        return ""
    if key == "ki":
        return f"{effort}/({measured}*s)"
    return unit_ratio(f"{effort}*s" if key == "kd" else effort, measured)


def _unit_at(document: Document, block: str, ports: tuple[str, ...]) -> str:
    """The one unit that the other ends of the wires at a block's ports declare; empty where they differ."""
    units = set()
    for _, here, there in document.wiring.leaving(block):
        declared = document.ports(there.block).get(there.port) if here.port in ports else None
        if declared is not None and declared.unit:
            units.add(declared.unit)
    return units.pop() if len(units) == 1 else ""

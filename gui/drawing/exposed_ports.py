"""Ports of composites: the inner ports that they expose, and the exposed ports of a diagram."""

from __future__ import annotations

from ...blocks import LuffError
from ...solver.diagram.composite_types import CompositeType
from ...solver.flatten.diagram import Diagram
from .wire_nets import wired_ports


def inner_names(cls: object) -> dict[str, str]:
    """Name of the innermost exposed port by port of a composite; empty for other blocks."""
    if not isinstance(cls, CompositeType):
        return {}
    names = {}
    for outer, reference in cls.diagram.ports.items():
        block, _, port = str(reference).rpartition(".")
        try:
            below = inner_names(cls.diagram.block_class(block, cls.chain))
        except LuffError:
            continue  # told where the inner netlist is checked
        names[outer] = below.get(port, port)
    return names


def used_ports(diagram: Diagram) -> dict[str, set[str]]:
    """Ports by block that have a wire or are exposed."""
    used = wired_ports(diagram.connections)
    for block, ports in exposed(diagram).items():
        used.setdefault(block, set()).update(ports)
    return used


def exposed(diagram: Diagram) -> dict[str, dict[str, str]]:
    """Exposed ports of a composite diagram: block -> port -> outer name."""
    ports: dict[str, dict[str, str]] = {}
    for outer, reference in diagram.ports.items():
        block, _, port = str(reference).rpartition(".")
        ports.setdefault(block, {})[port] = outer
    return ports

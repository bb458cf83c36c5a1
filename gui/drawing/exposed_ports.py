"""Ports of a card: exposed ports of composites and diagrams, used ports, and ports folded into "more"."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...blocks import LuffError, Port
from ...blocks.ports import FRAME, SHAFT, SIGNAL
from ...solver.diagram.composite_types import CompositeType
from ...solver.flatten.diagram import Diagram
from .wire_nets import wired_ports

MORE = "more\u2026"  # no name of a port in a netlist
USUAL = {"position", "velocity", "trajectory"}
MANY = 4  # outputs that a block may show at once, used or not


def inner_names(cls: object) -> dict[str, str]:
    """Name of the innermost exposed port by port of a composite; empty for other blocks."""
    if not isinstance(cls, CompositeType):
        return {}
    names: dict[str, str] = {}
    below: dict[str, dict[str, str]] = {}  # by block: each is looked into once, whatever its number of ports
    for outer, reference in cls.diagram.ports.items():
        block, _, port = str(reference).rpartition(".")
        if block not in below:
            try:
                below[block] = inner_names(cls.diagram.block_class(block, cls.chain))
            except LuffError:
                continue  # told where the inner netlist is checked
        names[outer] = below[block].get(port, port)
    return names


def innermost(diagram: Diagram, reference: str) -> str:
    """Port that a port of a composite stands for, as `arm.rod.effort` for `arm.effort`; itself where it stands for
    none."""
    block, _, rest = reference.strip().partition(".")
    port, bracket, element = rest.partition("[")
    path = [block]
    try:
        cls = diagram.block_class(block)
        while isinstance(cls, CompositeType) and (
            inner := {**cls.diagram.ports, **cls.diagram.outputs}.get(port)
        ):
            name, _, port = str(inner).rpartition(".")
            path.append(name)
            cls = cls.diagram.block_class(name, cls.chain)
    except LuffError:  # told where the netlist is checked
        return reference
    return f"{'.'.join(path)}.{port}{bracket}{element}"


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


def folded(ports: Mapping[str, Port], used: Collection[str]) -> list[str]:
    """Folded ports of a mechanism block: outputs neither usual nor used (wired or exposed), and the shaft of a joint
    while nothing drives it."""
    if not any(port.acausal for port in ports.values()):
        return []
    outputs = [name for name, port in ports.items() if port.direction == "out" and not port.inner]
    rest = [name for name in outputs if name not in USUAL and name not in used]
    if len(outputs) <= MANY or len(rest) < 2:
        return []
    jointed = any(port.kind == FRAME for port in ports.values())
    shafts = [name for name, port in ports.items() if port.kind == SHAFT and name not in used]
    return [*rest, *shafts] if jointed else rest


def shown(ports: Mapping[str, Port], used: Collection[str]) -> dict[str, Port]:
    rest = folded(ports, used)
    open_ = {name: port for name, port in ports.items() if not port.inner or name in used}
    if not rest:
        return open_
    kept = {name: port for name, port in open_.items() if name not in rest}
    return {**kept, MORE: Port(SIGNAL, "out", doc=", ".join(rest)).named(MORE)}

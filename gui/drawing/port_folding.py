"""Folded ports: the seldom used outputs of a block, and the shaft of a joint, share one port "more". Pure Python: no
Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...blocks import Port
from ...blocks.ports import FRAME, SHAFT, SIGNAL

MORE = "more\u2026"  # no name of a port in a netlist
USUAL = {"position", "velocity", "trajectory"}
MANY = 4  # outputs that a block may show at once, used or not


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

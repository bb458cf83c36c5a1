"""Implicit inputs of a netlist: unwired ports of blocks that an operator drives.

`levers.u` is fed by the input `levers_u`, which may be declared in `inputs:` to give it another default.
"""

from __future__ import annotations

from ...blocks.block import Block
from ...blocks.errors import LuffError
from ...blocks.params import Scope, convert_all
from ...blocks.ports import ANY
from ...blocks.registry import block_class
from ...blocks.text.raw_types import RawMap
from ..netlist.section_structure import section
from ..netlist.wire_syntax import End, parse_wire
from .enabled import is_enabled, parameters_of


def operated_ports(data: RawMap) -> dict[str, End]:
    """The port of each such input of a netlist, by the input's name."""
    ports: dict[str, End] = {}
    for name, raw in section(data, "blocks", dict).items():
        kind = raw.get("type") if isinstance(raw, dict) and is_enabled(raw) else None
        cls = block_class(kind) if isinstance(kind, str) else None
        for port in cls.from_outside if cls else ():
            ports[f"{name}_{port}"] = End(name, port)
    wired = {str(end) for end in _targets(data)} if ports else set[str]()
    return {name: end for name, end in ports.items() if str(end) not in wired}


def operated_inputs(data: RawMap, scope: Scope) -> RawMap:
    """Entries of the implicit inputs, as `inputs:` would declare them."""
    entries: RawMap = {}
    for name, end in operated_ports(data).items():
        cls, raw = _class_and_values(data, end.block)
        port = cls.class_ports[end.port]
        width = _width(cls, raw, scope) if port.width == ANY else 1
        entries[name] = {"width": width, "doc": port.doc}
    return entries


def _class_and_values(data: RawMap, name: str) -> tuple[type[Block], RawMap]:
    raw = section(data, "blocks", dict)[name]
    cls = block_class(raw["type"])
    assert cls is not None  # for it has such ports
    return cls, parameters_of(raw)


def _width(cls: type[Block], raw: RawMap, scope: Scope) -> int:
    """Number of elements; 1 while parameters are wrong, which their conversion reports."""
    try:
        return cls("", convert_all(cls.params, raw, scope, "", "")).width() or 1
    except LuffError:
        return 1


def _targets(data: RawMap) -> list[End]:
    ends = []
    for text in section(data, "connect", list):
        try:
            ends.append(parse_wire(str(text)).b)
        except LuffError:
            continue  # told where wires are checked
    return ends

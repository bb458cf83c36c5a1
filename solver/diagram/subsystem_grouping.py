"""Grouping of blocks into a subsystem in place, one block of the same netlist.

A subsystem sees the parameters and the block names around it; its wires to the outside pass through its `ports:`. In
the flat netlist its blocks stand where it stands, so that grouping neighbours changes no digit of a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from ...blocks.errors import LuffError, NetlistError, Problem
from ...blocks.registry import block_class
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist.nested_entries import index_of, insert_at
from ..netlist.section_structure import WIRES, section
from ..netlist.wire_syntax import End, parse_end, parse_wire
from .block_renaming import move_setting
from .netlist_document import Netlist

Port = tuple[str, str]  # of a block: `rod`, `frame_a`
WORD = re.compile(r"[.\[\s]")  # what ends a name


def group_blocks(netlist: Netlist, names: Iterable[str], name: str) -> RawMap:
    """Make one block, a subsystem in place, of blocks of a netlist.

    It stands at the place of the first of them. Each port with a wire to the outside becomes a port of the subsystem;
    names in plots, records, other blocks and the levels around follow.

    Parameters
    ----------
    netlist : Diagram
        The netlist or level.
    names : iterable of str
        The blocks.
    name : str
        Name of the subsystem.

    Returns
    -------
    dict
        Data of the outermost netlist before, for its `restore`.

    Raises
    ------
    NetlistError
        There are no such blocks, the name is taken, or an operator drives one of them.
    """
    wanted = {*names}
    chosen = [block for block in netlist.blocks if block in wanted and block != "world"]
    if not chosen or wanted - {*chosen}:
        unknown = ", ".join(sorted(wanted - {*chosen})) or "nothing"
        raise NetlistError(f"found {unknown}, expected blocks of this level", fix="choose blocks to group")
    for block in chosen:
        _refuse_operated(block, netlist.blocks[block])
    netlist.check_name(name)
    return netlist.rewrite(lambda: _group(netlist, chosen, name))


def _group(netlist: Netlist, chosen: list[str], name: str) -> None:
    data = netlist.data
    blocks = section(data, "blocks", dict)
    place = index_of(blocks, chosen[0])
    inner: RawMap = {"blocks": {block: blocks.pop(block) for block in chosen}}
    within, across, ports = _split_wires(data, {*chosen})
    if within:
        inner["connect"] = [*within]
    if ports:
        inner["ports"] = {port: ".".join(end) for end, port in ports.items()}
    _rewire(data, across, {*within}, name, ports)
    moved = _split_layout(data, chosen, {*within}, across)
    netlist.follow(_change_into(name, chosen))
    if moved:
        inner["layout"] = moved
    insert_at(section(data, "blocks", dict), place, name, {"type": inner})
    places = [place for place in (moved.get(block) for block in chosen) if is_place(place)]
    if len(places) == len(chosen):
        middle = [round(sum(p[k] for p in places) / len(places) / 10) * 10 for k in (0, 1)]  # type: ignore[index, misc]
        data.setdefault("layout", {})[name] = middle  # type: ignore[index]
    for depth in range(len(netlist.level)):
        outer, path = netlist.at_level(netlist.level[:depth]), netlist.level[depth:]
        for block in chosen:
            move_setting(outer.data, (*path, block), (*path, name, block))


def _refuse_operated(name: str, raw: Raw) -> None:
    kind = raw.get("type") if isinstance(raw, dict) else None
    cls = block_class(kind) if isinstance(kind, str) else None
    if cls is not None and cls.from_outside:
        message = f"{name} is driven by an operator, who reaches the blocks of the outermost level only"
        raise NetlistError(Problem(message, f"blocks.{name}", "leave it out of the subsystem"))


def _split_wires(data: RawMap, chosen: set[str]) -> tuple[list[str], dict[str, str], dict[Port, str]]:
    """Wires among the chosen blocks; wires across their boundary, as keys; and a name for each port on it."""
    within: list[str] = []
    across: dict[str, str] = {}
    ports: dict[Port, str] = {}

    def cross(end: End) -> None:
        pair = (end.block, end.port)
        if pair not in ports:
            taken = {*ports.values()}
            wanted = [end.port, f"{end.block.replace('.', '_')}_{end.port}"]
            wanted += [f"{wanted[1]}{k}" for k in range(2, len(taken) + 3)]
            ports[pair] = next(name for name in wanted if name not in taken)

    for text in section(data, "connect", list):
        try:
            wire = parse_wire(text) if isinstance(text, str) else None
        except LuffError:
            continue  # told where wires are checked
        if wire is None:
            continue
        inside = [end for end in (wire.a, wire.b) if head_of(end.block) in chosen]
        if len(inside) == 2:
            within.append(str(text))
        for end in inside if len(inside) == 1 else ():
            across[str(text)] = str(text)
            cross(end)
    for target in section(data, "ports", dict).values():
        end = _end(target)
        if end is not None and head_of(end.block) in chosen:
            cross(end)
    return within, across, ports


def head_of(name: str) -> str:
    return name.partition(".")[0]


def _end(text: Raw) -> End | None:
    try:
        return parse_end(text) if isinstance(text, str) else None
    except LuffError:
        return None


REFERENCE = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.([^\W\d]\w*)")


def _through(text: str, ports: Mapping[Port, str], name: str) -> str:
    """Wire or port whose ends in the subsystem are its ports."""

    def end(found: re.Match[str]) -> str:
        port = ports.get((found[1], found[2]))
        return f"{name}.{port}" if port else found[0]

    return REFERENCE.sub(end, text)


def _rewire(
    data: RawMap, across: dict[str, str], within: set[str], name: str, ports: Mapping[Port, str]
) -> None:
    """Take the inner wires out, and lead those across the boundary to the subsystem's ports."""
    for text in across:
        across[text] = _through(text, ports, name)
    wires = section(data, "connect", list)
    wires[:] = [
        across.get(text, text) if isinstance(text, str) else text for text in wires if text not in within
    ]
    listed = section(data, "ports", dict)
    for key, target in listed.items():
        listed[key] = _through(str(target), ports, name)


def _split_layout(data: RawMap, chosen: list[str], within: set[str], across: Mapping[str, str]) -> RawMap:
    """Take the places of blocks and inner wires out of the layout; ways across the boundary end elsewhere now."""
    layout = section(data, "layout", dict)
    moved: RawMap = {block: layout.pop(block) for block in chosen if block in layout}
    ways = layout.get(WIRES)
    if isinstance(ways, dict):
        inner: RawMap = {text: ways.pop(text) for text in [*ways] if text in within}
        for text in [*ways]:
            if text in across:
                way = ways.pop(text)
                if isinstance(way, str):  # shown as labels
                    ways[across[text]] = way
        if not ways:
            del layout[WIRES]
        if inner:
            moved[WIRES] = inner
    return moved


def is_place(place: Raw) -> bool:
    return isinstance(place, list) and len(place) >= 2 and all(isinstance(x, int | float) for x in place[:2])


def _change_into(name: str, chosen: list[str]) -> Callable[[str], str]:
    """Change of the names of blocks that moved into a subsystem."""
    known = {*chosen}
    return lambda text: f"{name}.{text}" if WORD.split(text, maxsplit=1)[0] in known else text

"""A subsystem in place taken apart: its blocks, wires, parameters and values go into the level around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ...blocks.errors import LuffError, NetlistError
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.expressions import with_name
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy
from ..netlist.nested_entries import index_of, insert_at
from ..netlist.section_structure import NOTES, WIRES, put_section, section, subsystem
from ..netlist.wire_syntax import End, parse_wire
from .enabled import KEY, is_enabled
from .netlist_document import Netlist
from .subsystem_grouping import REFERENCE, WORD, head_of, is_place


def ungroup_block(netlist: Netlist, name: str) -> RawMap:
    """Put the blocks of a subsystem in place of it: its wires, values and names lead to them.

    Parameters
    ----------
    netlist : Diagram
        The netlist or level.
    name : str
        The subsystem.

    Returns
    -------
    dict
        Data of the outermost netlist before, for its `restore`.

    Raises
    ------
    NetlistError
        The block is no subsystem in place, an outer level sets values in it, or one of its `inputs:` has no wire.
    """
    if subsystem(netlist.blocks.get(name)) is None:
        raise NetlistError(f"{name} is no subsystem in place", fix="choose a block made by grouping")
    for depth in range(len(netlist.level)):
        entry: object = netlist.at_level(netlist.level[:depth]).blocks
        for step in (*netlist.level[depth:], name):
            entry = entry.get(step) if isinstance(entry, dict) else None
        if entry:
            owner = netlist.level[depth]
            raise NetlistError(f"{owner} sets values of {name}", fix=f"write them in {name} first")
    return netlist.rewrite(lambda: _Ungrouping(netlist, name).run())


class _Ungrouping:
    """A subsystem on its way into the level around it; each step leaves names in both that mean the same."""

    def __init__(self, netlist: Netlist, name: str):
        self.netlist, self.name = netlist, name
        self.data = netlist.data
        self.entry = netlist.blocks[name]
        self.level = netlist.at_level((*netlist.level, name))
        self.inner = self.level.data

    def run(self) -> None:
        section(self.inner, "blocks", dict).pop("world", None)  # has no effect inside, and would have outside
        self._parameters()
        self._rename()
        blocks = section(self.data, "blocks", dict)
        place = index_of(blocks, self.name)
        moved = self._values()
        wires = [text for text in section(self.inner, "connect", list) if isinstance(text, str)]
        ports = self._ports({*moved, "world", INPUTS})
        inputs = self._inputs(wires)
        self._rewire(wires, ports, inputs)
        del blocks[self.name]
        self.netlist.follow(self._change(moved, ports))
        blocks = section(self.data, "blocks", dict)
        for k, (block, raw) in enumerate(moved.items()):
            insert_at(blocks, place + k, block, raw)
        self.netlist.follow_patterns({f"{self.name}.{block}": block for block in moved})
        conditions = section(self.inner, "assert", list)
        if conditions:
            put_section(self.data, "assert", [*section(self.data, "assert", list), *conditions])
        self._layout(moved)

    def _parameters(self) -> None:
        """Make parameters of the subsystem those of the level, under names that are free there."""
        own = section(self.inner, "parameters", dict)
        known = {*self.netlist.scope().names}
        names: dict[str, str] = {}
        for key in own:
            if not _is_same(self.entry.get(key), key) or key not in known:  # else it is the one outside
                names[key] = next(
                    n for n in _names(key, self.name) if n not in known and n not in {*own} - {key}
                )
                known.add(names[key])
        for key, name in names.items():
            if name != key:
                _rename_in(self.inner, key, name)
        made = {name: self.entry.pop(key, own[key]) for key, name in names.items()}
        if made:
            put_section(self.data, "parameters", {**section(self.data, "parameters", dict), **made})

    def _rename(self) -> None:
        """Rename inner blocks whose names are taken outside."""
        outside = {*section(self.data, "blocks", dict), "world"} - {self.name}
        for block in [*section(self.inner, "blocks", dict)]:
            inside = {*section(self.inner, "blocks", dict)} - {block}
            fresh = next(n for n in _names(block, self.name) if n not in outside | inside)
            if fresh != block:
                self.level.follow_name(block, fresh)

    def _values(self) -> dict[str, Raw]:
        """Entries of the inner blocks with what the subsystem's entry sets in them."""
        moved: dict[str, Raw] = {}
        disabled = not is_enabled(self.entry)
        for block, raw in section(self.inner, "blocks", dict).items():
            entry = deep_copy(raw)
            if isinstance(entry, dict):
                given = self.entry.get(block)
                if isinstance(given, dict):
                    _overlay(entry, given)
                if disabled:
                    entry[KEY] = False
            moved[block] = entry
        return moved

    def _ports(self, known: set[str]) -> RawMap:
        """Ports and outputs with what they stand for, but for those that stand for a block that is gone."""
        ports = {**section(self.inner, "ports", dict), **section(self.inner, "outputs", dict)}
        return {key: end for key, end in ports.items() if head_of(str(end)) in known}

    def _inputs(self, wires: list[str]) -> dict[str, list[str]]:
        """Ends that each of the `inputs:` feeds inside; their wires are taken out of the list."""
        fed: dict[str, list[str]] = {key: [] for key in section(self.inner, "inputs", dict)}
        for text in [*wires]:
            wire = parse_wire(text)
            if wire.a.block == INPUTS and wire.a.port in fed:
                _refuse_elements(text, wire.a)
                fed[wire.a.port].append(text.partition("->")[2].strip())
                wires.remove(text)
        return fed

    def _rewire(self, within: list[str], ports: RawMap, inputs: dict[str, list[str]]) -> None:
        """Lead the wires at the subsystem's ports to what these stand for, and put the inner wires behind them."""
        made: list[Raw] = []
        ways = section(section(self.data, "layout", dict), WIRES, dict)
        wired: set[str] = set()
        for text in section(self.data, "connect", list):
            try:
                wire = parse_wire(text) if isinstance(text, str) else None
            except LuffError:
                wire = None  # told where wires are checked
            if wire is None or self.name not in (head_of(wire.a.block), head_of(wire.b.block)):
                made.append(text)
                continue
            way = ways.pop(str(text), None)
            if any(end.block == self.name and end.port not in (*ports, *inputs) for end in (wire.a, wire.b)):
                continue  # at a port that leads nowhere: such a wire goes with its block
            if wire.b.block == self.name and wire.b.port in inputs:
                _refuse_elements(str(text), wire.b)
                wired.add(wire.b.port)
                source = str(text).partition("->")[0].strip()
                made += [f"{source} -> {end}" for end in inputs[wire.b.port]]
                continue
            new = REFERENCE.sub(lambda end: self._outside(end, ports), str(text))
            made.append(new)
            if isinstance(way, str):  # shown as labels
                ways[new] = way
        missing = [key for key, fed in inputs.items() if fed and key not in wired]
        if missing:
            fix = f"wire {self.name}.{missing[0]}"
            raise NetlistError(f"the input {missing[0]} of {self.name} has no wire", fix=fix)
        if made or within or "connect" in self.data:
            put_section(self.data, "connect", [*made, *within])

    def _outside(self, end: re.Match[str], ports: RawMap) -> str:
        if end[1] == self.name and end[2] in ports:
            return str(ports[end[2]])
        return end[0] if end[1] == self.name else end[0].removeprefix(f"{self.name}.")

    def _change(self, moved: Mapping[str, Raw], ports: RawMap) -> Callable[[str], str]:
        """Change of names: `arm.tip`, a port, is what it stands for; `arm.rod` is `rod`."""
        prefix = f"{self.name}."

        def change(text: str) -> str:
            rest = text.removeprefix(prefix)
            if rest == text:
                return text
            word = WORD.split(rest, maxsplit=1)[0]
            inside = word in moved and rest[len(word) :].startswith(".")
            if word in ports and not inside:
                return f"{ports[word]}{rest[len(word) :]}"
            return rest if word in moved else text

        return change

    def _layout(self, moved: Mapping[str, Raw]) -> None:
        """Places of the blocks around that of the subsystem."""
        inner, layout = section(self.inner, "layout", dict), section(self.data, "layout", dict)
        if layout.get(WIRES) == {}:
            del layout[WIRES]
        middle = layout.pop(self.name, None)
        places = {block: inner[block] for block in moved if is_place(inner.get(block))}
        if not places or not is_place(middle):
            return
        mean = [sum(place[k] for place in places.values()) / len(places) for k in (0, 1)]  # type: ignore[index, misc]
        shift = [round((middle[k] - mean[k]) / 10) * 10 for k in (0, 1)]  # type: ignore[index, operator]
        for block, place in places.items():
            layout[block] = [place[0] + shift[0], place[1] + shift[1], *place[2:]]  # type: ignore[index, operator, misc]
        notes = [
            note
            for note in section(inner, NOTES, list)
            if isinstance(note, dict) and is_place(note.get("at"))
        ]
        for note in notes:
            note["at"] = [note["at"][0] + shift[0], note["at"][1] + shift[1]]  # type: ignore[index, operator]
        if notes:
            layout[NOTES] = [*section(layout, NOTES, list), *notes]
        ways: RawMap = {**section(inner, WIRES, dict)}
        for text, way in ways.items():
            if isinstance(way, list):
                ways[text] = [[x + shift[0], y + shift[1]] for x, y in way]  # type: ignore[misc]
        if ways:
            layout[WIRES] = {**section(layout, WIRES, dict), **ways}


def _is_same(raw: Raw, name: str) -> bool:
    """True for the expression that is a parameter of that name."""
    return isinstance(raw, str) and raw.replace(" ", "") == f"={name}"


def _refuse_elements(text: str, end: End) -> None:
    if end.elements is not None:
        raise NetlistError(f"{text} takes elements of an input apart", fix=f"wire the whole of {end}")


def _names(name: str, owner: str) -> Iterator[str]:
    """The name itself, then names that say whose it is."""
    yield name
    yield f"{owner}_{name}"
    k = 2
    while True:
        yield f"{owner}_{name}{k}"
        k += 1


def _overlay(entry: RawMap, given: RawMap) -> None:
    for key, value in given.items():
        below = entry.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            _overlay(below, value)
        else:
            entry[key] = deep_copy(value)


def _rename_in(raw: Raw, old: str, new: str) -> Raw:
    """Rename a parameter in all expressions, but for subsystems that declare one of the name."""
    if isinstance(raw, str):
        head, sign, expression = raw.partition("=")
        return raw if head.strip() or not sign else head + sign + with_name(expression, old, new)
    if isinstance(raw, list):
        raw[:] = [_rename_in(item, old, new) for item in raw]
    elif isinstance(raw, dict):
        inner = subsystem(raw)
        for key, value in raw.items():
            if not (key == "type" and inner is not None and old in section(inner, "parameters", dict)):
                raw[key] = _rename_in(value, old, new)
    return raw

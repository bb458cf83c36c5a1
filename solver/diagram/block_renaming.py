"""Everything in a netlist that follows when a block is renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from ...blocks.errors import NetlistError
from ...blocks.params import BlockName, Either, Names, Param, Sub, SubList, SubMap
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist.nested_entries import Tree
from ..netlist.section_structure import FILES, WIRES, section, subsystem
from .netlist_levels import Levels

Change = Callable[[str], str]  # a name, `slew` or `slew.position`, as it is called from now on
_REFERENCE = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.\w+)+")  # an end of a wire


def renaming(old: str, new: str) -> Change:
    """Change of a block's name, with all that lies in the block."""

    def change(text: str) -> str:
        follows = text == old or text.startswith((f"{old}.", f"{old}["))
        return new + text[len(old) :] if follows else text

    return change


def rename_block(data: RawMap, old: str, new: str, params_of: Callable[[str], dict[str, Param]]) -> None:
    """Rename a block in raw data; `params_of` says where other blocks name it."""
    follow_names(data, renaming(old, new), params_of)
    for dial in section(data, "dashboard", list):
        if isinstance(dial, dict):
            _values(dial, lambda text: follow_or_operate(text, old, new), ("of",))
    for key in ("blocks", "layout"):
        _rename_key(data, key, lambda name: new if name == old else name)


def follow_names(data: RawMap, change: Change, params_of: Callable[[str], dict[str, Param]]) -> None:
    """Change the names of blocks wherever a section has them, but for the keys under which the blocks stand."""

    def follow(text: Raw) -> Raw:
        return change(text) if isinstance(text, str) else text

    def wire(text: str) -> str:
        return _REFERENCE.sub(lambda end: change(end[0]), text)

    for name, raw in section(data, "blocks", dict).items():
        if name != FILES and isinstance(raw, dict):
            _follow_params(raw, params_of(name), follow)
    _rename_items(section(data, "connect", list), lambda text: wire(text) if isinstance(text, str) else text)
    for kind in ("ports", "outputs"):
        _values(section(data, kind, dict), follow)
    for kind in ("record", "assert"):
        _rename_items(section(data, kind, list), follow)
    _values(section(data, "simulation", dict), follow, ("stop_when",))
    for plot in section(data, "plots", list):
        if isinstance(plot, dict):
            _values(plot, follow, ("x",))
            _rename_items(plot.get("y"), follow)
    for dial in section(data, "dashboard", list):
        if isinstance(dial, dict):
            _values(dial, follow, ("of",))
    _values(section(data, "view", dict), follow, ("of",))
    _rename_items(section(data, "initial", dict).get("hold"), follow)
    constraints = section(data, "simulation", dict).get("constraints")
    if isinstance(constraints, dict):
        _rename_items(constraints.get("dependent"), follow)
    _rename_key(section(data, "layout", dict), WIRES, wire)


def follow_inside(netlist: Levels, change: Change) -> None:
    """Change the names that blocks of subsystems in place have for blocks around them; NetlistError where a block
    inside has the new name."""
    for name, raw in section(netlist.data, "blocks", dict).items():
        blocks = section(subsystem(raw), "blocks", dict)
        if not blocks:
            continue
        inner = netlist.at_level((*netlist.level, name))
        follow = _Follower(change, name, blocks)
        for block, entry in blocks.items():
            if isinstance(entry, dict):
                _follow_params(entry, inner.block_params(block), follow)
        follow_inside(inner, lambda text, follow=follow: str(follow(text)))


def named_blocks(netlist: Levels) -> set[str]:
    """Blocks around a level that its own blocks name, here and in the subsystems inside."""
    named: set[str] = set()

    def note(text: Raw) -> Raw:
        if isinstance(text, str):
            named.add(_first_name(text))
        return text

    blocks = section(netlist.data, "blocks", dict)
    for name, raw in blocks.items():
        if isinstance(raw, dict):
            _follow_params(raw, netlist.block_params(name), note)
        if subsystem(raw) is not None:
            named |= named_blocks(netlist.at_level((*netlist.level, name)))
    return named - {*blocks}


class _Follower:
    """Change of names in a subsystem: its own blocks hide those around it, and may not catch a new name."""

    def __init__(self, change: Change, owner: str, blocks: Collection[str]):
        self.change, self.owner, self.blocks = change, owner, blocks

    def __call__(self, text: Raw) -> Raw:
        if not isinstance(text, str) or _first_name(text) in self.blocks:
            return text
        changed = self.change(text)
        if changed != text and _first_name(changed) in self.blocks:
            message = f'{self.owner} names {text} and has a block "{_first_name(changed)}" of its own'
            raise NetlistError(message, fix="choose another name")
        return changed


def _first_name(name: str) -> str:
    return name.partition(".")[0]


def move_setting(data: RawMap, old: Sequence[str], new: Sequence[str]) -> None:
    """Move the entry in which a subsystem's block sets values of a block inside: `arm: {rod: {mass: 2 kg}}`."""
    holder: Raw = section(data, "blocks", dict)
    inner: RawMap | None = data
    for name in old[:-1]:
        holder = holder.get(name) if isinstance(holder, dict) else None
        inner = subsystem(section(inner, "blocks", dict).get(name))
    if not isinstance(holder, dict) or old[-1] not in holder or old[-1] in section(inner, "parameters", dict):
        return
    if old[:-1] == new[:-1]:
        entries = {new[-1] if key == old[-1] else key: value for key, value in holder.items()}
        holder.clear()
        holder.update(entries)
        return
    value = holder.pop(old[-1])
    Tree(data).set(("blocks", *new), value)


def follow_or_operate(text: Raw, old: str, new: str) -> Raw:
    """`levers.y`, or the input `levers_u[0]` that a joystick makes."""
    for port in ("u", "lost"):
        if isinstance(text, str) and text.partition("[")[0] == f"{old}_{port}":
            return new + text[len(old) :]
    return renaming(old, new)(text) if isinstance(text, str) else text


def signal_renaming(old: str, new: str) -> Change:
    """Change of the names of recorded signals with their block's. Those of an earlier block of the new name take the
    old one, so that the way back finds them all."""

    def change(text: str) -> str:
        changed = str(follow_or_operate(text, old, new))
        return str(follow_or_operate(text, new, old)) if changed == text else changed

    return change


def _rename_key(parent: RawMap, key: str, change: Callable[[str], str]) -> None:
    entries = parent.get(key)
    if isinstance(entries, dict):
        parent[key] = {change(name): value for name, value in entries.items()}


def _rename_items(items: Raw, change: Callable[[Raw], Raw]) -> None:
    if isinstance(items, list):
        items[:] = [change(item) for item in items]


def _values(mapping: RawMap, change: Callable[[Raw], Raw], keys: tuple[str, ...] = ()) -> None:
    for key in keys or list(mapping):
        if key in mapping:
            mapping[key] = change(mapping[key])


def _follow_params(raw: RawMap, params: dict[str, Param], change: Callable[[Raw], Raw]) -> None:
    for name, param in params.items():
        value = raw.get(name)
        options = param.options if isinstance(param, Either) else (param,)
        for option in options:
            if isinstance(option, Names) and option.follows:
                _rename_items(value, change)
            elif isinstance(option, BlockName) and isinstance(value, str):
                raw[name] = change(value)
            elif isinstance(option, SubList) and isinstance(value, list):
                for entry in value:
                    if isinstance(entry, dict):
                        _follow_params(entry, option.struct.params, change)
            elif isinstance(option, SubMap) and isinstance(value, dict):
                for entry in value.values():
                    if isinstance(entry, dict):
                        _follow_params(entry, option.struct.params, change)
            elif type(option) is Sub and isinstance(value, dict):
                _follow_params(value, option.struct.params, change)

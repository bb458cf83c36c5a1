"""Everything in a netlist that follows when a block is renamed."""

from __future__ import annotations

from collections.abc import Callable

from ...blocks.params import BlockName, Either, Names, Param, Sub, SubList, SubMap
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist.section_structure import FILES, WIRES, section
from ..netlist.wire_syntax import renamed as renamed_wire


def rename_block(data: RawMap, old: str, new: str, params_of: Callable[[str], dict[str, Param]]) -> None:
    """Rename a block in raw data; `params_of` says where other blocks name it."""

    def follow(text: Raw) -> Raw:
        return _follow(text, old, new)

    def wire(text: Raw) -> Raw:
        return renamed_wire(text, old, new) if isinstance(text, str) else text

    for name, raw in section(data, "blocks", dict).items():
        if name != FILES and isinstance(raw, dict):
            _follow_params(raw, params_of(name), follow)
    _rekey(data, "blocks", lambda name: new if name == old else name)
    _each(section(data, "connect", list), wire)
    _values(section(data, "ports", dict), follow)
    _values(section(data, "outputs", dict), follow)
    _each(section(data, "record", list), follow)
    _each(section(data, "assert", list), follow)
    _values(section(data, "simulation", dict), follow, ("stop_when",))
    for plot in section(data, "plots", list):
        if isinstance(plot, dict):
            _values(plot, follow, ("x",))
            _each(plot.get("y"), follow)
    for dial in section(data, "dashboard", list):
        if isinstance(dial, dict):
            _values(dial, lambda text: follow_or_operate(text, old, new), ("of",))
    _values(section(data, "view", dict), follow, ("of",))
    _each(section(data, "initial", dict).get("hold"), follow)
    constraints = section(data, "simulation", dict).get("constraints")
    if isinstance(constraints, dict):
        _each(constraints.get("dependent"), follow)
    layout = section(data, "layout", dict)
    _rekey(layout, WIRES, lambda text: renamed_wire(text, old, new))
    _rekey(data, "layout", lambda name: new if name == old else name)


def _follow(text: Raw, old: str, new: str) -> Raw:
    """`slew` or `slew.position`."""
    if isinstance(text, str) and (text == old or text.startswith(f"{old}.")):
        return new + text[len(old) :]
    return text


def follow_or_operate(text: Raw, old: str, new: str) -> Raw:
    """`levers.y`, or the input `levers_u[0]` that a joystick makes."""
    for port in ("u", "lost"):
        if isinstance(text, str) and text.partition("[")[0] == f"{old}_{port}":
            return new + text[len(old) :]
    return _follow(text, old, new)


def _rekey(parent: RawMap, key: str, change: Callable[[str], str]) -> None:
    entries = parent.get(key)
    if isinstance(entries, dict):
        parent[key] = {change(name): value for name, value in entries.items()}


def _each(items: Raw, change: Callable[[Raw], Raw]) -> None:
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
            if isinstance(option, Names) and not option.choices:
                _each(value, change)
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

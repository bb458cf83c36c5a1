"""The block reference as plain data, from the blocks' own declarations; the command line, help and docs show it."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from ...blocks import Block
from ...blocks.errors import LuffError
from ...blocks.expression_scope import Scope
from ...blocks.parameter_order import by_need
from ...blocks.params import Choice, Flag, Param, Sub, convert_all
from ...blocks.ports import Port
from ...blocks.registry import registered
from ..netlist import read_netlist, read_text
from .composite_types import CompositeType, find_type, library
from .netlist_document import Netlist


class PortEntry(TypedDict):
    name: str
    kind: str
    direction: str
    width: int | str
    unit: str | None
    default: float | None
    doc: str


class ParamEntry(TypedDict):
    name: str
    expected: str
    unit: str
    required: bool
    default: object
    bounds: str
    doc: str
    parameters: list[ParamEntry]


class BlockEntry(TypedDict):
    type: str
    family: str
    doc: str
    ports: list[PortEntry]
    parameters: list[ParamEntry]


def families() -> dict[str, dict[str, str]]:
    """Type names and the first line of their docs, by family."""
    families: dict[str, dict[str, str]] = defaultdict(dict)
    for name, cls in registered().items():
        families[cls.family][name] = first_line(cls.__doc__)
    for name, path in library().items():
        data = read_netlist(read_text(path)).data
        if isinstance(data, dict) and data.get("ports"):
            families["composites"][name] = first_line(str(data.get("doc") or ""))
    return dict(families)


def search(word: str) -> dict[str, dict[str, str]]:
    """Families, with only those blocks whose name or first line has the word."""
    whole = re.compile(rf"(?<![a-z]){re.escape(word.lower())}s?(?![a-z])")
    hits = {
        family: {name: doc for name, doc in members.items() if whole.search(f"{name} {doc}".lower())}
        for family, members in families().items()
    }
    return {family: members for family, members in hits.items() if members}


def first_line(doc: str | None) -> str:
    return inspect.cleandoc(doc or "").partition("\n")[0]


def describe_block(type_name: str, folder: Path | None = None) -> BlockEntry:
    """Doc, ports and parameters of a block; composites in files are looked for in the folder."""
    cls = find_type(type_name, folder, load=Netlist.load)
    doc = cls.doc if isinstance(cls, CompositeType) else inspect.cleandoc(cls.__doc__ or "")
    return {
        "type": type_name,
        "family": cls.family,
        "doc": doc,
        "ports": [describe_port(name, port) for name, port in all_ports(cls).items()],
        "parameters": [describe_param(name, param) for name, param in by_need(cls.params, cls).items()],
    }


def all_ports(cls: type[Block] | CompositeType) -> dict[str, Port]:
    """Ports of a class, and those that its instances add: as it is by example, and with each flag and choice."""
    declared = dict(cls.class_ports)
    if isinstance(cls, CompositeType):
        return declared
    others = [{name: True} for name, param in cls.params.items() if isinstance(param, Flag)]
    others += [
        {name: option}
        for name, param in cls.params.items()
        if isinstance(param, Choice)
        for option in param.choices
    ]
    for change in ({}, *others):
        raw = {**cls.example, **change}
        try:
            made = cls("it", convert_all(cls.params, raw, Scope(), "", cls.type_name), frozenset(raw))
            ports = made.ports()
        except (LuffError, OSError):  # this choice asks for more: a file, another parameter
            continue
        for name, port in ports.items():
            many = f"{port.doc}; as many as the parameters say".removeprefix("; ")
            declared.setdefault(name, replace(port, doc=many) if name[-1].isdigit() else port)
    return declared


def describe_port(name: str, port: Port) -> PortEntry:
    return {
        "name": name,
        "kind": port.kind,
        "direction": port.direction,
        "width": port.width or "any",
        "unit": port.unit,
        "default": port.default,
        "doc": port.doc,
    }


def describe_param(name: str, param: Param) -> ParamEntry:
    inner: Mapping[str, Param] = param.struct.params if isinstance(param, Sub) else {}
    default = None if param.required else param.default
    return {
        "name": name,
        "expected": param.expected(),
        "unit": param.unit,
        "required": param.required,
        "default": default,
        "bounds": param.bounds(),
        "doc": param.doc,
        "parameters": [describe_param(key, one) for key, one in by_need(inner).items()],
    }


def port_kind(port: PortEntry) -> str:
    direction = {"in": " in", "out": " out"}.get(port["direction"], "")
    width = f"[{port['width']}]" if port["width"] != 1 else ""
    unit = f" {port['unit']}" if port["unit"] else ""
    default = f" = {port['default']:g}" if port["default"] is not None else ""
    return f"{port['kind']}{direction}{width}{unit}{default}"


def param_rows(params: list[ParamEntry], prefix: str = "") -> Iterator[tuple[str, str, str, str, str]]:
    """Dotted name, default, unit, bounds and doc of each, those of nested groups below their group's."""
    for param in params:
        words = param["doc"]
        if not param["parameters"] and param["expected"].startswith(("one of", "a list of names out of")):
            words += f"; {param['expected']}"
        given = "required" if param["required"] else shown(param["default"])
        yield prefix + param["name"], given, param["unit"], param["bounds"], words
        yield from param_rows(param["parameters"], f"{prefix}{param['name']}.")


def shown(default: object) -> str:
    if default is None:
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, tuple | list):
        return "[" + ", ".join(map(shown, default)) + "]"
    return "{}" if default == {} else str(default)

"""`luff blocks` and `luff schema`: what a netlist may say."""

from __future__ import annotations

import inspect
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..blocks.errors import NetlistError
from .console import print_json, reporting
from .options import Json

if TYPE_CHECKING:
    from ..blocks.params import Param
    from ..blocks.ports import Port

WIDTH = 110


def blocks(
    type_: Annotated[
        str | None,
        typer.Argument(metavar="[TYPE]", help="A block, or a netlist that is one.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """List the blocks by family, or explain one."""
    with reporting(json):
        if type_ is None:
            found = families()
            if json:
                print_json({"families": found})
                return
            for family, members in found.items():
                print(family)
                width = max(map(len, members))
                for name, doc in members.items():
                    print(f"  {name:{width}}  {textwrap.shorten(doc, WIDTH - width, placeholder=' ...')}")
            return
        block = describe_block(type_)
        if json:
            print_json(block)
            return
        for line in block_lines(block):
            print(line)


def families() -> dict[str, dict[str, str]]:
    """Type names and the first line of their docs, by family."""
    from ..blocks.registry import registered
    from ..solver.composites import library
    from ..solver.netlist import read, read_text

    found: dict[str, dict[str, str]] = defaultdict(dict)
    for name, cls in registered().items():
        found[cls.family][name] = first_line(cls.__doc__)
    for name, path in library().items():
        data = read(read_text(path)).data
        if data.get("ports"):
            found["composites"][name] = first_line(str(data.get("doc") or ""))
    return dict(found)


def first_line(doc: str | None) -> str:
    return inspect.cleandoc(doc or "").partition("\n")[0]


def describe_block(type_name: str) -> dict[str, Any]:
    """One block: its doc, ports and parameters, as plain data."""
    from ..solver.composites import CompositeType, find_type

    try:
        cls = find_type(type_name, Path.cwd())
    except NetlistError as error:
        error.exit_code = 2
        raise
    doc = cls.doc if isinstance(cls, CompositeType) else inspect.cleandoc(cls.__doc__ or "")
    return {
        "type": type_name,
        "family": cls.family,
        "doc": doc,
        "ports": [describe_port(name, port) for name, port in cls.class_ports.items()],
        "parameters": [describe_param(name, param) for name, param in cls.params.items()],
    }


def describe_port(name: str, port: Port) -> dict[str, Any]:
    return {
        "name": name,
        "kind": port.kind,
        "direction": port.direction,
        "width": port.width or "any",
        "unit": port.unit,
        "default": port.default,
        "doc": port.doc,
    }


def describe_param(name: str, param: Param) -> dict[str, Any]:
    inner = getattr(param, "struct", None)
    default = None if param.required else param.default
    return {
        "name": name,
        "expected": param.expected(),
        "unit": param.unit,
        "required": param.required,
        "default": default,
        "bounds": param.bounds(),
        "doc": param.doc,
        "parameters": [describe_param(key, one) for key, one in inner.params.items()] if inner else [],
    }


def block_lines(block: dict[str, Any]) -> list[str]:
    lines = [f"{block['type']} ({block['family']})", "", *block["doc"].splitlines()]
    if block["ports"]:
        rows = [(port["name"], port_kind(port), port["doc"]) for port in block["ports"]]
        lines += ["", "ports", *table(rows)]
    if block["parameters"]:
        lines += ["", "parameters", *table(list(param_rows(block["parameters"], "")))]
    return lines


def port_kind(port: dict[str, Any]) -> str:
    direction = {"in": " in", "out": " out"}.get(port["direction"], "")
    width = f"[{port['width']}]" if port["width"] != 1 else ""
    unit = f" {port['unit']}" if port["unit"] else ""
    default = f" = {port['default']:g}" if port["default"] is not None else ""
    return f"{port['kind']}{direction}{width}{unit}{default}"


def param_rows(params: list[dict[str, Any]], indent: str) -> list[tuple[str, str, str]]:
    rows = []
    for param in params:
        given = "required" if param["required"] else f"= {shown(param['default'])}"
        text = given if param["parameters"] else f"{param['unit']} {given}".strip()
        bounds = f" ({param['bounds']})" if param["bounds"] else ""
        choices = f"; {param['expected']}" if param["expected"].startswith("one of") else ""
        rows.append((indent + param["name"], text, param["doc"] + choices + bounds))
        rows += param_rows(param["parameters"], indent + "  ")
    return rows


def shown(default: Any) -> str:
    if default is None:
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, tuple | list):
        return "[" + ", ".join(map(shown, default)) + "]"
    return "{}" if default == {} else str(default)


def table(rows: list[tuple[str, str, str]]) -> list[str]:
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    return [f"  {a:{first}}  {b:{second}}  {c}".rstrip() for a, b, c in rows]


def schema() -> None:
    """Print a JSON Schema of netlists, for editors that complete and check."""
    from ..solver.schema import schema as made

    print_json(made())

"""`luff blocks` and `luff schema`: the vocabulary of netlists."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError
from .console import print_json, reporting
from .shared_options import Json

if TYPE_CHECKING:
    from ..solver.diagram.block_reference import BlockEntry, ParamEntry

WIDTH = 110


def blocks(
    type_: Annotated[
        str | None,
        typer.Argument(
            metavar="[TYPE]",
            help="A block, a netlist that is one, or a word to look for.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the blocks by family, or those with a word in them, or explain one."""
    from ..solver.diagram.block_reference import describe_block, families, search

    with reporting(json):
        if type_ is None:
            show_families(families(), json)
            return
        try:
            block = describe_block(type_, Path.cwd())
        except LuffError as error:
            hits = search(type_)
            if hits:
                show_families(hits, json)
                return
            error.exit_code = 2
            raise
        if json:
            print_json(block)
            return
        for line in block_lines(block):
            print(line)


def show_families(families: dict[str, dict[str, str]], json: bool) -> None:
    if json:
        print_json({"families": families})
        return
    for family, members in families.items():
        print(family)
        width = max(map(len, members))
        for name, doc in members.items():
            print(f"  {name:{width}}  {textwrap.shorten(doc, WIDTH - width, placeholder=' ...')}")


def block_lines(block: BlockEntry) -> list[str]:
    from ..solver.diagram.block_reference import port_kind

    lines = [f"{block['type']} ({block['family']})", "", *block["doc"].splitlines()]
    if block["ports"]:
        rows = [(port["name"], port_kind(port), port["doc"]) for port in block["ports"]]
        lines += ["", "ports", *table(rows)]
    if block["parameters"]:
        lines += ["", "parameters", *table(list(param_rows(block["parameters"], "")))]
    return lines


def param_rows(params: list[ParamEntry], indent: str) -> list[tuple[str, str, str]]:
    from ..solver.diagram.block_reference import shown

    rows = []
    for param in params:
        given = "required" if param["required"] else f"= {shown(param['default'])}"
        text = given if param["parameters"] else f"{param['unit']} {given}".strip()
        bounds = f" ({param['bounds']})" if param["bounds"] else ""
        choices = f"; {param['expected']}" if param["expected"].startswith("one of") else ""
        rows.append((indent + param["name"], text, param["doc"] + choices + bounds))
        rows += param_rows(param["parameters"], indent + "  ")
    return rows


def table(rows: list[tuple[str, str, str]]) -> list[str]:
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    return [f"  {a:{first}}  {b:{second}}  {c}".rstrip() for a, b, c in rows]


def schema() -> None:
    """Print a JSON Schema of netlists, for editors that complete and check."""
    from ..solver.diagram.json_schema import schema as made

    print_json(made())

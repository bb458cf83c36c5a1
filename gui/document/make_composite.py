"""Composite from selected blocks, a netlist with ports where wires cross its boundary; and a stand on which it runs."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from pathlib import Path

from ...blocks import LuffError
from ...blocks.ports import FRAME, HYDRAULIC
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.flatten.diagram import Diagram
from ..drawing.card_geometry import NEAR_WORLD
from ..drawing.exposed_ports import inner_names
from ..drawing.wire_nets import ends
from .block_cards import WORLD
from .document import Document
from .undo_commands import AddBlock, Connect, MoveBlocks, RemoveBlock, SetSection

SOURCES = ("supply", "tank")  # hydraulic ports that have a block of their name
HINT = "A part: a block for other diagrams. Run tries it out on a stand, wired to the world."
SHOWN_ON_A_STAND = "A part: Run shows it on a stand"


def make_composite(document: Document, names: Iterable[str], path: Path) -> str:
    """Write the blocks to `path` and replace them by one composite; return its name. One undo step."""
    chosen = [name for name in names if name in document.diagram.blocks and name != WORLD]
    if not chosen:
        raise LuffError("no block is selected", fix="select the blocks that should become one")
    folder = document.diagram.base
    if folder is None:
        raise LuffError(
            "the document has no folder yet", fix="save it first; the new block's file goes beside it"
        )
    if path.resolve().parent != folder.resolve():
        raise LuffError(f"{path} is not beside the document", fix=f"choose a file in {folder}")
    if document.path and path.resolve() == document.path.resolve():
        raise LuffError(f"{path.name} holds the diagram itself", fix="choose another name for the new block")
    inner, exposed = _inner(document, chosen)
    inner.save(path)
    name = document.fresh_name(path.stem)
    places = [document.place(block) for block in chosen]
    x, y = sum(p[0] for p in places) / len(places), sum(p[1] for p in places) / len(places)
    diagram = document.diagram
    raw: RawMap = {"type": f"./{path.name}", **{key: f"={key}" for key in inner.parameters}}
    outside = _outside_wires(document, set(chosen), exposed, name)
    with document.step(f"make {name}"):
        document.settle()
        for block in chosen:
            document.push(RemoveBlock(diagram, block))
        document.push(AddBlock(diagram, name, raw))
        document.push(MoveBlocks(diagram, "place", {name: (round(x / 10) * 10.0, round(y / 10) * 10.0, 0)}))
        for a, b in outside:
            document.push(Connect(diagram, a, b))
        for section in ("plots", "record", "initial", "view"):
            before = diagram.data.get(section)
            after = _moved_inside(copy.deepcopy(before), set(chosen), name)
            if after != before:
                document.push(SetSection(diagram, section, after))
    return name


def _inner(document: Document, chosen: list[str]) -> tuple[Diagram, dict[tuple[str, str], str]]:
    """Netlist of the composite, and its port names by inner (block, port)."""
    inner = Diagram()
    inside = set(chosen)
    inner.set_section("name", ", ".join(chosen) if len(chosen) < 4 else f"{len(chosen)} blocks")
    parameters = _parameters(document.diagram, chosen)
    if parameters:
        inner.set_section("parameters", parameters)
    inner.base = document.diagram.base
    for name in chosen:
        inner.add_block(name, copy.deepcopy(document.diagram.blocks[name]))
    exposed: dict[tuple[str, str], str] = {}
    for text in document.diagram.connections:
        a, b = ends(text)
        pairs = [document.split(a), document.split(b)]
        within = [pair[0] in inside for pair in pairs]
        if all(within):
            inner.connect(a, b)
        for pair, here, other in zip(pairs, within, reversed(within), strict=True):
            if here and not other and pair not in exposed:
                taken = set(exposed.values())
                exposed[pair] = pair[1] if pair[1] not in taken else f"{pair[0]}_{pair[1]}"
    if exposed:
        inner.set_section("ports", {port: ".".join(pair) for pair, port in exposed.items()})
    for name in chosen:
        inner.place(name, *document.place(name))
    return inner, exposed


def _parameters(diagram: Diagram, chosen: list[str]) -> RawMap:
    """Parameters used by expressions in the blocks, including parameters that these use."""
    known = diagram.parameters
    wanted = _names_in([diagram.blocks[name] for name in chosen]) & set(known)
    queue = list(wanted)
    for name in queue:
        fresh = (_names_in(known[name]) & set(known)) - wanted
        wanted |= fresh
        queue += fresh
    return {name: copy.deepcopy(raw) for name, raw in known.items() if name in wanted}


def _names_in(raw: object) -> set[str]:
    if isinstance(raw, dict):
        raw = list(raw.values())
    if isinstance(raw, list):
        return set().union(*(_names_in(item) for item in raw)) if raw else set()
    return set(re.findall(r"[A-Za-z_]\w*", raw)) if isinstance(raw, str) and raw.startswith("=") else set()


def _outside_wires(
    document: Document, inside: set[str], exposed: dict[tuple[str, str], str], name: str
) -> list[tuple[str, str]]:
    wires = []
    for text in document.diagram.connections:
        references = list(ends(text))
        pairs = [document.split(reference) for reference in references]
        within = [pair[0] in inside for pair in pairs]
        if any(within) and not all(within):
            for k in (0, 1):
                if within[k]:
                    element = references[k][len(".".join(pairs[k])) :]
                    references[k] = f"{name}.{exposed[pairs[k]]}{element}"
            wires.append((references[0], references[1]))
    return wires


def _moved_inside(raw: Raw, inside: set[str], name: str) -> Raw:
    """Rename signals and blocks in plots, record and initial after blocks moved inside the composite."""
    if isinstance(raw, dict):
        return {
            key: _moved_inside(value, inside, name) if key != "title" else value for key, value in raw.items()
        }
    if isinstance(raw, list):
        return [_moved_inside(item, inside, name) for item in raw]
    if isinstance(raw, str) and raw.partition(".")[0] in inside:
        return f"{name}.{raw}"
    return raw


def is_part(diagram: Diagram) -> bool:
    return bool(diagram.ports)


def part_on_stand(path: Path) -> Diagram:
    """New diagram with the composite on a stand: its frames nearest to the world are fixed to it, open inputs are
    zero, and oil comes from a supply."""
    name = path.stem if path.stem.isidentifier() else "part"
    diagram = Diagram()
    diagram.base = path.parent
    diagram.set_section("name", f"{name} on a stand")
    diagram.add_block(name, {"type": f"./{path.name}"})
    inner = inner_names(diagram.block_class(name))
    for key, port in diagram.block_ports(name).items():
        if port.kind == FRAME and inner.get(key) in NEAR_WORLD:
            diagram.connect("world.frame", f"{name}.{key}")
        elif port.kind == HYDRAULIC and inner.get(key) in SOURCES:
            source = inner[key]
            if source not in diagram.blocks:
                diagram.add_block(source, {"type": source})
            out = next(
                name for name, declared in diagram.block_ports(source).items() if declared.kind == HYDRAULIC
            )
            diagram.connect(f"{source}.{out}", f"{name}.{key}")
        elif port.direction == "in" and port.kind != FRAME and port.default is None:
            source = f"{key}_source"
            trajectory = port.kind == "trajectory"
            diagram.add_block(source, {"type": "motion_law" if trajectory else "constant"})
            out = next(p.name for p in diagram.block_ports(source).values() if p.kind == port.kind)
            diagram.connect(f"{source}.{out}", f"{name}.{key}")
    return diagram

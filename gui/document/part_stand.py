"""A diagram that is a part, a block for others, on a stand of its own on which it runs."""

from __future__ import annotations

from pathlib import Path

from ...blocks.ports import FRAME, HYDRAULIC
from ...solver.flatten.diagram import Diagram
from ..drawing.card_geometry import NEAR_WORLD
from ..drawing.exposed_ports import inner_names

SOURCES = ("supply", "tank")  # hydraulic ports that have a block of their name
HINT = "A part: a block for other diagrams. Run tries it out on a stand, wired to the world."
SHOWN_ON_A_STAND = "A part: Run shows it on a stand"


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

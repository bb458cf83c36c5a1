"""The block reference in Markdown: a page a family, from what the blocks declare."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import luff
from luff.blocks.registry import registered
from luff.solver.diagram.block_reference import describe_block, families, param_rows, port_kind
from luff.solver.diagram.composite_types import LIBRARY

from . import live
from .cards import card

HERE = Path(__file__).parent
EXAMPLES, IMAGES = HERE / "examples", HERE / "images" / "blocks"
# in the order of the window's palette
ORDER = (
    "bodies", "joints", "forces", "environment", "constraints", "planning",
    "control", "drives", "signals", "hydraulics", "sensors", "composites",
)  # fmt: skip
LEAD = {
    "bodies": "What has mass, and the ground.",
    "joints": "What lets bodies move against each other, with drives, springs, limits and friction.",
    "forces": "What pushes and pulls between frames.",
    "environment": "The sea, the wind, and what they do.",
    "constraints": "Motion that is asked for rather than driven.",
    "planning": "Where things are to be, and when.",
    "control": "What brings them there.",
    "drives": "Motors, gears and brakes: by their shafts, or by signals of torque and speed.",
    "signals": "Sources, arithmetic, filters and samplers.",
    "hydraulics": "Supplies, pumps, valves, hoses and volumes of oil. Cylinders are among the forces.",
    "sensors": "What is measured.",
    "composites": "Netlists of the library that are blocks themselves.",
}

INTRODUCTION = (
    "Every block that a netlist may name, made from the declarations that the program itself reads: "
    "`luff blocks TYPE` and the window's help (F1) say the same."
)


@cache
def pages() -> dict[str, str]:
    """Markdown by path."""
    by_family = families()
    names = sorted(by_family, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    made = {"blocks/index.md": index({name: by_family[name] for name in names})}
    for name in names:
        parts = [f"# {name.capitalize()}", LEAD.get(name, ""), *map(block, by_family[name])]
        made[f"blocks/{name}.md"] = "\n\n".join(parts) + "\n"
    return made


def index(by_family: dict[str, dict[str, str]]) -> str:
    parts = [
        "# Blocks",
        INTRODUCTION,
    ]
    for family, members in by_family.items():
        rows = [f"| [{name}]({family}.md#{name}) | {prose(doc)} |" for name, doc in members.items()]
        parts.append("\n".join([f"## {family.capitalize()}", "", "| block | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def block(type_name: str) -> str:
    about = describe_block(type_name)
    parts = [f"## {type_name} {{ #{type_name} }}", card(type_name, about), prose(about["doc"])]
    ports = [[f"`{port['name']}`", prose(port_kind(port)), prose(port["doc"])] for port in about["ports"]]
    parts += table(["port", "kind", ""], ports)
    rows = [
        [f"`{name}`", default_text(default), unit, prose(bounds), prose(doc)]
        for name, default, unit, bounds, doc in param_rows(about["parameters"])
    ]
    parts += table(["parameter", "default", "unit", "bounds", ""], rows)
    parts += example(type_name)
    name = sources()[type_name]
    parts.append(f"[Source: {name}](../sources/{name}.txt){{ .source }}")
    return "\n\n".join(parts)


@cache
def sources() -> dict[str, str]:
    """The file of each block, by its type: a module of blocks/, or a netlist of the library."""
    root, made = Path(luff.__file__).parent, {}
    for type_name in (name for members in families().values() for name in members):
        cls = registered().get(type_name)
        path = Path(inspect.getsourcefile(cls) or "") if cls else LIBRARY / f"{type_name}.yaml"
        made[type_name] = path.resolve().relative_to(root.resolve()).as_posix()
    return made


def example(type_name: str) -> list[str]:
    """A netlist that runs as it stands, and its plots: `python -m luff.docs.figures blocks`."""
    path = EXAMPLES / f"{type_name}.yaml"
    if not path.is_file():
        return []
    lines = ["**Example**", f"```yaml\n{path.read_text('utf-8')}```"]
    if (IMAGES / f"{type_name}.png").is_file():
        lines.append(f"![What the example of {type_name} plots](../images/blocks/{type_name}.png)")
    if type_name in live.BLOCKS:
        lines.append(live.frame(f"../live/blocks/{type_name}", f"the example of {type_name}"))
    return lines


def default_text(default: str) -> str:
    return "*required*" if default == "required" else f"`{default}`"


def table(heads: list[str], rows: list[list[Any]]) -> list[str]:
    if not rows:
        return []
    lines = ["| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *rows]]
    return ["\n".join(lines)]


def prose(text: str) -> str:
    """Plain text as Markdown, but for `code` in backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [re.sub(r"([*_\[\]\\$])", r"\\\1", piece).replace("<", "&lt;") for piece in pieces[::2]]
    return "".join(pieces).replace("|", "&#124;")

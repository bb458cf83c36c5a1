"""Subsystems made, taken apart and saved: each is one undo step of the document, whatever its level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from ...blocks import LuffError
from ...blocks.text.raw_types import RawMap
from ...solver.diagram.composite_types import SUBSYSTEM
from ...solver.diagram.subsystem_file import standalone
from ...solver.diagram.subsystem_grouping import group_blocks
from ...solver.diagram.subsystem_ungrouping import ungroup_block
from ...solver.flatten.diagram import Diagram
from ...solver.netlist.section_structure import subsystem
from .block_cards import WORLD
from .document import Document
from .undo_commands import Rewrite, SetValue


def group(document: Document, names: Iterable[str]) -> str:
    """Make one block, a subsystem in place, of blocks; return its name. Raises LuffError if it cannot be."""
    chosen = [name for name in names if name in document.diagram.blocks and name != WORLD]
    if not chosen:
        raise LuffError("No block is selected", fix="select the blocks that should become one")
    name = document.fresh_name(SUBSYSTEM)
    _rewrite(document, f"group {name}", lambda diagram: group_blocks(diagram, chosen, name))
    return name


def ungroup(document: Document, names: Iterable[str]) -> list[str]:
    """Put the blocks of subsystems in their place; return these blocks. Raises LuffError if it cannot be."""
    chosen = [name for name in names if is_subsystem(document, name)]
    if not chosen:
        raise LuffError("No subsystem is selected", fix="select a block made by Group")
    before = {*document.diagram.blocks}

    def apart(diagram: Diagram) -> None:
        for name in chosen:
            ungroup_block(diagram, name)

    _rewrite(document, f"ungroup {chosen[0] if len(chosen) == 1 else f'{len(chosen)} blocks'}", apart)
    return [name for name in document.diagram.blocks if name not in before]


def is_subsystem(document: Document, name: str) -> bool:
    return subsystem(document.diagram.blocks.get(name)) is not None


def _rewrite(document: Document, text: str, edit: Callable[[Diagram], object]) -> None:
    """Push an edit of several levels; one that fails is found on a copy, and changes nothing."""
    edit(document.diagram.copy())  # with places that are not settled yet
    with document.step(text):
        document.settle()
        after = document.diagram.copy()
        edit(after)
        document.push(Rewrite(document.diagram, text, after.root.snapshot()))


def save_as_block(document: Document, name: str, path: Path) -> None:
    """Make a file of a subsystem, which its block names from then on; one undo step. Raises LuffError if it cannot
    be."""
    folder = document.diagram.base
    if folder is None:
        raise LuffError(
            "The document has no folder yet", fix="save it first; the block's file goes beside it"
        )
    if path.resolve().parent != folder.resolve():
        raise LuffError(f"{path} is not beside the document", fix=f"choose a file in {folder}")
    if document.path and path.resolve() == document.path.resolve():
        raise LuffError(f"{path.name} holds the diagram itself", fix="choose another name for the block")
    data, brought = standalone(document.diagram, name)
    part = Diagram()
    part.restore(data)
    part.save(path)
    settings: RawMap = {"type": f"./{path.name}", **{key: f"={key}" for key in brought}}
    with document.step(f"save {name} as a block"):
        for key, raw in settings.items():
            document.push(SetValue(document.diagram, f"{name}.{key}", raw))

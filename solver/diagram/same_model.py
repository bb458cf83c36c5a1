"""Edits that change names alone: two netlists whose blocks, without levels between them, are the same up to names.

Blocks and wires of a netlist are sets. Their order, and what only says how a model is shown, is no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import RawMap
from ..netlist.entry_diff import changes
from ..netlist.section_structure import section, subsystem
from .block_renaming import Change
from .netlist_diff import detect_renames, with_names
from .netlist_document import Netlist
from .subsystem_ungrouping import ungroup_block

UNSEEN = ("plots", "dashboard", "view", "layout", "doc", "name")  # sections that a run does not depend on
FULL_NAME = "full name"  # key that no block has


def new_names(before: RawMap, now: Netlist) -> dict[str, str] | None:
    """Find the names that blocks have after an edit that changed no more than names and levels.

    Parameters
    ----------
    before : dict
        Data of the outermost netlist before the edit.
    now : Diagram
        The netlist after it.

    Returns
    -------
    dict or None
        Full names of all blocks by those of before; None if the model is another one, or cannot be told to be the same.
    """
    old = now.root.copy()
    old.restore(before)
    try:
        (a, names), (b, others) = _without_levels(old), _without_levels(now.root.copy())
        renamed = detect_renames(a.data, b.data)
        a = with_names(a, renamed)
    except LuffError:
        return None
    for netlist in (a, b):
        section(netlist.data, "connect", list).sort(key=str)
    if any(change.path[0] not in UNSEEN for change in changes(a.data, b.data)):
        return None
    return {full: others[renamed.get(name, name)] for name, full in names.items()}


def _without_levels(netlist: Netlist) -> tuple[Netlist, dict[str, str]]:
    """The netlist with its subsystems in place taken apart, and the full names that its blocks had."""
    _note_names(netlist.data, "")
    while levels := [name for name, raw in netlist.blocks.items() if subsystem(raw) is not None]:
        for name in levels:
            ungroup_block(netlist, name)
    blocks = section(netlist.data, "blocks", dict)
    names = {name: str(raw.pop(FULL_NAME)) for name, raw in blocks.items() if isinstance(raw, dict)}
    return netlist, names


def _note_names(data: RawMap | None, prefix: str) -> None:
    for name, raw in section(data, "blocks", dict).items():
        if isinstance(raw, dict):
            raw[FULL_NAME] = prefix + name
            _note_names(subsystem(raw), f"{prefix}{name}.")


def following(names: Mapping[str, str]) -> Change:
    """Change of names of blocks, and of all that lies in them."""

    def change(text: str) -> str:
        owner = text
        while owner and owner not in names:
            owner = owner.rpartition(".")[0]
        return names[owner] + text[len(owner) :] if owner else text

    return change


def exchange(names: Mapping[str, str]) -> dict[str, str]:
    """Names in which those of blocks that are no more take the place of new ones, so that there is a way back."""
    back = {new: old for old, new in names.items()}
    freed: dict[str, str] = {}
    for new in back.keys() - names.keys():
        old = new
        while old in back:
            old = back[old]
        freed[new] = old
    return {**names, **freed}

"""A subsystem in place as a netlist of its own, which a block names by its file."""

from __future__ import annotations

from typing import cast

from ...blocks.errors import NetlistError
from ...blocks.text.expressions import names_in
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy
from ..netlist.section_structure import section, subsystem
from .block_renaming import named_blocks
from .netlist_document import Netlist


def standalone(netlist: Netlist, name: str) -> tuple[RawMap, list[str]]:
    """Netlist of a subsystem as a file of its own, and the parameters around it that it takes along.

    Parameters
    ----------
    netlist : Diagram
        The netlist or level.
    name : str
        The subsystem.

    Returns
    -------
    tuple of dict and list of str
        Raw data of the file; names of parameters that its block has to set.

    Raises
    ------
    NetlistError
        The block is no subsystem in place, or blocks inside name blocks around it.
    """
    inner = subsystem(netlist.blocks.get(name))
    if inner is None:
        raise NetlistError(f"{name} is no subsystem in place", fix="choose a block made by grouping")
    named = sorted(named_blocks(netlist.at_level((*netlist.level, name))))
    if named:
        fix = "take these into the subsystem too"
        raise NetlistError(f"blocks in {name} name blocks around it: {', '.join(named)}", fix=fix)
    around = netlist.scope().names
    own = section(inner, "parameters", dict)
    taken = _names_used(inner)
    waiting = [*taken]
    while waiting:
        more = _names_used(around.get(waiting.pop())) - taken
        taken |= more
        waiting += more
    brought = [key for key in around if key in taken and key not in own]
    parameters = {key: deep_copy(cast("Raw", around[key])) for key in brought} | deep_copy(own)
    data: RawMap = {"luff": 1, "name": name, **({"parameters": parameters} if parameters else {})}
    return data | {key: deep_copy(raw) for key, raw in inner.items() if key != "parameters"}, brought


def _names_used(raw: object) -> set[str]:
    """Names in the expressions of an entry, but for parameters that a subsystem inside declares itself."""
    if isinstance(raw, str):
        return {*names_in(raw.strip()[1:])} if raw.lstrip().startswith("=") else set()
    if isinstance(raw, list):
        return set().union(*map(_names_used, raw))
    if not isinstance(raw, dict):
        return set()
    used = set().union(*map(_names_used, raw.values()))
    return used - {*section(raw, "parameters", dict)} if "blocks" in raw else used

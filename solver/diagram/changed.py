"""A netlist in which changes from outside stand as its own values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ...blocks.errors import LuffError, Problem
from ...blocks.text.raw import Raw
from ..netlist import copied, steps
from ..netlist.raw import Tree
from .diagram import Netlist
from .entries import expected_at, set_entry

SECTIONS = ("simulation", "initial", "parameters")


def with_changes(netlist: Netlist, changes: Mapping[str, object]) -> str:
    """Its text with the values that `--set` would give, all else as it was."""
    own = Netlist.from_yaml(netlist.to_yaml(), "model", netlist.base)
    for path, value in changes.items():
        raw, (first, *rest) = cast("Raw", value), steps(path)
        if first == "blocks" and rest:
            first, *rest = rest
        if first in own.parameters and not rest:
            own.set_section("parameters", {**own.parameters, str(first): copied(raw)})
        elif first in SECTIONS and first not in own.blocks and rest:
            held = copied(own.data.get(str(first)))
            section = Tree(held if isinstance(held, dict) else {})
            try:
                section.set(tuple(rest), copied(raw))
            except LookupError:
                raise nothing(path) from None
            own.set_section(str(first), section.data)
        elif first in (*own.blocks, "world") and rest:
            params = own.block_params(str(first))
            try:
                set_entry(Tree(own.data), ("blocks", first), params, tuple(rest), copied(raw))
            except LookupError:
                raise nothing(path, expected_at(params, tuple(rest))) from None
        else:
            raise nothing(path)
    return own.to_yaml()


def nothing(path: str, fix: str = "a block's parameter, one of the netlist, or simulation.stop") -> LuffError:
    return LuffError(Problem("there is nothing of this name to set", path, fix))

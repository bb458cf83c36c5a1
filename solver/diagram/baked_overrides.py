"""A netlist in which changes from outside stand as its own values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ...blocks.errors import LuffError, Problem
from ...blocks.text.raw_types import Raw
from ..netlist import deep_copy, path_steps
from ..netlist.nested_entries import Tree
from . import run_settings
from .entry_paths import expected_at, set_entry
from .netlist_document import Netlist


def with_changes(netlist: Netlist, changes: Mapping[str, object]) -> str:
    """Text of the netlist with the values that `--set` would give."""
    own = Netlist.from_yaml(netlist.to_yaml(), "model", netlist.base)
    for path, value in changes.items():
        raw, (first, *rest) = cast("Raw", value), path_steps(path)
        if first == "blocks" and rest:
            first, *rest = rest
        if first in own.parameters and not rest:
            own.set_section("parameters", {**own.parameters, str(first): deep_copy(raw)})
            continue
        if first in (*run_settings.SECTIONS, "parameters") and first not in own.blocks and rest:
            held = deep_copy(own.data.get(str(first)))
            tree, holder = Tree(held if isinstance(held, dict) else {}), ()
            params = run_settings.SECTIONS[str(first)].struct.params if first in run_settings.SECTIONS else {}
        elif first in (*own.blocks, "world") and rest:
            tree, holder, params = Tree(own.data), ("blocks", first), own.block_params(str(first))
        else:
            raise no_changes(path)
        try:
            set_entry(tree, holder, params, tuple(rest), deep_copy(raw))
        except LookupError:
            raise no_changes(path, expected_at(params, tuple(rest))) from None
        if not holder:
            own.set_section(str(first), tree.data)
    return own.to_yaml()


def no_changes(path: str, fix: str = "") -> LuffError:
    known = "a block's parameter, one of the netlist, or simulation.stop"
    return LuffError(Problem("there is nothing of this name to set", path, fix or known))

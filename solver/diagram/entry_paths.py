"""Paths within a block: the parameter that a path ends in, and the list that an element is set of."""

from __future__ import annotations

from collections.abc import Mapping

from ...blocks.errors import did_you_mean
from ...blocks.params import Param, Sub, SubList, SubMap
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import deep_copy
from ..netlist.nested_entries import Path, Tree


def innermost_parameter(params: Mapping[str, Param], path: Path) -> tuple[int, Param | None]:
    """Number of steps to the innermost parameter of a path, and this parameter; None if there is none of that name."""
    k, param = 1, params.get(str(path[0]))
    while isinstance(param, Sub):
        names = k + isinstance(param, SubList | SubMap)  # whose entries have a number or a name of their own
        if names >= len(path):
            break
        k, param = names + 1, param.struct.params.get(str(path[names]))
    return k, param


def set_entry(tree: Tree, holder: Path, params: Mapping[str, Param], path: Path, raw: Raw) -> None:
    """Set an entry of the block that stands at `holder`; LookupError where there is no such element.

    Of a list that is written nowhere, the other elements are those of the default.
    """
    k, param = innermost_parameter(params, path)
    at, below = (*holder, *path[:k]), path[k:]
    if below and isinstance(below[0], int) and tree.get(at) is None:
        if param is None or not isinstance(param.default, tuple) or below[0] >= len(param.default):
            raise LookupError(below[0])
        tree.set(at, list(param.default))
    tree.set((*holder, *path), raw)


def expected_at(params: Mapping[str, Param], path: Path) -> str:
    """Values that the parameter on a path takes, or a suggestion for the path, in words."""
    k, param = innermost_parameter(params, path)
    return f"{path[k - 1]} expects {param.expected()}" if param else did_you_mean(str(path[0]), params)


def overridden(
    raw: RawMap, params: Mapping[str, Param], changes: Mapping[Path, Raw]
) -> tuple[RawMap, dict[Path, str]]:
    """Copy of an entry with other values by path; paths that lead to nothing, with what is expected there."""
    raw, unknown = deep_copy(raw), dict[Path, str]()
    tree = Tree(raw)
    for path, value in changes.items():
        try:
            set_entry(tree, (), params, path, deep_copy(value))
        except LookupError:
            unknown[path] = expected_at(params, path)
    return raw, unknown

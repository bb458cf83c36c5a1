"""Parameters in the order in which one sets them, as their owner declares it; what a netlist holds knows no order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from .params import Param


class Ordered:
    """Owner of parameters, with names of those that have a place of their own in its list.

    `needed` have a default but are needed all the same, `usual` are set most often, `rare` hardly ever.
    """

    needed: ClassVar[tuple[str, ...]] = ()
    usual: ClassVar[tuple[str, ...]] = ()
    rare: ClassVar[tuple[str, ...]] = ()


def by_need(params: Mapping[str, Param], owner: type[Ordered] | Ordered = Ordered) -> dict[str, Param]:
    """Parameters in the order of their owner: required ones, usual ones, the others, rare ones."""
    first = [name for name, param in params.items() if param.required or name in owner.needed]
    others = [name for name in params if name not in owner.rare]
    order = dict.fromkeys([*first, *owner.usual, *others, *params])
    return {name: params[name] for name in order if name in params}

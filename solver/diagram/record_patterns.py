"""Patterns of records and plots when a block gets another name: what they covered of it stays covered."""

from __future__ import annotations

from collections.abc import Mapping

from ...blocks.text.raw_types import Raw, RawMap
from ..netlist.section_structure import section


def remainders(pattern: str, text: str) -> set[str]:
    """Patterns of what may follow a text that a glob with `*` and `?` begins with: its derivatives (Brzozowski 1964)
    by the text's letters, none where the glob covers nothing that begins so."""
    left = {pattern}
    for letter in text:
        after: set[str] = set()
        for glob in left:
            while glob.startswith("*"):
                after.add(glob)  # the star takes this letter too
                glob = glob[1:]
            if glob[:1] in ("?", letter):
                after.add(glob[1:])
        left = after
    return left


def covered(pattern: str, block: str, is_leaf: bool) -> set[str]:
    """Remainders of a glob behind a block's name and dot; in the signals of a leaf, no further dot stands."""
    return {rest for rest in remainders(pattern, f"{block}.") if rest and not (is_leaf and "." in rest)}


def pattern_lists(data: RawMap) -> list[list[Raw]]:
    """Lists of a netlist whose entries may be patterns of signals: its record, and what plots show."""
    shown = (plot.get("y") for plot in section(data, "plots", list) if isinstance(plot, dict))
    return [section(data, "record", list), *(y for y in shown if isinstance(y, list))]


def follow_rename(record: list[Raw], old: str, new: str, is_leaf: bool, others: Mapping[str, bool]) -> None:
    """Change the patterns of a list in place so that signals of a renamed block stay in it.

    A pattern that no longer covers them gets others beside it, or in its place where it covers no other block.

    Parameters
    ----------
    record : list
        Its patterns. Those that spell the whole name have followed before.
    old, new : str
        Names of the block as the record has them.
    is_leaf : bool
        The block has no blocks inside.
    others : mapping of str to bool
        Names of all other blocks, and whether they are leaves.
    """
    followed: list[Raw] = []
    for pattern in record:
        lost: set[str] = set()
        if isinstance(pattern, str):
            lost = covered(pattern, old, is_leaf) - covered(pattern, new, is_leaf)
        if not lost or any(covered(str(pattern), name, leaf) for name, leaf in others.items()):
            followed.append(pattern)
        added = [f"{new}.{rest}" for rest in ({"*"} if "*" in lost else sorted(lost))]
        followed += [one for one in added if one not in record and one not in followed]
    record[:] = followed

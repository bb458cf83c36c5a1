"""A difference between two netlists, in words."""

from __future__ import annotations

from difflib import SequenceMatcher

from ...blocks.text.raw_types import RawMap
from ..netlist import deep_copy
from ..netlist.entry_diff import NOTHING, Absent, Change, Side, is_text_set, same_quantity
from ..netlist.yaml_writer import flow

LONGEST = 120  # characters of a value in words


def heading(section_name: str) -> str:
    return "wires" if section_name == "connect" else section_name


def difference_words(change: Change, unit: str = "", owner: str = "") -> list[str]:
    """Lines on a difference; `unit` is what a bare number of it means, `owner` the subsystem in which it is."""
    before, after, path = change.before, change.after, change.path
    inside = f" in {owner}" if owner else ""
    if change.place is not None:
        return [f"{_sign(change)} {path[-1]}{inside}"]
    if len(path) == 1:
        return [f"{words}{inside}" for words in _of_section(path[0], before, after)]
    where = ".".join([owner, *path[1:]] if owner else path[1:])
    if path[0] in ("blocks", "parameters") and len(path) == 2 and NOTHING in (before, after):
        return [f"{_sign(change)} {where}: {_short(_present_side(before, after))}"]
    if _is_group_list(before) and _is_group_list(after):
        return _of_groups(where, before, after)  # type: ignore[arg-type]
    return [_from_to(where, before, after, unit)]


def _of_section(name: str, before: Side, after: Side) -> list[str]:
    """A section that came, went, or is one value."""
    if (is_text_set(before) or before is NOTHING) and (is_text_set(after) or after is NOTHING):  # type: ignore[arg-type]
        old, new = ([] if side is NOTHING else side for side in (before, after))
        come_and_gone = [f"- {x}" for x in old if x not in new] + [f"+ {x}" for x in new if x not in old]  # type: ignore[union-attr, operator]
        return come_and_gone or ["the same in another order"]
    old, new = (
        [] if side is NOTHING and isinstance(other, list) else side
        for side, other in ((before, after), (after, before))
    )
    if _is_group_list(old) and _is_group_list(new):
        return _of_groups(name, old, new)  # type: ignore[arg-type]
    whole = _present_side(before, after)
    if NOTHING in (before, after) and isinstance(whole, dict):
        sign = "+" if before is NOTHING else "-"
        return [f"{sign} {key}: {_short(raw)}" for key, raw in whole.items()]
    return [f"{entry_words(before)} -> {entry_words(after)}"]


def _sign(change: Change) -> str:
    return "+" if isinstance(change.before, Absent) else "-"


def _present_side(before: Side, after: Side) -> Side:
    """The one that is there."""
    return after if isinstance(before, Absent) else before


def _from_to(where: str, before: Side, after: Side, unit: str = "") -> str:
    note = " (the same value)" if same_quantity(before, after) else ""
    return f"{where}: {entry_words(before, unit)} -> {entry_words(after, unit)}{note}"


def _is_group_list(side: Side) -> bool:
    """True if an entry is a list of groups, such as transitions."""
    return isinstance(side, list) and all(isinstance(one, dict) for one in side)


def _of_groups(where: str, before: list[RawMap], after: list[RawMap]) -> list[str]:
    """Lines on the groups that were added, removed, or changed in their place."""
    words: list[str] = []
    lines = [[flow(deep_copy(one)) for one in side] for side in (before, after)]
    for kind, i, k, j, m in SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        if kind == "replace" and k - i == m - j:
            for n, (old, new) in enumerate(zip(before[i:k], after[j:m], strict=True), j):
                sides = {key: (old.get(key, NOTHING), new.get(key, NOTHING)) for key in {**old, **new}}
                words += [_from_to(f"{where}[{n}].{key}", x, y) for key, (x, y) in sides.items() if x != y]
        elif kind != "equal":
            words += [f"- {where}[{n}]: {_short(before[n])}" for n in range(i, k)]
            words += [f"+ {where}[{n}]: {_short(after[n])}" for n in range(j, m)]
    return words


def entry_words(side: Side, unit: str = "") -> str:
    """An entry in words; a bare number with the unit that it has there."""
    if isinstance(side, Absent):
        return "not given"
    numbers = side if isinstance(side, list) else [side]
    bare = unit and numbers and all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers)
    return f"{_short(side)} {unit}" if bare else _short(side)


def _short(raw: Side) -> str:
    text = flow(deep_copy(raw)) if not isinstance(raw, Absent) else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."

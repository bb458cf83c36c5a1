"""Difference of two netlists, entry by entry: applied to the first, it gives the second.

Mappings are compared by key, lists of different texts (wires, `record`) as sets that keep their order; all else is one
value. The order of keys says nothing in a netlist, and is no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from ...blocks.errors import LuffError
from ...blocks.text.quantity import quantity
from ...blocks.text.raw_types import Raw, RawMap

Path = tuple[str, ...]


class Absent:
    """Marker of an entry that does not exist."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING: Final = Absent()
Side: TypeAlias = "Raw | Absent"


class Change(NamedTuple):
    """An entry that differs; `place` is where a text stands in its list, None for a key of a mapping."""

    path: Path
    before: Side
    after: Side
    place: int | None = None


def same_entry(a: object, b: object) -> bool:
    """True if two entries mean the same: order of keys and notation of numbers do not count."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_entry(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_entry, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    return a == b


def same_quantity(a: object, b: object) -> bool:
    """True if two entries are one quantity in other units: 2 t and 2000 kg."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(
            same_entry(x, y) or same_quantity(x, y) for x, y in zip(a, b, strict=True)
        )
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    try:
        first, second = quantity(a), quantity(b)
    except LuffError:
        return False
    return first.dimension == second.dimension and abs(first.value - second.value) <= 1e-12 * abs(first.value)


def changes(a: RawMap, b: RawMap) -> list[Change]:
    return list(_of_maps((), a, b))


def _of_maps(path: Path, a: RawMap, b: RawMap) -> Iterator[Change]:
    for key in (*a, *(key for key in b if key not in a)):
        before, after = a.get(key, NOTHING), b.get(key, NOTHING)
        if not same_entry(before, after):
            yield from _of_entries((*path, key), before, after)


def _of_entries(path: Path, before: Side, after: Side) -> Iterator[Change]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_maps(path, before, after)
    elif isinstance(before, list) and isinstance(after, list) and same_order(before, after):
        old, new = [str(text) for text in before], [str(text) for text in after]
        yield from (Change((*path, text), text, NOTHING, i) for i, text in enumerate(old) if text not in new)
        yield from (Change((*path, text), NOTHING, text, i) for i, text in enumerate(new) if text not in old)
    else:
        yield Change(path, before, after)


def is_text_set(raw: Raw) -> bool:
    """True if a list has texts alone, each once."""
    return (
        isinstance(raw, list) and all(isinstance(x, str) for x in raw) and len(set(map(str, raw))) == len(raw)
    )


def same_order(a: list[Raw], b: list[Raw]) -> bool:
    """True if two lists of texts have their common entries in one order."""
    return is_text_set(a) and is_text_set(b) and [x for x in a if x in b] == [x for x in b if x in a]

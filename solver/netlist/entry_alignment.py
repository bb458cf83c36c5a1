"""Alignment of entries: pairs (old, new), None where an entry was removed or added."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

from ...blocks.text.raw_types import Raw, RawMap
from .syntax_nodes import same_data

Pairs = list[tuple[int | None, int | None]]
_LARGEST = 4_000_000  # comparisons beyond which entries are matched by position


def align_items(old: list[Raw], new: list[Raw]) -> Pairs:
    """Items of a list; of those that differ, the k-th becomes the k-th."""
    pairs: Pairs = []
    for olds, news in _gaps([repr(x) for x in old], [repr(x) for x in new]):
        pairs += _in_turn(olds, news)
    return pairs


def align_keys(old: RawMap, new: RawMap) -> Pairs:
    """Entries of a mapping by name; one that vanishes where an equal one appears was renamed."""
    pairs: Pairs = []
    old_values, new_values = list(old.values()), list(new.values())
    old_names, new_names = list(old), list(new)
    for olds, news in _gaps(old_names, new_names):
        if len(olds) == len(news) and all(
            old_names[i] == new_names[j]
            or (
                old_names[i] not in new and new_names[j] not in old and _renamed(old_values[i], new_values[j])
            )
            for i, j in zip(olds, news, strict=True)
        ):
            pairs += zip(olds, news, strict=True)
            continue
        pairs += [(i, None) for i in olds]
        pairs += [(None, j) for j in news]
    return pairs


def _renamed(old: Raw, new: Raw) -> bool:
    kind = (
        isinstance(old, dict) and isinstance(new, dict) and "type" in old and old["type"] == new.get("type")
    )
    return kind or same_data(old, new)


def _in_turn(olds: Sequence[int], news: Sequence[int]) -> Pairs:
    common = min(len(olds), len(news))
    pairs: Pairs = list(zip(olds[:common], news[:common], strict=True))
    pairs += [(i, None) for i in olds[common:]]
    pairs += [(None, j) for j in news[common:]]
    return pairs


def _gaps(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[list[int], list[int]]]:
    """Runs of indices, in order: equal ones one by one, and what lies between them."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    runs = [([k], [k]) for k in range(head)]
    middle, wanted = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle) * len(wanted) > _LARGEST:
        blocks = [(len(middle), len(wanted), 0)]
    else:
        blocks = list(SequenceMatcher(None, middle, wanted, autojunk=False).get_matching_blocks())
    i = j = 0
    for a, b, size in blocks:
        if a > i or b > j:
            runs.append(([head + k for k in range(i, a)], [head + k for k in range(j, b)]))
        runs += [([head + a + k], [head + b + k]) for k in range(size)]
        i, j = a + size, b + size
    runs += [([len(old) - tail + k], [len(new) - tail + k]) for k in range(tail)]
    return runs

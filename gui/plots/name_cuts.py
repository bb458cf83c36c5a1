"""Names of signals in less room: without what all of them share, then cut where they can still be told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

CUT = "…"
LETTERS = 3  # of a word that is cut


def short_names(names: Sequence[str]) -> list[str]:
    """Names in which an element behind one of the same vector is its index alone: hook.force[0], [1], [2]."""
    heads = [name.partition("[")[0] for name in names]
    follows = [k > 0 and "[" in names[k] and heads[k] == heads[k - 1] for k in range(len(names))]
    return [
        name.removeprefix(head) if after else name
        for name, head, after in zip(names, heads, follows, strict=True)
    ]


def shortest_names(names: Sequence[str]) -> list[str]:
    """Names of signals without the parts that all of them share: inner.position, outer.position as inner, outer."""
    heads = [_signal(name) for name in names]
    parts = [tuple(head.split(".")) for head in heads]
    signals = {own for own in parts if len(own) > 1}
    head = tail = 0
    if len(signals) > 1:
        head = _shared([*signals])
        tail = _shared([own[:head:-1] for own in signals])
    short = [".".join(own[head : len(own) - tail]) if own in signals else ".".join(own) for own in parts]
    if "" in short or len(set(short)) < len(set(heads)):
        short = heads
    return short_names(
        [own + name.removeprefix(whole) for own, name, whole in zip(short, names, heads, strict=True)]
    )


def _shared(names: Sequence[Sequence[str]]) -> int:
    """Number of parts with which all names begin."""
    alike = [len({*column}) == 1 for column in zip(*names, strict=False)]
    return alike.index(False) if False in alike else len(alike)


def cut_names(names: Sequence[str], fits: Callable[[str], bool]) -> list[str]:
    """Names cut to what fits, by which each signal is told from all others; empty where one has no such cut."""
    signals = {_signal(name) for name in names}
    cuts = [name if name.startswith("[") else _cut(name, signals - {_signal(name)}, fits) for name in names]
    return cuts if all(cuts) else []


def _signal(name: str) -> str:
    """A name without an index or a unit."""
    return re.split(r"[\[ ]", name, maxsplit=1)[0]


def _cut(name: str, others: set[str], fits: Callable[[str], bool]) -> str:
    """The first cut of a name that fits and is not one of another signal."""
    if fits(name):
        return name
    signal = _signal(name)
    behind = name.removeprefix(signal)
    for head, tail in _cuts(signal):
        alike = any(other.startswith(head) and other.endswith(tail) for other in others)
        if not alike and fits(words := f"{head}{CUT}{tail}{behind}"):
            return words
    return ""


def _cuts(signal: str) -> Iterator[tuple[str, str]]:
    """Beginnings and ends that a signal may be cut to, whose last part stays: the front goes by words, else what is
    behind it by words, then by letters."""
    last = signal.rfind(".") + 1
    words = [k + 1 for k in range(last) if signal[k] in "._"]
    yield from (("", signal[k:]) for k in words)
    yield from ((signal[: k - 1], signal[last:]) for k in reversed(words))
    yield from ((signal[:k], signal[last:]) for k in reversed(range(LETTERS, last)))

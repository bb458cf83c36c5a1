"""`did you mean "revolute"?`: the nearest of many words, in a time that does not grow with their number."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

FEW = 60  # words that are all compared
MANY = 1000  # words of which no list is ordered
NAME_PARTS = re.compile(r"[^a-z]+")
COUNTED = re.compile(r"\d+|_[a-z]$")
MOST = 30  # candidates that are compared of more words


class KnownWords:
    """Words that may have been meant. Made once for many questions."""

    def __init__(self, words: Iterable[str]):
        self.words = sorted({str(word) for word in words})

    def near(self, word: str) -> str | None:
        same = self._lower_case.get(word.lower())
        if same is not None and same != word:
            return same
        if len(self.words) > FEW:
            # comparing with each would cost every mistake what the whole model is long
            matches = difflib.get_close_matches(word, self._candidates(word), n=1, cutoff=0.6)
        else:
            matches = difflib.get_close_matches(word, self.words, n=1, cutoff=0.6)
        return matches[0] if matches else None

    def listed(self, word: str) -> list[str]:
        """All words: first those with most parts of `word`, such as `pump` for `sensing_pump`, then by the alphabet."""
        asked = {*NAME_PARTS.split(word.lower())} - {""}
        if len(self.words) > MANY or not asked:
            return self.words
        return sorted(self.words, key=lambda one: -len(asked.intersection(NAME_PARTS.split(one.lower()))))

    def only(self, word: str) -> bool:
        """True if one known word alone is a slip of the finger away: a letter missing, too much, wrong, swapped or
        of the other size.
        """
        near = self.words if len(self.words) <= FEW else [*self._candidates(word)]
        return sum(other != word and one_edit_apart(other.lower(), word.lower()) for other in near) == 1

    @cached_property
    def _lower_case(self) -> dict[str, str]:
        return {word.lower(): word for word in self.words}

    def _candidates(self, word: str) -> list[str]:
        """Words that become the same when a letter of each is left out: one is missing, too much, wrong or swapped."""
        candidates: dict[str, None] = {}
        for part in _parts(word):
            candidates |= dict.fromkeys(self._words_by_part.get(part, ()))
            if len(candidates) > MOST:
                break
        return list(candidates)[:MOST]

    @cached_property
    def _words_by_part(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = defaultdict(list)
        for word in self.words:
            for part in _parts(word):
                if len(index[part]) < MOST:
                    index[part].append(word)
        return index


def one_edit_apart(a: str, b: str) -> bool:
    """True if at most one insertion, deletion, substitution or swap of neighbours leads from a to b.

    Numbers, and a last letter behind `_`, count things: link_2 is no slip of link_1, nor frame_b of frame_a.
    """
    if COUNTED.findall(a) != COUNTED.findall(b):
        return False
    if len(a) > len(b):
        a, b = b, a
    k = next((k for k, letter in enumerate(a) if letter != b[k]), len(a))
    if len(a) == len(b):
        swapped = a[k : k + 2] == b[k : k + 2][::-1] and a[k + 2 :] == b[k + 2 :]
        return a[k + 1 :] == b[k + 1 :] or swapped
    return a[k:] == b[k + 1 :]


def _parts(word: str) -> Iterator[str]:
    word = word.lower()[:40]
    yield word
    for k in range(len(word)):
        yield word[:k] + word[k + 1 :]

"""A single change of a line, with the tests that should notice it.

Lines are named by their text, so that a list that no longer fits the sources is told; `at` picks one of several.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    at: int = 0


def several(
    file: str, tests: tuple[str, ...], *changes: tuple[str, str] | tuple[str, str, int]
) -> list[Mutation]:
    return [Mutation(file, old, new, tests, *at) for old, new, *at in changes]

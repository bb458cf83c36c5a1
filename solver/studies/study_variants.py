"""The variants of a study: every combination of a grid, a list by name, random draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product

import numpy as np

from ...blocks.errors import LuffError, Problem
from .sampling import MOST, draw_variants
from .study_settings import RandomSettings, VariantSettings


@dataclass(frozen=True)
class Variant:
    """Variant of a study; `places` are the places in the file of its changes."""

    name: str
    changes: Mapping[str, object]
    places: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    drawn: bool = False  # at random
    point: int = 0  # of a sample
    role: str = ""  # in a variance analysis: A, B, or the path that A takes from B

    @property
    def independent(self) -> bool:
        """True if statistics may count it: a point of `saltelli` that repeats most of another says little more."""
        return self.role in ("", "A", "B")

    def matches(self, pattern: str) -> bool:
        """Only `*` and `?` are wild: brackets may be part of values."""
        return self.name == pattern or fnmatchcase(self.name, pattern.replace("[", "[[]"))


def expand(settings: VariantSettings) -> list[Variant]:
    """List the variants in the order of the file; a study without any has one, the model as it is."""
    variants: list[Variant] = []
    if settings.grid is not None:
        variants += _grid(settings.grid)
    for name, changes in (settings.list or {}).items():
        where = ("variants", "list", name)
        variants.append(Variant(name, changes, {path: (*where, path) for path in changes}))
    if settings.random is not None:
        variants += _random(settings.random)
    for name, times in Counter(variant.name for variant in variants).items():
        if times > 1:
            raise LuffError(Problem(f'two variants are called "{name}"', "variants", "give one another name"))
    return variants or [Variant("as it is", {})]


def _grid(axes: Mapping[str, object]) -> Iterator[Variant]:
    sides = [list(_axis_variants(name, axis)) for name, axis in axes.items()]
    if np.prod([len(side) for side in sides]) > MOST:
        raise LuffError(Problem(f"the grid has more than {MOST} variants", "variants.grid"))
    for picked in product(*sides):
        changes, places = {}, {}
        for variant in picked:
            changes.update(variant.changes)
            places.update(variant.places)
        yield Variant(", ".join(variant.name for variant in picked), changes, places)


def _axis_variants(name: str, axis: object) -> Iterator[Variant]:
    """Variants along one axis of the grid, one for each value."""
    where = ("variants", "grid", name)
    if isinstance(axis, dict):
        for key, changes in axis.items():
            yield Variant(key, changes, {path: (*where, key, path) for path in changes})
        return
    for k, value in enumerate(axis if isinstance(axis, list) else []):
        yield Variant(f"{name} = {_shown(value)}", {name: value}, {name: (*where, k)})


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _random(settings: RandomSettings) -> Iterator[Variant]:
    where = ("variants", "random", "draw")
    for one in draw_variants(settings):
        places = {path: (*where, path) for path in one.changes}
        yield Variant(one.name, one.changes, places, drawn=True, point=one.point, role=one.role)

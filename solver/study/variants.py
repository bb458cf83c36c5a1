"""The variants of a study: every combination of a grid, a list by name, random draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

import numpy as np

from ...blocks.errors import LuffError, Problem
from .settings import RandomSettings, VariantSettings

MOST = 100_000


@dataclass(frozen=True)
class Variant:
    """One run of a study; `places` says where in the file each change stands."""

    name: str
    changes: Mapping[str, Any]
    places: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    drawn: bool = False  # at random

    def matches(self, pattern: str) -> bool:
        """Only `*` and `?` are wild: brackets may be part of values."""
        return self.name == pattern or fnmatchcase(self.name, pattern.replace("[", "[[]"))


def expand(settings: VariantSettings) -> list[Variant]:
    """All variants in the order of the file; a study without any has one, the model as it is."""
    found: list[Variant] = []
    if settings.grid is not None:
        found += _grid(settings.grid)
    for name, changes in (settings.list or {}).items():
        where = ("variants", "list", name)
        found.append(Variant(name, changes, {path: (*where, path) for path in changes}))
    if settings.random is not None:
        found += _random(settings.random)
    names = [variant.name for variant in found]
    for name in names:
        if names.count(name) > 1:
            raise LuffError(Problem(f'two variants are called "{name}"', "variants", "give one another name"))
    return found or [Variant("as it is", {})]


def _grid(axes: Mapping[str, Any]) -> Iterator[Variant]:
    sides = [list(_side(name, axis)) for name, axis in axes.items()]
    if np.prod([len(side) for side in sides]) > MOST:
        raise LuffError(Problem(f"the grid has more than {MOST} variants", "variants.grid"))
    for picked in product(*sides):
        changes, places = {}, {}
        for variant in picked:
            changes.update(variant.changes)
            places.update(variant.places)
        yield Variant(", ".join(variant.name for variant in picked), changes, places)


def _side(name: str, axis: Any) -> Iterator[Variant]:
    """The steps along one axis."""
    where = ("variants", "grid", name)
    if isinstance(axis, dict):
        for key, changes in axis.items():
            yield Variant(key, changes, {path: (*where, key, path) for path in changes})
        return
    for k, value in enumerate(axis):
        yield Variant(f"{name} = {_shown(value)}", {name: value}, {name: (*where, k)})


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _random(settings: RandomSettings) -> Iterator[Variant]:
    """Each variant has a generator of its own: a longer study begins with the same variants."""
    where = ("variants", "random", "draw")
    digits = max(2, len(str(settings.count)))
    for k in range(settings.count):
        rng = np.random.default_rng([settings.seed, k])
        changes = {path: _draw(rng, law, values) for path, (law, values) in settings.draw.items()}
        yield Variant(f"#{k + 1:0{digits}}", changes, {path: (*where, path) for path in changes}, drawn=True)


def _draw(rng: np.random.Generator, law: str, values: Any) -> Any:
    if law == "choice":
        return values[int(rng.integers(len(values)))]
    a, b, unit = values
    if law == "normal":
        drawn = float(rng.normal(a, b))
    elif law == "log_uniform":
        drawn = float(np.exp(rng.uniform(np.log(a), np.log(b))))
    else:
        drawn = float(rng.uniform(a, b))
    return f"{drawn!r} {unit}" if unit else drawn

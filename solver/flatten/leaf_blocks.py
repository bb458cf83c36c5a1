"""Blocks of a netlist made anew one by one with other values, without elaborating the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ...blocks.block import Block
from ...blocks.errors import NetlistError, in_order
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.params import Struct
from ...blocks.text.raw_types import Raw
from ..diagram import enabled
from ..diagram.netlist_document import Netlist
from ..diagram.run_settings import SECTIONS as SETTINGS
from ..netlist import path_steps
from ..netlist.yaml_writer import SECTIONS
from .elaboration import Elaboration
from .hierarchy import HierarchyLevel, Source
from .instantiate import expressed, instantiate, remake_leaf
from .overrides import Steps


class LeafBlocks:
    """The blocks of a netlist, which are `known`, made anew one by one with other values."""

    def __init__(self, diagram: Netlist, overrides: Mapping[str, object], known: Mapping[str, Block]):
        self.diagram, self.overrides = diagram, dict(overrides)
        self._top = self._level(self.overrides)
        _know(self._top, known)
        self._places: dict[str, tuple[HierarchyLevel, str, Steps] | None] = {}
        self._next = self._top  # with the last changes, where these concern all blocks

    def changed(self, changes: Mapping[str, object]) -> dict[str, Block] | None:
        """The blocks that other values may concern, made anew; None where they may concern more than blocks."""
        of_one = self._leaves(changes)
        if of_one is None:
            return self._all(changes)
        made = {level.prefix + name: remake_leaf(level, name, own) for level, name, own in of_one}
        if self._top.diagnostics.errors:
            problems, self._top.diagnostics.problems = self._top.diagnostics.errors, []
            raise NetlistError(problems)
        return made

    def keep(self, changes: Mapping[str, object], known: Mapping[str, Block]) -> None:
        """Count the last changes as set from now on; the blocks are these."""
        of_one = self._leaves(changes)
        for level, name, own in of_one or ():
            cls, raw, before = level.sources[name]
            level.leaves[name] = known[level.prefix + name]
            level.sources[name] = Source(cls, raw, {**before, **own})
        self.overrides |= changes
        if of_one is None:
            self._top, self._places = self._next, {}
            _know(self._top, known)

    def value(self, path: str) -> object:
        """Converted value of a parameter of the netlist, of a composite or of a block [SI]; LookupError without it."""
        steps = tuple(path_steps(path))
        return _value_at(
            self._top, steps[1:] if len(steps) > 1 and steps[0] in ("blocks", "parameters") else steps
        )

    def _leaves(
        self, changes: Mapping[str, object]
    ) -> list[tuple[HierarchyLevel, str, dict[Steps, Raw]]] | None:
        """Leaves that changes concern, with their overrides; None where they concern more."""
        found: dict[tuple[str, str], tuple[HierarchyLevel, str, dict[Steps, Raw]]] = {}
        for path, value in changes.items():
            place = self._place(path)
            if place is None:
                return None
            level, name, rest = place
            found.setdefault((level.prefix, name), (level, name, {}))[2][rest] = cast("Raw", value)
        return [*found.values()]

    def _all(self, changes: Mapping[str, object]) -> dict[str, Block] | None:
        """Make all blocks anew; None if settings or expressions of other sections depend on the changes."""
        of_sections = any(path_steps(path)[:1] == [section] for path in changes for section in SETTINGS)
        if of_sections or _has_expressions(self._top):
            return None
        self._next = self._level({**self.overrides, **changes}, self._top)
        blocks = self._next.all_leaves()
        return None if any(block.bound for block in blocks.values()) else blocks

    def _level(self, overrides: Mapping[str, object], before: HierarchyLevel | None = None) -> HierarchyLevel:
        made = Elaboration.of(self.diagram)
        instantiate(made, overrides, before)
        if made.diagnostics.errors:
            raise NetlistError(in_order(made.diagnostics.errors))
        return made.top

    def _place(self, path: str) -> tuple[HierarchyLevel, str, Steps] | None:
        """The leaf that a path leads into, and the path within; None where it leads elsewhere."""
        if path not in self._places:
            # of two spellings of one path, the whole netlist knows which counts
            spelled = any("blocks" in path_steps(known) for known in self.overrides)
            self._places[path] = None if spelled else _leaf_at(self._top, tuple(path_steps(path)))
        return self._places[path]


def _know(level: HierarchyLevel, known: Mapping[str, Block]) -> None:
    for name in level.leaves:
        level.leaves[name] = known.get(level.prefix + name, level.leaves[name])
    for inner in level.levels.values():
        _know(inner, known)


def _leaf_at(level: HierarchyLevel, path: Steps) -> tuple[HierarchyLevel, str, Steps] | None:
    head, rest = str(path[0]) if path else "", path[1:]
    if not rest or head in (*SECTIONS, INPUTS) or rest[0] == enabled.KEY:
        return None
    if head in level.leaves:
        return level, head, rest
    inner = level.levels.get(head)
    return None if inner is None or rest[0] in inner.diagram.parameters else _leaf_at(inner, rest)


def _value_at(level: HierarchyLevel, path: Steps) -> object:
    head, rest = str(path[0]) if path else "", path[1:]
    if not rest:
        if head not in level.diagram.parameters:
            raise LookupError(head)
        return level.scope.parameter(head).value
    if head not in level.leaves:
        return _value_at(level.levels[head], rest)
    return entry_at(level.leaves[head].values, rest)


def entry_at(value: object, path: Steps) -> object:
    """Converted entry inside of a group, a mapping or a list; LookupError if there is none."""
    for step in path:
        if isinstance(value, Struct) and step in value.params:
            value = getattr(value, str(step))
        elif isinstance(value, Mapping | tuple) and isinstance(value, tuple) == isinstance(step, int):
            value = value[step]  # type: ignore[index]
        else:
            raise LookupError(step)
    return value


def _has_expressions(level: HierarchyLevel) -> bool:
    """True if a section beside blocks and parameters holds an expression, here or below."""
    own = {key: value for key, value in level.diagram.data.items() if key not in ("blocks", "parameters")}
    texts = [own[key] for key in own if key not in ("name", "doc", "connect", "files", "layout")]
    return expressed(texts) or any(map(_has_expressions, level.levels.values()))

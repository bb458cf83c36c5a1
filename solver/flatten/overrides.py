"""Overrides from outside of a netlist, by `--set` or `luff.compile`: raw values by path, sorted by what they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE
from ...blocks.text.raw_types import Raw
from ..diagram.run_settings import SECTIONS
from ..netlist import path_steps
from .hierarchy import HierarchyLevel, Steps


class Overrides(NamedTuple):
    """Overrides of one level of the nesting; `king.mass` and `blocks.king.mass` are the same."""

    sections: dict[Steps, Raw]  # settings of the outermost netlist
    parameters: dict[str, Raw]
    blocks: dict[str, dict[Steps, Raw]]  # by paths within each
    unknown: list[Steps]  # what there is not

    @classmethod
    def parsed(cls, level: HierarchyLevel, given: Mapping[str, object]) -> Overrides:
        """Overrides of the outermost level by their texts, `king.shape.size[1]`."""
        # what is no raw value is refused where its parameter converts it
        steps = {tuple(path_steps(path)) or (path,): cast("Raw", raw) for path, raw in given.items()}
        sections = {
            path: raw
            for path, raw in steps.items()
            if len(path) > 1 and path[0] in SECTIONS and path[0] not in level.diagram.blocks
        }
        rest = {path: raw for path, raw in steps.items() if path not in sections}
        return cls.of(level, rest)._replace(sections=sections)

    @classmethod
    def of(cls, level: HierarchyLevel, given: Mapping[Steps, Raw]) -> Overrides:
        """Sort overrides by the parameters and blocks of a level; those spelled in full go last, and win."""
        blocks, parameters = _blocks_with_values(level), level.diagram.parameters
        found = cls({}, {}, {}, [])
        spelled_out: list[tuple[Steps, Raw]] = []
        for path, raw in given.items():
            head, *rest = path
            name = rest[0] if rest else head
            if len(path) == 1 + (head == "parameters") and name in parameters:
                found.parameters[str(name)] = raw
            elif head == "blocks" and len(path) > 2 and name in blocks:
                spelled_out.append((path[1:], raw))
            elif len(path) > 1 and head in blocks and (head != INPUTS or name in level.input_entries):
                found.blocks.setdefault(str(head), {})[path[1:]] = raw
            else:
                found.unknown.append(path)
        for path, raw in spelled_out:
            found.blocks.setdefault(str(path[0]), {})[path[1:]] = raw
        return found


def _blocks_with_values(level: HierarchyLevel) -> set[str]:
    """Names of the blocks of a level, also of those that every netlist has and those that inputs make."""
    blocks = {*level.diagram.blocks} - {"world"}
    if level.input_entries:
        blocks.add(INPUTS)
    if not level.prefix:
        blocks |= {"world", *(name + OUTSIDE for name in level.diagram.feeds)}
    return blocks

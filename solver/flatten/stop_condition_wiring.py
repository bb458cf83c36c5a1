"""Last pass of the elaboration: `stop_when` and `assert:` of all levels, as wires to one block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...blocks.errors import LuffError, Problem
from ...blocks.ports import SIGNAL
from ...blocks.stop_conditions import NAME, Condition, Conditions, parse_condition
from ...blocks.text.quantity import compatible, spelled
from ...blocks.text.quantity import unit as unit_of
from ..netlist.section_structure import section
from ..netlist.wire_syntax import End, parse_end
from .connect import resolve_end
from .elaboration import CausalWire, Elaboration
from .hierarchy import HierarchyLevel


def wire_conditions(made: Elaboration) -> None:
    """Read all conditions; of a netlist that runs, wire their signals to one block."""
    conditions: list[Condition] = []
    wires: list[CausalWire] = []
    stop_when = made.simulation.stop_when if made.simulation else ""
    for level, path, text in _written_conditions(made.top, stop_when):
        try:
            one = _read_condition(made, level, path, text)
        except LuffError as error:
            for problem in error.problems:
                level.report(problem.at(path=path), level.mark(path))
            continue
        if one is not None:
            wires.append(CausalWire(one[1], End(NAME, "u", (len(conditions),)), SIGNAL, None))
            conditions.append(one[0])
    if made.alone and conditions:
        made.blocks[NAME] = Conditions(conditions)
        made.wires += wires
        made.widths[NAME, "u"] = len(wires)


def _written_conditions(
    level: HierarchyLevel, stop_when: str = ""
) -> Iterator[tuple[HierarchyLevel, str, str]]:
    """Texts of `stop_when` and `assert:`, each with its level and path."""
    if stop_when:
        yield level, "simulation.stop_when", stop_when
    for k, text in enumerate(section(level.diagram.data, "assert", list)):
        if isinstance(text, str):
            yield level, f"assert[{k}]", text
    for inner in level.levels.values():
        yield from _written_conditions(inner)


def _read_condition(
    made: Elaboration, level: HierarchyLevel, path: str, text: str
) -> tuple[Condition, End] | None:
    """None where the block has mistakes of its own."""
    signal, side, level_text = parse_condition(text)
    value = level.scope.quantity(level_text)
    listed = level.diagram.outputs.get(signal, signal)
    end = parse_end(listed)
    place = resolve_end(level, end)
    if place is None or not place[1]:
        return None
    _, name, port = place
    if port.direction != "out":
        fix = "compare an output of a block"
        raise LuffError(Problem(f"found {signal}, which is not an output", fix=fix))
    if value.dimension is not None and port.unit is not None:
        expected = unit_of(port.unit).dimension
        if not compatible(value.dimension, expected):
            mistake = f'found "{level_text}" ({spelled(value.dimension) or "no unit"})'
            raise LuffError(Problem(f"{mistake}, expected a level in {port.unit or 'no unit'} for {signal}"))
    asserted, sign = path != "simulation.stop_when", 1.0 if side == "above" else -1.0
    condition = Condition(" ".join(text.split()), level.full_path(path), asserted, sign, value.value)
    return condition, _element(End(name, port.name, end.elements), made, signal)


def _element(end: End, made: Elaboration, signal: str) -> End:
    """End of a wire with exactly one element; LuffError for a vector."""
    width = made.width(end)
    picked = end.elements or tuple(range(width))
    if len(picked) != 1:
        raise LuffError(Problem(f"found {signal}, a vector, expected one number", fix=f"write {signal}[0]"))
    if picked[0] >= width:
        raise LuffError(Problem(f"found {signal}, expected an element from 0 to {width - 1}"))
    return replace(end, elements=picked)

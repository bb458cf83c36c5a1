"""Values and wires whose units are not of the kind that the wires ask for: warnings of `luff check` and the window.

A value whose parameter declares no unit is taken in SI, whatever it says; its kind is kept here beside it, and compared
with what follows from the ports of joints and the laws of blocks. Where nothing follows, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...blocks.errors import Mark, Problem
from ...blocks.expression_scope import Scope
from ...blocks.text.quantity import NONE, Dimension, unit, unit_fix, written_unit
from ..diagram.entry_paths import overridden
from .elaboration import Elaboration
from .hierarchy import HierarchyLevel
from .unit_flow import Conflict, Element, Law, UnitFlow, alike, dimension_of

DEEPEST = 20  # parameters that name each other
REMEDY = "wire what has one unit, or turn one of them into the other's with a gain block"
KINDS: dict[Dimension, str] = {
    unit(name).dimension: words
    for name, words in (
        ("m", "a length"), ("m^2", "an area"), ("m^3", "a volume"), ("kg", "a mass"), ("s", "a time"),
        ("rad", "an angle"), ("rad/s", "an angular velocity"), ("m/s", "a speed"), ("m/s^2", "an acceleration"),
        ("N", "a force"), ("N*m", "a torque"), ("Pa", "a pressure"), ("W", "a power"), ("Hz", "a frequency"),
        ("m^3/s", "a flow"), ("N/m", "a stiffness"), ("K", "a temperature"), ("kg*m^2", "an inertia"),
    )
}  # fmt: skip


def check_units(made: Elaboration) -> dict[Element, str]:
    """Warn of values and wires that are not of the kind that is asked for; of each block or port once.

    Returns the units that are known, written ones among them.
    """
    flow = UnitFlow(made.blocks, made.widths, _joined(made))
    open_ones: list[tuple[Element, str]] = []
    for value in _written(made.top, flow):
        wrong = next((element for element in value.elements if _differs(flow, element, value.unit)), None)
        if wrong is None:
            open_ones += [(element, value.unit) for element in value.elements]
        else:
            value.level.report(_of_value(flow, value, wrong))
    for element, text in open_ones:
        flow.write(element, text)
    told = {problem.path.removeprefix("blocks.") for problem in made.diagnostics.problems}
    for conflict in flow.conflicts:
        (block, port, _), _ = conflict.law.powers[-1]
        if told.isdisjoint((block, f"{block}.{port}")):
            told.add(f"{block}.{port}" if conflict.law.is_wire else block)
            if conflict.law.is_wire:
                mark = _mark_of(made, conflict.law)
                made.diagnostics.problems.append(_of_wire(conflict, mark))
            else:
                made.report_in_block(block, _of_law(conflict))
    return {element: known.unit for element, known in flow.known.items()}


def _joined(made: Elaboration) -> Iterator[tuple[Element, Element]]:
    """Elements that wires join."""
    for wire in made.wires:
        if wire.source.block in made.blocks and wire.target.block in made.blocks:
            ends = [
                [(end.block, end.port, k) for k in end.elements or range(made.width(end))]
                for end in (wire.source, wire.target)
            ]
            yield from zip(*ends, strict=False)


class Written(NamedTuple):
    """A value as it is written, where its parameter declares no unit."""

    level: HierarchyLevel
    path: str  # in its level
    text: str
    unit: str
    elements: tuple[Element, ...]  # that it stands for


def _written(level: HierarchyLevel, flow: UnitFlow) -> Iterator[Written]:
    """Values with a unit of the blocks at a level and below."""
    for name in level.leaves:
        source = level.sources.get(name)
        for param, elements in flow.parameters.get(level.prefix + name, {}).items() if source else ():
            assert source is not None
            raw = (
                overridden(source.raw, source.cls.params, source.changes)[0] if source.changes else source.raw
            )
            for path, value, places in _values(entry_at(raw, param), param, elements):
                text = unit_of(value, level.scope)
                if text:
                    yield Written(level, f"blocks.{name}.{path}", str(value), text, tuple(places))
    for inner in level.levels.values():
        yield from _written(inner, flow)


def _values(
    raw: object, path: str, elements: Sequence[Element]
) -> Iterator[tuple[str, object, Sequence[Element]]]:
    """Values of a parameter with their paths and the elements that they stand for."""
    if isinstance(raw, list):
        for k, value in enumerate(raw):
            yield f"{path}[{k}]", value, [one for one in elements if one[2] == k]
    else:
        yield path, raw, elements


def entry_at(raw: object, path: str) -> object:
    """What is written at `legs[1].to`; None where nothing is."""
    for step in re.findall(r"\w+", path):
        if isinstance(raw, Mapping):
            raw = raw.get(step)
        else:
            raw = (
                raw[int(step)] if isinstance(raw, list) and step.isdigit() and int(step) < len(raw) else None
            )
    return raw


def unit_of(raw: object, scope: Scope, deep: int = 0) -> str:
    """Unit of a text, or of that of the parameter which it names; of another expression none is certain."""
    text = raw.strip() if isinstance(raw, str) else ""
    if text.startswith("="):
        known = scope.names.get(text[1:].strip())
        return unit_of(known, scope, deep + 1) if deep < DEEPEST else ""
    said = written_unit(text)
    return said if dimension_of(said) not in (None, NONE) else ""


def _differs(flow: UnitFlow, element: Element, text: str) -> bool:
    known, own = flow.known.get(element), dimension_of(text)
    asked = dimension_of(known.unit) if known else None
    return own is not None and asked is not None and not alike(own, asked)


def _of_value(flow: UnitFlow, value: Written, element: Element) -> Problem:
    known = flow.known[element]
    param = value.path.rpartition(".")[2]
    ends = [_end(flow, one) for one, _ in known.law.powers if one != element] if known.law else []
    asked = known.unit or "no unit"
    why = f": {', '.join(ends)}" if ends else ""
    message = f"{value.text} is {kind(value.unit)}; from the wires {param} is in {asked}{why}"
    fix = unit_fix(value.text, known.unit)
    return Problem(message, value.path, fix, severity="warning")


def kind(text: str) -> str:
    """What a unit is of, in words: `a length`; else the unit."""
    dimension = dimension_of(text)
    return KINDS.get(dimension, f"in {text}") if dimension is not None else text


def _end(flow: UnitFlow, element: Element) -> str:
    """A port of a law with its unit, and from where that comes."""
    known = flow.known[element]
    while known.law is not None and not known.law.is_wire and len(known.law.powers) == 2:
        element = next(one for one, _ in known.law.powers if one != element)  # of the same block
        known = flow.known[element]
    source, shown = f"{known.source[0]}.{known.source[1]}", known.unit or "no unit"
    if known.law is None or not known.law.is_wire:
        return f"{element[1]} is in {shown}" + (f", as {source}" if known.law else "")
    other = next(f"{one[0]}.{one[1]}" for one, _ in known.law.powers if one != element)
    verb = "takes" if dict(known.law.powers)[element] > 0 else "gives"
    return f"{other} {verb} {shown}" + (f", as {source}" if other != source else "")


def _ends(conflict: Conflict) -> list[str]:
    """Elements of a law with their units and where these come from."""
    ends = []
    for (element, _), known in zip(conflict.law.powers, conflict.known, strict=True):
        source = f", as {known.source[0]}.{known.source[1]}" if known.source != element else ""
        whole = f"{element[0]}.{element[1]}" if conflict.law.is_wire else element[1]
        ends.append(f"{whole} [{known.unit or '-'}{source}]")
    return ends


def _of_wire(conflict: Conflict, mark: Mark | None) -> Problem:
    here, there = _ends(conflict)
    first, second = (kind(known.unit) for known in conflict.known)
    (block, port, _), _ = conflict.law.powers[-1]
    message = f"{here} brings {first}, and {there} takes {second}"
    return Problem(message, f"{block}.{port}", REMEDY, mark, severity="warning")


def _of_law(conflict: Conflict) -> Problem:
    *others, last = _ends(conflict)
    return Problem(
        f"the units of {', '.join(others)} and {last} do not fit together", "", REMEDY, severity="warning"
    )


def _mark_of(made: Elaboration, law: Law) -> Mark | None:
    ends = [element[:2] for element, _ in law.powers]
    for wire in made.wires:
        if [(wire.source.block, wire.source.port), (wire.target.block, wire.target.port)] == ends:
            return wire.mark
    return None

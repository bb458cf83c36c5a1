"""Operations of external blocks (`blocks/external_block.py`): take outputs, hand over inputs; in analyses rates and
outputs at any state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ...blocks.external_block import ContinuousBlock, ExternalBlock
from ...blocks.ports import Port
from .external_callbacks import ExternalEvaluation, ExternalExchange
from .operations import COPY, Key, Operation
from .scalar_places import Scalars
from .work_space import SIGNAL_RATES, SIGNAL_STATES, TIME, Place, Slots


class Writer(Protocol):
    """Used part of the emitter of signal blocks."""

    scalars: Scalars
    memory: Slots
    states: Slots
    state_units: list[str]
    operations: list[Operation]
    updates: list[Operation]

    def sample(self, name: str, period: float) -> Place: ...


def add_external_block(emitter: Writer, block: ExternalBlock | ContinuousBlock) -> None:
    """Append the operations of an external block."""
    if isinstance(block, ExternalBlock):
        add_exchange(emitter, block)
    else:
        add_external_states(emitter, block)


def add_exchange(emitter: Writer, block: ExternalBlock) -> None:
    """Append the exchange operations of a block, and the memories that are its outputs."""
    name, scalars = block.name, emitter.scalars
    due = emitter.sample(name, float(block.step))
    ports = scalars.ports[name]
    outputs, inputs = port_elements(ports, "out"), port_elements(ports, "in")
    taken = (name, "@outputs", 0, 0)
    held: list[Place] = []
    for port, k in outputs:
        place = ("mem", emitter.memory.add(f"{name}.{port}", [0.0]))
        held.append(place)
        key = (name, port, k, 0)
        if key in scalars.place:  # the place was requested before
            copied = Operation((key,), (), COPY, (scalars.at(key), place), (taken,), name)
        else:
            copied = Operation((key,), (), wants=(taken,), label=name)
        scalars.place.setdefault(key, place)
        emitter.operations.append(copied)
    read = [scalars.input_place(name, port, k) for port, k in inputs]
    needs = tuple(need for _, need in read if need is not None)
    for makes, wanted, giving, places in (
        (taken, (), False, held),
        ((name, "@update", 0, 0), (taken, *needs), True, [place for place, _ in read]),
    ):
        entries: tuple[int | Place, ...] = (TIME, len(places), *places)
        emitter.updates.append(
            Operation(
                (makes,), wanted, ExternalExchange(block, giving), entries, label=name, due=due, writes=0
            )
        )


def add_external_states(emitter: Writer, block: ContinuousBlock) -> None:
    """Append the states of a block, and operations for rates, for outputs without and with feed-through."""
    name, scalars = block.name, emitter.scalars
    outputs, inputs = port_elements(scalars.ports[name], "out"), port_elements(scalars.ports[name], "in")
    numbers = [emitter.states.add(f"{name}.{state}", [value]) for state, _, value in block.states_outside]
    emitter.state_units += [unit for _, unit, _ in block.states_outside]
    read = [scalars.input_place(name, port, k) for port, k in inputs]
    needs = tuple(need for _, need in read if need is not None)
    given = [*((SIGNAL_STATES, k) for k in numbers), *(place for place, _ in read)]
    made: list[tuple[Key, Place, tuple[Key, ...]]] = [
        ((name, "@der outside", k, 0), (SIGNAL_RATES, k), needs) for k in numbers
    ]
    for (port, k), direct in zip(outputs, block.direct, strict=True):
        key = (name, port, k, 0)
        made.append((key, scalars.at(key), needs if direct else ()))
    count = len(numbers)
    groups = [
        range(count),
        *(
            [row for row in range(count, len(made)) if block.direct[row - count] is way]
            for way in (False, True)
        ),
    ]
    for rows in groups:
        if rows:
            targets = [made[row][1] for row in rows]
            entries: tuple[int | Place, ...] = (TIME, len(targets), len(given), *targets, *given)
            makes, needed = tuple(made[row][0] for row in rows), made[rows[0]][2]
            code = ExternalEvaluation(block, tuple(rows))
            emitter.operations.append(Operation(makes, needed, code, entries, label=name, writes=0))


def port_elements(ports: Mapping[str, Port], way: str) -> list[tuple[str, int]]:
    """(port, element) of its inputs or outputs, in order."""
    return [(port, k) for port, kind in ports.items() if kind.direction == way for k in range(kind.width)]

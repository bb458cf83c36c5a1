"""Operations of blocks that are outside of the model (`blocks/external.py`): take outputs, hand over inputs."""

from __future__ import annotations

from typing import Protocol

from ...blocks.external import ExternalBlock
from ..table.exchange import Exchange
from ..table.operations import COPY, Operation
from ..table.places import TIME, Place, Slots
from .scalars import Scalars


class Writer(Protocol):
    """What is asked of the emitter of signal blocks."""

    scalars: Scalars
    memory: Slots
    operations: list[Operation]
    updates: list[Operation]

    def sample(self, name: str, period: float) -> Place: ...


def add_exchange(emitter: Writer, block: ExternalBlock) -> None:
    """Operations of a block, and the memories that are its outputs."""
    name, scalars = block.name, emitter.scalars
    due = emitter.sample(name, float(block.step))
    ports = scalars.ports[name]
    outputs, inputs = (
        [(port, k) for port, kind in ports.items() if kind.direction == way for k in range(kind.width)]
        for way in ("out", "in")
    )
    taken = (name, "@outputs", 0, 0)
    held: list[Place] = []
    for port, k in outputs:
        place = ("mem", emitter.memory.add(f"{name}.{port}", [0.0]))
        held.append(place)
        key = (name, port, k, 0)
        if key in scalars.place:  # somebody has asked for the place before
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
            Operation((makes,), wanted, Exchange(block, giving), entries, label=name, due=due, writes=0)
        )

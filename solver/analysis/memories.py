"""Blocks with states in place of blocks with memories: their rates are what a memory becomes less what it is.

Where the rates are zero the memories stay as they are, so that an equilibrium closes loops through them; and one
linearisation gives the rates of the states and the next memories at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...blocks import Block
from ...blocks.block import Echo, State
from ...blocks.ports import ANY, TRAJECTORY, In, Out
from ..flat.flatten import Flat


class RememberedSignal(Block, abstract=True):
    """A signal that is remembered."""

    u, y = In(ANY), Out(ANY)
    held = State(width=ANY)

    def der(u, held):
        return u - held

    def out(held):
        return held


class RememberedTrajectory(Block, abstract=True):
    """A trajectory that is remembered."""

    u, y = In(ANY, kind=TRAJECTORY), Out(ANY, kind=TRAJECTORY)
    held = State(width=ANY)
    held_rate = State(width=ANY)
    held_acceleration = State(width=ANY)

    def der(u, held, held_rate, held_acceleration):
        return u[0] - held, u[1] - held_rate, u[2] - held_acceleration

    def out(held, held_rate, held_acceleration):
        return held, held_rate, held_acceleration


@dataclass(frozen=True)
class Remembered:
    """One block that was replaced."""

    block: str
    echo: Echo


def with_states(flat: Flat) -> tuple[Flat, list[Remembered]]:
    """A copy with such blocks, and which they are."""
    echoes = [(name, block, block.echo()) for name, block in flat.blocks.items()]
    kept = [Remembered(name, echo) for name, _, echo in echoes if echo is not None]
    if not kept:
        return flat, kept
    blocks = {name: block if echo is None else stand_in(block, echo) for name, block, echo in echoes}
    return replace(flat, blocks=blocks), kept


def stand_in(block: Block, echo: Echo) -> Block:
    if echo.by is not None:
        return echo.by
    kind = block.ports()["u"].kind
    return (RememberedTrajectory if kind == TRAJECTORY else RememberedSignal)(block.name, {})


def open_loops(flat: Flat, held: Sequence[str]) -> list[str]:
    """Of blocks whose memories stand still, those whose outputs lead back to their inputs."""
    leads: dict[str, set[str]] = {}
    for wire in flat.wires:
        leads.setdefault(wire.source.block, set()).add(wire.target.block)
    for bond in flat.bonds:
        leads.setdefault(bond.a.block, set()).add(bond.b.block)
        leads.setdefault(bond.b.block, set()).add(bond.a.block)
    return [name for name in held if name in reached(leads, name)]


def reached(leads: dict[str, set[str]], start: str) -> set[str]:
    """What a block leads to, one wire or more away."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for name in leads.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def written_first(name: str) -> bool:
    """Whether a memory, by the name of its state, is handed on before anything looks at it."""
    return ".held_now" in name


def goes_on_itself(name: str) -> bool:
    """Whether a memory is what a block carries on from sample to sample, and nothing that it has just seen."""
    return ".held_own" in name


def block_of(name: str) -> str:
    return name.partition(".held")[0]

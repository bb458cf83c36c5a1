"""Blocks with states in place of blocks with memories: their rates are what a memory becomes less what it is.

Where the rates are zero the memories stay as they are, so that an equilibrium closes loops through them; and one
linearisation gives the rates of the states and the next memories at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...blocks import Block
from ...blocks.block import Echo
from ...blocks.block_states import State
from ...blocks.ports import ANY, TRAJECTORY, In, Out
from .flatten import Flat


class ContinuousSignalTwin(Block, abstract=True):
    """A signal that is remembered."""

    u, y = In(ANY), Out(ANY)
    held = State(width=ANY)

    def der(u, held):
        return u - held

    def out(held):
        return held


class ContinuousTrajectoryTwin(Block, abstract=True):
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
class ReplacedBlock:
    """Block that was replaced by a continuous equivalent."""

    block: str
    echo: Echo


def with_continuous_twins(flat: Flat) -> tuple[Flat, list[ReplacedBlock]]:
    """A copy with such blocks, and which they are."""
    echoes = [(name, block, block.echo()) for name, block in flat.blocks.items()]
    kept = [ReplacedBlock(name, echo) for name, _, echo in echoes if echo is not None]
    if not kept:
        return flat, kept
    blocks = {name: block if echo is None else continuous_twin(block, echo) for name, block, echo in echoes}
    return replace(flat, blocks=blocks), kept


def continuous_twin(block: Block, echo: Echo) -> Block:
    if echo.by is not None:
        return echo.by
    kind = block.ports()["u"].kind
    return (ContinuousTrajectoryTwin if kind == TRAJECTORY else ContinuousSignalTwin)(block.name, {})

"""Cycles of blocks with memories, and the meaning of the names of their states."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..flatten.flatten import Flat

LAST = math.inf  # turn of memories that are written behind all others


def memory_cycles(flat: Flat, held: Sequence[str]) -> list[str]:
    """Blocks with constant memories whose outputs lead back to their inputs."""
    leads: dict[str, set[str]] = {}
    for wire in flat.wires:
        leads.setdefault(wire.source.block, set()).add(wire.target.block)
    for bond in flat.bonds:
        leads.setdefault(bond.a.block, set()).add(bond.b.block)
        leads.setdefault(bond.b.block, set()).add(bond.a.block)
    return [name for name in held if name in reachable_blocks(leads, name)]


def reachable_blocks(leads: dict[str, set[str]], start: str) -> set[str]:
    """Blocks that a block leads to, one wire or more away."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for name in leads.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def is_pure_delay(name: str) -> bool:
    """True if a memory, by the name of its state, is passed on before anything reads it."""
    return ".held_now" in name


def update_turn(name: str, block: int) -> float:
    """Turn in which a memory is written at a sample: that of its block, unless its state's name says first or last."""
    return 0 if is_pure_delay(name) else LAST if ".held_last" in name else block


def is_self_contained(name: str) -> bool:
    """True if a memory, by the name of its state, is carried from sample to sample and holds no new input."""
    return ".held_own" in name


def block_of(name: str) -> str:
    return name.partition(".held")[0]

"""Which blocks with memories lead back to themselves, and what the names of their states say
(`flatten/discrete_as_states.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from ..flatten.flatten import Flat


def memory_cycles(flat: Flat, held: Sequence[str]) -> list[str]:
    """Of blocks whose memories stand still, those whose outputs lead back to their inputs."""
    leads: dict[str, set[str]] = {}
    for wire in flat.wires:
        leads.setdefault(wire.source.block, set()).add(wire.target.block)
    for bond in flat.bonds:
        leads.setdefault(bond.a.block, set()).add(bond.b.block)
        leads.setdefault(bond.b.block, set()).add(bond.a.block)
    return [name for name in held if name in reachable_blocks(leads, name)]


def reachable_blocks(leads: dict[str, set[str]], start: str) -> set[str]:
    """What a block leads to, one wire or more away."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for name in leads.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def is_pure_delay(name: str) -> bool:
    """Whether a memory, by the name of its state, is handed on before anything looks at it."""
    return ".held_now" in name


def is_self_contained(name: str) -> bool:
    """Whether a memory is what a block carries on from sample to sample, and nothing that it has just seen."""
    return ".held_own" in name


def block_of(name: str) -> str:
    return name.partition(".held")[0]

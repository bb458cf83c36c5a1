"""Lint: legal entries that are hardly meant, found once all blocks, wires and times are known; told as warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem
from ...blocks.ports import Port
from ...blocks.text.quantity import compatible, unit
from .port_widths import CausalWire

WELL_BELOW = 0.5  # of a step


def lint_warnings(
    blocks: Mapping[str, Block], wires: Mapping[tuple[str, str], tuple[str, Port]], step: float
) -> Iterator[tuple[str, Problem]]:
    """Yield warnings, each with the block in which its path counts.

    `wires` leads from an input to the output wired to it.
    """
    for name, block in blocks.items():
        period = block.values["sample_time"] if block.type_name == "noise" else step
        if isinstance(period, float) and period < WELL_BELOW * step:
            mistake = f"found a sample time of {period:g} s, far below the step of {step:g} s"
            message = f"{mistake}: most samples fall between two steps, and the noise differs from the one asked for"
            fix = "give it the step, or more"
            yield name, Problem(message, ".sample_time", fix, severity="warning")
        if block.type_name == "sum":
            inputs = {port: wires[name, port] for port in block.ports() if (name, port) in wires}
            yield from ((name, problem) for problem in _mixed_units(inputs))


def _mixed_units(sources: Mapping[str, tuple[str, Port]]) -> Iterator[Problem]:
    """Units that do not add up, where the sources say theirs."""
    known = {port: (source, made.unit) for port, (source, made) in sources.items() if made.unit}
    for (a, (first, one)), (b, (second, other)) in combinations(known.items(), 2):
        if not _compatible_units(one or "", other or ""):
            message = f"adds {first} [{one}] at {a} and {second} [{other}] at {b}"
            fix = "wire what has one unit, or turn one of them into the other's with a gain block"
            yield Problem(message, "", fix, severity="warning")
            return


def _compatible_units(one: str, other: str) -> bool:
    try:
        return compatible(unit(one).dimension, unit(other).dimension)
    except LuffError:
        return True  # of a user's block: not ours to judge


def input_sources(
    strands: list[CausalWire], blocks: Mapping[str, Block]
) -> dict[tuple[str, str], tuple[str, Port]]:
    """The first source of each input."""
    sources: dict[tuple[str, str], tuple[str, Port]] = {}
    for strand in strands:
        port = blocks[strand.source.block].ports().get(strand.source.port)
        if port is not None:
            sources.setdefault((strand.target.block, strand.target.port), (str(strand.source), port))
    return sources

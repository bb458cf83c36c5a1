"""Seventh pass of the elaboration: entries that are legal and hardly meant, once blocks, wires and times are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, cast

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem
from ...blocks.ports import TRAJECTORY, Port
from ...blocks.text.quantity import compatible, unit
from ..netlist.wire_syntax import End
from .elaboration import CausalWire, Elaboration

if TYPE_CHECKING:
    from ...blocks.mechanics.touch import Touch

WELL_BELOW = 0.5  # of a step
DERIVATIVES = (
    "wire its rate and acceleration (`derivative` blocks, or a `transfer_function` of order 2 with its rates), or take "
    "the trajectory of a source, table, motion_law or path, or of a trajectory_limiter (with `of: speed` of a rate)"
)


def lint(made: Elaboration) -> None:
    """Warn of samples far below the step, units that do not add up and pairs that touch twice; refuse motions without
    derivatives.
    """
    found = [*unfollowable_motions(made.blocks, made.wires)]
    if made.simulation is not None:
        found += lint_warnings(made.blocks, input_sources(made.wires, made.blocks), made.simulation.step)
    for name, problem in found:
        if name not in made.diagnostics.beside:
            made.report_in_block(name, problem)


def lint_warnings(
    blocks: Mapping[str, Block], wires: Mapping[tuple[str, str], tuple[str, Port]], step: float
) -> Iterator[tuple[str, Problem]]:
    """Yield warnings, each with the block in which its path counts.

    `wires` leads from an input to the output wired to it.
    """
    yield from _pairs_of_two_blocks(blocks)
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


def _pairs_of_two_blocks(blocks: Mapping[str, Block]) -> Iterator[tuple[str, Problem]]:
    """Warnings of blocks `touch` that name a pair of shapes which another one names too."""
    first: dict[frozenset[int], str] = {}
    for name, block in blocks.items():
        if block.type_name != "touch":  # models without one load nothing of it
            continue
        twice: dict[str, str] = {}  # a pair of each block that names it before
        for a, b in cast("Touch", block).pairs:
            other = first.setdefault(frozenset((id(a.shape), id(b.shape))), name)
            if other != name:
                twice[other] = f"{b.name} and {a.name}"
        for other, pair in twice.items():
            message = f"{other} has {pair} too: they touch twice, and both forces act"
            fix = "name the pair in one of them, or leave it out by `without`"
            yield name, Problem(message, "", fix, severity="warning")


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
    wires: Sequence[CausalWire], blocks: Mapping[str, Block]
) -> dict[tuple[str, str], tuple[str, Port]]:
    """The first source of each input."""
    sources: dict[tuple[str, str], tuple[str, Port]] = {}
    for wire in wires:
        port = blocks[wire.source.block].ports().get(wire.source.port)
        if port is not None:
            sources.setdefault((wire.target.block, wire.target.port), (str(wire.source), port))
    return sources


def unfollowable_motions(
    blocks: Mapping[str, Block], wires: Sequence[CausalWire]
) -> Iterator[tuple[str, Problem]]:
    """Yield problems of inputs whose trajectory lacks derivatives, each with the block in which its path counts."""
    sources: dict[tuple[str, str], list[End]] = {}
    for wire in wires:
        sources.setdefault((wire.target.block, wire.target.port), []).append(wire.source)
    for name, block in blocks.items():
        for port in block.prescribing:
            for source in sources.get((name, port), ()):
                missing, giver = missing_derivatives(blocks, sources, source)
                if missing:
                    what = f"{giver} brings a value without its {' and '.join(missing)}"
                    effect = "no velocity and no effort" if "rate" in missing else "no effort"
                    message = f"the wire {source} -> {name}.{port} prescribes a motion, and {what}"
                    yield name, Problem(f"{message}: it would have {effect}", f".{port}", DERIVATIVES)


def missing_derivatives(
    blocks: Mapping[str, Block], sources: Mapping[tuple[str, str], Sequence[End]], end: End, depth: int = 0
) -> tuple[tuple[str, ...], str]:
    """Derivatives that the trajectory of an output lacks, and the output to blame; mux and demux pass on what they
    get."""
    block = blocks.get(end.block)
    if block is None or depth > len(blocks):
        return (), ""
    wired = {port: givers for (name, port), givers in sources.items() if name == end.block}
    missing = block.missing_parts(end.port, wired)
    if missing:
        from ...blocks.signals.signal_sources import Constant

        still = all(
            isinstance(blocks.get(each.block), Constant) for givers in wired.values() for each in givers
        )
        return ((), "") if still else (missing, f"{end.block}.{end.port}")
    if block.routes():
        for port, givers in wired.items():
            if block.ports()[port].kind == TRAJECTORY:
                for each in givers:
                    missing, giver = missing_derivatives(blocks, sources, each, depth + 1)
                    if missing:
                        return missing, giver
    return (), ""

"""Motions that are prescribed by less than value, rate and acceleration: what moves would have no speed or effort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...blocks.block import Block
from ...blocks.errors import Problem
from ...blocks.ports import TRAJECTORY
from .port_widths import CausalWire, End

FIX = (
    "wire its rate and acceleration (`derivative` blocks, or a `transfer_function` of order 2 with its rates), or take "
    "the trajectory of a source, table, motion_law or path"
)


def unfollowable_motions(
    blocks: Mapping[str, Block], strands: Sequence[CausalWire]
) -> Iterator[tuple[str, Problem]]:
    """Yield problems of inputs whose trajectory lacks derivatives, each with the block in which its path counts."""
    sources: dict[tuple[str, str], list[End]] = {}
    for strand in strands:
        sources.setdefault((strand.target.block, strand.target.port), []).append(strand.source)
    for name, block in blocks.items():
        for port in block.prescribing:
            for source in sources.get((name, port), ()):
                missing, giver = missing_derivatives(blocks, sources, source)
                if missing:
                    what = f"{giver} brings a value without its {' and '.join(missing)}"
                    effect = "no velocity and no effort" if "rate" in missing else "no effort"
                    message = f"the wire {source} -> {name}.{port} prescribes a motion, and {what}"
                    yield name, Problem(f"{message}: it would have {effect}", f".{port}", FIX)


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

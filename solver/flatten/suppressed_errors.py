"""Blocks and ports that wires which cannot be followed may concern: nothing is said of them that this alone causes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from .port_widths import CausalWire


class SuppressedErrors:
    """Names are full ones; a name stands for all blocks inside it too."""

    def __init__(self) -> None:
        self.everything = False  # wires are missing of which not even the blocks are known
        self.blocks: set[str] = set()
        self.ports: set[tuple[str, str]] = set()

    def __bool__(self) -> bool:
        return self.everything or bool(self.blocks or self.ports)

    def add_text(self, text: str, names: Iterable[str], prefix: str = "") -> None:
        """A wire that cannot be read: the blocks that it names, or else any."""
        words = set(re.findall(r"\w+", text))
        meant = words.intersection(names)
        self.blocks |= {prefix + name for name in meant}
        self.everything = self.everything or len(meant) < 2

    def port(self, block: str, port: str) -> bool:
        return (block, port) in self.ports or self.block(block)

    def block(self, name: str) -> bool:
        if self.everything:
            return True
        while name:
            if name in self.blocks:
                return True
            name = name.rpartition(".")[0]
        return False

    def spread(self, blocks: Iterable[str], strands: Sequence[CausalWire]) -> set[str]:
        """The blocks whose widths and units may follow, over any number of wires, from what is unclear."""
        if self.everything:
            return set(blocks)
        beside: dict[str, list[str]] = defaultdict(list)
        for strand in strands:
            beside[strand.source.block].append(strand.target.block)
            beside[strand.target.block].append(strand.source.block)
        touched = {name for name in blocks if self.block(name)} | {name for name, _ in self.ports}
        waiting = [*touched]
        while waiting:
            new = set(beside[waiting.pop()]) - touched
            touched |= new
            waiting += new
        return touched


def owning_block(path: str, blocks: Iterable[str]) -> str:
    """The block that the path of a problem leads into; empty if none does."""
    path = path.removeprefix("blocks.").partition("[")[0]
    known = blocks if isinstance(blocks, dict) else set(blocks)
    while path and path not in known:
        path = path.rpartition(".")[0]
    return path

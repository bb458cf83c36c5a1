"""Mistakes of a netlist, each told once: what another mistake alone may cause is not told."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ...blocks.errors import Problem


class Diagnostics:
    """Problems that were found so far, and the blocks and ports of which none is told.

    A wire that cannot be followed concerns the blocks that it names: they may lack what it was to bring. Names are full
    ones; a name stands for all blocks inside it too.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.everything = False  # wires are missing of which not even the blocks are known
        self.blocks: set[str] = set()
        self.ports: set[tuple[str, str]] = set()
        self.beside: set[str] = set()  # blocks whose widths and units may follow from these

    @property
    def errors(self) -> list[Problem]:
        """Problems with which there is no model; the others are warnings."""
        return [problem for problem in self.problems if problem.severity == "error"]

    def suppress_text(self, text: str, names: Iterable[str], prefix: str = "") -> None:
        """Suppress what a wire that cannot be read may cause: at the blocks that it names, or else at any."""
        words = set(re.findall(r"\w+", text))
        meant = words.intersection(names)
        self.blocks |= {prefix + name for name in meant}
        self.everything = self.everything or len(meant) < 2

    def suppresses_port(self, block: str, port: str) -> bool:
        """True if nothing is told of this port."""
        return (block, port) in self.ports or self.suppresses(block)

    def suppresses(self, name: str) -> bool:
        """True if nothing is told of this block."""
        if self.everything:
            return True
        while name:
            if name in self.blocks:
                return True
            name = name.rpartition(".")[0]
        return False

    def hide(self, path: str) -> bool:
        """True if problems with this path may be kept back: of its block, its port, or widths and units there."""
        name = path.removeprefix("blocks.").partition("[")[0]
        block, _, port = name.rpartition(".")
        known = (block, port) in self.ports or not self.beside.isdisjoint((name, block))
        return known or self.suppresses(name)

    def spread(self, blocks: Iterable[str], wires: Iterable[tuple[str, str]]) -> None:
        """Find the blocks whose widths and units may follow, over any number of wires, from what is suppressed."""
        if not (self.everything or self.blocks or self.ports):
            return
        if self.everything:
            self.beside = set(blocks)
            return
        wired: dict[str, list[str]] = defaultdict(list)
        for a, b in wires:
            wired[a].append(b)
            wired[b].append(a)
        self.beside = {name for name in blocks if self.suppresses(name)} | {name for name, _ in self.ports}
        waiting = [*self.beside]
        while waiting:
            new = set(wired[waiting.pop()]) - self.beside
            self.beside |= new
            waiting += new

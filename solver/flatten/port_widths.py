"""Third pass of the elaboration: widths of ports, which follow from their wires."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem
from ...blocks.ports import ANY
from ..diagram.port_compatibility import width_problem
from ..netlist.wire_syntax import End
from .elaboration import CausalWire, Elaboration

WIDEST = 1000  # elements of a port: each becomes lines of the generated source


def size_ports(made: Elaboration) -> None:
    """Find the width of every causal port, and the blocks beside mistakes, whose widths are not certain."""
    solved = PortWidths(made.blocks, made.wires)
    made.widths = solved.table()
    made.diagnostics.spread(made.blocks, ((wire.source.block, wire.target.block) for wire in made.wires))
    for problem in solved.problems:
        if made.owner(problem.path) not in made.diagnostics.beside:
            made.report_at_block(problem)


class PortWidths:
    """The width of every causal port; the `ANY` ports of one block share one."""

    def __init__(self, blocks: dict[str, Block], wires: Sequence[CausalWire]):
        self.problems: list[Problem] = []
        self.wires = wires
        self.fixed: dict[tuple[str, str], int] = {}
        self.shared: dict[str, int | None] = {}  # by block
        self.owner: dict[tuple[str, str], str] = {}
        for name, block in blocks.items():
            for port_name, port in block.ports().items():
                if port.acausal:
                    continue
                if port.width != ANY:
                    self.fixed[name, port_name] = self._bounded(port.width, name, port_name)
                else:
                    self.owner[name, port_name] = name
                    if name not in self.shared:
                        width = self._by_parameters(block)
                        self.shared[name] = width and self._bounded(width, name, port_name)
        self._joined = self._joints()
        self._propagate([owner for owner, width in self.shared.items() if width is not None])
        self._from_fixed()
        self._propagate(self._by_picks())
        for name, width in self.shared.items():
            if width is None:
                self.shared[name] = 1
                self._propagate([name])
        self._check()

    def _by_parameters(self, block: Block) -> int | None:
        try:
            return block.width()
        except LuffError as error:
            self.problems += [problem.at(path=f"blocks.{block.name}") for problem in error.problems]
            return 1

    def _bounded(self, width: int, block: str, port: str) -> int:
        if width > WIDEST:
            mistake = f"found {width} elements, expected at most {WIDEST}"
            self.problems.append(
                Problem(mistake, f"blocks.{block}", f"{port} is this wide: use several blocks")
            )
        return min(width, WIDEST)

    def of(self, end: End) -> int | None:
        """Number of elements at an end of a wire; None while that is open."""
        return self.port(end) if end.elements is None else len(end.elements)

    def port(self, end: End) -> int | None:
        key = (end.block, end.port)
        return self.fixed[key] if key in self.fixed else self.shared[self.owner[key]]

    def _joints(self) -> dict[str, list[str]]:
        """Blocks with open widths, each with those that its wires make as wide."""
        joints: dict[str, list[str]] = defaultdict(list)
        for wire in self.wires:
            if wire.source.elements is None and wire.target.elements is None:
                a, b = (self.owner.get((end.block, end.port)) for end in (wire.source, wire.target))
                if a is not None and b is not None:
                    joints[a].append(b)
                    joints[b].append(a)
        return joints

    def _from_fixed(self) -> None:
        """Widths of open ports that are wired to ports, or to picks, of a known width."""
        for wire in self.wires:
            for here, there in ((wire.source, wire.target), (wire.target, wire.source)):
                owner = self.owner.get((here.block, here.port))
                open_ = owner is not None and here.elements is None and self.shared[owner] is None
                width = self.of(there) if open_ else None
                if owner is not None and width is not None:
                    self.shared[owner] = width
                    self._propagate([owner])

    def _propagate(self, owners: Iterable[str]) -> None:
        """Carry the widths of these blocks along the wires, as far as widths are open."""
        waiting = list(owners)
        while waiting:
            owner = waiting.pop()
            for other in self._joined.get(owner, ()):
                if self.shared[other] is None:
                    self.shared[other] = self.shared[owner]
                    waiting.append(other)

    def _by_picks(self) -> list[str]:
        """A port that is only ever picked from is as wide as the furthest pick."""
        furthest: dict[str, int] = {}
        for end in self._ends():
            owner = self.owner.get((end.block, end.port))
            if owner and end.elements is not None and self.shared[owner] is None:
                furthest[owner] = max(furthest.get(owner, 0), end.elements[-1] + 1)
        self.shared.update(furthest)
        return list(furthest)

    def _ends(self) -> Iterable[End]:
        for wire in self.wires:
            yield from (wire.source, wire.target)

    def _check(self) -> None:
        for wire in self.wires:
            a, b = self.of(wire.source), self.of(wire.target)
            assert a is not None
            assert b is not None
            problem = width_problem(wire.source, wire.target, a, b)
            for end in (wire.source, wire.target):
                width = self.port(end)
                if end.elements is not None and width is not None and end.elements[-1] >= width:
                    fix = f"elements count from 0 to {width - 1}"
                    problem = Problem(f"has no element [{end.elements[-1]}]", str(end), fix)
            if problem is not None:
                self.problems.append(problem.at(wire.mark))

    def table(self) -> dict[tuple[str, str], int]:
        shared = {key: self.shared[owner] or 1 for key, owner in self.owner.items()}
        return {**self.fixed, **shared}

"""`Elaboration`: the record that the passes of `flatten` fill, one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...blocks.block import Block
from ...blocks.errors import Mark, Problem
from ...blocks.light_dataclass import mutable, record
from ...blocks.multibody_parts import Part, Vec
from ...blocks.text.raw_types import RawMap
from ..diagram.run_settings import InitialSettings, SimulationSettings
from ..diagram.view_section import View
from ..netlist.wire_syntax import End
from .connectivity import Node
from .diagnostics import Diagnostics
from .hierarchy import HierarchyLevel

if TYPE_CHECKING:
    from ..diagram.netlist_document import Netlist


@record
class LeafBond:
    """An acausal connection between two leaf ports."""

    a: End
    b: End
    kind: str
    mark: Mark | None


@record
class CausalWire:
    """A causal wire between two ports of leaf blocks, before its elements are resolved."""

    source: End
    target: End
    kind: str
    mark: Mark | None


@mutable
class Elaboration:
    """A netlist as far as it is elaborated: each pass adds its fields, and its problems to `diagnostics`."""

    diagram: Netlist
    alone: bool  # to be run as it is, not to be used as a block
    top: HierarchyLevel
    settings: RawMap = field(default_factory=dict)  # sections of a run, as written and overridden
    step_is_set: bool = False  # by an override
    blocks: dict[str, Block] = field(default_factory=dict)  # leaves without mistakes, by full name
    bonds: list[LeafBond] = field(default_factory=list)
    wires: list[CausalWire] = field(default_factory=list)
    widths: dict[tuple[str, str], int] = field(default_factory=dict)  # of every causal port
    parts: dict[str, Sequence[Part]] = field(default_factory=dict)  # of the blocks whose parts can be told
    normals: dict[Node, Vec] = field(default_factory=dict)  # of the plane of motion in each frame
    simulation: SimulationSettings | None = None
    initial: InitialSettings | None = None
    view: View | None = None

    @classmethod
    def of(cls, diagram: Netlist, alone: bool = False) -> Elaboration:
        """Elaboration at its beginning."""
        return cls(diagram, alone, HierarchyLevel(diagram, Diagnostics(), chain=diagram.chain()))

    @property
    def diagnostics(self) -> Diagnostics:
        return self.top.diagnostics

    @property
    def whole(self) -> bool:
        """True if no outer netlist completes it."""
        return self.alone or not self.diagram.ports

    def width(self, end: End) -> int:
        """Number of elements of the port at an end of a wire; 1 of a port that has none."""
        return self.widths[end.block, end.port] or 1

    def report_at_block(self, problem: Problem, name: str = "") -> None:
        """Add a problem with the place of a block, by default of the one that its path leads into."""
        name = name or self.owner(problem.path)
        level, inner = self.top.holder_of(name)
        mark = level.mark(f"blocks.{inner}") if name else None
        self.diagnostics.problems.append(problem.at(mark, name))

    def owner(self, path: str) -> str:
        """The block that the path of a problem leads into; empty if none does."""
        path = path.removeprefix("blocks.").partition("[")[0]
        while path and path not in self.blocks:
            path = path.rpartition(".")[0]
        return path

    def report_in_block(self, name: str, problem: Problem) -> None:
        """Add a problem whose path counts within a block."""
        level, inner = self.top.holder_of(name)
        level.report(replace(problem, path=f"blocks.{inner}{problem.path}"))

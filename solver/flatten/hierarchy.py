"""Levels of the nesting: each netlist's parameters, its blocks as instances, and their ports."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ...blocks.block import Block
from ...blocks.errors import LuffError, Mark, Problem, did_you_mean
from ...blocks.expression_scope import CONSEQUENCE, Scope
from ...blocks.ports import Port
from ...blocks.text.did_you_mean import KnownWords
from ...blocks.text.quantity import Quantity
from ...blocks.text.raw_types import Raw, RawMap
from ..diagram.netlist_document import Netlist
from ..diagram.run_settings import SECTIONS
from ..netlist.nested_entries import Path as Steps
from ..netlist.section_structure import section
from ..netlist.wire_syntax import parse_wire
from .diagnostics import Diagnostics


class Source(NamedTuple):
    """Source of a leaf: its class, its entry, and overrides by paths within it."""

    cls: type[Block]
    raw: RawMap
    changes: Mapping[Steps, Raw]


class HierarchyLevel:
    """Level of the nesting, which `instantiate` fills.

    Blocks have full names: `prefix` is empty at the top and `boom.` inside the composite `boom`. `outer` is the level
    around a subsystem in place, which knows the parameters and blocks there by their names.
    """

    def __init__(
        self,
        diagram: Netlist,
        diagnostics: Diagnostics,
        prefix: str = "",
        chain: tuple[Path, ...] = (),
        outer: HierarchyLevel | None = None,
    ):
        self.diagram, self.diagnostics, self.prefix, self.chain = diagram, diagnostics, prefix, chain
        # without it once the diagram differs from its file
        self.document = diagram.read_text()
        self.outer = outer
        self.scope = Scope()
        # parameters and overrides from outside
        self.entry: tuple[Mapping[str, Quantity], Mapping[Steps, Raw]] = {}, {}
        self.input_entries = diagram.inputs if prefix else diagram.all_inputs
        self.leaves: dict[str, Block] = {}
        self.levels: dict[str, HierarchyLevel] = {}
        self.members: list[str] = []  # leaves and levels in the order of the text
        self.ports: dict[str, dict[str, Port]] = {}  # of the leaves
        self.types: dict[str, str] = {}  # of the levels
        self.wrong: dict[str, dict[str, Port]] = {}  # blocks with mistakes, and their ports all the same
        self.certain: set[str] = set()  # of these, those that have these ports and no other
        self.disabled: set[str] = set()
        self.astray: set[str] = set()  # blocks that name others in vain
        self.sources: dict[str, Source] = {}  # what the leaves were made of

    # places of problems

    def report(self, problem: Problem, mark: Mark | None = None) -> None:
        """Add a problem with its place in this netlist's file, and the full name of the block."""
        if problem.message == CONSEQUENCE:
            return  # the parameter itself has been told
        mark = problem.mark or mark or self.mark(problem.path, problem.key)
        path, spare = self.full_path(problem.path), problem.spare and self.full_path(problem.spare)
        self.diagnostics.problems.append(replace(problem, mark=mark, path=path, spare=spare))

    def mark(self, path: str, key: bool = False) -> Mark | None:
        return self.document.mark(path, key) if self.document else None

    def full_path(self, path: str) -> str:
        """`blocks.king.mass` inside `boom` is `blocks.boom.king.mass`."""
        if not self.prefix or not path:
            return path or self.prefix.rstrip(".")
        head, dot, rest = path.partition(".")
        return f"blocks.{self.prefix}{rest}" if dot and head == "blocks" else self.prefix + path

    def report_unknown_override(self, path: Steps, expected: str = "") -> None:
        """Add the problem of an override that leads to nothing."""
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        whole = self.prefix + shown.removeprefix(".")
        block = str(path[-1]) if len(path) == 1 + (path[0] == "blocks") else ""
        if block in self.sources:
            params = self.sources[block].cls.params
            example = next((key for key in params if params[key].required), next(iter(params), ""))
            expected = (
                f"name a parameter of it, such as {block}.{example}" if example else "it has no parameters"
            )
        elif block in SECTIONS and not self.prefix:
            expected = f"name an entry of it, such as {block}.{next(iter(SECTIONS[block].struct.params))}"
        known = [*self.diagram.blocks, *self.diagram.parameters, *SECTIONS]
        fix = expected or did_you_mean(str(path[0]), known)
        message = f'there is nothing named "{whole}" to set'
        self.diagnostics.problems.append(Problem(message, whole, fix, key=True))

    def holder_of(self, name: str) -> tuple[HierarchyLevel, str]:
        """Level in which a block stands, by its name from here, and its name there."""
        level = self
        while "." in name:
            head, _, name = name.partition(".")
            level = level.levels[head]
        return level, name

    # names, and what lies below

    @cached_property
    def names(self) -> set[str]:
        """Names with which a wire here may begin."""
        return {*self.leaves, *self.levels, *self.wrong, *self.disabled, "world"}

    @cached_property
    def known_blocks(self) -> KnownWords:
        return KnownWords(self.names)

    @cached_property
    def known_ports(self) -> KnownWords:
        return KnownWords([*self.diagram.ports, *self.diagram.outputs, *self.input_entries])

    @cached_property
    def driven(self) -> dict[str, set[str]]:
        """Inputs of each block into which a wire leads here, elements aside."""
        inputs: dict[str, set[str]] = {}
        for text in section(self.diagram.data, "connect", list):
            with contextlib.suppress(LuffError):
                wire = parse_wire(str(text))
                if wire.sign == "->" and wire.b.elements is None:
                    inputs.setdefault(wire.b.block, set()).add(wire.b.port)
        return inputs

    @cached_property
    def exposed_as(self) -> dict[str, str]:
        """The names under which inner ports are listed in `ports:`; the first of each."""
        listed = {**self.diagram.ports, **self.diagram.outputs}
        return {str(target): name for name, target in reversed(listed.items())}

    def all_leaves(self) -> dict[str, Block]:
        """Blocks at this level and below, by full name; those of a composite stand where it stands."""
        leaves: dict[str, Block] = {}
        for name in self.members:
            level = self.levels.get(name)
            leaves |= level.all_leaves() if level else {self.prefix + name: self.leaves[name]}
        return leaves

    def disabled_names(self) -> set[str]:
        """Full names of the disabled blocks at this level and below."""
        return {self.prefix + name for name in self.disabled}.union(
            *(level.disabled_names() for level in self.levels.values())
        )

    def faulty_names(self) -> set[str]:
        """Full names of the blocks with mistakes, at this level and below."""
        return {self.prefix + name for name in self.wrong}.union(
            *(level.faulty_names() for level in self.levels.values())
        )

    def certain_ports(self) -> dict[str, dict[str, Port]]:
        """The ports of blocks with mistakes in what has nothing to do with their ports, by full name."""
        ports = {self.prefix + name: self.wrong[name] for name in self.certain}
        for level in self.levels.values():
            ports |= level.certain_ports()
        return ports

    def names_with_unknown_references(self) -> set[str]:
        """Full names of the blocks that name others in vain, at this level and below."""
        return {self.prefix + name for name in self.astray}.union(
            *(level.names_with_unknown_references() for level in self.levels.values())
        )

"""Level of the nesting: parameters of a netlist, its blocks as instances, and its ports."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ...blocks.block import Block
from ...blocks.errors import LuffError, Mark, NetlistError, Problem, did_you_mean
from ...blocks.expression_scope import CONSEQUENCE, Scope
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE, Inputs, convert
from ...blocks.params import Param, convert_all, shown_value
from ...blocks.ports import Port
from ...blocks.registry import own_class
from ...blocks.text.did_you_mean import KnownWords
from ...blocks.text.quantity import Quantity, in_unit, spelled, unit
from ...blocks.text.raw_types import Raw, RawMap
from ..diagram import enabled
from ..diagram.composite_types import CompositeType
from ..diagram.entry_paths import expected_at, set_entry
from ..diagram.netlist_document import Netlist
from ..diagram.partial_ports import declared_ports, is_certain, ports_of_inputs
from ..netlist import deep_copy
from ..netlist.nested_entries import Tree
from .block_code_errors import method_error
from .overrides import Overrides, Steps

MOST_BLOCKS = 200_000  # in all nested netlists together; a short file can ask for any number


class Source(NamedTuple):
    """Source of a leaf: its class, its entry, and overrides by paths within it."""

    cls: type[Block]
    raw: RawMap
    changes: Mapping[Steps, Raw]


class HierarchyLevel:
    """Blocks have full names: `prefix` is empty at the top and `boom.` inside the composite `boom`.

    `outer` is the level around a subsystem in place, which knows the parameters and blocks there by their names.
    """

    def __init__(
        self,
        diagram: Netlist,
        prefix: str,
        chain: tuple[Path, ...],
        report: Callable[[Problem], None],
        given: dict[str, Quantity] | None = None,
        overrides: Overrides | None = None,
        count: Iterator[int] | None = None,
        outer: HierarchyLevel | None = None,
    ):
        self.diagram, self.prefix, self.chain, self._report = diagram, prefix, chain, report
        self._overrides = overrides or Overrides()
        self._count = count or itertools.count(1)
        # without it once the diagram differs from its file
        self.document = diagram.read_text()
        self.in_place = outer is not None
        self.scope = Scope(self._parameters(), given, outer.scope if outer else None)
        self.input_entries = diagram.inputs if prefix else diagram.all_inputs
        self.leaves: dict[str, Block] = {}
        self.levels: dict[str, HierarchyLevel] = {}
        self._members: list[str] = []  # leaves and levels in the order of the text
        self.ports: dict[str, dict[str, Port]] = {}  # of the leaves
        self.types: dict[str, str] = {}  # of the levels
        self.wrong: dict[str, dict[str, Port]] = {}  # blocks with mistakes, and their ports all the same
        self.certain: set[str] = set()  # of these, those that have these ports and no other
        self.out: set[str] = set()  # blocks that are out of effect
        self.astray: set[str] = set()  # blocks that name others in vain
        self.sources: dict[str, Source] = {}  # what the leaves were made of
        for problem in self.scope.problems():
            self.report(problem)
        self._blocks()
        if not self.in_place:
            self._look_up({}, set())
        for path in self._overrides.left:
            self.unknown_override_problem(path)

    # reporting

    def report(self, problem: Problem, mark: Mark | None = None) -> None:
        """Fill in the place in this netlist's file, and the full name of the block."""
        if problem.message == CONSEQUENCE:
            return  # the parameter itself has been told
        mark = problem.mark or mark or self.mark(problem.path, problem.key)
        self._report(replace(problem, mark=mark, path=self.full_path(problem.path)))

    def mark(self, path: str, key: bool = False) -> Mark | None:
        return self.document.mark(path, key) if self.document else None

    def full_path(self, path: str) -> str:
        """`blocks.king.mass` inside `boom` is `blocks.boom.king.mass`."""
        if not self.prefix or not path:
            return path or self.prefix.rstrip(".")
        head, dot, rest = path.partition(".")
        return f"blocks.{self.prefix}{rest}" if dot and head == "blocks" else self.prefix + path

    def unknown_override_problem(self, path: Steps, fix: str = "") -> None:
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
        known = [*self.diagram.blocks, *self.diagram.parameters, "simulation", "initial"]
        fix = fix or did_you_mean(str(path[0]), known)
        self._report(
            Problem(f'there is nothing named "{self.prefix}{shown}" to set', f"{self.prefix}{shown}", fix)
        )

    # parameters and blocks

    def _parameters(self) -> RawMap:
        """Section `parameters:` with overrides."""
        parameters = dict(self.diagram.parameters)
        for name in self.diagram.parameters:
            for raw in self._overrides.of_parameter(name):
                parameters[name] = self._with_si_unit(name, raw)
        return parameters

    def _with_si_unit(self, name: str, raw: Raw) -> Raw:
        """A bare number for a parameter that has a unit is that number of SI units, also inside expressions."""
        try:
            number = Scope({}).quantity(raw)
            declared = self.diagram.scope(defaults=True).parameter(name)
        except LuffError:
            return raw  # an expression, or wrong and told where it is used
        if number.dimension is not None or not declared.dimension:
            return raw
        return f"{number.value!r} {spelled(declared.dimension)}".rstrip()

    def _blocks(self) -> None:  # noqa: C901  # one case for each kind of entry
        code_refused = False
        try:
            self.diagram.run_code()
        except LuffError as error:
            code_refused = True
            for problem in error.problems:
                self.report(problem)
        for name in self.diagram.broken:
            self.wrong[name] = {}
        if not self.prefix:
            self._check_world(self.diagram.blocks.get("world", {}))
            self._leaf("world", own_class("world"), self.diagram.blocks.get("world", {}))
        elif "world" in self.diagram.blocks:
            message = "a nested netlist cannot change the world: the outermost one does"
            self.report(Problem(message, "blocks.world", severity="warning"))
        if self.input_entries:
            self._inputs()
        for name, raw in self.diagram.blocks.items():
            if name == "world" or name in self.wrong or self._is_disabled(name, raw):
                continue
            if next(self._count) > MOST_BLOCKS:
                message = f"more than {MOST_BLOCKS} blocks, counting those of nested netlists"
                raise NetlistError(
                    Problem(message, f"blocks.{self.prefix}{name}", mark=self.mark(f"blocks.{name}"))
                )
            try:
                cls = self.diagram.block_class(name, self.chain)
            except LuffError as error:
                self.wrong[name] = {}
                where = f"blocks.{name}.type" if "type" in raw else f"blocks.{name}"
                # a type that refused code would have defined is no further mistake
                for problem in [] if code_refused and "no block type" in str(error) else error.problems:
                    self.report(problem.at(path=where))
                self._overrides.of_block(name)
                continue
            if isinstance(cls, CompositeType):
                self._composite(name, cls, raw)
            else:
                self._leaf(name, cls, raw)

    def _is_disabled(self, name: str, raw: RawMap) -> bool:
        """True if a block is disabled; overrides count."""
        for value in self._overrides.of_entry(name, enabled.KEY):
            raw = {**raw, enabled.KEY: value}
        problem = enabled.enabled_problem(raw.get(enabled.KEY, True), f"blocks.{name}")
        if problem:
            self.report(problem)
        if enabled.is_enabled(raw):
            return False
        self._overrides.of_block(name)
        self.out.add(name)
        return True

    def _check_world(self, raw: RawMap) -> None:
        if enabled.KEY in raw:
            fix = "write gravity: [0, 0, 0] where there shall be none"
            self.report(
                Problem("the world is always in effect", f"blocks.world.{enabled.KEY}", fix, key=True)
            )
        kind = raw.get("type", "world")
        if kind != "world":
            fix = "remove the type, or choose another name"
            self.report(
                Problem(f"found the type {kind!r}, but the world always exists", "blocks.world.type", fix)
            )

    def _inputs(self) -> None:
        """The block `inputs`: a source at the top, the ports that the outer netlist wires below it."""
        raw = {name: deep_copy(entry) for name, entry in self.input_entries.items()}
        tree = Tree(raw)
        for path, value in self._overrides.of_block(INPUTS).items():
            if path[0] in raw:
                tree.set(path, deep_copy(value))
            else:
                self.unknown_override_problem((INPUTS, *path))
        try:
            block = Inputs(self.prefix + INPUTS, convert(raw, self.scope))
        except LuffError as error:
            self.wrong[INPUTS] = ports_of_inputs(self.input_entries, self.scope)
            for problem in error.problems:
                self.report(problem)
            return
        feeds = {} if self.prefix else self.diagram.feeds
        block.wired = frozenset(raw if self.prefix else feeds)
        self.leaves[INPUTS], self.ports[INPUTS] = block, block.ports()
        self._members.append(INPUTS)
        for name, table in feeds.items():
            self._leaf(name + OUTSIDE, own_class("table"), table)

    def remake_leaf(self, name: str, changes: Mapping[Steps, Raw]) -> Block:
        """Make a leaf with other raw values, by their paths within it; LuffError if they are wrong."""
        (cls, raw, known), old = self.sources[name], self.leaves[name]
        changes, keys = {**known, **changes}, {str(path[0]) for path in changes}
        if all(type(param).beside is Param.beside for param in cls.params.values()):
            # no parameter looks at its neighbours: the others have the values that they had
            changes = {path: value for path, value in changes.items() if path[0] in keys}
            params = {key: param for key, param in cls.params.items() if key in keys}
            own = self._raw(name, cls, {key: raw[key] for key in keys if key in raw}, changes)
            values = {**old.values, **convert_all(params, own, self.scope, f"blocks.{name}", cls.type_name)}
            block = self._made(cls, old.name, values, old.given | own.keys())
        else:
            own = self._raw(name, cls, raw, changes)
            values = convert_all(cls.params, own, self.scope, f"blocks.{name}", cls.type_name)
            block = self._made(cls, old.name, values, frozenset(own))
        errors = [problem for problem in block.check() if problem.severity == "error"]
        if errors:
            raise LuffError(errors)
        block.bound = old.bound
        for attribute in cls.found:
            setattr(block, attribute, getattr(old, attribute))
        return block

    def _raw(self, name: str, cls: type[Block], raw: RawMap, changes: Mapping[Steps, Raw]) -> RawMap:
        """Entry of a leaf with overrides."""
        raw = {key: deep_copy(value) for key, value in enabled.parameters_of(raw).items()}
        tree = Tree(raw)
        for path, value in changes.items():
            if len(path) == 1 and isinstance(path[0], str):
                raw[path[0]] = deep_copy(value) if isinstance(value, list | dict) else value
                continue
            try:
                set_entry(tree, (), cls.params, path, deep_copy(value))
            except LookupError:
                self.unknown_override_problem((name, *path), expected_at(cls.params, path))
        return raw

    def _made(self, cls: type[Block], name: str, values: dict[str, object], given: frozenset[str]) -> Block:
        block = cls(name, values, given)
        block.folder, block.files = self.diagram.base or Path(), self.diagram.files
        block.allow_code = self.diagram.allow_code
        return block

    def _leaf(self, name: str, cls: type[Block], raw: RawMap) -> None:
        source = self.sources[name] = Source(cls, raw, self._overrides.of_block(name))
        raw, path = self._raw(name, *source), f"blocks.{name}"
        try:
            values = convert_all(cls.params, raw, self.scope, path, f"{cls.type_name}")
            block = self._made(cls, self.prefix + name, values, frozenset(raw))
            ports, mistakes = block.ports(), list(block.check())
        except LuffError as error:
            self.wrong[name] = declared_ports(cls, name, raw, self.scope, self.diagram.base or Path())
            problems = [problem.at(path=path) for problem in error.problems]
            if is_certain(cls, raw, problems, path):
                self.certain.add(name)
            for problem in problems:
                self.report(problem)
            return
        except Exception as error:
            problem_of_code = method_error(error)
            if problem_of_code is None:
                raise
            self.wrong[name] = {}
            self.report(replace(problem_of_code, path=path))
            return
        for problem in mistakes:
            self.report(replace(problem, path=path + problem.path))
        if any(problem.severity == "error" for problem in mistakes):
            self.wrong[name] = ports
            self.certain.add(name)
        else:
            self.leaves[name], self.ports[name] = block, ports
            self._members.append(name)

    def _look_up(self, around: Mapping[str, Block], wrong_around: set[str]) -> None:
        """Resolve the blocks that parameters name: here and below, in a subsystem in place also those around it."""
        own = {name.removeprefix(self.prefix): block for name, block in self.all_leaves().items()}
        heads = {name.partition(".")[0] for name in own}
        known = {name: block for name, block in around.items() if name.partition(".")[0] not in heads} | own
        wrong = wrong_around | {name.removeprefix(self.prefix) for name in self.faulty_names()}
        for level in self.levels.values():
            if level.in_place:
                level._look_up(known, wrong)
        for name, block in self.leaves.items():
            mistakes = list(block.look_up(known))
            for problem in mistakes:
                if problem.severity == "error":
                    self.astray.add(name)
                if not wrong.intersection(re.findall(r'"([\w.]+)"', problem.message)):
                    self.report(replace(problem, path=f"blocks.{name}{problem.path}"))
            self.ports[name] = block.ports()

    def _composite(self, name: str, cls: CompositeType, raw: RawMap) -> None:
        diagram = cls.diagram
        assert isinstance(diagram, Netlist)  # opened by one
        raw = enabled.parameters_of(raw)
        inner: dict[Steps, Raw] = {}
        for key in [key for key in raw if key in diagram.blocks and key not in cls.params]:
            value = raw.pop(key)
            if isinstance(value, dict):
                inner |= _below(key, value)
            else:
                mistake = f"found {shown_value(value)}, expected what is set of the block {key}, such as {{mass: 2 kg}}"
                self.report(Problem(mistake, f"blocks.{name}.{key}"))
        for path, value in self._overrides.of_block(name).items():
            if len(path) == 1 and path[0] in cls.params:
                raw[str(path[0])] = value
            else:
                inner[path] = value
        given: dict[str, Quantity] = {}
        for key, value in raw.items():
            path = f"blocks.{name}.{key}"
            param = cls.params.get(key)
            if param is None:
                fix = did_you_mean(key, [*cls.params, *diagram.blocks])
                mistake = f'{cls.type_name} has no parameter or block "{key}"'
                self.report(Problem(mistake, path, fix, key=True))
                continue
            try:
                given[key] = self._given(value, param.unit)
            except LuffError as error:
                for problem in error.problems:
                    self.report(problem.at(path=path))
        self.types[name] = cls.type_name
        self.levels[name] = HierarchyLevel(
            diagram,
            f"{self.prefix}{name}.",
            cls.chain,
            self._report,
            given,
            Overrides(inner),
            self._count,
            self if cls.in_place else None,
        )
        self._members.append(name)

    def _given(self, raw: Raw, wanted: str) -> Quantity:
        quantity = self.scope.quantity(raw)
        if not wanted:
            return quantity
        value = in_unit(quantity, wanted, repr(raw) if isinstance(raw, str) else str(raw))
        return Quantity(value, unit(wanted).dimension)

    # names, and what lies below

    @cached_property
    def names(self) -> set[str]:
        """Names with which a wire here may begin."""
        return {*self.leaves, *self.levels, *self.wrong, *self.out, "world"}

    @cached_property
    def known_blocks(self) -> KnownWords:
        return KnownWords(self.names)

    @cached_property
    def known_ports(self) -> KnownWords:
        return KnownWords([*self.diagram.ports, *self.diagram.outputs, *self.input_entries])

    @cached_property
    def exposed_as(self) -> dict[str, str]:
        """The names under which inner ports are listed in `ports:`; the first of each."""
        listed = {**self.diagram.ports, **self.diagram.outputs}
        return {str(target): name for name, target in reversed(listed.items())}

    def all_leaves(self) -> dict[str, Block]:
        """Blocks at this level and below, by full name; those of a composite stand where it stands."""
        leaves: dict[str, Block] = {}
        for name in self._members:
            level = self.levels.get(name)
            leaves |= level.all_leaves() if level else {self.prefix + name: self.leaves[name]}
        return leaves

    def disabled_names(self) -> set[str]:
        """Full names of the disabled blocks at this level and below."""
        return {self.prefix + name for name in self.out}.union(
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


def _below(name: str, raw: RawMap) -> dict[Steps, Raw]:
    """Values in a composite's entry for a block of it, by paths as from outside: `{locked: true}` is body.locked."""
    found: dict[Steps, Raw] = {}
    waiting: list[tuple[Steps, Raw]] = [((name,), raw)]
    while waiting:
        path, value = waiting.pop(0)
        if isinstance(value, dict) and value:
            waiting += [((*path, key), below) for key, below in value.items()]
        else:
            found[path] = value
    return found

"""First pass of the elaboration: parameters of each level, its types, its blocks as instances, and their ports.

Here overrides are written over entries; all that follows reads what the netlist says with them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ...blocks.block import Block
from ...blocks.errors import LuffError, NetlistError, Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE, Inputs, convert
from ...blocks.params import Param, convert_all, shown_value
from ...blocks.registry import own_class
from ...blocks.text.quantity import Quantity, in_unit, spelled, unit
from ...blocks.text.raw_types import Raw, RawMap
from ..diagram import enabled, run_settings
from ..diagram.composite_types import CompositeType
from ..diagram.entry_paths import overridden
from ..diagram.netlist_document import Netlist
from ..diagram.partial_ports import declared_ports, is_certain, ports_of_inputs
from .block_code_errors import method_error
from .elaboration import Elaboration
from .hierarchy import HierarchyLevel, Source
from .overrides import Overrides, Steps

MOST_BLOCKS = 200_000  # in all nested netlists together; a short file can ask for any number


def instantiate(
    made: Elaboration, overrides: Mapping[str, object], before: HierarchyLevel | None = None
) -> None:
    """Write overrides over the entries of a netlist, and make its blocks of them.

    Blocks of `before`, the outermost level with other overrides, are taken where nothing that they are made of differs.
    """
    top, diagram = made.top, made.diagram
    known = Overrides.parsed(top, overrides)
    sections: RawMap = {"simulation": diagram.simulation, "initial": diagram.initial}
    made.settings = _overridden(top, sections, run_settings.SECTIONS, known.sections)
    made.step_is_set = ("simulation", "step") in known.sections
    _fill(top, known, {}, itertools.count(1), before)
    made.blocks = top.all_leaves()


def _fill(
    level: HierarchyLevel,
    overrides: Overrides,
    given: Mapping[str, Quantity],
    count: Iterator[int],
    before: HierarchyLevel | None,
) -> None:
    """Fill a level and those below it; `given` are the parameters of its composite's entry."""
    outer = level.outer
    level.scope = Scope(_parameters(level.diagram, overrides), given, outer.scope if outer else None)
    for problem in level.scope.problems():
        level.report(problem)
    refused = _code_is_refused(level)
    for name in level.diagram.broken:
        level.wrong[name] = {}
    _world(level, overrides, before)
    if level.input_entries:
        _inputs(level, overrides)
    _blocks(level, overrides, refused, count, before)
    if outer is None:
        _look_up(level, {}, set())
    for path in overrides.unknown:
        level.report_unknown_override(path)


def _code_is_refused(level: HierarchyLevel) -> bool:
    """Run the Python files that the netlist lists; True if that failed."""
    try:
        level.diagram.run_code()
    except LuffError as error:
        for problem in error.problems:
            level.report(problem)
        return True
    return False


def _parameters(diagram: Netlist, overrides: Overrides) -> RawMap:
    """Section `parameters:` with overrides."""
    given = {name: _with_si_unit(diagram, name, raw) for name, raw in overrides.parameters.items()}
    return {**diagram.parameters, **given}


def _with_si_unit(diagram: Netlist, name: str, raw: Raw) -> Raw:
    """A bare number for a parameter that has a unit is that number of SI units, also inside expressions."""
    try:
        number = Scope({}).quantity(raw)
        declared = diagram.scope(defaults=True).parameter(name)
    except LuffError:
        return raw  # an expression, or wrong and told where it is used
    if number.dimension is not None or not declared.dimension:
        return raw
    return f"{number.value!r} {spelled(declared.dimension)}".rstrip()


def _blocks(
    level: HierarchyLevel,
    overrides: Overrides,
    code_refused: bool,
    count: Iterator[int],
    before: HierarchyLevel | None,
) -> None:
    for name, raw in level.diagram.blocks.items():
        changes = overrides.blocks.get(name, {})
        if name == "world" or name in level.wrong or _is_disabled(level, name, raw, changes):
            continue
        if next(count) > MOST_BLOCKS:
            message = f"more than {MOST_BLOCKS} blocks, counting those of nested netlists"
            raise NetlistError(
                Problem(message, f"blocks.{level.prefix}{name}", mark=level.mark(f"blocks.{name}"))
            )
        try:
            cls = level.diagram.block_class(name, level.chain)
        except LuffError as error:
            level.wrong[name] = {}
            where = f"blocks.{name}.type" if "type" in raw else f"blocks.{name}"
            # a type that refused code would have defined is no further mistake
            for problem in [] if code_refused and "no block type" in str(error) else error.problems:
                level.report(problem.at(path=where))
            continue
        if isinstance(cls, CompositeType):
            _composite(level, name, cls, raw, changes, count, before)
        else:
            _leaf(level, name, Source(cls, raw, changes), before)


def _is_disabled(level: HierarchyLevel, name: str, raw: RawMap, changes: dict[Steps, Raw]) -> bool:
    """True if a block is disabled; an override of that counts, and is none of a parameter."""
    value = changes.pop((enabled.KEY,), raw.get(enabled.KEY, True))
    problem = enabled.enabled_problem(value, f"blocks.{name}")
    if problem:
        level.report(problem)
    if value is not False:
        return False
    level.disabled.add(name)
    return True


def _world(level: HierarchyLevel, overrides: Overrides, before: HierarchyLevel | None) -> None:
    """The block `world`, which the outermost netlist always has."""
    raw = level.diagram.blocks.get("world", {})
    if level.prefix:
        if "world" in level.diagram.blocks:
            message = "a nested netlist cannot change the world: the outermost one does"
            level.report(Problem(message, "blocks.world", severity="warning"))
        return
    if enabled.KEY in raw:
        fix = "write gravity: [0, 0, 0] where there shall be none"
        level.report(Problem("the world is always in effect", f"blocks.world.{enabled.KEY}", fix, key=True))
    kind = raw.get("type", "world")
    if kind != "world":
        fix = "remove the type, or choose another name"
        level.report(
            Problem(f"found the type {kind!r}, but the world always exists", "blocks.world.type", fix)
        )
    _leaf(level, "world", Source(own_class("world"), raw, overrides.blocks.get("world", {})), before)


def _inputs(level: HierarchyLevel, overrides: Overrides) -> None:
    """The block `inputs`: a source at the top, the ports that the outer netlist wires below it."""
    raw = _overridden(level, level.input_entries, {}, overrides.blocks.get(INPUTS, {}), (INPUTS,))
    try:
        block = Inputs(level.prefix + INPUTS, convert(raw, level.scope))
    except LuffError as error:
        level.wrong[INPUTS] = ports_of_inputs(level.input_entries, level.scope)
        for problem in error.problems:
            level.report(problem)
        return
    feeds = {} if level.prefix else level.diagram.feeds
    block.wired = frozenset(raw if level.prefix else feeds)
    level.leaves[INPUTS], level.ports[INPUTS] = block, block.ports()
    level.members.append(INPUTS)
    for name, table in feeds.items():
        table_name = name + OUTSIDE
        _leaf(level, table_name, Source(own_class("table"), table, overrides.blocks.get(table_name, {})))


# leaves


def expressed(raw: object) -> bool:
    """True if an entry may hold an expression."""
    if isinstance(raw, Mapping):
        return any(map(expressed, raw.values()))
    if isinstance(raw, list | tuple):
        return any(map(expressed, raw))
    return isinstance(raw, str) and "=" in raw


def _leaf_before(before: HierarchyLevel | None, name: str, source: Source) -> Block | None:
    """The block of a name as it was; None where its entry differs, has expressions, or where it names other blocks."""
    block = before.leaves.get(name) if before is not None else None
    if before is None or block is None or before.sources.get(name) != source:
        return None
    alone = type(block).look_up is Block.look_up and not block.bound
    return block if alone and not expressed(source.raw) and not expressed(source.changes) else None


def _leaf(level: HierarchyLevel, name: str, source: Source, before: HierarchyLevel | None = None) -> None:
    level.sources[name] = source
    known = _leaf_before(before, name, source)
    if known is not None:
        level.leaves[name], level.ports[name] = known, known.ports()
        level.members.append(name)
        return
    cls, path, raw = source.cls, f"blocks.{name}", _entry(level, name, source)
    try:
        values = convert_all(cls.params, raw, level.scope, path, cls.type_name)
        block = _made(level, cls, level.prefix + name, values, frozenset(raw))
        ports, mistakes = block.ports(), list(block.check())
    except LuffError as error:
        level.wrong[name] = declared_ports(cls, name, raw, level.scope, level.diagram.base or Path())
        problems = [problem.at(path=path) for problem in error.problems]
        if is_certain(cls, raw, problems, path):
            level.certain.add(name)
        for problem in problems:
            level.report(problem)
        return
    except Exception as error:
        problem_of_code = method_error(error)
        if problem_of_code is None:
            raise
        level.wrong[name] = {}
        level.report(replace(problem_of_code, path=path))
        return
    for problem in mistakes:
        level.report(replace(problem, path=path + problem.path))
    if any(problem.severity == "error" for problem in mistakes):
        level.wrong[name] = ports
        level.certain.add(name)
    else:
        level.leaves[name], level.ports[name] = block, ports
        level.members.append(name)


def remake_leaf(level: HierarchyLevel, name: str, changes: Mapping[Steps, Raw]) -> Block:
    """Make a leaf with other raw values, by their paths within it; LuffError if they are wrong."""
    (cls, raw, known), old = level.sources[name], level.leaves[name]
    changes, keys = {**known, **changes}, {str(path[0]) for path in changes}
    if all(type(param).beside is Param.beside for param in cls.params.values()):
        # no parameter looks at its neighbours: the others have the values that they had
        changes = {path: value for path, value in changes.items() if path[0] in keys}
        params = {key: param for key, param in cls.params.items() if key in keys}
        own = _entry(level, name, Source(cls, {key: raw[key] for key in keys if key in raw}, changes))
        values = {**old.values, **convert_all(params, own, level.scope, f"blocks.{name}", cls.type_name)}
        block = _made(level, cls, old.name, values, old.given | own.keys())
    else:
        own = _entry(level, name, Source(cls, raw, changes))
        values = convert_all(cls.params, own, level.scope, f"blocks.{name}", cls.type_name)
        block = _made(level, cls, old.name, values, frozenset(own))
    errors = [problem for problem in block.check() if problem.severity == "error"]
    if errors:
        raise LuffError(errors)
    block.bound = old.bound
    for attribute in cls.found:
        setattr(block, attribute, getattr(old, attribute))
    return block


def _entry(level: HierarchyLevel, name: str, source: Source) -> RawMap:
    """Entry of a leaf with overrides."""
    return _overridden(level, enabled.parameters_of(source.raw), source.cls.params, source.changes, (name,))


def _overridden(
    level: HierarchyLevel,
    raw: RawMap,
    params: Mapping[str, Param],
    changes: Mapping[Steps, Raw],
    head: Steps = (),
) -> RawMap:
    """Copy of the entry at `head`, with overrides by their paths within it."""
    raw, unknown = overridden(raw, params, changes)
    for path, expected in unknown.items():
        level.report_unknown_override((*head, *path), expected)
    return raw


def _made(
    level: HierarchyLevel, cls: type[Block], name: str, values: dict[str, object], given: frozenset[str]
) -> Block:
    diagram, block = level.diagram, cls(name, values, given)
    block.folder, block.files = diagram.base or Path(), diagram.files
    block.allow_code = diagram.allow_code
    return block


def _look_up(level: HierarchyLevel, around: Mapping[str, Block], wrong_around: set[str]) -> None:
    """Resolve the blocks that parameters name: here and below, in a subsystem in place also those around it."""
    own = {name.removeprefix(level.prefix): block for name, block in level.all_leaves().items()}
    heads = {name.partition(".")[0] for name in own}
    known = {name: block for name, block in around.items() if name.partition(".")[0] not in heads} | own
    wrong = wrong_around | {name.removeprefix(level.prefix) for name in level.faulty_names()}
    for inner in level.levels.values():
        if inner.outer is not None:
            _look_up(inner, known, wrong)
    for name, block in level.leaves.items():
        for problem in block.look_up(known):
            if problem.severity == "error":
                level.astray.add(name)
            if not wrong.intersection(re.findall(r'"([\w.]+)"', problem.message)):
                level.report(replace(problem, path=f"blocks.{name}{problem.path}"))
        level.ports[name] = block.ports()


# composites


def _composite(
    level: HierarchyLevel,
    name: str,
    cls: CompositeType,
    raw: RawMap,
    changes: Mapping[Steps, Raw],
    count: Iterator[int],
    before: HierarchyLevel | None,
) -> None:
    diagram = cls.diagram
    assert isinstance(diagram, Netlist)  # opened by one
    raw = enabled.parameters_of(raw)
    below: dict[Steps, Raw] = {}
    for key in [key for key in raw if key in diagram.blocks and key not in cls.params]:
        value = raw.pop(key)
        if isinstance(value, dict):
            below |= _paths_below(key, value)
        else:
            mistake = (
                f"found {shown_value(value)}, expected what is set of the block {key}, such as {{mass: 2 kg}}"
            )
            level.report(Problem(mistake, f"blocks.{name}.{key}"))
    for path, value in changes.items():
        if len(path) == 1 and path[0] in cls.params:
            raw[str(path[0])] = value
        else:
            below[path] = value
    given: dict[str, Quantity] = {}
    for key, value in raw.items():
        path = f"blocks.{name}.{key}"
        param = cls.params.get(key)
        if param is None:
            fix = did_you_mean(key, [*cls.params, *diagram.blocks])
            mistake = f'{cls.type_name} has no parameter or block "{key}"'
            level.report(Problem(mistake, path, fix, key=True, spare=path))
            continue
        try:
            given[key] = _argument(level, value, param.unit)
        except LuffError as error:
            for problem in error.problems:
                level.report(problem.at(path=path))
    old = before.levels.get(name) if before is not None else None
    old = old if old is not None and old.diagram is diagram else None
    if old is not None and not cls.in_place and old.entry == (given, below):
        inner = old
    else:
        inner = HierarchyLevel(
            diagram, level.diagnostics, f"{level.prefix}{name}.", cls.chain, level if cls.in_place else None
        )
        inner.entry = given, below
        _fill(inner, Overrides.of(inner, below), given, count, old)
    level.types[name], level.levels[name] = cls.type_name, inner
    level.members.append(name)


def _argument(level: HierarchyLevel, raw: Raw, wanted: str) -> Quantity:
    """Value of a composite's parameter, evaluated where the composite stands."""
    quantity = level.scope.quantity(raw)
    if not wanted:
        return quantity
    value = in_unit(quantity, wanted, repr(raw) if isinstance(raw, str) else str(raw))
    return Quantity(value, unit(wanted).dimension)


def _paths_below(name: str, raw: RawMap) -> dict[Steps, Raw]:
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

"""Parameters: programs that differ in numbers share a form, and all that follows from it.

With new values the netlist is elaborated again for the blocks concerned. The *form* of a block is all that it declares
without its numbers: ports, widths, sizes, functions with what they close over, parts with places and axes, and where
there is mass. The *numbers* are the floats whose places follow from forms: parameters, first states, memories, rows of
the model. If all forms are equal, the numbers are written to these places, and a first state that depends on them is
found anew. Another form is compiled as a new program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from threading import Lock
from typing import NamedTuple

import numpy as np

from ...blocks.block import Block
from ...blocks.errors import LuffError
from ...blocks.external_block import ContinuousBlock, ExternalBlock
from ...blocks.multibody_parts import AtRest, InverseDynamics, Part
from ...blocks.netlist_inputs import Inputs
from ...blocks.stop_conditions import Conditions
from ..diagram.netlist_document import Netlist
from ..flatten.block_code_errors import method_error
from ..flatten.flatten import Flat
from ..flatten.leaf_blocks import LeafBlocks
from ..flatten.value_form import bits, exactly, without_numbers
from ..initial.initial_state import masses_of, with_numbers
from ..kernels.model_data import Model
from ..mechanism.components import Component
from ..mechanism.mechanism import Mechanism
from ..mechanism.model_packing import PartNumbers, Split, copy, split
from ..program.closure_capture import content_of
from ..program.initial_pressures import cylinders_without_pressure
from ..program.planar_loads import SCALE, held_scale
from ..program.program import Program
from ..program.signal_operations import FirstValues, elements_of, first_values, period_of, spread_value
from ..program.started_program import Started, all_notes, fed_blocks, linked_at_start, start_program, started
from ..program.work_space import Slots
from ..program.work_space_values import InitialSections

# fields of a flat netlist that belong to its form, beside the blocks
BETWEEN = (
    "name", "bonds", "wires", "widths", "units", "normals", "initial", "simulation", "record", "plots", "outputs",
)  # fmt: skip
SETTLED = (Inputs, Conditions, ExternalBlock, ContinuousBlock)  # blocks whose numbers belong to the form
FORMS = 4  # forms kept for one netlist text


class BlockDeclarations(NamedTuple):
    """Declarations of a block, split into form and numbers."""

    form: object
    first: FirstValues
    parts: list[Part]
    splits: list[Split]


def declarations_of(block: Block, flat: Flat) -> BlockDeclarations:
    """Form and numbers of a block: all that a program is made of."""
    ports, formula, parts = block.ports(), block.formula(), flat.parts_of(block)
    splits = [split(part) for part in parts]
    functions = block.instance_functions()
    first = FirstValues({}, {}, {})
    if functions or formula:  # else the block has no run-time code
        first = first_values(block, elements_of(block, ports, flat.widths), flat.simulation.step)
    first.params.update(gains_of(block, parts))
    form = (
        identity_of(block),
        [(name, port, repr(port.default)) for name, port in ports.items()],
        formula and (ast.dump(formula.tree), formula.numbers),
        [(role, content_of(function)) for role, function in functions.items()],
        (block.states, block.memories, block.repeats, block.stand_ins, block.across_ports, block.prescribing),
        (block.routes(), block.internal_wires(), block.words_of_crossings()),
        (block.sampled(), block.width(), block.elementwise(), block.follows),
        feedthrough_of(block, flat),
        [(name, len(values)) for name, values in first.params.items()],
        [(name, *count_of(values)) for some in first[1:] for name, values in some.items()],
        [part.form for part in splits],
    )
    return BlockDeclarations(form, first, parts, splits)


def identity_of(block: Block) -> tuple[object, ...]:
    """Identity of a block: class, name, and the files and code it may use."""
    return type(block), block.name, block.folder, block.files, block.allow_code


def alike(a: Block, b: Block) -> bool:
    """True if two blocks are given the same values except for numbers, of which none is lent to another block."""
    settled = [*a.values] if isinstance(a, SETTLED) else a.lent if a.bound else ()

    def part(key: str, value: object) -> object:
        return exactly(value) if key in settled else without_numbers(value, [])

    return [*a.values] == [*b.values] and all(
        value is b.values[key] or part(key, value) == part(key, b.values[key])
        for key, value in a.values.items()
    )


def values_of(block: Block) -> object:
    """Identity and all values of a block, to the last bit."""
    return identity_of(block), block.given, exactly(block.values)


def count_of(values: tuple[int, list[float]]) -> tuple[int, int]:
    """Width and number of values."""
    return values[0], len(values[1])


def gains_of(block: Block, parts: Iterable[Part]) -> dict[str, list[float]]:
    """Gains kp, kd of an inverse-dynamics controller."""
    for part in parts:
        if isinstance(part, InverseDynamics) and part.target:
            return {name: spread_value(block.values[name], len(part.drives)) for name in ("kp", "kd")}
    return {}


def feedthrough_of(block: Block, flat: Flat) -> list[bool]:
    """Feed-through of each output and input pair, where the block overrides it."""
    if type(block).feedthrough is Block.feedthrough:
        return []
    ports = block.ports()
    ends = [
        (name, k)
        for name, port in ports.items()
        for k in range(flat.widths.get((block.name, name), port.width) or 1)
    ]
    outputs, inputs = (
        [end for end in ends if (ports[end[0]].direction == "in") is way] for way in (False, True)
    )
    return [block.feedthrough(*output, *given) for output, given in product(outputs, inputs)]


class Parameters:
    """Numbers of a program, which other numbers of equal form may replace."""

    def __init__(self, program: Started, front: LeafBlocks | None = None):
        self.program, self._front = program, front
        self._said: dict[str, tuple[Block, BlockDeclarations]] = {}  # with the block of each
        self._told = dict(self._said)  # of the blocks that were changed last
        self._values: dict[str, object] = {}
        self._fed: set[str] | None = None
        self._linked = False  # whether a first state hangs on another mechanism
        # as it was read: the files may be others when a block is asked again
        self._reads = {name: [*block.reads()] for name, block in program.flat.blocks.items()}

    # --- the front -----------------------------------------------------------------------------------------------

    def of(self, flat: Flat) -> Started | None:
        """Started program of a netlist with other values, or None if its form differs."""
        blocks, before = flat.blocks, self.program.flat.blocks
        if [*before] != [*blocks] or any(
            getattr(self.program.flat, name) != getattr(flat, name) for name in BETWEEN
        ):
            return None
        for name, block in blocks.items():
            old = before[name]
            if identity_of(old) != identity_of(block) or self._reads[name] != [*block.reads()]:
                return None
            if isinstance(block, ExternalBlock | ContinuousBlock):
                return None  # their operations hold the block itself
        changed = {name: block for name, block in blocks.items() if block.bound or self._differs(name, block)}
        with flat.telling_places():
            made = self._renumbered(changed, flat)
            if made is not None:
                with np.errstate(all="ignore"):
                    made.notes = all_notes(made, made.starts)
        return made

    def with_values(
        self,
        diagram: Netlist,
        overrides: Mapping[str, object],
        changes: Mapping[str, object],
        begun: bool = True,
    ) -> Started | None:
        """Started program with changed parameters, warnings and notes unchanged; None if the form differs.

        None also where the values are refused: elaborating the netlist then gives the error. Unless `begun`, the first
        state may be left stale.
        """
        try:
            if self._front is None:
                self._front = LeafBlocks(diagram, overrides, self.program.flat.blocks)
            made = self._front.changed(changes)
            if made is None:
                return None
            blocks = self.program.flat.blocks
            if made.keys() - blocks.keys():
                return None
            few = len(made) <= len(changes)  # only the blocks that were changed
            changed = {name: block for name, block in made.items() if few or self._differs(name, block)}
            flat = copy(self.program.flat, blocks={**blocks, **changed})
            return self._renumbered(changed, flat, begun)
        except LuffError:
            return None
        except Exception as error:
            if method_error(error) is None:
                raise
            return None  # a block's own code refuses the value

    def value(self, diagram: Netlist, overrides: Mapping[str, object], path: str) -> object:
        """Converted value of a parameter of the program [SI]; LookupError if there is none."""
        if self._front is None:
            self._front = LeafBlocks(diagram, overrides, self.program.flat.blocks)
        return self._front.value(path)

    def moved(self, program: Started, changes: Mapping[str, object]) -> Parameters:
        """Parameters of the changed program, from which further changes start."""
        if self._front is not None:
            self._front.keep(changes, program.flat.blocks)
        moved = Parameters(program, self._front)
        moved._said = {**self._said, **self._told}
        moved._reads, moved._fed, moved._linked = self._reads, self._fed, self._linked
        return moved

    def _differs(self, name: str, block: Block) -> bool:
        """True if a block has other values than in the program."""
        if block is self.program.flat.blocks[name]:
            return False
        if name not in self._values:
            self._values[name] = values_of(self.program.flat.blocks[name])
        return self._values[name] != values_of(block)

    def _before(self, name: str) -> BlockDeclarations:
        """Form and numbers of a block of the program."""
        block, said = self.program.flat.blocks[name], self._said.get(name)
        if said is None or said[0] is not block:
            said = self._said[name] = block, declarations_of(block, self.program.flat)
        return said[1]

    # --- the numbers ---------------------------------------------------------------------------------------------

    def _renumbered(self, changed: Mapping[str, Block], flat: Flat, begun: bool = True) -> Started | None:
        """Program with the numbers of the changed blocks, or None if a form differs."""
        base, described = self.program, self.program.described
        asked = ((name, each) for name, block in changed.items() for each in (block, base.flat.blocks[name]))
        if any(self._reads[name] != [*each.reads()] for name, each in asked):
            return None
        told = {name: declarations_of(block, flat) for name, block in changed.items()}
        if any(self._before(name).form != said.form for name, said in told.items()):
            return None
        if not all(alike(base.flat.blocks[name], block) for name, block in changed.items()):
            return None
        mechanism, model, moved = self._mechanics(told, flat)
        self._told = {name: (changed[name], said) for name, said in told.items()}
        if mechanism is None or not np.array_equal(masses_of(model), masses_of(base.model)):
            return None
        if not np.all(np.isfinite(model.body)):
            return None
        own = with_numbers(described.model, model)
        parts = [one.with_numbers_of(mechanism, own) for one in described.components]
        numbers = numbers_of(described, told, parts)
        sampled = [
            copy(one, period=period_of(changed[one.block])) if one.block in changed else one
            for one in base.sampled
        ]
        new = {"flat": flat, "mechanism": mechanism, "numbers": numbers, "sampled": sampled}
        program = copy(described, **new, model=own, components=parts)
        stays = base.begun and self._begins_as_before(told, moved, flat)
        loads = cylinders_without_pressure(mechanism, flat.blocks)
        if begun and (loads or not stays):
            starts = zip(base.components, base.starts, strict=True)
            kept = [copy(start, model=one.of(model), notes=[*start.notes]) for one, start in starts]
            return start_program(program, kept if stays else ())
        work_space, sections = base.work_space.copy(), base.sections
        sections.part(work_space, "p")[:] = numbers.params.values
        if numbers.memory is not described.numbers.memory:
            sections.part(work_space, "mem")[:] = numbers.memory.values
        x0 = base.x0.copy()
        x0[base.mechanical :] = numbers.states.values
        components = [one.with_numbers_of(mechanism, model) for one in base.components]
        return copy(
            base,
            **new,
            described=program,
            model=model,
            components=components,
            params=np.array(numbers.params.values),
            x0=x0,
            work_space=work_space,
            starts=[copy(start, model=one.model) for one, start in zip(components, base.starts, strict=True)],
            begun=stays and not loads,
        )

    def _mechanics(
        self, told: Mapping[str, BlockDeclarations], flat: Flat
    ) -> tuple[Mechanism | None, Model, Moved]:
        """Mechanism and model with other parts, and the kinds of numbers that changed."""
        base, moved = self.program, Moved(False, False)
        numbers: PartNumbers | None = None
        model = with_numbers(base.model, base.model)
        for name, said in told.items():
            if name == "world":
                model.constant[:3] = flat.blocks[name].values["gravity"]
                moved = moved._replace(numbers=True)
            old = self._before(name)
            for k, (before, after) in enumerate(zip(old.splits, said.splits, strict=True)):
                begins = bits(before.starts) != bits(after.starts)
                if begins or bits(before.numbers) != bits(after.numbers):
                    if not base.mechanism.homes[name][k]:
                        return None, model, moved
                    moved = Moved(moved.starts or begins, True)
                    numbers = numbers or PartNumbers(base.mechanism)
                    for array, row, columns, written in numbers.replaced(name, k, said.parts[k]):
                        getattr(model, array)[row, columns] = written
            if any(isinstance(part, AtRest) for part in said.parts):
                moved = moved._replace(numbers=True)
                numbers = numbers or PartNumbers(base.mechanism)
                numbers.replace_laws(name, said.parts)
        return numbers.mechanism if numbers else base.mechanism, model, moved

    def _begins_as_before(self, told: Mapping[str, BlockDeclarations], moved: Moved, flat: Flat) -> bool:
        """True if nothing that the mechanism's first state depends on has changed."""
        base, static = self.program, flat.initial.solve == "static"
        if moved.starts or (moved.numbers and not all(start.blind for start in base.starts)):
            return False
        if self._fed is None:
            solved = bool(base.constraints.rows) or static
            self._fed = fed_blocks(base.described) if solved else set()
            self._linked = solved and linked_at_start(base.described)
        return not self._fed & told.keys() and not (moved.numbers and self._linked)


class Moved(NamedTuple):
    """Kinds of changed numbers of a mechanism: start values, or any."""

    starts: bool
    numbers: bool


def listed(values: Mapping[str, tuple[int, list[float]]]) -> dict[str, list[float]]:
    """Values without their widths."""
    return {name: each for name, (_, each) in values.items()}


def numbers_of(
    described: Program, told: Mapping[str, BlockDeclarations], components: Sequence[Component]
) -> InitialSections:
    """Numbers of a program with those of some blocks, and with the loads that planar components compare with."""
    old, first = described.numbers, {name: said.first for name, said in told.items()}
    params = {name: each.params for name, each in first.items()}
    if f"world.{SCALE}" in old.params.at:
        params["world"] = {**params.get("world", {}), SCALE: held_scale([one.model for one in components])}
    return copy(
        old,
        params=filled(old.params, params),
        states=filled(old.states, {name: listed(each.states) for name, each in first.items()}),
        memory=filled(old.memory, {name: listed(each.memory) for name, each in first.items()}),
    )


def filled(slots: Slots, told: Mapping[str, Mapping[str, list[float]]]) -> Slots:
    """Slots with other values of some blocks."""
    if not any(told.values()):
        return slots
    values = list(slots.values)
    for block, named in told.items():
        for name, each in named.items():
            place = slots.at.get(f"{block}.{name}")  # None if the block has no run-time code
            if place is not None:
                values[place[0] : place[0] + place[1]] = each
    return Slots(slots.names, values, slots.at)


class Forms:
    """Recently used forms of one netlist."""

    def __init__(self, *programs: Started):
        self._known = [Parameters(program) for program in programs]
        self._turn = Lock()

    def started(self, flat: Flat) -> Started:
        """Started program of a netlist; faster if it has one of these forms."""
        with self._turn:
            for k, known in enumerate(self._known):
                made = known.of(flat)
                if made is not None:
                    self._known.insert(0, self._known.pop(k))
                    return made
            whole = started(flat)
            self._known = [Parameters(whole), *self._known][:FORMS]
            return whole


@lru_cache(8)
def forms_of(text: str) -> Forms:
    """Forms of the netlists of one text in this process."""
    return Forms()


def started_by_form(flat: Flat) -> Started:
    """`started`, faster for one of many netlists that differ in numbers."""
    return forms_of(flat.netlist).started(flat)

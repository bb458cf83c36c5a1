"""Live parameters: a number of one block goes to its places in the arrays of a program, without compiling anew.

What is tried here is what `Instance.take` hands to a run: parameters in the work space, and the arrays of the model.
The block itself says what follows from its number (`derived`, `parts`); wherever more than known places would change,
or a number comes to be zero or changes its sign, the answer is None: the whole way has to be gone. `Simulation.set`
goes the whole way once for each parameter, and trusts this one where both gave the same bits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from ...blocks.block import Block
from ...blocks.errors import LuffError
from ...blocks.params import Param, Struct, Sub, SubList, SubMap
from ...blocks.parts import Body, Coordinate, Element, Friction, Joint, LinearSpring, Offset, Part
from ...blocks.scope import Scope
from ..machine import fields as f
from ..machine.fields import Model
from ..mechanism.friction_numbers import friction_row
from ..mechanism.model import body_of, coordinate_row
from ..netlist import steps
from ..program.signals import flatten

if TYPE_CHECKING:
    from ..program.started import Started

Change = tuple[
    str, slice | tuple[int | slice, ...], npt.ArrayLike
]  # array of the model or "p", index, numbers
Piece = TypeVar("Piece", bound=Part | Coordinate | Friction)
ALONE = Scope({})  # of numbers and quantities; what names parameters of the netlist goes the whole way
OWN = ("state", "constraint_value")  # arrays of the model that a run chooses for itself
TAKEN = tuple(name for name in Model._fields if name not in OWN)
SPRUNG = ("stiffness", "damping", "rest", "cubic", "limits", "friction")


class _Whole(Exception):
    """Only the whole way will do."""


class Live:
    """The numbers of one program, kept up with what is set in it."""

    def __init__(self, program: Started):
        self.program = program
        self.blocks = dict(program.flat.blocks)
        self.params = program.params.copy()
        self.model = type(program.model)(*(array.copy() for array in program.model))
        self._parts: dict[str, list[Part]] = {}
        self._places: dict[str, tuple[str, list[str]]] = {}
        mechanism = program.mechanism
        self._bodies = [(part, row, pose) for _, part, row, pose in mechanism.bodies]
        self._body_numbers = _by_block(block for block, _, _, _ in mechanism.bodies)
        self._elements = _by_block(placed.block for placed in mechanism.elements)
        self._springs = _by_block(joint.block for joint, _ in mechanism.springs)
        self._rows: dict[tuple[str, str, str], int] = {}
        for i, row in enumerate(mechanism.rows):
            if row.coordinate is not None:
                joint = mechanism.joints[row.joint]
                self._rows[joint.block, joint.part.name, row.coordinate.name] = i
        self._slots: dict[str, tuple[int, int]] = {}
        for k, name in enumerate(program.param_names):
            first, count = self._slots.get(name.partition("[")[0], (k, 0))
            self._slots[name.partition("[")[0]] = first, count + 1

    def set(self, path: str, raw: object) -> list[Change] | None:
        """What a value changes; None where the whole way has to be gone, to do it or to refuse it."""
        try:
            name, key, block = self._with(path, raw)
            parts = block.parts()
            writes = [*self._in_params(name, key, block), *self._in_model(name, block, parts)]
        except (_Whole, LuffError, ArithmeticError):
            return None
        self.blocks[name], self._parts[name] = block, parts
        apply(writes, self.params, self.model)
        return writes

    def agrees_with(self, program: Started) -> bool:
        """Whether these are the numbers of a program, and not all of them those of the program before."""
        before = zip(_taken(program), _taken(self.program), strict=True)
        return self.has_numbers_of(program) and not all(same_bits(a, b) for a, b in before)

    def has_numbers_of(self, program: Started) -> bool:
        """Whether these are, bit for bit, the numbers that a run would take from a program."""
        constants = [each.sections.part(each.work_space, "c") for each in (self.program, program)]
        pairs = zip(_taken(self), _taken(program), strict=True)
        return all(same_bits(a, b) for a, b in pairs) and same_bits(*constants)

    # --- the block -----------------------------------------------------------------------------------------------

    def _with(self, path: str, raw: object) -> tuple[str, str, Block]:
        """The block of a path, and that block with another value."""
        if _expression(raw):
            raise _Whole
        name, keys = self._place(path)
        block = self.blocks[name]
        if block.bound:
            raise _Whole
        old = block.values.get(keys[0])
        param = block.params.get(keys[0])
        if param is not None and type(param).beside is not Param.beside:
            param = param.beside({key: block.values[key] for key in block.given if key in block.values})
        new = _replaced(param, old, keys[1:], raw, path)
        changed = type(block)(block.name, {**block.values, keys[0]: new}, block.given | {keys[0]})
        changed.folder, changed.files = block.folder, block.files
        if any(problem.severity == "error" for problem in changed.check()):
            raise _Whole
        return name, keys[0], changed

    def _place(self, path: str) -> tuple[str, list[str]]:
        """A block, and the keys of one of its parameters."""
        place = self._places.get(path)
        if place is None:
            words = steps(path)
            at = next((k for k in range(len(words) - 1, 0, -1) if _joined(words[:k]) in self.blocks), 0)
            if not at or not all(isinstance(word, str) for word in words):
                raise _Whole
            place = self._places[path] = _joined(words[:at]), [str(word) for word in words[at:]]
        return place

    # --- its places ----------------------------------------------------------------------------------------------

    def _in_params(self, name: str, key: str, block: Block) -> Iterator[Change]:
        values = {key: flatten(block.values[key])} if block.params[key].kind in ("number", "axis") else {}
        values |= {word: [float(x) for x in numbers] for word, numbers in block.derived().items()}
        for word, numbers in values.items():
            first, count = self._slots.get(f"{name}.{word}", (0, 0))
            if not count:
                continue
            if len(numbers) != count:
                raise _Whole
            yield "p", slice(first, first + count), numbers

    def _in_model(self, name: str, block: Block, parts: list[Part]) -> Iterator[Change]:  # noqa: C901  # one case for each kind of part
        if name == "world":
            yield "constant", slice(0, 3), flatten(block.values["gravity"])
        before = self._parts.get(name)
        if before is None:
            before = self.program.flat.blocks[name].parts()
        if len(before) != len(parts):
            raise _Whole
        bodies, elements = iter(self._body_numbers[name]), iter(self._elements[name])
        springs = iter(self._springs[name])
        for old, new in zip(before, parts, strict=True):
            if type(old) is not type(new):
                raise _Whole
            if isinstance(new, Body) and isinstance(old, Body):
                yield from self._body(next(bodies), old, new)
            elif isinstance(new, Joint) and isinstance(old, Joint):
                yield from self._joint(name, old, new)
            elif isinstance(new, Element):
                number = next(elements)
                if old != new:
                    _only(old, new, "values")
                    yield "element_value", (number, slice(0, len(new.values))), new.values
            elif isinstance(new, LinearSpring):
                # one for each joint of that name in the block
                number = next(springs)
                if old != new:
                    _only(old, new, "stiffness", "damping")
                    yield "spring_value", (number, slice(0, 2)), (new.stiffness, new.damping)
            elif old != new or not _same_turn(old, new):
                raise _Whole

    def _body(self, number: int, old: Body, new: Body) -> Iterator[Change]:
        if old == new:
            return
        _only(old, new, "mass", "com", "inertia")
        _, row, pose = self._bodies[number]
        self._bodies[number] = new, row, pose
        if row < 0:
            return
        # as `pack_bodies` adds them up
        total = [0.0] * (f.COORDINATE - f.BODY_MASS)
        for part, other, place in self._bodies:
            if other == row:
                total = [a + b for a, b in zip(total, body_of(part, place), strict=True)]
        yield "row", (row, slice(f.BODY_MASS, f.COORDINATE)), total

    def _joint(self, name: str, old: Joint, new: Joint) -> Iterator[Change]:
        if old == new:
            return
        _only(old, new, "coordinates")
        for before, after in zip(old.coordinates, new.coordinates, strict=True):
            if before == after:
                continue
            _only(before, after, *SPRUNG)
            row = self._rows.get((name, new.name, after.name))
            if row is None or (before.limits is None) != (after.limits is None):
                raise _Whole
            yield "row", (row, slice(f.COORDINATE, f.FRICTION)), coordinate_row(after)
            yield from _rubbing(row, before, after)


def _rubbing(row: int, before: Coordinate, after: Coordinate) -> Iterator[Change]:
    old, new = before.friction, after.friction
    if old == new:
        return
    if old is None or new is None or after.locked:
        raise _Whole
    _only(old, new, *(name for name in Friction.__dataclass_fields__ if name not in ("model", "state")))
    if (old.load is None) != (new.load is None):
        raise _Whole
    yield "row", (row, slice(f.FRICTION, None)), friction_row(after, new)


def apply(changes: Iterable[Change], params: np.ndarray, model: Model) -> None:
    """Write numbers where a run reads them."""
    for array, index, numbers in changes:
        (params if array == "p" else getattr(model, array))[index] = numbers


def _same_turn(old: Part, new: Part) -> bool:
    """Comparing offsets leaves their turns out."""
    return not (isinstance(old, Offset) and isinstance(new, Offset)) or same_bits(old.turn, new.turn)


def _taken(numbers: Live | Started) -> list[np.ndarray]:
    """The arrays that a run under way takes from a program."""
    return [numbers.params, *(getattr(numbers.model, name) for name in TAKEN)]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _by_block(blocks: Iterable[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        places[block].append(number)
    return places


def _joined(words: list[str | int]) -> str:
    return ".".join(map(str, words))


def _expression(raw: object) -> bool:
    if isinstance(raw, list | tuple):
        return any(map(_expression, raw))
    return isinstance(raw, dict) or (isinstance(raw, str) and raw.lstrip().startswith("="))


def _replaced(param: Param | None, old: object, keys: list[str], raw: object, path: str) -> object:
    """A value, or a copy of its group with one entry replaced."""
    if param is None or old is None:
        raise _Whole
    if not keys:
        if not param.live or isinstance(param, Sub):
            raise _Whole
        new = param.convert(raw, ALONE, path)
        if not _same_signs(old, new):
            raise _Whole
        return new
    if not isinstance(param, Sub) or isinstance(param, SubList | SubMap) or not isinstance(old, Struct):
        raise _Whole
    group = copy(old)
    own = vars(old).get(keys[0])
    setattr(group, keys[0], _replaced(param.struct.params.get(keys[0]), own, keys[1:], raw, path))
    group.given = old.given | {keys[0]}
    return group


def _same_signs(old: object, new: object) -> bool:
    """What is zero, or of which sign, may decide of structure: which loops close, which terms there are."""
    try:
        a, b = flatten(old), flatten(new)
    except (TypeError, ValueError):
        return False
    return len(a) == len(b) and all(
        x * y > 0.0 or (x == 0.0 == y) or math.isinf(x * y) for x, y in zip(a, b, strict=True)
    )


def _only(old: Piece, new: Piece, *names: str) -> None:
    """Nothing but these differs."""
    if any(
        getattr(old, name) != getattr(new, name)
        for name in type(old).__dataclass_fields__
        if name not in names
    ):
        raise _Whole

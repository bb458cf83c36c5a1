"""Live parameters: a number of one block goes to its places in the arrays of a program, without compiling anew.

What is tried here is what `Instance.take` hands to a run: parameters in the work space, and the arrays of the model.
The block itself says what follows from its number (`derived`, `parts`); wherever more than known places would change,
or a number that comes to be zero, or changes its sign, decides of structure, the answer is None: the whole way has to
be gone. `short_ways.py` says for which parameters this one is trusted, because both have given the same bits.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from itertools import product
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from ...blocks.block import Block
from ...blocks.conditions import NAME as CONDITIONS
from ...blocks.errors import LuffError
from ...blocks.params import Param, Struct, Sub, SubList, SubMap
from ...blocks.parts import Body, Coordinate, Friction, Joint, Offset, Part
from ...blocks.scope import Scope
from ..machine.fields import Model
from ..mechanism.homes import NUMBERS, SPRUNG, STARTS, Numbers
from ..mechanism.mechanism import Mechanism
from ..netlist import steps
from ..program.signals import flatten

if TYPE_CHECKING:
    from ..program.program import Program
    from ..program.started import Started

Change = tuple[
    str, slice | tuple[int | slice, ...], npt.ArrayLike
]  # array of the model or "p", index, numbers
Piece = TypeVar("Piece", bound=Part | Coordinate | Friction)
ALONE = Scope({})  # of numbers and quantities; what names parameters of the netlist goes the whole way
OWN = ("state", "constraint_value")  # arrays of the model that a run chooses for itself
TAKEN = tuple(name for name in Model._fields if name not in OWN)


class _Whole(Exception):
    """Only the whole way will do."""


class Live:
    """The numbers of one program, kept up with what is set in it; with those that only a start hangs on, if wanted."""

    def __init__(self, program: Program, starts: bool = False):
        self.program, self._starts = program, starts
        self.blocks = dict(program.flat.blocks)
        self.params = np.array(program.numbers.params.values)
        self.model = type(program.model)(*(array.copy() for array in program.model))
        self._parts: dict[str, list[Part]] = {}
        self._places: dict[str, tuple[str, list[str]]] = {}
        self._numbers = Numbers(program.mechanism)

    @property
    def mechanism(self) -> Mechanism:
        """With the parts that blocks have now."""
        return self._numbers.mechanism

    def set(self, path: str, raw: object) -> list[Change] | None:
        """What a value changes; None where the whole way has to be gone, to do it or to refuse it."""
        return self._tried(lambda: self._with(path, raw))

    def replace(self, blocks: Mapping[str, Block]) -> list[Change] | None:
        """What is changed by blocks that were all made anew, some of them with other values."""
        return self._tried(lambda: _changed_blocks(self.blocks, blocks))

    def _tried(self, make: Callable[[], Mapping[str, Block]]) -> list[Change] | None:
        try:
            made = make()
            parts = {name: block.parts() for name, block in made.items()}
            writes = [change for name in made for change in self._writes(name, made[name], parts[name])]
        except (_Whole, LuffError, ArithmeticError):
            return None
        self.blocks |= made
        self._parts |= parts
        apply(writes, self.params, self.model)
        return writes

    def _writes(self, name: str, block: Block, parts: list[Part]) -> list[Change]:
        """Of one block."""
        pairs = [*_differing(block.params, self.blocks[name].values, block.values)]
        if [key for key, old, new in pairs if _crosses(old, new)]:
            self._keep_structure(name, block, parts)
        keys = {key for key, _, _ in pairs}
        return [*self._in_params(name, keys, block), *self._in_model(name, block, parts)]

    def _keep_structure(self, name: str, block: Block, parts: list[Part]) -> None:
        """Refuse what makes other operations, lets another joint close a loop, or leaves something without mass."""
        if _form(self.blocks[name], self.program) != _form(block, self.program):
            raise _Whole
        for old, new in zip(self._before(name), parts, strict=False):  # counted in `_in_model`
            if isinstance(old, Body) and isinstance(new, Body) and old != new:
                if not (_heavy(old) and _heavy(new)):
                    raise _Whole
            elif isinstance(old, Joint) and isinstance(new, Joint) and self.program.mechanism.cuts:
                loaded = [[one.loaded for one in joint.coordinates] for joint in (old, new)]
                if loaded[0] != loaded[1]:
                    raise _Whole

    def agrees_with(self, program: Started) -> bool:
        """Whether these are the numbers of a program, and not all of them those of the program before."""
        old = [np.array(self.program.numbers.params.values), *_taken(self.program.model)]
        before = zip([program.params, *_taken(program.model)], old, strict=True)
        return self.has_numbers_of(program) and not all(same_bits(a, b) for a, b in before)

    def has_numbers_of(self, program: Started) -> bool:
        """Whether these are, bit for bit, the numbers that a run would take from a program."""
        ours, theirs = [self.params, *_taken(self.model)], [program.params, *_taken(program.model)]
        same = self.program.numbers.constants == program.numbers.constants
        return same and all(same_bits(a, b) for a, b in zip(ours, theirs, strict=True))

    # --- the block -----------------------------------------------------------------------------------------------

    def names(self, path: str) -> bool:
        """Whether it is a parameter of a block, and not of a netlist."""
        try:
            return bool(self._place(path))
        except _Whole:
            return False

    def _with(self, path: str, raw: object) -> dict[str, Block]:
        """The block of a path with another value, by its name."""
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
        return {name: changed}

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

    def _in_params(self, name: str, keys: Iterable[str], block: Block) -> Iterator[Change]:
        values = {
            key: flatten(block.values[key]) for key in keys if block.params[key].kind in ("number", "axis")
        }
        values |= {word: [float(x) for x in numbers] for word, numbers in block.derived().items()}
        for word, numbers in values.items():
            first, count = self.program.numbers.params.at.get(f"{name}.{word}", (0, 0))
            if not count:
                continue
            if len(numbers) != count:
                raise _Whole
            yield "p", slice(first, first + count), numbers

    def _in_model(self, name: str, block: Block, parts: list[Part]) -> Iterator[Change]:
        if name == "world":
            yield "constant", slice(0, 3), flatten(block.values["gravity"])
        before = self._before(name)
        if len(before) != len(parts):
            raise _Whole
        for number, (old, new) in enumerate(zip(before, parts, strict=True)):
            if _changed(old, new, STARTS if self._starts else ()):
                if not self.program.mechanism.homes[name][number]:
                    raise _Whole
                for array, row, columns, numbers in self._numbers.replaced(name, number, new):
                    yield array, (row, columns), numbers

    def _before(self, name: str) -> list[Part]:
        """Parts of a block, as they were set last."""
        if name not in self._parts:
            self._parts[name] = self.program.flat.blocks[name].parts()
        return self._parts[name]


def _form(block: Block, program: Program) -> tuple[object, ...]:
    """All by which a block decides what a program computes of it, but its parts; no number that it only uses."""
    ports, formula, step = block.ports(), block.formula(), program.flat.simulation.step
    sizes = [getattr(block, one.size)(step) for one in block.memories.values() if isinstance(one.size, str)]
    sizes += [getattr(block, one.width)() for one in block.states.values() if isinstance(one.width, str)]
    through: list[bool] = []
    if type(block).feedthrough is not Block.feedthrough:
        ends = [(port, k) for port in ports for k in range(program.flat.widths.get((block.name, port), 0))]
        pairs = product(*([end for end in ends if ports[end[0]].direction == way] for way in ("out", "in")))
        through = [block.feedthrough(*output, *given) for output, given in pairs]
    return (
        ports,
        formula and (ast.dump(formula.tree), formula.numbers),
        {role: function.__code__ for role, function in block.instance_functions().items()},
        *(block.routes(), block.internal_wires(), block.words_of_crossings(), block.sampled(), block.width()),
        sizes,
        through,
    )


def _heavy(body: Body) -> bool:
    """Whether it has mass, and inertia about every axis: nothing that carries it is ever without."""
    return body.mass > 0.0 and all(moment > 0.0 for moment in body.inertia[:3])


def _changed(old: Part, new: Part, starts: tuple[str, ...]) -> bool:
    """Whether the numbers of a part are others; whatever else differs goes the whole way."""
    if old == new and _same_turn(old, new):
        return False
    names = next((names for kind, names in NUMBERS.items() if type(old) is type(new) is kind), None)
    if names is None:
        raise _Whole
    _only(old, new, *names)
    if isinstance(old, Joint) and isinstance(new, Joint):
        for before, after in zip(old.coordinates, new.coordinates, strict=True):
            _same_laws(before, after, starts)
    return True


def _same_laws(before: Coordinate, after: Coordinate, starts: tuple[str, ...]) -> None:
    """Refuse a coordinate with other stops or another law of friction."""
    _only(before, after, *SPRUNG, *starts)
    if any((getattr(before, name) is None) != (getattr(after, name) is None) for name in ("limits", *starts)):
        raise _Whole
    old, new = before.friction, after.friction
    if old == new:
        return
    if old is None or new is None or after.locked or (old.load is None) != (new.load is None):
        raise _Whole
    _only(old, new, *(name for name in Friction.__dataclass_fields__ if name not in ("model", "state")))


def apply(changes: Iterable[Change], params: np.ndarray, model: Model) -> None:
    """Write numbers where a run reads them."""
    for array, index, numbers in changes:
        (params if array == "p" else getattr(model, array))[index] = numbers


def _same_turn(old: Part, new: Part) -> bool:
    """Comparing offsets leaves their turns out."""
    return not (isinstance(old, Offset) and isinstance(new, Offset)) or same_bits(old.turn, new.turn)


def _taken(model: Model) -> list[np.ndarray]:
    """The arrays that a run under way takes from a program, beside its parameters."""
    return [getattr(model, name) for name in TAKEN]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


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
        return param.convert(raw, ALONE, path)
    if not isinstance(param, Sub) or isinstance(param, SubList | SubMap) or not isinstance(old, Struct):
        raise _Whole
    group = copy(old)
    own = vars(old).get(keys[0])
    setattr(group, keys[0], _replaced(param.struct.params.get(keys[0]), own, keys[1:], raw, path))
    group.given = old.given | {keys[0]}
    return group


def _changed_blocks(before: Mapping[str, Block], after: Mapping[str, Block]) -> dict[str, Block]:
    """Those with other values; the ends of a run are no block that a netlist lists."""
    listed = {name: block for name, block in after.items() if name != CONDITIONS}
    if before.keys() - {CONDITIONS} != listed.keys():
        raise _Whole
    changed = {name: block for name, block in listed.items() if _differs(before[name], block)}
    if any(before[name].bound or block.bound for name, block in changed.items()):
        raise _Whole
    return changed


def _differs(before: Block, after: Block) -> bool:
    if type(before) is not type(after) or before.given != after.given:
        raise _Whole
    return any(True for _ in _differing(after.params, before.values, after.values))


def _differing(
    params: Mapping[str, Param], before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[str, object, object]]:
    """The entries that are not the same, each with its old and its new number; all of them may change in a run."""
    for key, param in params.items():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if isinstance(old, Struct) and isinstance(new, Struct):
            for _, one, other in _differing(type(new).params, vars(old), vars(new)):
                yield key, one, other
        elif param.live:
            yield key, old, new
        else:
            raise _Whole


def _crosses(old: object, new: object) -> bool:
    """Whether a number comes to be zero, or is zero no more, or has another sign."""
    if isinstance(old, Mapping) and isinstance(new, Mapping) and [*old] == [*new]:
        old, new = tuple(old.values()), tuple(new.values())
    try:
        a, b = flatten(old), flatten(new)
    except (TypeError, ValueError):
        raise _Whole from None
    if len(a) != len(b):
        raise _Whole
    return not all(x * y > 0.0 or (x == 0.0 == y) or math.isinf(x * y) for x, y in zip(a, b, strict=True))


def _only(old: Piece, new: Piece, *names: str) -> None:
    """Nothing but these differs."""
    if any(
        getattr(old, name) != getattr(new, name)
        for name in type(old).__dataclass_fields__
        if name not in names
    ):
        raise _Whole

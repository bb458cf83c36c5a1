"""Live parameters: a number of one block goes to its places in the arrays of a program, without compiling anew.

What is tried here is what `Instance.take` hands to a run: parameters in the work space, and the arrays of the model.
The block itself says what follows from its number (`derived`, `parts`); wherever more than known places would change,
or a number comes to be zero or changes its sign, the answer is None: the whole way has to be gone. `Simulation.set`
goes the whole way once for each parameter, and trusts this one where both gave the same bits.
"""

from __future__ import annotations

import math
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
from ..machine.fields import Model
from ..mechanism.homes import Numbers
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
# what of a part is its numbers: all else is structure
NUMBERS: dict[type[Part], tuple[str, ...]] = {
    Body: ("mass", "com", "inertia"),
    Joint: ("coordinates",),
    Element: ("values",),
    LinearSpring: ("stiffness", "damping"),
}
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
        self._numbers = Numbers(program.mechanism)

    def set(self, path: str, raw: object) -> list[Change] | None:
        """What a value changes; None where the whole way has to be gone, to do it or to refuse it."""
        try:
            name, key, block = self._with(path, raw)
            parts = block.parts()
            found = [*self._in_params(name, key, block), *self._in_model(name, block, parts)]
        except (_Whole, LuffError, ArithmeticError):
            return None
        self.blocks[name], self._parts[name] = block, parts
        apply(found, self.params, self.model)
        return found

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
        found = self._places.get(path)
        if found is None:
            words = steps(path)
            at = next((k for k in range(len(words) - 1, 0, -1) if _joined(words[:k]) in self.blocks), 0)
            if not at or not all(isinstance(word, str) for word in words):
                raise _Whole
            found = self._places[path] = _joined(words[:at]), [str(word) for word in words[at:]]
        return found

    # --- its places ----------------------------------------------------------------------------------------------

    def _in_params(self, name: str, key: str, block: Block) -> Iterator[Change]:
        values = {key: flatten(block.values[key])} if block.params[key].kind in ("number", "axis") else {}
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
        before = self._parts.get(name)
        if before is None:
            before = self.program.flat.blocks[name].parts()
        if len(before) != len(parts):
            raise _Whole
        for number, (old, new) in enumerate(zip(before, parts, strict=True)):
            if _changed(old, new):
                if not self.program.mechanism.homes[name][number]:
                    raise _Whole
                for array, row, columns, numbers in self._numbers.replaced(name, number, new):
                    yield array, (row, columns), numbers


def _changed(old: Part, new: Part) -> bool:
    """Whether the numbers of a part are others; whatever else differs goes the whole way."""
    if old == new and _same_turn(old, new):
        return False
    names = next((names for kind, names in NUMBERS.items() if type(old) is type(new) is kind), None)
    if names is None:
        raise _Whole
    _only(old, new, *names)
    if isinstance(old, Joint) and isinstance(new, Joint):
        for before, after in zip(old.coordinates, new.coordinates, strict=True):
            _same_laws(before, after)
    return True


def _same_laws(before: Coordinate, after: Coordinate) -> None:
    """Refuse a coordinate with other stops or another law of friction."""
    _only(before, after, *SPRUNG)
    if (before.limits is None) != (after.limits is None):
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


def _taken(numbers: Live | Started) -> list[np.ndarray]:
    """The arrays that a run under way takes from a program."""
    return [numbers.params, *(getattr(numbers.model, name) for name in TAKEN)]


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

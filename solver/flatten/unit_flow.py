"""Units along the wires: declared ones, and written ones, spread by wires and by the laws of blocks (`unit_laws`)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ...blocks.block import EACH, Block
from ...blocks.errors import LuffError
from ...blocks.text.quantity import ANGLE, NONE, Dimension, spelled, unit

Element = tuple[str, str, int]  # block, port or parameter, element
# names of products
SHORT = ("rad", "rad/s", "rad/s^2", "m", "m/s", "m/s^2", "kg", "N", "m^3", "m^3/s")
SECOND = unit("s").dimension
HEAD = re.compile(r"[.\[]")
_FACTOR = re.compile(r"([*/]?)\s*([A-Za-z_][\w.\[\]]*)\s*")


class Law(NamedTuple):
    """Powers of elements and of seconds whose product is 1; all of one block, or the two ends of a wire."""

    powers: tuple[tuple[Element, int], ...]
    seconds: int = 0

    @property
    def is_wire(self) -> bool:
        (first, _), *others = self.powers
        return any(element[0] != first[0] for element, _ in others)


class Known(NamedTuple):
    """Unit of an element, the law that tells it (none where it is declared or written), and where it comes from."""

    unit: str
    law: Law | None
    source: Element


class Conflict(NamedTuple):
    """A law whose elements are all known, and do not agree."""

    law: Law
    known: tuple[Known, ...]


class UnitFlow:
    """Units of the elements of all ports and of the parameters in laws, as far as they follow."""

    def __init__(
        self,
        blocks: Mapping[str, Block],
        widths: Mapping[tuple[str, str], int],
        wires: Iterable[tuple[Element, Element]],
    ):
        self.known: dict[Element, Known] = {}
        self.conflicts: list[Conflict] = []
        self.parameters: dict[str, dict[str, list[Element]]] = {}  # in laws, by block
        self._of: dict[Element, list[Law]] = {}
        for a, b in wires:
            self._add(Law(((a, 1), (b, -1))))
        for name, block in blocks.items():
            ports = block.ports()
            for law in _laws(name, block, widths):
                self._add(law)
                for element, _ in law.powers:
                    if element[1] not in ports:
                        places = self.parameters.setdefault(name, {}).setdefault(element[1], [])
                        places += [] if element in places else [element]
        declared = [
            ((name, key, k), port.unit)
            for name, block in blocks.items()
            for key, port in block.ports().items()
            if port.unit is not None
            for k in range(widths.get((name, key)) or 1)
        ]
        self._settle((element, Known(text, None, element)) for element, text in declared)

    def _add(self, law: Law) -> None:
        for element, _ in law.powers:
            self._of.setdefault(element, []).append(law)

    def write(self, element: Element, text: str) -> None:
        """Take the unit that is written of an element of which none is known."""
        self._settle([(element, Known(text, None, element))])

    def _settle(self, found: Iterable[tuple[Element, Known]]) -> None:
        """Spread units until nothing follows any more."""
        waiting = deque[Element]()

        def take(element: Element, known: Known) -> None:
            if element not in self.known and dimension_of(known.unit) is not None:
                self.known[element] = known
                waiting.append(element)

        for element, known in found:  # what is declared comes before what follows
            take(element, known)
        told = {conflict.law for conflict in self.conflicts}
        while waiting:
            for law in self._of.get(waiting.popleft(), ()):
                open_ones = [element for element, _ in law.powers if element not in self.known]
                if len(open_ones) == 1:
                    take(open_ones[0], self._following(law, open_ones[0]))
                elif not open_ones and law not in told and not self._holds(law):
                    told.add(law)
                    self.conflicts.append(Conflict(law, tuple(self.known[one] for one, _ in law.powers)))

    def _holds(self, law: Law) -> bool:
        total = scaled(SECOND, law.seconds)
        for element, power in law.powers:
            total = product(total, scaled(dimension_of(self.known[element].unit) or NONE, power))
        return alike(total, NONE)

    def _following(self, law: Law, wanted: Element) -> Known:
        """What a law tells of one element by the others."""
        own = dict(law.powers)[wanted]
        over, under = [], []
        for element, power in law.powers:
            if element != wanted:
                (over if power * own < 0 else under).extend([self.known[element]] * abs(power))
        seconds = -law.seconds * own
        known = [*over, *under]
        texts = (
            [*(one.unit for one in over), *["s"] * seconds],
            [*(one.unit for one in under), *["s"] * -seconds],
        )
        return Known(composed(*texts), law, known[0].source)


def dimension_of(text: str) -> Dimension | None:
    """Dimension of a unit; none of words of a user's block that are no unit."""
    try:
        return unit(text).dimension
    except LuffError:
        return None


def product(a: Dimension, b: Dimension) -> Dimension:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def scaled(dimension: Dimension, power: int) -> Dimension:
    return tuple(power * x for x in dimension)


def alike(one: Dimension, other: Dimension) -> bool:
    """True if both are of one kind, angles aside: a length over a radius is an angle, and no one writes which."""
    return all(a == b for k, (a, b) in enumerate(zip(one, other, strict=True)) if k != ANGLE)


def composed(over: list[str], under: list[str]) -> str:
    """Unit of a product: by its short name, else of the factors' units, else of base units, whichever is shortest."""
    if len(over) == 1 and not under:
        return over[0]
    dimension = NONE
    for text, power in [*((text, 1) for text in over), *((text, -1) for text in under)]:
        dimension = product(dimension, scaled(dimension_of(text) or NONE, power))
    work = any(re.search(r"\b[kM]?[JW]\b", text) for text in [*over, *under])
    for short in (*SHORT, "J" if work else "N*m"):
        if dimension_of(short) == dimension:
            return short
    above, below = (_joined([text for text in texts if text]) for texts in (over, under))
    bottom = f"/{below}" if re.fullmatch(r"\w+", below) else f"/({below})"
    own = f"{above or '1'}{bottom if below else ''}"
    base = spelled(dimension)
    return base if dimension == NONE or len(base) < len(own) else own


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "*".join(f"({text})" if "/" in text else text for text in texts)


def _laws(name: str, block: Block, widths: Mapping[tuple[str, str], int]) -> Iterator[Law]:
    """Laws of a block, element by element."""
    ports = block.ports()
    sizes = {key: widths.get((name, key)) or 1 for key in ports}
    for text in block.unit_laws():
        for powers, seconds in powers_of_law(text, tuple(ports)):
            if all(one in ports or HEAD.split(one, 1)[0] in block.params for one in powers):
                yield from _each(name, powers, seconds, sizes)
    for (output, i, part), (source, j, before) in block.routes().items():
        if output in ports and source in ports:
            places = [(k, k) for k in range(sizes[output])] if i == EACH else [(i, j)]
            for here, there in places:
                yield Law((((name, output, here), 1), ((name, source, there), -1)), before - part)


def _each(name: str, powers: Mapping[str, int], seconds: int, sizes: Mapping[str, int]) -> Iterator[Law]:
    """A law for each element; a parameter has as many as the ports, since one number may stand for several units."""
    widest = max((sizes[one] for one in powers if one in sizes), default=1)
    for k in range(widest):
        places = {one: 0 if sizes.get(one) == 1 else k for one in powers}
        if all(sizes.get(one, widest) in (1, widest) for one in powers):
            yield Law(tuple(((name, one, places[one]), power) for one, power in powers.items()), seconds)


@lru_cache(1024)
def powers_of_law(text: str, ports: tuple[str, ...]) -> tuple[tuple[dict[str, int], int], ...]:
    """Powers by name and of seconds of a law, `effort = kp*measured/s`; `u#` is each of u1, u2, ..."""
    many = re.search(r"(\w+)#", text)
    if many:
        named = (port for port in ports if re.fullmatch(rf"{many[1]}\d+", port))
        return tuple(law for port in named for law in powers_of_law(text.replace(many[0], port), ports))
    powers: dict[str, int] = {}
    for side, terms in zip((1, -1), text.split("="), strict=True):
        for sign, factor in _FACTOR.findall(terms):
            powers[factor] = powers.get(factor, 0) + (-side if sign == "/" else side)
    seconds = powers.pop("s", 0)
    return (({name: power for name, power in powers.items() if power}, seconds),)

"""Quantities: `6 m`, `30 t*m^2`, `5 %`; their SI value and their dimension.

The grammar (numbers, products, quotients, integer powers, brackets) is read here; what a unit is worth comes from
a small table, and from pint for names that are not in it, so that usual netlists never pay for importing pint.

An angle counts as a dimension of its own, unlike in pint: `30 deg` answers neither "how heavy" nor "which gain".
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from ..errors import LuffError, Problem, Suggestion, did_you_mean

BASE = ("kg", "m", "s", "rad", "K", "A", "mol", "cd")
ANGLE = BASE.index("rad")
Dimension = tuple[Fraction, ...]
NONE: Dimension = (Fraction(0),) * len(BASE)


def _base(**powers: int) -> Dimension:
    return tuple(Fraction(powers.get(name, 0)) for name in BASE)


class Unit(NamedTuple):
    """`factor` turns a number in this unit into SI; a Fraction wherever it is exact."""

    factor: Fraction | float
    dimension: Dimension


_LENGTH, _MASS, _TIME, _ANGLE = _base(m=1), _base(kg=1), _base(s=1), _base(rad=1)
_FORCE, _PRESSURE = _base(m=1, kg=1, s=-2), _base(m=-1, kg=1, s=-2)
_ENERGY, _POWER = _base(m=2, kg=1, s=-2), _base(m=2, kg=1, s=-3)
_FREQUENCY, _SPIN, _VOLUME = _base(s=-1), _base(rad=1, s=-1), _base(m=3)

_DECIMAL = {"G": Fraction(10**9), "M": Fraction(10**6), "k": Fraction(1000), "": Fraction(1)}
_DECIMAL |= {"c": Fraction(1, 100), "m": Fraction(1, 1000), "u": Fraction(1, 10**6)}


def _prefixed(name: str, prefixes: str, factor: Fraction, dimension: Dimension) -> dict[str, Unit]:
    return {prefix + name: Unit(_DECIMAL[prefix] * factor, dimension) for prefix in ["", *prefixes]}


TABLE: dict[str, Unit] = {
    **_prefixed("m", "kcmu", Fraction(1), _LENGTH),
    **_prefixed("g", "km", Fraction(1, 1000), _MASS),
    "t": Unit(Fraction(1000), _MASS),
    **_prefixed("s", "mu", Fraction(1), _TIME),
    "min": Unit(Fraction(60), _TIME),
    "h": Unit(Fraction(3600), _TIME),
    **_prefixed("rad", "m", Fraction(1), _ANGLE),
    "deg": Unit(math.pi / 180, _ANGLE),
    "rev": Unit(2 * math.pi, _ANGLE),
    "rpm": Unit(2 * math.pi / 60, _SPIN),
    **_prefixed("Hz", "kM", Fraction(1), _FREQUENCY),
    **_prefixed("N", "GMkm", Fraction(1), _FORCE),
    **_prefixed("Nm", "GMkm", Fraction(1), _ENERGY),  # pint takes it for a count of yarn, in m/kg
    **_prefixed("Pa", "GMk", Fraction(1), _PRESSURE),
    "bar": Unit(Fraction(10**5), _PRESSURE),
    "mbar": Unit(Fraction(100), _PRESSURE),
    **_prefixed("J", "MkmG", Fraction(1), _ENERGY),
    **_prefixed("W", "MkmG", Fraction(1), _POWER),
    "l": Unit(Fraction(1, 1000), _VOLUME),
    "L": Unit(Fraction(1, 1000), _VOLUME),
    "K": Unit(Fraction(1), _base(K=1)),
    "%": Unit(Fraction(1, 100), NONE),
}

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"\s*({_NUMBER})\s*(.*?)\s*", re.DOTALL)
_TOKEN = re.compile(r"\s*(?:(\*\*|[*/^()·])|([^\W\d_]\w*|%|°|µ\w*)|([+-]?\d+(?:\.\d+)?))")
_WORD = re.compile(r"[^\W\d_]\w*|%|°|µ\w*")
_NAMED = {
    _FORCE: "N",
    _PRESSURE: "Pa",
    _ENERGY: "N*m",
    _POWER: "W",
}  # where nothing is written, as of an expression
_LONGEST = 80  # characters of a unit; no real one comes near
_DIGITS = 1000  # characters of a number: a float of all its digits has 767 of them, and no more decide
_HIGHEST = 12  # power; likewise


def _fail(message: str, fix: str = "") -> LuffError:
    return LuffError(Problem(message, fix=fix))


@lru_cache(4096)
def unit(text: str) -> Unit:
    """The unit that a text names; the empty text is the number 1."""
    if len(text) > _LONGEST:
        raise _fail(f"found a unit of {len(text)} characters, expected at most {_LONGEST}")
    try:
        return _Parser(text).parse() if text.strip() else Unit(Fraction(1), NONE)
    except OverflowError:
        raise _fail(f'the unit "{text}" is out of range') from None


class _Parser:
    """Products and quotients of powers of named units, by recursive descent; `N m` means `N*m`."""

    def __init__(self, text: str):
        self.text, self.tokens, at = text, [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _fail(f'cannot read the unit "{text}"', "write units like N*m/rad or kg*m^2")
            self.tokens.append(match.group().strip())
            at = match.end()

    def parse(self) -> Unit:
        result = self._product(0)
        if self.tokens:
            raise _fail(f'cannot read the unit "{self.text}"', f'"{self.tokens[0]}" is out of place')
        return result

    def _product(self, depth: int) -> Unit:
        result = self._power(depth)
        while self.tokens and self.tokens[0] != ")":
            sign = self.tokens.pop(0) if self.tokens[0] in ("*", "/", "·") else "*"
            factor = self._power(depth)
            result = _times(result, factor, -1 if sign == "/" else 1)
        return result

    def _power(self, depth: int) -> Unit:
        base = self._atom(depth)
        if self.tokens and self.tokens[0] in ("^", "**"):
            self.tokens.pop(0)
            exponent = self.tokens.pop(0) if self.tokens else ""
            if not re.fullmatch(r"[+-]?\d{1,2}(?:\.[05])?", exponent) or abs(float(exponent)) > _HIGHEST:
                raise _fail(
                    f'cannot read the unit "{self.text}"',
                    f"a power is a whole number from -{_HIGHEST} to {_HIGHEST}, or a half: kg^0.5",
                )
            base = _times(Unit(Fraction(1), NONE), base, Fraction(exponent))
        return base

    def _atom(self, depth: int) -> Unit:
        token = self.tokens.pop(0) if self.tokens else ""
        if token == "(" and depth < 10:
            inside = self._product(depth + 1)
            if not self.tokens or self.tokens.pop(0) != ")":
                raise _fail(f'the unit "{self.text}" lacks a closing bracket')
            return inside
        if token == "1":
            return Unit(Fraction(1), NONE)
        if not token or not (token[0].isalpha() or token in "%°"):
            raise _fail(f'cannot read the unit "{self.text}"', "write units like N*m/rad or kg*m^2")
        return TABLE.get(token) or from_pint(token)


def _times(a: Unit, b: Unit, power: int | Fraction) -> Unit:
    return Unit(
        a.factor * b.factor**power,
        tuple(x + power * y for x, y in zip(a.dimension, b.dimension, strict=True)),
    )


@cache
def _registry():  # pint ships its own types, but no one else needs them
    import pint

    return pint.UnitRegistry(cache_folder=None)


_PINT_BASE: dict[str, str] = dict(
    zip(("kilogram", "meter", "second", "radian", "kelvin", "ampere", "mole", "candela"), BASE, strict=True)
)


def from_pint(name: str) -> Unit:
    """Unit by its name, from pint."""
    import pint

    if name.endswith("Nms"):
        raise _fail(f'unknown unit "{name}"', "write N*m*s: Nm means newton metres, and Nms is not a unit")
    registry = _registry()
    try:
        one, nought = (registry.Quantity(value, name).to_base_units() for value in (1.0, 0.0))
        powers = {_PINT_BASE[base]: Fraction(str(power)) for base, power in one.unit_items()}
    except (pint.errors.PintError, KeyError, AttributeError, ValueError):
        raise _fail(f'unknown unit "{name}"', did_you_mean(name, TABLE)) from None
    if nought.magnitude != 0:
        raise _fail(f'"{name}" has an offset, which equations cannot use', "give kelvin (K)")
    factor = float(one.magnitude - nought.magnitude)
    if not math.isfinite(factor) or factor == 0:
        raise _fail(f'unknown unit "{name}"', did_you_mean(name, TABLE))
    return Unit(factor, tuple(powers.get(base, Fraction(0)).limit_denominator(100) for base in BASE))


class Quantity(NamedTuple):
    """An SI value; `dimension` is None for a bare number, which fits wherever a number is asked for."""

    value: float
    dimension: Dimension | None


@lru_cache(4096)
def quantity(text: str) -> Quantity:
    """Read a quantity, `6 m`."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise _fail(
            f"found {_shown(text)}, expected a number, a quantity like 6 m, or an expression like =l1/2",
            _hint(text),
        )
    number, rest = match.groups()
    if len(number) > _DIGITS:
        raise _fail(f"found a number of {len(number)} characters, expected at most {_DIGITS}", "round it")
    if not rest:
        return Quantity(_finite(float(number), text), None)
    if rest.startswith("/"):  # `1/s` is one per second, not a number without a unit
        rest = f"1{rest}"
    try:
        parsed = unit(rest)
    except LuffError:
        if _hint(text):
            raise _fail(
                f"found {_shown(text)}, expected a number or a quantity like 6 m", _hint(text)
            ) from None
        raise
    return Quantity(_finite(_scaled(number, parsed.factor), text), parsed.dimension)


def written_unit(text: str) -> str:
    """The unit of a quantity as its text says it: `kN` of `3 kN`; of anything else, none."""
    match = _QUANTITY.fullmatch(text)
    rest = match.group(2) if match else ""
    return f"1{rest}" if rest.startswith("/") else rest


def _scaled(number: str, factor: Fraction | float) -> float:
    """The float nearest to the exact product, so that 35 mm is the number 0.035."""
    value = float(number)
    if isinstance(factor, Fraction) and 1e-30 < abs(value) < 1e30:
        return float(Fraction(number) * factor)
    return value * float(factor)


def _finite(value: float, text: str) -> float:
    if not math.isfinite(value):
        raise _fail(f"found {_shown(text)}, expected a finite number")
    return value


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _hint(text: str) -> str:
    if re.fullmatch(r"\s*\d[\d_,' ]*\s*", text):
        return f"write {re.sub('[^0-9]', '', text)}"
    if re.fullmatch(rf"\s*{_NUMBER}(,\d+)\D.*", text):
        return "write the decimal point as a point"
    if re.search(r"[+*/()-]", text) and re.match(r"\s*[A-Za-z_(]", text):
        return "an expression starts with ="
    return ""


def compatible(dimension: Dimension, expected: Dimension) -> bool:
    """True if a quantity of one dimension may be given for another.

    Per radian or not is a matter of taste in stiffness, damping and torque: N*m/rad and N*m both go. An angle and a
    plain number, or rad/s and 1/s, are kept apart: a factor of 2 pi may lie between them.
    """
    if dimension == expected:
        return True
    without = [k for k in range(len(BASE)) if k != ANGLE]
    if any(dimension[k] != expected[k] for k in without):
        return False
    only_time = all(dimension[k] == 0 for k in without if BASE[k] != "s")
    return not (only_time and max(dimension[ANGLE], expected[ANGLE]) > 0)


def spelled(dimension: Dimension) -> str:
    """A dimension in base units, for messages: `kg*m/s^2`."""
    if dimension == NONE:
        return ""
    power = lambda name, k: name if k == 1 else f"{name}^{float(k):g}"  # noqa: E731
    named = list(zip(BASE, dimension, strict=True))
    over = "*".join(power(name, k) for name, k in named if k > 0)
    under = "".join("/" + power(name, -k) for name, k in named if k < 0)
    return (over or "1") + under


def coherent(text: str, dimension: Dimension) -> str:
    """The SI unit of a dimension in words of another one: `N*s/m` of `kN*s/m`, `Pa` of `bar`, `m^3/s` of `l/min`."""
    words = _WORD.sub(lambda match: _coherent_word(match.group()), text)
    try:
        if words and unit(words) == Unit(1, dimension):
            return words
    except LuffError:
        pass  # a power of a product, such as l^2: base units say it
    return _NAMED.get(dimension) or spelled(dimension)


def _coherent_word(name: str) -> str:
    """`N` of `kN`: the name without its prefix where that is one, or another of the same dimension."""
    parsed = unit(name)
    if parsed.factor == 1:
        return name
    names = [other for other, one in TABLE.items() if one == Unit(1, parsed.dimension)]
    shorter = [other for other in names if name.endswith(other)]
    return (shorter or names or [spelled(parsed.dimension)])[0]


def in_unit(quantity: Quantity, wanted: str, shown: str) -> float:
    """The value of a quantity in the unit that a parameter asks for (SI, where that is coherent)."""
    target = unit(wanted)
    if quantity.dimension is None:
        return quantity.value  # a bare number already is in the unit asked for
    if not compatible(quantity.dimension, target.dimension):
        asked = f"a quantity in {wanted}" if wanted else "a plain number"
        seen = spelled(quantity.dimension) or "a plain number"
        fix = _rate_fix(quantity, target) or unit_fix(shown, wanted)
        raise _fail(f"found {shown} ({seen}), expected {asked}", fix)
    return quantity.value if target.factor == 1 else quantity.value / float(target.factor)


def unit_fix(shown: str, wanted: str) -> str:
    """Fix of a quantity as it is shown: the same number in the unit that is asked for, with the prefix of its own where
    both units begin alike, as kN and N*m/rad."""
    text = shown.strip("'\"")
    match = _QUANTITY.fullmatch(text)
    if match is None or not match[2] or not wanted:
        return ""
    given, asked = _WORD.match(match[2].strip()), _WORD.match(wanted)
    if given and asked and given[0] in TABLE and given[0] in _prefixes_of(asked[0]):
        wanted = given[0] + wanted[asked.end() :]
    return Suggestion(text, f"{match[1]} {wanted}", False, f"write {match[1]} {wanted} if that is its unit")


def _prefixes_of(name: str) -> list[str]:
    return [f"{prefix}{name}" for prefix in _DECIMAL if prefix]


def _rate_fix(quantity: Quantity, target: Unit) -> str:
    dimension = quantity.dimension or NONE
    if dimension[ANGLE] == target.dimension[ANGLE]:
        return ""
    spins = target.dimension == _SPIN and dimension == _FREQUENCY
    return "write rad/s, deg/s or rpm: a frequency leaves a factor of 2 pi open" if spins else ""

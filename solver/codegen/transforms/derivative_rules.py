"""Derivative rules of elementary functions: factors of the operands' tangents, as lines of LLVM.

Where a function has no finite slope, or two, the factor is that of a mean of both sides: 0 for sqrt, hypot and atan2
at zero, asin, acos and acosh at one, abs and pow with an exponent below one at zero, and for jumps (floor, rounding).
max and min have that of the operand taken, at a tie the first.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Protocol


class Lines(Protocol):
    """Writer of scalar instructions; each call returns the name of its result."""

    def make(self, line: str) -> str: ...

    def call(self, name: str, *values: str) -> str: ...


Factors = list[str]
Rule = Callable[
    [Lines, list[str], str], Factors
]  # values that go in and the one that comes out; a factor for each

JUMPS = frozenset(("floor", "ceil", "trunc", "rint", "round", "nearbyint", "roundeven"))
CHOICES = frozenset(("minnum", "maxnum", "fmin", "fmax", "minimum", "maximum"))


def hex_constant(number: float) -> str:
    """LLVM constant with every bit of a double."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', number))[0]:016X}"


ZERO, ONE = hex_constant(0.0), hex_constant(1.0)


def _times(to: Lines, a: str, b: str) -> str:
    return to.make(f"fmul double {a}, {b}")


def _over(to: Lines, a: str, b: str) -> str:
    return to.make(f"fdiv double {a}, {b}")


def _less(to: Lines, a: str, b: str) -> str:
    return to.make(f"fsub double {a}, {b}")


def _plus(to: Lines, a: str, b: str) -> str:
    return to.make(f"fadd double {a}, {b}")


def _minus(to: Lines, a: str) -> str:
    return to.make(f"fneg double {a}")


def _where(to: Lines, test: str, yes: str, no: str) -> str:
    """select by a comparison of doubles; `test` is predicate and operands without the type."""
    predicate, values = test.split(" ", 1)
    truth = to.make(f"fcmp {predicate} double {values}")
    return to.make(f"select i1 {truth}, double {yes}, double {no}")


def _finite_over(to: Lines, a: str, b: str) -> str:
    """a / b, or 0 where b is 0."""
    return _where(to, f"une {b}, {ZERO}", _over(to, a, b), ZERO)


def _sqrt(to: Lines, given: list[str], made: str) -> Factors:
    return [_finite_over(to, hex_constant(0.5), made)]


def _fabs(to: Lines, given: list[str], made: str) -> Factors:
    below = _where(to, f"olt {given[0]}, {ZERO}", hex_constant(-1.0), ZERO)
    return [_where(to, f"ogt {given[0]}, {ZERO}", ONE, below)]


def _copysign(to: Lines, given: list[str], made: str) -> Factors:
    return [_where(to, f"oeq {given[0]}, {made}", ONE, hex_constant(-1.0)), ZERO]


def _pow(to: Lines, given: list[str], made: str) -> Factors:
    base, exponent = given
    less = to.call("pow", base, _less(to, exponent, ONE))
    slope = _times(to, exponent, less)
    size = to.call("fabs", slope)
    slope = _where(to, f"one {size}, {hex_constant(math.inf)}", slope, ZERO)
    growth = _times(to, made, to.call("log", base))
    return [slope, _where(to, f"ogt {base}, {ZERO}", growth, ZERO)]


def _atan2(to: Lines, given: list[str], made: str) -> Factors:
    y, x = given
    square = _plus(to, _times(to, x, x), _times(to, y, y))
    return [_finite_over(to, x, square), _finite_over(to, _minus(to, y), square)]


def _hypot(to: Lines, given: list[str], made: str) -> Factors:
    return [_finite_over(to, each, made) for each in given]


def _arc_sine(to: Lines, given: list[str], made: str) -> Factors:
    rest = to.call("sqrt", _less(to, ONE, _times(to, given[0], given[0])))
    return [_finite_over(to, ONE, rest)]


def _arc_cosine(to: Lines, given: list[str], made: str) -> Factors:
    return [_minus(to, _arc_sine(to, given, made)[0])]


def _remainder(to: Lines, given: list[str], made: str) -> Factors:
    whole = to.call("trunc", _over(to, *given))
    return [ONE, _minus(to, whole)]


def _one_plus_square(to: Lines, value: str) -> str:
    return _plus(to, ONE, _times(to, value, value))


def _fma(to: Lines, given: list[str], made: str) -> Factors:
    return [given[1], given[0], ONE]


def _error_function(to: Lines, given: list[str], made: str, sign: float = 1.0) -> Factors:
    bell = to.call("exp", _minus(to, _times(to, given[0], given[0])))
    return [_times(to, hex_constant(sign * 2.0 / math.sqrt(math.pi)), bell)]


RULES: dict[str, Rule] = {
    "sqrt": _sqrt,
    "fabs": _fabs,
    "copysign": _copysign,
    "pow": _pow,
    "sin": lambda to, given, made: [to.call("cos", *given)],
    "cos": lambda to, given, made: [_minus(to, to.call("sin", *given))],
    "tan": lambda to, given, made: [_one_plus_square(to, made)],
    "exp": lambda to, given, made: [made],
    "exp2": lambda to, given, made: [_times(to, made, hex_constant(math.log(2.0)))],
    "expm1": lambda to, given, made: [_plus(to, made, ONE)],
    "log": lambda to, given, made: [_over(to, ONE, given[0])],
    "log2": lambda to, given, made: [_over(to, hex_constant(1.0 / math.log(2.0)), given[0])],
    "log10": lambda to, given, made: [_over(to, hex_constant(1.0 / math.log(10.0)), given[0])],
    "log1p": lambda to, given, made: [_over(to, ONE, _plus(to, ONE, given[0]))],
    "sinh": lambda to, given, made: [to.call("cosh", *given)],
    "cosh": lambda to, given, made: [to.call("sinh", *given)],
    "tanh": lambda to, given, made: [_less(to, ONE, _times(to, made, made))],
    "asin": _arc_sine,
    "acos": _arc_cosine,
    "atan": lambda to, given, made: [_over(to, ONE, _one_plus_square(to, given[0]))],
    "atan2": _atan2,
    "asinh": lambda to, given, made: [_over(to, ONE, to.call("sqrt", _one_plus_square(to, given[0])))],
    "acosh": lambda to, given, made: [
        _finite_over(to, ONE, to.call("sqrt", _less(to, _times(to, given[0], given[0]), ONE)))
    ],
    "atanh": lambda to, given, made: [_over(to, ONE, _less(to, ONE, _times(to, given[0], given[0])))],
    "hypot": _hypot,
    "fmod": _remainder,
    "fma": _fma,
    "fmuladd": _fma,
    "erf": _error_function,
    "erfc": lambda to, given, made: _error_function(to, given, made, -1.0),
}

"""Expressions: `=l1/2 + 3 mm`, read through a whitelisted syntax tree and evaluated with their dimensions.

Nothing but numbers, names, `+ - * / ^` and the functions below gets past `parse`, and with `logic` comparisons,
`and or not` and `a if b else c`: no attribute, no subscript, no other call, no text. All arithmetic is done in floats,
so that no power can grow without bound.
"""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from keyword import iskeyword
from typing import Any
from unicodedata import normalize

from ..errors import LuffError, Problem, declaration_fix, did_you_mean
from .quantities_in_expressions import Quantities, with_operands
from .quantity import BASE, NONE, Dimension, Quantity, compatible, quantity, spelled

LONGEST = 1000  # characters
LARGEST = sys.float_info.max  # of a number
BEYOND = "a number grows beyond all bounds"
MOST_BRACKETS = 60  # inside each other
DEEPEST = 200  # levels of the syntax tree, where a sum of n terms has n

CONSTANTS = {"pi": math.pi, "e": math.e}


def rounded(a: float) -> float:
    """Nearest whole number; halves away from zero."""
    whole = math.floor(abs(a))
    return math.copysign(whole + (abs(a) - whole >= 0.5), a)


def remainder(a: float, b: float) -> float:
    """Remainder a - b floor(a / b), with the sign of b."""
    return a - b * math.floor(a / b)


def sign(a: float) -> float:
    return float((a > 0.0) - (a < 0.0))


FUNCTIONS: dict[str, Callable[..., Any]] = {  # min and abs take more than numbers
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "min": min,
    "max": max,
    "hypot": math.hypot,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": rounded,
    "mod": remainder,
    "sign": sign,
    "deg2rad": math.radians,
    "rad2deg": math.degrees,
}
ARITY = dict.fromkeys(FUNCTIONS, (1, 1)) | {
    "atan2": (2, 2),
    "log": (1, 2),
    "hypot": (2, 8),
    "mod": (2, 2),
    "min": (2, 8),
    "max": (2, 8),
}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
LOGIC = ("and", "or", "not", "if", "else")
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.UAdd, ast.USub)

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"
_TOKEN = re.compile(rf"\s*(?:{_NUMBER}|[^\W\d]\w*|\*\*|[<>=!]=|[-+*/^(),<>])")
_UNITS = "units belong to the parameters, signals are in SI units"
_SPACE = "write a space between a number and its unit"
_OPERAND = re.compile(rf"\s*\({_NUMBER} @ \d+\)")  # a quantity
_ALLOWED = "use numbers, names, + - * / ^ and functions"
_RADIANS: Dimension = tuple(Fraction(name == "rad") for name in BASE)


def _fail(text: str, message: str, fix: str = "") -> LuffError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return LuffError(Problem(f'in the expression "{shown}": {message}', fix=fix))


def parse(
    text: str, names: Container[str] | None = None, logic: bool = False, units: bool = False
) -> ast.expr:
    """Syntax tree of an expression (without its `=`); every name is checked when `names` is given.

    With `units` a quantity, `1 kg`, is the operand `(1 @ k)`, k its place in `quantities_in`.
    """
    found = quantities_in(text) if units else None
    tree, used, problems = _parse(text, logic, units)
    if names is not None:
        known = names if isinstance(names, Iterable) else ()
        unknown = [name for name in used if name not in names and name not in CONSTANTS]
        messages = [(f'there is no parameter "{name}"', declaration_fix(name, known)) for name in unknown]
        problems = (*problems, *(_fail(text, *message).problems[0] for message in messages))
        for name in (one for one in (found.behind_signs if found else ()) if one in names):
            mistake = f'"{name}" is a unit here, and a parameter too'
            fix = f"write brackets around the quantity, (2 N)*{name}, for the parameter; or give it another name"
            problems = (*problems, _fail(text, mistake, fix).problems[0])
    if problems:
        raise LuffError(problems)
    return tree


@lru_cache(1024)
def quantities_in(text: str) -> Quantities:
    """Quantities of an expression over parameters, as operands of its text."""
    if len(text) > LONGEST:
        raise _fail(text, f"{len(text)} characters, expected at most {LONGEST}")
    try:
        return with_operands(text, {*LOGIC, *CONSTANTS})
    except LuffError as error:
        raise _fail(text, error.problems[0].message, error.problems[0].fix) from None


def names_in(text: str) -> tuple[str, ...]:
    """The names that an expression uses; none where it cannot be read."""
    try:
        return _parse(text, units=True)[1]
    except LuffError:
        return ()


def with_name(text: str, old: str, new: str) -> str:
    """Expression in which a parameter has a new name; units stay, and one that cannot be read is left alone."""
    try:
        operands, written, _ = quantities_in(text)
    except LuffError:
        return text
    renamed = re.sub(rf"(?<![\w.]){old}(?!\w|\s*\()", new, operands)
    return re.sub(rf"\({_NUMBER} @ (\d+)\)", lambda found: written[int(found[1])], renamed)


@lru_cache(1024)
def _parse(
    text: str, logic: bool = False, units: bool = False
) -> tuple[ast.expr, tuple[str, ...], tuple[Problem, ...]]:
    """The tree, the names in it, and what has no place in it."""
    if len(text) > LONGEST:
        raise _fail(text, f"{len(text)} characters, expected at most {LONGEST}")
    whole = quantities_in(text).text if units else text
    _check_tokens(text, whole, _SPACE if units else _UNITS)
    try:
        tree = ast.parse(whole.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise _fail(text, f"it cannot be read: {why}") from None
    used: list[str] = []
    problems = tuple(_faults(tree, text, used, logic))
    return tree, tuple(dict.fromkeys(used)), problems


def _check_tokens(text: str, whole: str, joined: str) -> None:
    """Raise LuffError at the first token that no expression may have; quantities are operands already."""
    at, depth, number = 0, 0, False
    while whole[at:].strip():
        match = _OPERAND.match(whole, at) if whole is not text else None
        match = match or _TOKEN.match(whole, at)
        if match is None:
            rest = whole[at:].strip()
            raise _fail(text, f'"{rest[:10]}" has no meaning here', joined if rest[0].isdigit() else _ALLOWED)
        token = match.group().strip()
        if number and (token[0].isalpha() or token[0] == "_") and token not in LOGIC:
            raise _fail(text, f'"{token}" has no meaning behind a number', _UNITS)
        number = token[0].isdigit() or token[0] == "."
        depth += (token == "(") - (token == ")")
        if depth > MOST_BRACKETS:
            raise _fail(text, f"more than {MOST_BRACKETS} levels of brackets")
        at = match.end()
    if at == 0:
        raise _fail(text, "there is nothing after the =")


def _faults(tree: ast.expr, text: str, used: list[str], logic: bool) -> Iterable[Problem]:
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    fault = lambda message, fix="": _fail(text, message, fix).problems[0]  # noqa: E731
    while stack:
        node, depth = stack.pop()
        if depth > DEEPEST:
            yield fault(f"more than {DEEPEST} levels of nesting")
            return
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            continue  # a quantity
        if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS):
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, OPERATORS):
            parts = [node.operand]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            parts = node.args
            yield from _call_faults(node.func.id, len(parts), fault)
        elif isinstance(node, ast.Name):
            used.append(node.id)
        elif _logical(node):
            parts = _operands(node)
            if not logic:
                yield fault(f"{_kind(node)} has no place here", "the block `expression` takes it")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            if node.value > LARGEST:  # pyright: ignore[reportOperatorIssue] -- a number, as was asked
                yield fault(BEYOND)
        else:
            yield fault(f"{_kind(node)} has no place in an expression", _ALLOWED)
        stack.extend((part, depth + 1) for part in parts)


def _logical(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return all(type(one) in COMPARISONS for one in node.ops)
    return isinstance(node, ast.BoolOp | ast.IfExp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _operands(node: ast.AST) -> list[ast.expr]:
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]


def _kind(node: ast.AST) -> str:
    words = {"Tuple": "a list", "Lambda": "a lambda", "Compare": "a comparison", "IfExp": "if"}
    if isinstance(node, ast.BoolOp):
        return "and" if isinstance(node.op, ast.And) else "or"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "not"
    return words.get(type(node).__name__, "this syntax")


def _call_faults(name: str, count: int, fault: Callable[..., Problem]) -> Iterable[Problem]:
    if name not in FUNCTIONS:
        yield fault(f'there is no function "{name}"', did_you_mean(name, FUNCTIONS))
        return
    low, high = ARITY[name]
    if not low <= count <= high:
        yield fault(f"{name} takes {low if low == high else f'{low} to {high}'} values, found {count}")


def evaluate(text: str, lookup: Callable[[str], Quantity], names: Container[str] | None = None) -> Quantity:
    """The value of an expression; `lookup` gives the parameters."""
    tree = parse(text, names, units=True)
    try:
        value = _Evaluator(text, lookup).visit(tree)
    except ZeroDivisionError:
        raise _fail(text, "a division by zero") from None
    except OverflowError:
        raise _fail(text, BEYOND) from None
    except ValueError:
        raise _fail(text, "a function is given a value outside its domain") from None
    if not math.isfinite(value.value):
        raise _fail(text, f"the value is {value.value}, expected a finite number")
    return value


class _Evaluator:
    """Values with dimensions; None is the dimension of a bare number, which goes with everything."""

    def __init__(self, text: str, lookup: Callable[[str], Quantity]):
        self.text, self.lookup = text, lookup

    def visit(self, node: ast.expr) -> Quantity:
        if isinstance(node, ast.Constant):
            return Quantity(float(node.value), None)  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return Quantity(CONSTANTS[node.id], None) if node.id in CONSTANTS else self.lookup(node.id)
        if isinstance(node, ast.UnaryOp):
            operand = self.visit(node.operand)
            return Quantity(
                -operand.value if isinstance(node.op, ast.USub) else operand.value, operand.dimension
            )
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self._call(node.func.id, [self.visit(argument) for argument in node.args])
        assert isinstance(node, ast.BinOp)
        if isinstance(node.op, ast.MatMult):
            return quantity(quantities_in(self.text).written[node.right.value])  # type: ignore[attr-defined]
        a, b = self.visit(node.left), self.visit(node.right)
        match node.op:
            case ast.Add():
                return Quantity(a.value + b.value, self._common(a, b))
            case ast.Sub():
                return Quantity(a.value - b.value, self._common(a, b))
            case ast.Mult():
                return _simplified(a.value * b.value, a.dimension, b.dimension, 1)
            case ast.Div():
                return _simplified(a.value / b.value, a.dimension, b.dimension, -1)
            case _:
                return self._power(a, b)

    def _common(self, *values: Quantity) -> Dimension | None:
        dimensions = [value.dimension for value in values if value.dimension is not None]
        for other in dimensions[1:]:
            if not compatible(other, dimensions[0]):
                raise _fail(
                    self.text, f"{spelled(dimensions[0])} and {spelled(other)} cannot be added or compared"
                )
        return dimensions[0] if dimensions else None

    def _power(self, a: Quantity, b: Quantity) -> Quantity:
        if b.dimension is not None:
            raise _fail(self.text, f"a power is a plain number, found {spelled(b.dimension)}")
        value = a.value**b.value
        if isinstance(value, complex):
            raise _fail(self.text, "a fractional power of a negative number")
        if a.dimension is None or abs(b.value) > 100:
            return Quantity(value, None)
        power = Fraction(b.value).limit_denominator(1000)
        return Quantity(value, tuple(k * power for k in a.dimension))

    def _call(self, name: str, values: list[Quantity]) -> Quantity:
        numbers = [value.value for value in values]
        if name == "sign":
            return Quantity(sign(numbers[0]), None)
        if name in ("min", "max", "hypot", "abs", "floor", "ceil", "round", "mod"):
            return Quantity(float(FUNCTIONS[name](*numbers)), self._common(*values))
        if name == "sqrt":
            return self._power(values[0], Quantity(0.5, None)) if numbers[0] >= 0 else self._outside(name)
        if name == "atan2":
            self._common(*values)
            return Quantity(math.atan2(*numbers), _RADIANS)
        angular = name in ("sin", "cos", "tan", "rad2deg")
        for value in values:
            if value.dimension is not None and not (angular and value.dimension == _RADIANS):
                wanted = "an angle" if angular else "a plain number"
                raise _fail(self.text, f"{name} takes {wanted}, found {spelled(value.dimension)}")
        dimension = _RADIANS if name in ("asin", "acos", "atan", "deg2rad") else None
        return Quantity(FUNCTIONS[name](*numbers), dimension)

    def _outside(self, name: str) -> Quantity:
        raise _fail(self.text, f"{name} of a negative number")


def _simplified(value: float, a: Dimension | None, b: Dimension | None, sign: int) -> Quantity:
    if a is None and b is None:
        return Quantity(value, None)
    dimension = a or NONE
    if b is not None:  # few of its powers are not zero
        dimension = tuple(x + sign * y if y else x for x, y in zip(dimension, b, strict=True))
    # a ratio of like quantities is a bare number again
    return Quantity(value, dimension if any(dimension) else None)


def wrong_names(places: list[tuple[str, str]], own: tuple[str, ...]) -> Iterator[Problem]:
    """Names, each with its place, that an expression cannot use, or that stand for two things."""
    names = [name for name, _ in places]
    for name, place in places:
        taken = name in own or name in CONSTANTS or name in FUNCTIONS or iskeyword(name)
        if taken or names.count(name) > 1:
            yield Problem(f'"{name}" means something else already', place, "choose another name")
        elif normalize("NFKC", name) != name:
            mistake = f'the name "{name}" is read as "{normalize("NFKC", name)}" in an expression'
            yield Problem(mistake, place, "write it so")
        elif not name.isidentifier():
            yield Problem(f'found the name "{name}", expected letters, digits and underscores', place)

"""Proofs on guards: two exclude each other, one follows from another, one never holds.

A guard is taken apart into alternatives, each a list of comparisons of something with a number. An alternative is
impossible where its comparisons leave no room for one of the things that they compare. What this does not see (two
inputs that depend on each other, functions of one input) counts as possible.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from itertools import product

from ..light_dataclass import record
from ..text.expressions import COMPARISONS, CONSTANTS
from ..text.logic_forms import truth_value

MOST = 256  # alternatives; a guard of more is taken as one that may hold or not
CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@record
class Atom:
    """A comparison of something with a number."""

    what: str
    sign: str
    number: float


Alternatives = tuple[tuple[Atom, ...], ...]  # one of them holds; none at all: it never holds
ALWAYS: Alternatives = ((),)


class _TooManyAlternatives(Exception):
    """There are more alternatives than are examined."""


def are_exclusive(a: ast.expr | None, b: ast.expr | None, constants: Mapping[str, float]) -> bool:
    """True if it is proved that both guards never hold at once; a missing guard always holds."""
    return _contradictory(((a, True), (b, True)), constants)


def follows(a: ast.expr | None, b: ast.expr | None, constants: Mapping[str, float]) -> bool:
    """True if it is proved that b holds wherever a does."""
    return _contradictory(((a, True), (b, False)), constants)


def never(a: ast.expr | None, constants: Mapping[str, float]) -> bool:
    return _contradictory(((a, True),), constants)


def _contradictory(guards: Iterable[tuple[ast.expr | None, bool]], constants: Mapping[str, float]) -> bool:
    try:
        parts = [
            _alternatives(truth_value(guard), wanted, constants)
            if guard is not None
            else ALWAYS
            if wanted
            else ()
            for guard, wanted in guards
        ]
        return not any(_is_satisfiable(one) for one in _conjunction(parts))
    except _TooManyAlternatives:
        return False


def _conjunction(parts: Iterable[Alternatives]) -> Alternatives:
    joined = ALWAYS
    for part in parts:
        if len(joined) * len(part) > MOST:
            raise _TooManyAlternatives
        joined = tuple((*a, *b) for a, b in product(joined, part))
    return joined


def _alternatives(node: ast.expr, wanted: bool, constants: Mapping[str, float]) -> Alternatives:
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return _alternatives(node.operand, not wanted, constants)
        case ast.BoolOp():
            parts = [_alternatives(part, wanted, constants) for part in node.values]
            if isinstance(node.op, ast.And) == wanted:
                return _conjunction(parts)
            every = tuple(one for part in parts for one in part)
            if len(every) > MOST:
                raise _TooManyAlternatives
            return every
        case ast.Compare():
            return _compared(node, wanted, constants)
    return ALWAYS


def _compared(node: ast.Compare, wanted: bool, constants: Mapping[str, float]) -> Alternatives:
    a, b = node.left, node.comparators[0]
    sign = COMPARISONS[type(node.ops[0])]
    sign = sign if wanted else CONTRARY[sign]
    low, high = _number(a, constants), _number(b, constants)
    if low is not None and high is not None:
        return ALWAYS if _is_satisfiable((Atom("", "==", low), Atom("", sign, high))) else ()
    if high is not None:
        return ((Atom(ast.unparse(a), sign, high),),)
    if low is not None:
        return ((Atom(ast.unparse(b), TURNED[sign], low),),)
    one, other = ast.unparse(a), ast.unparse(b)
    if one == other:
        return ALWAYS if sign in ("<=", ">=", "==") else ()
    turned = one > other  # a - b and b - a are one thing
    what = f"{other} - ({one})" if turned else f"{one} - ({other})"
    return ((Atom(what, TURNED[sign] if turned else sign, 0.0),),)


def _number(node: ast.expr, constants: Mapping[str, float]) -> float | None:
    match node:
        case ast.Constant():
            return float(node.value)  # type: ignore[arg-type]
        case ast.Name():
            return {**CONSTANTS, **constants}.get(node.id)
        case ast.UnaryOp(op=ast.USub()):
            inner = _number(node.operand, constants)
            return None if inner is None else -inner
        case ast.UnaryOp(op=ast.UAdd()):
            return _number(node.operand, constants)
    return None


def _is_satisfiable(atoms: Iterable[Atom]) -> bool:
    """True if each compared quantity has a value left."""
    by: dict[str, list[Atom]] = {}
    for atom in atoms:
        by.setdefault(atom.what, []).append(atom)
    return all(_room(of_one) for of_one in by.values())


def _room(atoms: list[Atom]) -> bool:
    low, high, open_low, open_high = -math.inf, math.inf, False, False
    for atom in atoms:
        if atom.sign in (">", ">=", "==") and (atom.number, atom.sign == ">") > (low, open_low):
            low, open_low = atom.number, atom.sign == ">"
        if atom.sign in ("<", "<=", "==") and (-atom.number, atom.sign == "<") > (-high, open_high):
            high, open_high = atom.number, atom.sign == "<"
    if low != high:
        return low < high
    return not (open_low or open_high or any(a.sign == "!=" and a.number == low for a in atoms))

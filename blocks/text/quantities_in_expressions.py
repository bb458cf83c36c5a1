"""Quantities in expressions: `load + 1 kg`, `2 kN*m/rad * a`.

A unit stands right behind a number, as in a quantity, and goes on over `*`, `/` and whole powers while units follow.
The number and its unit become one operand, `(1 @ 0)`: `@` is no operator of expressions, so that no text can say it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from ..errors import LuffError
from .quantity import TABLE, quantity

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|.))",
    re.DOTALL,
)
_WHOLE = re.compile(r"\s*(?:\^|\*\*)\s*[+-]?\d{1,2}(?![\w.])")


class Quantities(NamedTuple):
    """Text with its quantities as operands, their own texts, and units behind a sign, which parameters may be too."""

    text: str
    written: tuple[str, ...]
    behind_signs: tuple[str, ...]


def with_operands(text: str, words: Container[str]) -> Quantities:
    """Replace each quantity by an operand; `words` are no units: operators and constants. LuffError for other words."""
    if "@" in text:  # which has no place in an expression, and is told so
        return Quantities(text, (), ())
    tokens = [*_tokens(text)]
    parts: list[str] = []
    written: list[str] = []
    behind: list[str] = []
    done = k = 0
    while k < len(tokens):
        if not (tokens[k][0] == "number" and _is_unit(tokens, k + 1, text, words, known=False)):
            k += 1
            continue
        first, k = tokens[k][2], k + 1
        end = _power(text, tokens[k][3])
        while True:
            k = next((j for j in range(k, len(tokens)) if tokens[j][2] >= end), len(tokens))
            step = 1 if k < len(tokens) and tokens[k][1] in ("*", "/") else 0
            if not _is_unit(tokens, k + step, text, words, known=True):
                break
            if step:
                behind.append(tokens[k + step][1])
            end = _power(text, tokens[k + step][3])
            k += step
        one = text[first:end].strip()
        if text[end:].lstrip().startswith(("^", "**")):
            fix = f"write ({one})^2 for a power of the quantity"
            raise LuffError("a power behind a unit is a whole number, once", fix=fix)
        number, unit = re.match(r"([\d.]+(?:[eE][+-]?\d+)?)(.*)", one, re.DOTALL).groups()  # type: ignore[union-attr]
        _check(one, unit)
        parts += [text[done:first], f"({number} @ {len(written)})"]
        written.append(one)
        done = end
    return Quantities("".join([*parts, text[done:]]), tuple(written), tuple(behind))


def _tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Kind, text, start and end of each token."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is not None:
            yield kind, match[kind], match.start(kind), match.end(kind)


def _is_unit(
    tokens: list[tuple[str, str, int, int]], k: int, text: str, words: Container[str], *, known: bool
) -> bool:
    """True if token k is a name that stands for a unit; with `known` only one of the table."""
    if k >= len(tokens) or tokens[k][0] != "name" or tokens[k][1] in words:
        return False
    called = text[tokens[k][3] :].lstrip().startswith("(")
    return not called and (not known or tokens[k][1] in TABLE)


def _power(text: str, end: int) -> int:
    """End of a unit with its power, if that is a whole number."""
    match = _WHOLE.match(text, end)
    return match.end() if match else end


def _check(one: str, unit: str) -> None:
    try:
        quantity(one)
    except LuffError:
        name = unit.split("*")[0].split("/")[0].strip()
        fix = f"write * between a number and a parameter: {one.replace(unit, '', 1).strip()}*{name}"
        raise LuffError(f'"{name}" behind a number is no unit', fix=fix) from None

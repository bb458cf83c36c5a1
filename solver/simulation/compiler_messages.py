"""Numba's error messages in words for authors of blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

ALLOCATES = (
    "it makes a list, a dictionary or an array: functions make numbers and tuples, memories keep arrays"
)
OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "iadd": "+=",
    "isub": "-=", "imul": "*=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
# lines around the cause
AROUND = (
    "Failed in",
    "During:",
    "File ",
    "Enable logging",
    "This error may",
    "- argument type",
    "TypingError",
    "Resolution failure",
)


def cause_in_function(text: str) -> str:
    """Cause of a compiler error inside a function."""
    for pattern, words in CAUSES:
        match = re.search(pattern, text)
        if match:
            return words(*match.groups())
    lines = text.splitlines()
    return next(
        (line.strip() for line in lines if line.strip() and not any(w in line for w in AROUND)), lines[0]
    )


def returned_type(text: str) -> str:
    """Type that the function returns, if that is the cause; else empty."""
    for pattern in RETURNED:
        match = re.search(pattern, text)
        if match:
            return _kind(match[1]) if match.groups() else "an array"
    return ""


def expected(count: int, names: Sequence[str]) -> str:
    """Expected result in words."""
    what = "one number" if count == 1 else f"{count} numbers"
    return f"{what} ({', '.join(dict.fromkeys(names))})" if names else what


def _kind(kind: str) -> str:
    """Numba type in words."""
    several = re.fullmatch(r"UniTuple\((?:float64|int64|bool) x (\d+)\)", kind) or re.fullmatch(
        r"(\d+)", kind
    )
    if several:
        return "one number in a tuple" if several[1] == "1" else f"{several[1]} numbers"
    for start, words in KINDS.items():
        if kind.startswith(start):
            return words
    return kind


KINDS = {
    "float": "a number", "int": "a number", "Literal[int]": "a number", "bool": "true or false",
    "Literal[bool]": "true or false", "none": "nothing", "Tuple": "a tuple", "UniTuple": "a tuple",
    "array": "an array", "unicode": "a text", "Literal[str]": "a text", "list": "a list", "reflected list": "a list",
}  # fmt: skip


def _does_not_go(name: str, arguments: str) -> str:
    """Unsupported call or operator in words."""
    kinds = [_kind(kind.strip()) for kind in re.split(r",\s*(?![^()\[\]]*[)\]])", arguments) if kind.strip()]
    if name in ("getitem", "static_getitem"):
        return f"{kinds[0]} cannot be indexed"
    if name in OPERATORS and len(kinds) == 2:
        return f"it computes {kinds[0]} {OPERATORS[name]} {kinds[1]}"
    return f"{name}() does not take {' and '.join(kinds) or 'nothing'}"


CAUSES: tuple[tuple[str, Callable[..., str]], ...] = (
    ("NRT required|Only accept returning of array|reflected list", lambda: ALLOCATES),
    ("Exception matching is limited", lambda: "exceptions cannot be told apart here: test the numbers instead"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'", lambda x, m: f"the compiler does not know {m}.{x}"),
    (r"Untyped global name '(\w+)'", lambda name: f"the compiler does not know {name}"),
    (r"Unknown attribute '(\w+)' of type (.+)", lambda x, kind: f'{_kind(kind)} has no attribute "{x}"'),
    (
        r"Cannot unify (.+?) and (.+?) for '(\w+?)(?:\.\d+)?'",
        lambda a, b, x: f'"{x}" is {_kind(a)} on one way and {_kind(b)} on another',
    ),
    (r"Can't unify return type from the following types: (.+)",
     lambda kinds: f"it returns {' or '.join(_kind(kind.strip()) for kind in kinds.split(', '))}"),
    (r">>> (\w+)\((.*)\)", _does_not_go),
    (r"LookupError: (.+)", str),
)  # fmt: skip
RETURNED = (
    r"failed to unpack (.+)",
    r"wrong tuple length.*got (\d+)",
    r"Cannot cast (.+?) to float64",
    r"<function numpy_take",
)

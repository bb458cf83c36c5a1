"""Bitcode for processors whose addresses have 32 bits: WebAssembly, and small ARM and RISC-V.

Entry points are defined with words of 64 bits, and called with addresses. Where both have 64 bits that is one
convention; elsewhere it is two, and a call has to be given what is called. So all that passes between entry points
becomes a word here, line by line in LLVM's own text, which has one instruction a line. Numba has laid out memory for
addresses of 64 bits: code that keeps one in memory is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# an entry point by its name, or one of a table by its register
_CALL = re.compile(r"(\s*)(%[\w.]+ = )?((?:tail |notail )?call) (?:void|ptr) (@luff_\w+|%[\w.]+)\((.*)\)(.*)")
# functions of mathematics have doubles alone, and stay what they are
_DECLARED = re.compile(r"declare (?!double)\w+ (@luff_\w+)\((.*)\)(.*)")
_GIVEN = re.compile(r"(ptr|i64|double) (?:[a-z_]+(?:\([^()]*\))? )*(\S+)")
_KEPT = re.compile(
    r"= load (?:volatile )?ptr\b|(?:alloca|getelementptr(?: \w+)*) [\[{<][^%@]*?\bptr\b[^%@]*?[\]}>],"
)


class WordSizeError(ValueError):
    """Code that only stands for addresses of 64 bits."""


def with_word_arguments(text: str) -> str:
    """A module as text in which entry points are given words."""
    return "\n".join(line for k, line in enumerate(text.splitlines()) for line in _line(line, k))


def _line(line: str, number: int) -> Iterator[str]:
    if _KEPT.search(line):
        raise WordSizeError(f"an address is kept in memory: {line.strip()}")
    declared = _DECLARED.fullmatch(line)
    if declared:
        name, kinds, rest = declared.groups()
        yield f"declare void {name}({', '.join(_word(kind) for kind in kinds.split(', ') if kind)}){rest}"
        return
    call = _CALL.fullmatch(line)
    if not call:
        yield line
        return
    room, made, how, name, given, rest = call.groups()
    words = []
    for k, one in enumerate(_parts(given)):
        match = _GIVEN.fullmatch(one)
        if not match:
            raise WordSizeError(f"a call is not understood: {line.strip()}")
        kind, value = match.groups()
        if kind == "ptr":
            yield f"{room}%word.{number}.{k} = ptrtoint ptr {value} to i64"
            kind, value = "i64", f"%word.{number}.{k}"
        words.append(f"{kind} {value}")
    yield f"{room}{how} void {name}({', '.join(words)}){rest}"
    if made:  # which nothing reads; without names what comes behind it is numbered by it
        yield f"{room}{made}inttoptr i64 0 to ptr"


def _word(kind: str) -> str:
    return "i64" if kind.startswith("ptr") else kind.split()[0]


def _parts(given: str) -> list[str]:
    return [one for one in given.split(", ") if one]

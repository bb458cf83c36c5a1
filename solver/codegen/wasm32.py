"""Bitcode for processors with 32-bit addresses: WebAssembly, small ARM and RISC-V.

Entry points are defined with 64-bit words and called with addresses. With 64-bit addresses that is one calling
convention, elsewhere two. So all arguments between entry points become words here, line by line in LLVM text, which has
one instruction a line. Numba's memory layout has 64-bit addresses: code that keeps one in memory is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# call of an entry point by name, or of one of a table by register
_CALL = re.compile(r"(\s*)(%[\w.]+ = )?((?:tail |notail )?call) (?:void|ptr) (@luff_\w+|%[\w.]+)\((.*)\)(.*)")
# elementary functions have doubles only and stay unchanged
_DECLARED = re.compile(r"declare (?!double)\w+ (@luff_\w+)\((.*)\)(.*)")
_GIVEN = re.compile(r"(ptr|i64|double) (?:[a-z_]+(?:\([^()]*\))? )*(\S+)")
_KEPT = re.compile(
    r"= load (?:volatile )?ptr\b|(?:alloca|getelementptr(?: \w+)*) [\[{<][^%@]*?\bptr\b[^%@]*?[\]}>],"
)


class WordSizeError(ValueError):
    """Code that is valid for 64-bit addresses only."""


def with_word_arguments(text: str) -> str:
    """LLVM text with words as arguments of entry points."""
    return "\n".join(line for k, line in enumerate(text.splitlines()) for line in _line(line, k))


def _line(line: str, number: int) -> Iterator[str]:
    """Lines that replace one line."""
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
    if made:  # unread, but unnamed values are numbered in order
        yield f"{room}{made}inttoptr i64 0 to ptr"


def _word(kind: str) -> str:
    return "i64" if kind.startswith("ptr") else kind.split()[0]


def _parts(given: str) -> list[str]:
    return [one for one in given.split(", ") if one]

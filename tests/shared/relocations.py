"""Kinds of relocations in objects, read from the objects themselves: what a loader has to know."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def relocations(content: bytes) -> Iterator[tuple[int, bool]]:
    """The number of each kind, as its format counts them; whether it is told relative to its place."""
    yield from _elf(content) if content[:4] == b"\x7fELF" else _mach(content)


def of_others(content: bytes) -> Iterator[int]:
    """Of an object of Linux: the kinds of those that name what it does not hold itself."""
    names = next(at for kind, at, _ in _sections(content) if kind == 2)
    for kind, name in _entries(content):
        (section,) = struct.unpack_from("<H", content, names + 24 * name + 6)
        if section == 0:
            yield kind


def _elf(content: bytes) -> Iterator[tuple[int, bool]]:
    return ((kind, False) for kind, _ in _entries(content))


def _entries(content: bytes) -> Iterator[tuple[int, int]]:
    """Kind, and number of the name."""
    for kind, at, length in _sections(content):
        if kind == 4:  # with addends
            for place in range(at, at + length, 24):
                yield struct.unpack_from("<QIIq", content, place)[1:3]


def _sections(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Kind, place and length."""
    (sections,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for k in range(count):
        _, kind, _, _, at, length, *_ = struct.unpack_from("<IIQQQQIIQQ", content, sections + size * k)
        yield kind, at, length


def _mach(content: bytes) -> Iterator[tuple[int, bool]]:
    at, (count,) = 32, struct.unpack_from("<I", content, 16)
    for _ in range(count):
        kind, size = struct.unpack_from("<II", content, at)
        if kind == 0x19:  # a segment
            (parts,) = struct.unpack_from("<I", content, at + 64)
            for k in range(parts):
                first, number = struct.unpack_from("<II", content, at + 72 + 80 * k + 56)
                for place in range(first, first + 8 * number, 8):
                    (word,) = struct.unpack_from("<I", content, place + 4)
                    yield word >> 28, bool(word >> 24 & 1)
        at += size

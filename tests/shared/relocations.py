"""Kinds of relocations in objects, read from the objects themselves: what a loader has to know."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def relocations(content: bytes) -> Iterator[tuple[int, bool]]:
    """The number of each kind, as its format counts them; whether it is told relative to its place."""
    yield from _elf(content) if content[:4] == b"\x7fELF" else _mach(content)


def _elf(content: bytes) -> Iterator[tuple[int, bool]]:
    (sections,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for k in range(count):
        _, kind, _, _, at, length, *_ = struct.unpack_from("<IIQQQQIIQQ", content, sections + size * k)
        if kind == 4:  # with addends
            for place in range(at, at + length, 24):
                yield struct.unpack_from("<QIIq", content, place)[1], False


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

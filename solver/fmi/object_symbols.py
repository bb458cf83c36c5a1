"""Names that objects need from elsewhere, read from the objects themselves: ELF, Mach-O and COFF, little-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator


def undefined_symbols(objects: Iterable[bytes]) -> list[str]:
    """Names that none of the objects defines."""
    needed, defined = set(), set()
    for content in objects:
        for name, here in global_symbols(content):
            (defined if here else needed).add(name)
    return sorted(needed - defined)


def global_symbols(content: bytes) -> Iterator[tuple[str, bool]]:
    """Global names, and whether they are defined."""
    if content[:4] == b"\x7fELF":
        yield from _elf(content)
    elif content[:4] == b"\xcf\xfa\xed\xfe":
        yield from _mach(content)
    else:
        yield from _coff(content)


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


def _elf(content: bytes) -> Iterator[tuple[str, bool]]:
    wide = content[4] == 2
    sections, size, count = (
        (*struct.unpack_from("<Q", content, 40), *struct.unpack_from("<HH", content, 58))
        if wide
        else (*struct.unpack_from("<I", content, 32), *struct.unpack_from("<HH", content, 46))
    )
    form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    table = [struct.unpack_from(form, content, sections + size * k) for k in range(count)]
    for _, kind, _, _, at, length, link, _, _, each in table:
        if kind != 2:  # the table of symbols
            continue
        strings = table[link][4]
        for place in range(at, at + length, each):
            name, info, section = (
                struct.unpack_from("<IBxH", content, place)
                if wide
                else struct.unpack_from("<I8xBxH", content, place)
            )
            if name and info >> 4 != 0:  # not local
                yield _text(content, strings + name), section != 0


def _mach(content: bytes) -> Iterator[tuple[str, bool]]:
    at, (count,) = 32, struct.unpack_from("<I", content, 16)
    for _ in range(count):
        kind, size = struct.unpack_from("<II", content, at)
        if kind == 2:
            symbols, number, strings = struct.unpack_from("<III", content, at + 8)
            for k in range(number):
                name, flags, section = struct.unpack_from("<IBB", content, symbols + 16 * k)
                if flags & 1 and not flags & 0xE0:  # external, and nothing for a debugger
                    yield _text(content, strings + name).removeprefix("_"), section != 0
        at += size


def _coff(content: bytes) -> Iterator[tuple[str, bool]]:
    symbols, count = struct.unpack_from("<II", content, 8)
    strings, k = symbols + 18 * count, 0
    while k < count:
        at = symbols + 18 * k
        zero, far = struct.unpack_from("<II", content, at)
        name = _text(content, strings + far) if zero == 0 else content[at : at + 8].rstrip(b"\0").decode()
        section, _, kind, more = struct.unpack_from("<hHBB", content, at + 12)
        if kind in (2, 105):  # external, or weak
            yield name, section != 0
        k += 1 + more

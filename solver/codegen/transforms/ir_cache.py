"""Cache of numba's LLVM text of entry points, stored with their object code; variants and bitcode are made of it.

Numba takes four fifths of the time of code with derivatives, and has made this text for floats already.
"""

from __future__ import annotations

import zlib

from .. import object_store
from ..jit import EntryPoint
from .entry_point_variants import Variant


class Text(Variant):
    """Store key of the compressed LLVM text of `entry`."""

    pack = ""  # in no archive

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, f"{entry.symbol}_text")


def keep_text(entry: EntryPoint, text: str) -> None:
    """Store the text in the user's folder."""
    object_store.write_object(Text(entry), [], zlib.compress(text.encode(), 1))


def text_of(entry: EntryPoint) -> str:
    """LLVM text of an entry point, by numba if it is not stored."""
    kept = object_store.read_object(Text(entry))
    if kept is not None:
        return zlib.decompress(kept[1]).decode()
    from .. import numba_compile

    text = numba_compile.compile_text(entry)
    keep_text(entry, text)
    return text

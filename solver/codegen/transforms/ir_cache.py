"""LLVM's text of entry points as numba leaves it, kept beside their object code: other numbers are made
of it, and bitcode.

Numba takes four fifths of the time in which code with derivatives is made, and has done the same for floats already.
"""

from __future__ import annotations

import zlib

from .. import object_store
from ..jit import EntryPoint
from .entry_point_variants import Variant


class Text(Variant):
    """The text of `entry`, small."""

    pack = ""  # in none

    def __init__(self, entry: EntryPoint):
        super().__init__(entry, f"{entry.symbol}_text")


def keep_text(entry: EntryPoint, text: str) -> None:
    """In the user's own folder."""
    object_store.write_object(Text(entry), [], zlib.compress(text.encode(), 1))


def text_of(entry: EntryPoint) -> str:
    """By numba, where it is not kept."""
    kept = object_store.read_object(Text(entry))
    if kept is not None:
        return zlib.decompress(kept[1]).decode()
    from .. import numba_compile

    text = numba_compile.compile_text(entry)
    keep_text(entry, text)
    return text

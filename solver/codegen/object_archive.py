"""Many pieces of compiled code in one file, compressed as a whole: they resemble each other, so that together they
take a quarter of what they take one by one. Wheels carry so what a first run has no need of.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path


def write_archive(path: Path, pieces: Mapping[str, bytes]) -> None:
    """Equal pieces make equal files."""
    import lzma

    names = sorted(pieces)
    head = json.dumps([[name, len(pieces[name])] for name in names]).encode()
    path.write_bytes(lzma.compress(b"\n".join([head, b"".join(pieces[name] for name in names)])))


@cache
def read_archive(path: Path) -> dict[str, bytes]:
    """By name; nothing of a file that is not there, or is not whole, or where Python was built without `lzma`."""
    if not path.exists():
        return {}
    try:
        import lzma
    except ImportError:
        return {}
    try:
        head, _, rest = lzma.decompress(path.read_bytes()).partition(b"\n")
    except (OSError, lzma.LZMAError):
        return {}
    pieces, at = {}, 0
    for name, size in json.loads(head):
        pieces[name] = rest[at : at + size]
        at += size
    return pieces

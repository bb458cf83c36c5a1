"""Archive of many pieces of compiled code, compressed together to a quarter of their single sizes.

Wheels carry in it the code that a first run does not need.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path


def write_archive(path: Path, pieces: Mapping[str, bytes]) -> None:
    """Write an archive; equal pieces give equal bytes."""
    import lzma

    names = sorted(pieces)
    head = json.dumps([[name, len(pieces[name])] for name in names]).encode()
    path.write_bytes(lzma.compress(b"\n".join([head, b"".join(pieces[name] for name in names)])))


@cache
def read_archive(path: Path) -> dict[str, bytes]:
    """Pieces by name; empty if the file is missing or damaged, or Python was built without `lzma`."""
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

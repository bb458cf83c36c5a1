"""Store of object code on disk: one file an entry point, named by symbol and digest of sources, written atomically.

Code that came with the package is used where the user's folder has none. A file holds a digest of its name and
content, a line of JSON with the external symbols, and the object. A file whose digest does not match is never loaded:
it counts as missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import object_archive, prebuilt_objects
from .cache_folder import cache_dir, trusted

if TYPE_CHECKING:
    from .jit import EntryPoint

SUFFIX = ".code"
DIGEST = 32  # bytes
GENERATIONS = 3  # folders of other machines or compilers that are kept
KEPT = 6000  # most files of a folder, mostly two an entry point; the oldest are deleted


class BitcodeObject(NamedTuple):
    """Store key of an object made from bitcode, with the bitcode's digest."""

    symbol: str
    digest: str
    pack: str = ""  # in no archive


@cache
def folder() -> Path:
    """Object folder of this compiler, processor and build options."""
    from llvmlite import binding

    parts = [
        *prebuilt_objects.compiler(), sys.version, platform.machine(),
        binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(),
        *(os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")),
    ]  # fmt: skip
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    wished = cache_dir() / "objects" / digest
    new = not wished.exists()
    place = trusted(wished)
    if new and place == wished:
        drop_old_folders(place)
    return place


def drop_old_folders(current: Path) -> None:
    """Delete the oldest folders of other machines or compilers."""
    others = [path for path in current.parent.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
    others = sorted((path for path in others if path != current), key=_age)
    for old in others[GENERATIONS:]:
        shutil.rmtree(old, ignore_errors=True)


def _age(path: Path) -> float:
    """Negative modification time, for sorting newest first; 0 if the file has gone."""
    try:
        return -path.stat().st_mtime
    except OSError:  # deleted by another process
        return 0.0


def name_of(entry: EntryPoint | BitcodeObject) -> str:
    """File name of an entry point's code."""
    return f"{entry.symbol}.{entry.digest}{SUFFIX}"


def path_of(entry: EntryPoint | BitcodeObject, where: Path | None = None) -> Path:
    """File of an entry point's code in a folder."""
    return (where or folder()) / name_of(entry)


def read_object(
    entry: EntryPoint | BitcodeObject, where: Path | None = None, beside: Path | None = None
) -> tuple[list[str], bytes] | None:
    """(needed symbols, code) of an entry point; None if there is none that is readable.

    Without `where`: the user's folder, then the package's; else `where`, then `beside`.
    """
    own = _read_verified(path_of(entry, where))
    beside = beside if where else prebuilt_objects.folder()
    return _read_beside(entry, beside, where) if own is None and beside else own


def _read_beside(
    entry: EntryPoint | BitcodeObject, beside: Path, where: Path | None
) -> tuple[list[str], bytes] | None:
    """Read from a file in `beside`, or from an archive there, and copy it, so that no other process has to open the
    archive.
    """
    found = _read_verified(path_of(entry, beside))
    if found is not None:
        return found
    whole = object_archive.read_archive(beside / entry.pack).get(name_of(entry)) if entry.pack else None
    found = unpacked(whole, name_of(entry)) if whole else None
    if found is not None:
        with contextlib.suppress(OSError):
            write_object(entry, *found, where)
    return found


def _read_verified(path: Path) -> tuple[list[str], bytes] | None:
    """Read a file and verify its digest; None if it is missing or damaged."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # a package's own folder may not be written
        os.utime(path)  # used files are not the oldest
    return unpacked(whole, path.name)


def packed(needed: list[str], code: bytes, name: str) -> bytes:
    """Content of the store file `name` for a piece of code."""
    content = json.dumps(needed).encode() + b"\n" + code
    return _digest(content, name) + content


def _digest(content: bytes | memoryview, name: str) -> bytes:
    made = hashlib.blake2b(name.encode() + b"\0", digest_size=DIGEST)
    made.update(content)
    return made.digest()


def unpacked(whole: bytes, name: str) -> tuple[list[str], bytes] | None:
    """(needed symbols, code) of a store file; None if content or name differ from what was packed."""
    content = memoryview(whole)[DIGEST:]
    if _digest(content, name) != whole[:DIGEST]:
        return None
    head, _, code = whole[DIGEST:].partition(b"\n")
    return json.loads(head), code


def write_object(
    entry: EntryPoint | BitcodeObject, needed: list[str], code: bytes, where: Path | None = None
) -> None:
    """Store code atomically: written to a temporary file and linked, as another process may be reading.

    A file that another process has written meanwhile stays, so that all products come from the same code: compiling
    twice does not give the same bytes.
    """
    path = path_of(entry, where)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed(needed, code, path.name))
        if not _linked(temporary, path) and _read_verified(path) is None:
            os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _linked(temporary: str, path: Path) -> bool:
    """Hard-link a file to `path` if that is free; False if it is taken or the file system has no links."""
    try:
        os.link(temporary, path)
    except OSError:
        return False
    return True


def drop_oldest(where: Path | None = None) -> None:
    """Delete the oldest files of a folder beyond `KEPT`."""
    files = sorted((where or folder()).glob(f"*{SUFFIX}"), key=_age)
    for file in files[KEPT:]:
        with contextlib.suppress(OSError):
            file.unlink()


def kept_files() -> Iterator[Path]:
    """Files of compiled code of all machines and compilers, in folders that this store has made."""
    for kind in ("objects", "bitcode"):
        for folder in (cache_dir() / kind).glob("[0-9a-f]" * 16):
            yield from (file for file in folder.iterdir() if file.is_file())


def kept_size() -> int:
    """Size of all compiled code that is kept [bytes]."""
    size = 0
    for file in kept_files():
        with contextlib.suppress(OSError):  # deleted by another process
            size += file.stat().st_size
    return size


def clear() -> None:
    """Delete all compiled code that is kept; what runs has its own in memory."""
    for file in [*kept_files()]:
        with contextlib.suppress(OSError):
            file.unlink()

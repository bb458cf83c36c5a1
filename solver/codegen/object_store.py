"""Object code on disk: one file an entry point, named by what it was made of, written whole or not at all.

What came with the package is looked at where the user's own folder has nothing.

A file holds a digest of its name and of all that follows: a line of JSON with the names of the functions that the code
calls elsewhere, and the object. What does not have its digest is never loaded: it is as if it were not there.
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
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import object_archive, prebuilt_objects
from .cache_folder import cache_dir, trusted

if TYPE_CHECKING:
    from .jit import EntryPoint

SUFFIX = ".code"
DIGEST = 32  # bytes
GENERATIONS = 3  # folders of other machines or compilers that stay
KEPT = 6000  # files of one folder, mostly two of an entry point; the oldest go first


class BitcodeObject(NamedTuple):
    """What is made of some bitcode, by the bitcode's own digest, so that no file holds code of another one."""

    symbol: str
    digest: str
    pack: str = ""  # it is in none


@cache
def folder() -> Path:
    """The folder of this compiler, processor and way to build."""
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
    others = [path for path in current.parent.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
    others = sorted((path for path in others if path != current), key=_age)
    for old in others[GENERATIONS:]:
        shutil.rmtree(old, ignore_errors=True)


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:  # another process was quicker
        return 0.0


def name_of(entry: EntryPoint | BitcodeObject) -> str:
    return f"{entry.symbol}.{entry.digest}{SUFFIX}"


def path_of(entry: EntryPoint | BitcodeObject, where: Path | None = None) -> Path:
    return (where or folder()) / name_of(entry)


def read_object(
    entry: EntryPoint | BitcodeObject, where: Path | None = None, beside: Path | None = None
) -> tuple[list[str], bytes] | None:
    """Names that the code needs, and the code; None where there is none, or none that could be read.

    Where no folder is named: the user's own, then what came with the package; else the folder, then `beside`.
    """
    own = _read_verified(path_of(entry, where))
    beside = beside if where else prebuilt_objects.folder()
    return _read_beside(entry, beside, where) if own is None and beside else own


def _read_beside(
    entry: EntryPoint | BitcodeObject, beside: Path, where: Path | None
) -> tuple[list[str], bytes] | None:
    """From a file of its own, or from a pack; then it is copied, so that no other process has to open that."""
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
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # a package's own folder may not be written
        os.utime(path)  # what is used is not among the oldest
    return unpacked(whole, path.name)


def packed(needed: list[str], code: bytes, name: str) -> bytes:
    """A piece of code as a file of that name (`name_of`) holds it."""
    content = json.dumps(needed).encode() + b"\n" + code
    return _digest(content, name) + content


def _digest(content: bytes | memoryview, name: str) -> bytes:
    made = hashlib.blake2b(name.encode() + b"\0", digest_size=DIGEST)
    made.update(content)
    return made.digest()


def unpacked(whole: bytes, name: str) -> tuple[list[str], bytes] | None:
    """None for what is not, bit for bit, what was packed, or was packed under another name."""
    content = memoryview(whole)[DIGEST:]
    if _digest(content, name) != whole[:DIGEST]:
        return None
    head, _, code = whole[DIGEST:].partition(b"\n")
    return json.loads(head), code


def write_object(
    entry: EntryPoint | BitcodeObject, needed: list[str], code: bytes, where: Path | None = None
) -> None:
    """Written aside and linked: another process may be reading. What another has written meanwhile stays, so that all
    that is made of it comes from the same code: compiling twice does not give the same bytes."""
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
    """Whether the file got its name: at once and only where there was none; some file systems have no links."""
    try:
        os.link(temporary, path)
    except OSError:
        return False
    return True


def drop_oldest(where: Path | None = None) -> None:
    files = sorted((where or folder()).glob(f"*{SUFFIX}"), key=_age)
    for file in files[KEPT:]:
        with contextlib.suppress(OSError):
            file.unlink()

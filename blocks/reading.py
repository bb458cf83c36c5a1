"""Reading what a user names: only what is a file, under a name that can be one, and of a size that memory holds.

A pipe would wait for somebody to write into it, a device may never end; both are found before anything is opened.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from .errors import LuffError

MB = 1_000_000
LARGEST = 256 * MB  # of a text that is read whole

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_REASONS = {
    errno.ELOOP: "its links lead round in a circle",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is no folder",
}


def shown(path: object) -> str:
    """A path for a message: on one line, and of a length that can be read."""
    text = str(path)
    text = text if text.isprintable() else repr(text)[1:-1]
    return text if len(text) <= 300 else f"{text[:140]}...{text[-140:]}"


def whole_path(folder: Path, name: str | Path) -> Path:
    """The path of a file that is named from a folder, links followed; LuffError where a name cannot be one."""
    try:
        return (folder / name).resolve()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # before Python 3.13 links in a circle are a RuntimeError
        raise LuffError(f"cannot find {shown(name)}: {_why(error)}") from None


def regular(path: Path, expected: str) -> os.stat_result | None:
    """What the system knows of a file; None if there is none, LuffError if it is anything but a file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LuffError(f"cannot read {shown(path)}: {_why(error)}") from None
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "no file")
        raise LuffError(f"{shown(path)} is {kind}, expected {expected}")
    return found


def content(path: Path, expected: str) -> bytes | None:
    """The bytes of a file; None if there is none, LuffError if it cannot be read."""
    found = regular(path, expected)
    if found is None:
        return None
    if found.st_size > LARGEST:
        size = f"{found.st_size / MB:.0f} MB, more than the {LARGEST // MB} MB"
        raise LuffError(f"cannot read {shown(path)}: it has {size} that {expected} may have")
    try:
        return path.read_bytes()
    except OSError as error:
        raise LuffError(f"cannot read {shown(path)}: {_why(error)}") from None


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, RuntimeError):
        return _REASONS[errno.ELOOP]
    return "the name holds a character that none can hold"

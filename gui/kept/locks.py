"""Files that stay locked as long as the process that holds them lives, however it ends."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:  # also what a file system without locks says
            raise BlockingIOError(*error.args) from error
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def hold(path: Path) -> IO[bytes]:
    """Make and lock a file; the lock goes with what is returned. A file system without locks gives none."""
    file = path.open("wb")
    with contextlib.suppress(OSError):
        _lock(file)
    return file


def is_held(path: Path) -> bool:
    """Whether a process holds it; not so where none is there, or the file system knows no locks."""
    try:
        with path.open("r+b") as file:
            _lock(file)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False

"""Files that stay locked as long as the process that holds them lives, however it ends."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import uuid
from collections.abc import Callable
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


def lock_file(path: Path) -> IO[bytes]:
    """Make and lock a file; the lock goes with what is returned. A file system without locks gives none."""
    file = path.open("wb")
    with contextlib.suppress(OSError):
        _lock(file)
    return file


def is_locked(path: Path) -> bool:
    """Whether a process holds it; not so where none is there, or the file system knows no locks."""
    try:
        with path.open("r+b") as file:
            _lock(file)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class LivenessLock:
    """A locked file in a folder, which tells other processes that this one lives; its key begins what it writes.

    Numbers of processes would not do: a container or a machine that starts again gives them out anew.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self.key = f"{os.getpid()}_{uuid.uuid4().hex[:8]}"
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()  # runs ask from threads of their own
        atexit.register(self._let_go)

    def hold(self) -> str:
        """The key, under a lock from now on."""
        path = self._folder() / f"{self.key}.lock"
        with self._lock:
            if self._file is None or not path.exists():
                self._let_go()
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = lock_file(path)
        return self.key

    def lives(self, key: str) -> bool:
        """Whether the process that wrote under this key still runs."""
        path = self._folder() / f"{key}.lock"
        if is_locked(path):
            return True
        with contextlib.suppress(OSError):  # another process was quicker, or asks at the same time
            path.unlink()
        return False

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)

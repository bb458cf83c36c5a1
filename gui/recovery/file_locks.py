"""File locks that the operating system releases when their process ends, however it ends."""

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
    """Create and lock a file; closing the returned file releases the lock. File systems without locks give an
    unlocked file."""
    file = path.open("wb")
    with contextlib.suppress(OSError):
        _lock(file)
    return file


def is_locked(path: Path) -> bool:
    """True if a process holds a lock on the file; False if it is missing or the file system has no locks."""
    try:
        with path.open("r+b") as file:
            _lock(file)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class LivenessLock:
    """Locked file that shows other processes that this one is alive; its key prefixes the files of this process.

    Process numbers would not do: containers and rebooted machines reuse them.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self.key = f"{os.getpid()}_{uuid.uuid4().hex[:8]}"
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()  # runs ask from threads of their own
        atexit.register(self._let_go)

    def hold(self) -> str:
        """Take the lock if it is not held yet, and return the key."""
        path = self._folder() / f"{self.key}.lock"
        with self._lock:
            if self._file is None or not path.exists():
                self._let_go()
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = lock_file(path)
        return self.key

    def is_alive(self, key: str) -> bool:
        """True if the process that wrote under this key still runs; a lock file left behind is deleted."""
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

"""Words between two processes, as pickles behind their lengths: both ends are this program."""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import time
from collections import deque

LENGTH = struct.Struct("<Q")
AT_ONCE = 1 << 20
PIPE_SIZE = 1031  # fcntl.F_SETPIPE_SZ of Linux
PEEK = 1e-3  # s between looks, where pipes cannot be waited for


def with_length(what: str, detail: object) -> bytes:
    body = pickle.dumps((what, detail), pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(body)) + body


def widen_pipe(file: int) -> None:
    """A pipe holds more than the system gives it, so that who writes seldom waits for who reads."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(file, PIPE_SIZE, AT_ONCE)
        except OSError:
            return


class PickleChannel:
    """Channel of the process that receives orders: one thread polls it when it has the time."""

    def __init__(self, hears: int, says: int):
        self._hears, self._says = hears, says
        self._came, self._words = bytearray(), deque[tuple[str, object]]()
        self._lock = threading.Lock()
        self.unheard = 0  # news that were said, and that nobody has taken
        widen_pipe(says)

    def say(self, what: str, detail: object = None) -> None:
        """Waits where more is said than is heard."""
        left = memoryview(with_length(what, detail))
        with self._lock:
            self.unheard += what == "news"
            try:
                while left:
                    left = left[os.write(self._says, left) :]
            except OSError:  # nobody is there any more
                os._exit(1)

    def next(self, seconds: float | None = 0.0) -> tuple[str, object] | None:
        """The next word, if one comes within that time; without an end where it is None."""
        until = None if seconds is None else time.perf_counter() + seconds
        while not self._words:
            left = None if until is None else max(0.0, until - time.perf_counter())
            if not self._ready(left):
                return None
            self._read()
        return self._words.popleft()

    def _read(self) -> None:
        data = os.read(self._hears, AT_ONCE)
        if not data:  # whoever wanted the run is gone; its file is whole at any moment
            os._exit(0)
        self._came += data
        while len(self._came) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._came)[0]
            if len(self._came) < end:
                return
            what, detail = pickle.loads(self._came[LENGTH.size : end])
            del self._came[:end]
            if what == "heard":
                self.unheard -= 1
            else:
                self._words.append((what, detail))

    def _ready(self, seconds: float | None) -> bool:
        """True if a message came within that time [s]."""
        if sys.platform != "win32":
            import select

            return bool(select.select([self._hears], [], [], seconds)[0])
        import _winapi
        import msvcrt

        until, pipe = (
            time.perf_counter() + (1e9 if seconds is None else seconds),
            msvcrt.get_osfhandle(self._hears),
        )
        while True:
            try:
                if _winapi.PeekNamedPipe(pipe)[0]:
                    return True
            except OSError:  # it was closed: reading says so
                return True
            if time.perf_counter() >= until:
                return False
            time.sleep(PEEK)

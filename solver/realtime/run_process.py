"""Process that computes runs, seen from its client: one is kept ready, and serves again."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import subprocess
import threading
from collections.abc import Iterator

from ..codegen.cache_folder import cache_dir
from ..codegen.python_subprocess import own_session_options, python_words
from .pickle_channel import LENGTH, with_length

PATIENCE = 5.0  # s for the end of a process


class RunProcess:
    """Process that computes runs; a thread reads its messages while others give orders."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            python_words("luff.solver.realtime.server"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20,
            env={**os.environ, "LUFF_CACHE_DIR": str(cache_dir())}, **own_session_options(),
        )  # fmt: skip
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        return self.process.pid

    def words(self) -> Iterator[tuple[str, object]]:
        """Yield the messages of a run up to its end or that of the process: the last is then not "over"."""
        assert self.process.stdout is not None
        what, read = "", self.process.stdout.read
        while what != "over":
            head = read(LENGTH.size)
            body = read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
            if not body:
                return
            what, detail = pickle.loads(body)
            yield what, detail
            if what == "news":
                self.send("heard")

    def send(self, what: str, detail: object = None) -> None:
        """Send an order; the end of the process shows in its messages."""
        assert self.process.stdin is not None
        with self._lock, contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(with_length(what, detail))
            self.process.stdin.flush()

    def kill(self) -> None:
        """Kill the process; its messages end."""
        self.process.kill()

    def end(self) -> str:
        """Close the process once nobody reads its messages; its exit, in words."""
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        # a process that has closed its pipes is about to end
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.kill()
        code = self.process.wait()
        named = {-number: number.name for number in signal.Signals}
        return f"by {named[code]}" if code in named else f"with code {code}"


_ready: list[RunProcess] = []
_lock = threading.Lock()


def prestart() -> None:
    """Start a process in advance, so that a run need not wait for an interpreter."""
    with _lock:
        if not _ready:
            _ready.append(RunProcess())


def acquire() -> RunProcess:
    with _lock:
        while _ready:
            engine = _ready.pop()
            if engine.process.poll() is None:
                return engine
            engine.end()
    return RunProcess()


def release(engine: RunProcess) -> None:
    """Give back a process that is idle."""
    with _lock:
        if not _ready and engine.process.poll() is None:
            _ready.append(engine)
            return
    engine.end()


def end_prestarted() -> None:
    with _lock:
        while _ready:
            _ready.pop().end()


atexit.register(end_prestarted)

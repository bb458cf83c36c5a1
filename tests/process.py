"""luff as its user starts it: a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PATIENCE = 600  # seconds until a process that does nothing is a failure; never waited for when all is well


def default_interrupt() -> None:
    """In the child: a suite in the background of a script has SIGINT ignored, one under `nohup` SIGHUP, and children
    inherit that."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


# keywords of Popen for a child that can be interrupted
INTERRUPTIBLE: dict[str, Any] = {"preexec_fn": default_interrupt} if os.name == "posix" else {}


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Look again and again, while the process lives, until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def luff_command(*words: object) -> list[str]:
    return [sys.executable, "-m", "luff", *map(str, words)]


def luff_script(*words: object) -> list[str]:
    """By the command that the package installs; `python -m luff` would take a `luff.py` of the current folder."""
    return [str(Path(sys.executable).with_name("luff")), *map(str, words)]


AT_IMPORT = re.compile(
    "NUMBA|MPL|OPENBLAS|PYTHON(?!SAFEPATH)"
)  # variables that act when modules are imported


class Prepared:
    """`luff.tests.forked_commands` as a process, and the commands that it forks for this one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.fixed: dict[str, str] = {}

    def ready(self) -> bool:
        """Where modules would not be the same under the environment of now, a command is a process from the start."""
        fixed = {name: value for name, value in os.environ.items() if AT_IMPORT.match(name)}
        if hasattr(os, "fork") and (self.process is None or self.process.poll() is not None):
            words = [sys.executable, "-P", "-m", "luff.tests.forked_commands"]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.process = subprocess.Popen(words, cwd="/", start_new_session=True, **pipes, **INTERRUPTIBLE)
            self.fixed = fixed
            atexit.register(end, self.process)
        return self.process is not None and fixed == self.fixed

    def run(self, words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        process = self.process
        assert process
        assert process.stdin
        assert process.stdout
        with tempfile.TemporaryDirectory() as folder:
            said = [str(Path(folder, name)) for name in ("stdout", "stderr")]
            timer = threading.Timer(PATIENCE, lambda: os.killpg(process.pid, signal.SIGKILL))
            timer.start()
            try:
                print(json.dumps([words, str(cwd), said, dict(os.environ)]), file=process.stdin, flush=True)
                code = process.stdout.readline()
            finally:
                timer.cancel()
            assert code, f"luff {' '.join(words)}: killed after {PATIENCE} s"
            return subprocess.CompletedProcess(words, int(code), *(Path(path).read_text() for path in said))


def end(process: subprocess.Popen[str]) -> None:
    with process:
        process.kill()


PREPARED = Prepared()


def call(
    *words: object,
    cwd: Path,
    code: int | None = 0,
    env: Mapping[str, str] | None = None,
    command: Callable[..., list[str]] = luff_command,
    **more: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; without a traceback, and with this exit code unless that is None.

    What asks for nothing but a folder and arguments is forked from a process that has imported luff.
    """
    if env or more or command is not luff_command or not PREPARED.ready():
        done = subprocess.run(
            command(*words),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            text=True,
            **{"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": PATIENCE, **more},
        )
    else:
        done = PREPARED.run([str(word) for word in words], cwd)
    said = f"luff {' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in said, said
    assert code is None or done.returncode == code, f"exit code {done.returncode}: {said}"
    return done

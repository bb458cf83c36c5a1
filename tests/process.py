"""luff as its user starts it: a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


def luff_command(*words: object) -> list[str]:
    return [sys.executable, "-m", "luff", *map(str, words)]


def luff_script(*words: object) -> list[str]:
    """By the command that the package installs; `python -m luff` would take a `luff.py` of the current folder."""
    return [str(Path(sys.executable).with_name("luff")), *map(str, words)]


def call(
    *words: object,
    cwd: Path,
    code: int | None = 0,
    env: Mapping[str, str] | None = None,
    command: Callable[..., list[str]] = luff_command,
    **more: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; without a traceback, and with this exit code unless that is None."""
    done = subprocess.run(
        command(*words),
        cwd=cwd,
        env={**os.environ, **(env or {})},
        text=True,
        **{"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": PATIENCE, **more},
    )
    said = f"luff {' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in said, said
    assert code is None or done.returncode == code, f"exit code {done.returncode}: {said}"
    return done

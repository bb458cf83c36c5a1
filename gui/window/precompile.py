"""Precompilation in another process from the start of the window, so that runs find their machine code ready."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable

from ...solver.codegen.python_subprocess import python_words

LOW_PRIORITY = 15
BELOW_NORMAL = 0x00004000  # the same on Windows
Progress = Callable[[int, int, str], object]  # done, of how many, what


def start_precompile(progress: Progress | None = None) -> subprocess.Popen[str] | None:
    """Start the precompilation process, unless all is compiled or LUFF_WARMUP is 0. It ends with its work.

    `progress` is called from a thread of its own.
    """
    from ...solver.simulation.warmup import is_warm

    if os.environ.get("LUFF_WARMUP") == "0" or is_warm():
        return None
    windows = sys.platform == "win32"
    process = subprocess.Popen(
        python_words("luff.__main__", "warmup", "--json"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        creationflags=BELOW_NORMAL if windows else 0, preexec_fn=None if windows else lower,
    )  # fmt: skip
    threading.Thread(target=_listen, args=(process, progress), name="luff warmup", daemon=True).start()
    return process


def lower() -> None:
    os.nice(LOW_PRIORITY)


def _listen(process: subprocess.Popen[str], progress: Progress | None) -> None:
    """Read the process's output until it ends, since a full pipe would block it, and report progress."""
    with process:
        for line in process.stdout or ():
            try:
                told = json.loads(line)
                words = int(told["done"]), int(told["total"]), str(told["what"])
            except (ValueError, KeyError, TypeError):
                continue
            if progress is not None:
                progress(*words)

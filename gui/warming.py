"""Compiling behind the user's back: from the window's first moment another process makes what runs may need."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

LOW_PRIORITY = 15


def start() -> subprocess.Popen[Any] | None:
    """Begin, unless all is there or LUFF_WARMUP is 0; the process ends with its work."""
    from ..solver.run.warmup import is_warm

    if os.environ.get("LUFF_WARMUP") == "0" or is_warm():
        return None
    lower: dict[str, Any] = {}
    if sys.platform == "win32":
        lower["creationflags"] = 0x00004000  # below normal
    else:
        lower["preexec_fn"] = lambda: os.nice(LOW_PRIORITY)
    return subprocess.Popen(
        [sys.executable, "-m", "luff", "warmup", "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **lower,
    )  # fmt: skip

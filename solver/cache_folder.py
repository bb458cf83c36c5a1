"""Where compiled code is kept: $LUFF_CACHE_DIR, else the user's cache folder, else a temporary one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from functools import cache
from pathlib import Path


@cache
def cache_folder() -> Path:
    named = os.environ.get("LUFF_CACHE_DIR")
    home = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "luff"
    return home if _writable(home) else _private_folder()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _private_folder() -> Path:
    """A temporary folder of the user alone: whoever else could write there could have us run their code."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"luff-cache-{user}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if user and (found.st_uid != user or found.st_mode & 0o077):
        return Path(tempfile.mkdtemp(prefix="luff-cache-"))
    return folder

"""Where compiled code is kept: only ever in a folder that nobody else can write to, for what lies there is run."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

SHARED = stat.S_IWGRP | stat.S_IWOTH


@cache
def cache_dir() -> Path:
    """$LUFF_CACHE_DIR, else the user's cache folder, else a temporary one of the user alone; links are followed."""
    named = os.environ.get("LUFF_CACHE_DIR")
    home = Path(named) if named else usual_folder()
    if _made(home):
        resolved = home.resolve()
        reason = exposed(resolved)
        if not reason and os.access(resolved, os.W_OK):
            return resolved
        if reason:
            warnings.warn(
                f"compiled code is not kept in {home}: {reason}, so that another user could replace it; "
                "a temporary folder is used (chmod go-w, or another LUFF_CACHE_DIR)",
                stacklevel=2,
            )
    return _private_folder()


def usual_folder() -> Path:
    """Where a system keeps what can be made anew."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "luff" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "luff"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "luff"


def exposed(folder: Path) -> str:
    """Why somebody other than the user and root could put a file there; empty if nobody can.

    Whoever may write to a folder above could put another one in its place, except in sticky ones such as /tmp.
    `folder` has no links in it.
    """
    if not hasattr(os, "getuid"):
        return ""
    for place in (folder, *folder.parents):
        state = place.stat()
        if state.st_uid not in (0, os.getuid()):
            return f"{place} belongs to another user"
        sticky = place != folder and state.st_mode & stat.S_ISVTX
        if state.st_mode & SHARED and not sticky:
            return f"other users may write to {place}"
    return ""


def trusted(folder: Path) -> Path:
    """A folder below the cache's own, made where it is missing; one of this process alone where it is exposed."""
    return folder if _made(folder) and not exposed(folder) else _own_folder()


def _made(folder: Path) -> bool:
    """Whether the folder is there; what was missing of it is the user's alone."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        for place in reversed(missing):
            place.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return folder.is_dir()


def _private_folder() -> Path:
    """A temporary folder that stays from run to run; where another user took its name, one for this process."""
    place = Path(tempfile.gettempdir()).resolve()
    folder = place / f"luff-cache-{os.getuid() if hasattr(os, 'getuid') else 0}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    if folder.is_dir() and not folder.is_symlink() and not exposed(folder):
        return folder
    return _own_folder()


def _own_folder() -> Path:
    own = Path(tempfile.mkdtemp(prefix="luff-cache-")).resolve()
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own

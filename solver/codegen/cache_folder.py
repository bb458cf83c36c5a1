"""Cache folder of compiled code: never one that another user can write to, as its content is executed."""

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
    """$LUFF_CACHE_DIR, else the user's cache folder, else a private temporary one; symbolic links resolved."""
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
    """The operating system's folder for caches of this user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "luff" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "luff"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "luff"


def exposed(folder: Path) -> str:
    """Reason why a user other than this one and root could put a file into `folder`; empty if none could.

    Write access to a parent allows replacing the folder, except in sticky folders such as /tmp. `folder` has no
    symbolic links in it.
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
    """`folder` below the cache folder, created if missing; a folder of this process alone if it is exposed."""
    return folder if _made(folder) and not exposed(folder) else _own_folder()


def _made(folder: Path) -> bool:
    """Create the folder with its missing parents, mode 0700; True if it exists then."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        for place in reversed(missing):
            place.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    return folder.is_dir()


def _private_folder() -> Path:
    """Temporary folder that stays from run to run; of this process alone if another user took its name."""
    place = Path(tempfile.gettempdir()).resolve()
    folder = place / f"luff-cache-{os.getuid() if hasattr(os, 'getuid') else 0}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    if folder.is_dir() and not folder.is_symlink() and not exposed(folder):
        return folder
    return _own_folder()


def _own_folder() -> Path:
    """Temporary folder of this process, deleted at its exit."""
    own = Path(tempfile.mkdtemp(prefix="luff-cache-")).resolve()
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own

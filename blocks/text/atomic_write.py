"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ..errors import RunError


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file such that it is, at every moment, either the old one or the new one, whole."""
    import tempfile  # loaded where something is written only

    target = path.resolve()  # a link stays a link
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    handle, temporary = -1, ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if not isinstance(error, OSError):
            raise
        raise RunError(f"cannot write {path}: {error.strerror}", fix="the old file is untouched") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""The library of netlists that come with luff, under the names that the documentation calls them by."""

from __future__ import annotations

import os
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "library"


def library_path(path: str | Path, folder: Path = Path()) -> Path:
    """A file or folder that a user names from a folder; where there is none, `library/hoist.yaml` is the one that comes
    with luff.
    """
    path = Path(path)
    if path.parts[:1] != (LIBRARY.name,) or ".." in path.parts or os.path.lexists(folder / path):
        return path
    own = LIBRARY.joinpath(*path.parts[1:])
    return own if own.exists() else path

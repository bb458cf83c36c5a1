"""The version of luff, in the one place, and the commit that it was made of."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"

HERE = Path(__file__).resolve().parent
WRITTEN = "commit.txt"  # beside this file in a wheel and in an archive of the sources: by setup.py


def commit(root: Path = HERE) -> str:
    """Of the sources: as it was written down, or of the clone that they are; empty where neither tells."""
    written = root / WRITTEN
    if written.is_file():
        return written.read_text("utf-8").strip()
    if not (root / ".git").exists():
        return ""
    import subprocess  # a tenth of what a command loads, for one that is asked for its version

    words = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def told() -> str:
    """`0.1.0 (1a2b3c4d5e)`."""
    made_of = commit()
    return f"{__version__} ({made_of})" if made_of else __version__

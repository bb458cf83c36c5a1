"""The version of luff, in the one place, and the commit that it was made of."""

import os

__version__ = "0.1.0"

# `python -m luff` reads this file while the current folder is first on the path: it imports what any process has
HERE = os.path.dirname(os.path.realpath(__file__))
WRITTEN = "commit.txt"  # beside this file in a wheel and in an archive of the sources: by setup.py


def commit(root: str | os.PathLike[str] = HERE) -> str:
    """Commit hash of the sources, from the file in a release or from the git clone; empty if neither is there."""
    written = os.path.join(root, WRITTEN)
    if os.path.isfile(written):
        with open(written, encoding="utf-8") as file:
            return file.read().strip()
    if not os.path.exists(os.path.join(root, ".git")):
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

"""A program in C that is linked to a library of luff's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TARGET = "x86_64-linux-gnu.2.17"


def linked(folder: Path, source: str, library: str | Path) -> Path:
    """The program `use` in the folder, of a source that is there."""
    words = [sys.executable, "-m", "ziglang", "cc", "-target", TARGET, "-I.", source, str(library), "-lm"]
    subprocess.run([*words, "-o", "use"], cwd=folder, check=True, capture_output=True)
    return folder / "use"

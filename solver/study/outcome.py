"""What became of one variant of a study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .variants import Variant


@dataclass
class Outcome:
    """How one variant ended."""

    variant: Variant
    status: str = "waiting"  # running, finished, failed, interrupted; or kept: it was there already
    message: str = ""
    refuted: bool = False  # it failed because a line of `assert:` does not hold
    seconds: float | None = None
    share: float = 0.0  # of the run that is done
    hash: str = ""
    part: Path | None = None

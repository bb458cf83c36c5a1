"""Outcome of one variant of a study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .study_variants import Variant
from .worker_messages import Answer


@dataclass
class VariantOutcome:
    """Outcome of one variant: status, message, time."""

    variant: Variant
    status: str = "waiting"  # running, finished, failed, interrupted; or kept: it was there already
    message: str = ""
    refuted: bool = False  # it failed because a line of `assert:` does not hold
    seconds: float | None = None
    share: float = 0.0  # of the run that is done
    hash: str = ""
    kind: str = ""  # equal for variants that differ in numbers alone, as far as their netlists tell
    alone: str | None = None  # why it ran by itself, "" in lanes to its end; None where that is not known
    part: Path | None = None

    def heard(self, answer: Answer) -> None:
        """Take over the answer of the process that ran it."""
        self.status, self.message, self.refuted = answer["status"], answer["message"], answer["refuted"]
        self.seconds, self.share = answer["seconds"], 1.0
        self.part = self.part if answer["saved"] else None

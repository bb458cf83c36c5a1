"""Three-valued verdicts (holds, fails, unknown) and their conjunction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum


class Verdict(Enum):
    """Answer of a check; a value that is no number leaves it unknown."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    @property
    def holds(self) -> bool | None:
        """True, False, or None where it is unknown: as JSON has it."""
        return None if self is Verdict.UNKNOWN else self is Verdict.HOLDS

    @property
    def shown(self) -> str:
        """The word of a table, in which a failure stands out."""
        return "FAILS" if self is Verdict.FAILS else self.value

    @property
    def rank(self) -> int:
        """Rank of verdicts: a failure governs over unknown, unknown over holds."""
        return (Verdict.HOLDS, Verdict.UNKNOWN, Verdict.FAILS).index(self)


def at_most(value: float, limit: float) -> Verdict:
    """`value <= limit`; unknown where either is not a number, and where the value is -inf: no sum of forces is that.

    Examples
    --------
    >>> from luff.solver.results.verdict import at_most
    >>> at_most(0.8, 1.0).value, at_most(float("nan"), 1.0).value
    ('holds', 'unknown')
    """
    if math.isnan(value) or math.isnan(limit) or value == -math.inf:
        return Verdict.UNKNOWN
    return Verdict.HOLDS if value <= limit else Verdict.FAILS


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Verdict of all: one failure is enough, and without one a single unknown. None at all holds."""
    return max(verdicts, key=lambda one: one.rank, default=Verdict.HOLDS)

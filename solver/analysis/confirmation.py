"""Confirmation runs beside an answer: what was varied, what the answer predicts, what the run did.

Commands show them where `--confirm` asks for it; tests that draw models by chance make the same runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

HEADS = ("varied", "value", "expected", "seen", "")
TITLE = "confirmed by runs"
UNKNOWN = "not seen"


@dataclass(frozen=True)
class Confirmation:
    """Run that checks an answer; `agrees` is None where the run decides nothing."""

    varied: str  # "k.k", "gain at c.y", "mode 2"
    value: str  # with its unit: "95.2 kN"
    expected: str  # "decays", "at rest", "4.31 rad/s"
    seen: str  # in the same words
    agrees: bool | None

    def as_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return dict(vars(self))

    @property
    def word(self) -> str:
        """Agreement in one word: `agrees`, `DIFFERS` or `not seen`."""
        return UNKNOWN if self.agrees is None else "agrees" if self.agrees else "DIFFERS"


def table(runs: Iterable[Confirmation]) -> Iterator[str]:
    """Lines for people: a title with its counts, heads, and a line for each run."""
    made = list(runs)
    if not made:
        yield f"{TITLE}: there is no border to run beside"
        return
    agreeing, differing = (sum(one.agrees is word for one in made) for word in (True, False))
    unknown = len(made) - agreeing - differing
    counts = [f"{agreeing} of {len(made)} agree"]
    counts += [f"{differing} DIFFER"] if differing else []
    counts += [f"{unknown} decide nothing"] if unknown else []
    yield f"{TITLE}: {', '.join(counts)}"
    rows = [HEADS, *((one.varied, one.value, one.expected, one.seen, one.word) for one in made)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip()

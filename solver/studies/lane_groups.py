"""Grouping of variants that are ordered together, so that they may run side by side in lanes.

Those of one kind differ in numbers alone, as far as their netlists tell. The first of a kind goes by itself, and the
time of its steps says what the others would take; what a process finds to differ, or not to pay, is ordered one by one
from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..batch.simd_group import BEFORE, LEAST, TOGETHER
from ..codegen.transforms.entry_point_variants import LANES
from .variant_outcome import VariantOutcome
from .worker_messages import Answer

OFF = "lanes are off"
LOST = "a process that ran it beside others died"
FEW = f"fewer than {LEAST} variants of its kind were left for a process"


@dataclass
class LaneGrouping:
    """Takes variants that wait. `wanted` is whether they go in lanes, or None where that has to pay."""

    wanted: bool | None = None
    _seconds: dict[str, float] = field(default_factory=dict)  # by kind: of the steps of one, by itself
    _why: dict[str, str] = field(default_factory=dict)  # by kind: why none go together
    _met: Counter[str] = field(default_factory=Counter)  # by kind: how many went together
    _parted: Counter[str] = field(default_factory=Counter)  # how many did not, though they were ordered so
    _alone: set[str] = field(default_factory=set)  # hashes of those that have to go by themselves

    def take(self, waiting: list[VariantOutcome], processes: int) -> list[VariantOutcome]:
        """Take the next waiting variant and those that are ordered with it."""
        first = waiting[0]
        group, kin = (
            [first],
            [each for each in waiting if self._may_use_lanes(each) and each.kind == first.kind],
        )
        # as many to each process as to the others, while there are enough
        size = min(LANES, -(-len(kin) // max(1, processes)))
        if not self._may_use_lanes(first):
            first.alone = self._refusal_reason(first)
        elif size < LEAST:
            first.alone = FEW
        else:
            group = kin[:size]
        for each in group:
            waiting.remove(each)
        return group

    def left(
        self, group: Sequence[VariantOutcome], waiting: Sequence[VariantOutcome], processes: int
    ) -> float:
        """Estimated time of these variants, and of the waiting ones of their kind, in one process one by one [s]."""
        kind = group[0].kind
        count = len(group) + sum(each.kind == kind for each in waiting) / max(1, processes)
        return count * self._seconds.get(kind, 0.0)

    def heard(self, outcome: VariantOutcome, answer: Answer, ordered: int) -> None:
        """Learn from the end of a variant, of so many that were ordered together."""
        kind, stepping = outcome.kind, answer["stepping"]
        if ordered > 1:
            outcome.alone = answer["alone"]
            self._met[kind] += 1 if outcome.alone == TOGETHER else 0
            self._parted[kind] += 1 if outcome.alone != TOGETHER else 0
            if self._parted[kind] >= LEAST and not self._met[kind]:
                self._why[kind] = outcome.alone
        elif stepping is not None:
            self._seconds[kind] = min(stepping, self._seconds.get(kind, stepping))

    def lost(self, group: Sequence[VariantOutcome]) -> None:
        """Note that the process of these variants died: each is run alone, to find the one that caused it."""
        self._alone |= {each.hash for each in group}

    def _may_use_lanes(self, outcome: VariantOutcome) -> bool:
        known = self.wanted or outcome.kind in self._seconds
        return bool(
            self.wanted is not False
            and known
            and outcome.kind not in self._why
            and outcome.hash not in self._alone
        )

    def _refusal_reason(self, outcome: VariantOutcome) -> str:
        if self.wanted is False:
            return OFF
        return LOST if outcome.hash in self._alone else self._why.get(outcome.kind, BEFORE)

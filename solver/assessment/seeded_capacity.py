"""Load capacity in a random sea or wind: its percentile over seeds, with the confidence interval of so few seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...blocks.errors import LuffError, Problem
from ..batch.study_lanes import LaneResults
from ..studies.statistics import percentile_ranks
from .assessment_file import Assessment, watched
from .load_capacity import Capacity, ChartPoint, LoadOutcome, capacity_search, seen

SEEDS = 2**31  # that a block may have
# least distance of a block's seeds: samples of two models whose own seeds are less than that apart share none, up to
# SEEDS / STRIDE, 271 000 seeds
STRIDE = 7919


@dataclass(frozen=True)
class SeedSample:
    """Sample of a random sea or wind: a number of seeds, the percentile [%] of them that has to hold, and the
    confidence [%] of its interval.

    Each seed has a capacity X of its own, the first load at which a run with it breaks a check. At a load x the share
    of seeds that hold is the share with X > x; the capacity at a percentile P is the quantile of X at 1 - P/100.
    """

    count: int
    percentile: float = 90.0
    confidence: float = 95.0

    def __post_init__(self) -> None:
        for name, value in (("percentile", self.percentile), ("confidence", self.confidence)):
            if not 0.0 < value < 100.0:
                raise LuffError(Problem(f"found {value:g}, expected a share between 0 and 100 %", name))
        if self.count < 2:
            raise LuffError(Problem(f"found {self.count} seeds, expected 2 or more", "seeds"))

    @property
    def ranks(self) -> tuple[int, int, int]:
        """Places of the estimate and of both ends of its interval in the sorted capacities; -1 and `count` are none.

        The number of capacities below the true quantile is binomial (David and Nagaraja, 2003, sec. 7.1).
        """
        broken = 1 - Fraction(str(self.percentile)) / 100
        low, high = percentile_ranks(self.count, float(broken), self.confidence / 100.0)
        return math.ceil(self.count * broken) - 1, low, high

    @property
    def enough(self) -> int:
        """Least number of seeds that gives a lower bound."""
        tail = (1.0 - self.confidence / 100.0) / 2.0
        count = max(2, math.floor(math.log(tail) / math.log(self.percentile / 100.0)))
        while replace(self, count=count).ranks[1] < 0:
            count += 1
        return count

    def bounds(self, found: Sequence[Capacity]) -> tuple[Capacity, float, float]:
        """Capacity at the percentile, and the ends of its interval; NaN where so few seeds give none."""
        at, low, high = self.ranks
        # a seed of which nothing is known stands at either end
        least, most = (sorted(found, key=lambda one: _sort_key(one, end)) for end in (-math.inf, math.inf))
        ends = (least[low] if low >= 0 else None, most[high] if high < self.count else None)
        below, above = (math.nan if one is None else _end(one) for one in ends)
        count = sum(one.evaluations for one in found)
        if least[at] == most[at]:
            return replace(least[at], evaluations=count), below, above
        unknown = [one for one in found if one.kind == "unknown"]
        why = f"{len(unknown)} of {self.count} seeds are unknown: {unknown[0].reason}"
        return Capacity(math.nan, "unknown", count, "unknown", why), below, above


def _sort_key(one: Capacity, unknown: float) -> float:
    """Capacity by which seeds are sorted."""
    return {"none": -math.inf, "range": math.inf, "unknown": unknown}.get(one.kind, one.load)


def _end(one: Capacity) -> float:
    """End of an interval: infinite where nothing limits the range that was looked at, NaN where it is unknown."""
    return math.inf if one.kind == "range" else one.load


def seeds_of(assessment: Assessment, sample: SeedSample) -> list[dict[str, object]]:
    """Changes of the model by seed: all blocks that draw, each from its own seed on.

    Blocks of one seed keep to one; those of different seeds share none in any of the runs.
    """
    blocks: dict[str, Any] = {**assessment.flat.blocks}
    own = {name: int(block.seed) for name, block in blocks.items() if "seed" in block.params}
    if not own:
        fix = "give it waves, a wind or noise, or leave out the seeds"
        raise LuffError(
            Problem("the model has no block with a seed: all runs would be the same", "seeds", fix)
        )
    stride = next(one for one in itertools.count(STRIDE) if _all_differ({*own.values()}, one, sample.count))
    return [
        {f"{name}.seed": (seed + stride * k) % SEEDS for name, seed in own.items()}
        for k in range(sample.count)
    ]


def _all_differ(own: set[int], stride: int, count: int) -> bool:
    """True if no two of `count` seeds of each block, a stride apart, are the same."""
    drawn = {(seed + stride * k) % SEEDS for seed in own for k in range(count)}
    return len(drawn) == len(own) * count


def capacities(
    points: Sequence[ChartPoint], lower: float, upper: float, scale: float, lane_results: LaneResults
) -> list[Capacity]:
    """Capacity of each point, whose searches go on in step so that their runs share lanes."""
    searches = [capacity_search(lower, upper, scale) for _ in points]
    loads = {k: next(search) for k, search in enumerate(searches)}
    found: dict[int, Capacity] = {}
    while loads:
        looked = _looked([points[k] for k in loads], [*loads.values()], lane_results)
        for k, one in zip([*loads], looked, strict=True):
            try:
                loads[k] = searches[k].send(one)
            except StopIteration as end:
                found[k] = end.value
                del loads[k]
    return [found[k] for k in range(len(points))]


def _looked(
    points: Sequence[ChartPoint], loads: Sequence[float], lane_results: LaneResults
) -> list[LoadOutcome]:
    """Outcome of each point's load."""
    try:
        sims = [point.runs(load) for point, load in zip(points, loads, strict=True)]
        results = lane_results.results([one for each in sims for one in each], watched(points[0].assessment))
    except LuffError:  # of one of them: each by itself tells of which
        return [point(load) for point, load in zip(points, loads, strict=True)]
    made = iter(results)
    told = []
    for point, each in zip(points, sims, strict=True):
        point.error = None
        told.append(seen(point.worst([*itertools.islice(made, len(each))])))
    return told

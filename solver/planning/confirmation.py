"""Confirmation of a plan by its run: it ends as asked, rests and keeps limits, to a thousandth of sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .collocation import Case, Watched
from .flight import Flown

FOLLOWED = 1e-3  # share of a state's or limit's size by which the run may differ from the plan
STILL = 1e-9  # rate that is rounding [SI/s]: it takes a millisecond to the flight's absolute tolerance


def rates_on_the_way(case: Case, f: np.ndarray) -> np.ndarray:
    """Largest values on the way of the rates that vanish at rest; of rates that are rounding, what lets ends be so."""
    largest = np.max(abs(case.rest_rates(f)), axis=0)
    return np.where(largest <= STILL, STILL / FOLLOWED, largest)  # a NaN stays one


def doubts(cases: list[Case], flown: list[Flown]) -> Iterator[str]:
    """Reasons why the runs do not confirm the plan: they end elsewhere, or go beyond limits, or show neither."""
    for case, one in zip(cases, flown, strict=True):
        where = f"{case.name}: " if case.name else ""
        if one.problem:
            yield f"{where}the plan could not be simulated"
            continue
        # states that nobody asked for may end elsewhere, and are told
        if case.rest and not one.share <= FOLLOWED:
            yield f"{where}the run ends more than {FOLLOWED:g} of a state's size from the plan; take more intervals"
        if case.rest and not one.rate_share <= FOLLOWED:
            yield f"{where}the run does not rest: a rate is {one.rate_share:.2g} of its largest at the end"
        for asked in case.end:
            wanted, value = one.end[asked.name]
            if not abs(value - wanted) <= FOLLOWED * case.scale[asked.place]:
                yield f"{where}{asked.name} misses its end in the run by {value - wanted:.2g}; take more intervals"
        for limit in case.limits:
            if limit.name not in one.peaks:
                yield f"{where}{limit.name} is not recorded, so it is not known between points; add it to `record:`"
            elif not one.over.get(limit.name, 0.0) <= FOLLOWED * limit_size(limit, case):
                yield (
                    f"{where}{limit.name} breaks its limit between points of the grid; take more intervals, "
                    f"or a limit that is tighter by {one.over[limit.name]:.2g}"
                )


def limit_size(limit: Watched, case: Case) -> float:
    """Larger of the finite bounds of a limit; of a limit at zero the size of its quantity."""
    finite = [abs(bound) for bound in (limit.lower, limit.upper) if np.isfinite(bound)]
    return max(finite, default=0.0) or float(case.scale[limit.place])

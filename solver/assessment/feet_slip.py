"""Slip of the feet of a base that only push, in the rows of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.mechanics.elastic_supports import BaseSupport
from ..results.result import Result
from .assessment_file import Assessment

AWAY = 10.0  # bends of its bristle: by definition, a foot that ends farther from its place has left it
LEFT = f"a foot ends over {AWAY:g} times its bend from its place"
SIGNALS = (("deflection", 0), ("deflection", 1), ("force", 0), ("force", 1), ("force", 2))


@dataclass(frozen=True)
class FeetSlip:
    """Slip of the feet of a base, row by row and foot by foot [m], and how far a foot bends before it slips.

    Slip is a foot's way across less what its bristle bends, x + F/k; of a foot that does not push it is 0.
    """

    slips: np.ndarray
    bends: np.ndarray

    @property
    def left(self) -> bool:
        """True if a foot that pushes at the end has slipped farther than AWAY times what its bristle bends."""
        return bool((self.slips[-1] > AWAY * self.bends[-1]).any())


def feet_slip(assessment: Assessment, result: Result) -> FeetSlip | None:
    """Slip of the feet of the base that tips which have stiffness across; None where none has, and of other pads.

    LuffError if a signal for it was not recorded.
    """
    tipping = assessment.settings.tipping
    base = assessment.flat.blocks.get(tipping.base) if tipping is not None else None
    if tipping is None or not isinstance(base, BaseSupport) or not base.one_sided or base.locked:
        return None
    bristles = {
        k: each.stiffness[:2] for k, each in enumerate(base.supports, 1) if min(each.stiffness[:2]) > 0.0
    }
    if not bristles:
        return None
    names = [[f"{tipping.base}.{kind}_{k}[{axis}]" for kind, axis in SIGNALS] for k in bristles]
    stiffness = np.array([*bristles.values()])
    refuse_unrecorded(result, [name for each in names for name in each], "feet that slip")
    x, y, fx, fy, push = (np.column_stack([result[each[k]] for each in names]) for k in range(5))
    bends = np.hypot(fx / stiffness[:, 0], fy / stiffness[:, 1])
    slips = np.hypot(x + fx / stiffness[:, 0], y + fy / stiffness[:, 1])
    return FeetSlip(np.where(push <= 0.0, 0.0, slips), np.where(push <= 0.0, np.inf, bends))


def refuse_unrecorded(result: Result, names: Iterable[str], seen: str) -> None:
    """LuffError if a signal by which something is `seen` was not recorded: without it nothing is known of that."""
    missing = next((name for name in names if name not in result), "")
    if missing:
        mistake = f"found no signal {missing} among what is recorded, which shows {seen}"
        raise LuffError(Problem(mistake, "record", f'add "{missing.partition(".")[0]}.*"'))

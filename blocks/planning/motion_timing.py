"""Timing of a planned motion, shared by motion_law and path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..block import Block
from ..params import Choice, Param, Use
from .time_scaling import LAWS

RAMPED = {"trapezoidal": ("ramp",), "s_curve": ("ramp", "rounding")}


def ramps_used(law: str, beside: Mapping[str, object]) -> Use:
    """Ramp and rounding are unused unless the law, or that of a leg, has them."""
    legs = beside.get("legs")
    given = [leg.get("law") for leg in legs if isinstance(leg, dict)] if isinstance(legs, list) else []
    used = {name for one in (law, *given) if isinstance(one, str) for name in RAMPED.get(one, ())}
    return Use(unused=frozenset({"ramp", "rounding"} - used))


def law_choice(default: str | None, uses: Callable[[str, Mapping[str, object]], Use] | None = None) -> Choice:
    return Choice(default, LAWS, uses=uses, doc="law of motion from rest to rest")


class Planned(Block, abstract=True):
    """A motion that starts at a time, follows a law, and rests before and after."""

    family = "planning"
    start = Param(0.0, "s", doc="when the motion starts; it rests at its first value before")
    law = law_choice("poly5", ramps_used)
    ramp = Param(0.25, gt=0, le=0.5, doc="trapezoidal, s_curve: share of the time in each ramp")
    rounding = Param(
        0.5, gt=0, le=0.5, doc="s_curve: share of a ramp in which the acceleration rises, or falls"
    )

    def plan(
        self, legs: Sequence[tuple[float, float, str]], repeat: float = 1.0
    ) -> dict[str, tuple[float, ...]]:
        """The arrays `timing` and `cycle` of `leg_at`, from each leg's duration, dwell after it, and law."""
        rows: list[float] = []
        begin = 0.0
        for duration, dwell, law in legs:
            rows += [begin, duration, float(LAWS.index(law)), self.ramp, self.rounding]
            begin += duration + dwell
        return {"timing": tuple(rows), "cycle": (self.start, begin, repeat)}

    def kinks(self) -> Iterable[tuple[float, float]]:
        """Times at which legs and their ramps begin and end."""
        return self._at(lambda law: (0.0, self.ramp, 1.0 - self.ramp, 1.0))

    def breaks(self) -> Iterable[tuple[float, float]]:
        """Times of these at which the acceleration jumps."""
        ramps = (0.0, self.ramp, 1.0 - self.ramp, 1.0)
        return self._at(lambda law: {"poly3": (0.0, 1.0), "trapezoidal": ramps}.get(law, ()))

    def _at(self, shares: Callable[[str], Iterable[float]]) -> tuple[tuple[float, float], ...]:
        """Shares of each leg's time, by its law, as times."""
        derived = self.derived()
        timing, (start, whole, repeat) = derived["timing"], derived["cycle"]
        period = 0.0 if repeat == 1.0 else whole
        return tuple(
            (start + timing[k] + share * timing[k + 1], period)
            for k in range(0, len(timing), 5)
            for share in shares(LAWS[int(timing[k + 2])])
        )

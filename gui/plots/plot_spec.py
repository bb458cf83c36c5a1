"""Specification of a plot."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...blocks import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.results.display_unit import display_unit


@dataclass
class PlotSpec:
    """Entry of the netlist's `plots:`"""

    title: str = ""
    y: list[str] = field(default_factory=list)
    x: str = "time"
    unit: str = ""  # unit of the vertical axis; each signal's own if empty
    range: tuple[float, float] | None = None  # limits of the vertical axis, in its unit
    plan: str = ""  # programmed constraint whose planned curve is drawn

    @classmethod
    def of(cls, raw: Raw) -> PlotSpec:
        raw = raw if isinstance(raw, dict) else {}
        names = raw.get("y")
        names = [names] if isinstance(names, str) else names if isinstance(names, list) else []
        ends = raw.get("range")
        pair = [float(end) for end in ends if isinstance(end, int | float)] if isinstance(ends, list) else []
        return cls(
            str(raw.get("title") or ""),
            [str(name) for name in names],
            str(raw.get("x") or "time"),
            str(raw.get("unit") or ""),
            (pair[0], pair[1]) if len(pair) == 2 and pair[0] < pair[1] else None,
            str(raw.get("plan") or ""),
        )

    def raw(self) -> RawMap:
        raw: RawMap = {"title": self.title} if self.title else {}
        if self.x != "time":
            raw["x"] = self.x
        raw["y"] = [*self.y]
        if self.unit:
            raw["unit"] = self.unit
        if self.range:
            raw["range"] = [int(end) if end == int(end) else end for end in self.range]
        if self.plan:
            raw["plan"] = self.plan
        return raw

    def shown(self, unit: str) -> tuple[str, float]:
        """Displayed unit of a signal, and the factor to it from the signal's own unit."""
        try:
            return display_unit(unit, self.unit)
        except LuffError:
            return unit, 1.0

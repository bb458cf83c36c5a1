"""Motion from value to value, at rest at each."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Problem
from ..params import Integer, Param, Struct, SubList
from ..ports import ANY, TRAJECTORY, Out, Port
from ..signal_params import PerElement, UnitName
from .motion_timing import Planned, law_choice
from .time_scaling import legs_motion


class Leg(Struct):
    """Leg of a sequence; values that are not given are those of the block."""

    to = PerElement(doc="value at the end of the leg")
    duration = Param(None, "s", gt=0, doc="duration of the leg")
    dwell = Param(None, "s", ge=0, doc="rest after the leg")
    law = law_choice(None)


class MotionLaw(Planned):
    """A motion from rest to rest, to one value or through a sequence of legs, with exact rates."""

    y = Out(ANY, kind=TRAJECTORY, doc="value, rate and acceleration")
    unit = UnitName()
    usual = ("end_value", "duration", "law")
    start_value = PerElement(0.0, unit_in="unit", doc="value before the start")
    end_value = PerElement(1.0, unit_in="unit", doc="value at the end, where no legs are given")
    duration = Param(1.0, "s", gt=0, doc="duration of a leg")
    dwell = Param(0.0, "s", ge=0, doc="rest after a leg, before the next one")
    legs = SubList(Leg, doc="legs [{to, duration, dwell, law}, ...], one after the other")
    repeat = Integer(
        1, ge=0, doc="how often the legs run; 0 is without end; they must lead back to the start"
    )
    derived_names = ("timing", "stops", "cycle")

    def ports(self) -> dict[str, Port]:
        port = self.class_ports["y"]
        return {"y": Out(ANY, self.unit or None, port.doc, TRAJECTORY).named("y")}

    def unit_laws(self) -> Iterable[str]:
        legs = (f"legs[{k}].to = y" for k in range(len(self.legs)))
        return ("start_value = y", "end_value = y", *legs)

    def rests(self) -> list[tuple[float, ...]]:
        """Values at which the motion rests, in order."""
        ends = [leg.to for leg in self.legs] or [self.end_value]
        return [value if isinstance(value, tuple) else (value,) for value in (self.start_value, *ends)]

    def width(self) -> int | None:
        widest = max(map(len, self.rests()))
        return widest if widest > 1 else super().width()

    def check(self) -> Iterable[Problem]:
        stops = self.rests()
        widest = max(map(len, stops))
        places = [".start_value", *([f".legs[{k}].to" for k in range(len(self.legs))] or [".end_value"])]
        for stop, place in zip(stops, places, strict=True):
            if len(stop) not in (1, widest):
                yield Problem(f"found {len(stop)} numbers, expected {widest}", place)
        back = all(stops[0][i % len(stops[0])] == stops[-1][i % len(stops[-1])] for i in range(widest))
        if self.repeat != 1 and not back:
            yield Problem(
                "the motion repeats, but does not end where it starts", ".repeat", "add a leg that leads back"
            )

    def derived(self) -> dict[str, tuple[float, ...]]:
        stops = self.rests()
        widest = max(map(len, stops))
        legs = [
            (
                self.duration if leg.duration is None else leg.duration,
                self.dwell if leg.dwell is None else leg.dwell,
                leg.law or self.law,
            )
            for leg in self.legs
        ]
        values = tuple(stop[i % len(stop)] for stop in stops for i in range(widest))
        plan = self.plan(legs or [(self.duration, self.dwell, self.law)], float(self.repeat))
        return plan | {"stops": values}

    out = legs_motion

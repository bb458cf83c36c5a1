"""Release: holds two frames together until it lets go, and picks up again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ..block import Equation
from ..block_states import Memory
from ..errors import Problem
from ..multibody_parts import Part
from ..params import Flag, Param, Sub
from ..ports import In, Out
from .joints import Free, FreeInitial

TRUE = 0.5  # above it `open` is true


class ReleaseInitial(FreeInitial):
    """Place and motion at the start, and whether it holds."""

    held = Flag(True, doc="it holds at the start")


def holding(held):
    return held[0]


def pull_of(force):
    """Magnitude of a force [N]."""
    return math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)


def let_go(during, open, total_force, time, force, latch, held, asked, timed):
    """Hold until `open`, the time or the force opens it; hold again where `open` becomes false, if it latches."""
    if held[0] > 0.0:
        late = during >= time and timed[0] == 0.0
        if open > TRUE or late or pull_of(total_force) > force:
            held[0] = 0.0
    elif latch[0] > 0.0 and asked[0] > 0.0 and open <= TRUE:
        held[0] = 1.0
    asked[0] = 1.0 if open > TRUE else 0.0
    timed[0] = 1.0 if during >= time else timed[0]


def let_go_at_any_force(during, open, time, latch, held, asked, timed):
    """`let_go` without a greatest force: no reaction is needed to decide."""
    if held[0] > 0.0:
        if open > TRUE or (during >= time and timed[0] == 0.0):
            held[0] = 0.0
    elif latch[0] > 0.0 and asked[0] > 0.0 and open <= TRUE:
        held[0] = 1.0
    asked[0] = 1.0 if open > TRUE else 0.0
    timed[0] = 1.0 if during >= time else timed[0]


def above_true(open):
    return open - TRUE


def after_time(during, time):
    return during - time


def above_force(total_force, force):
    return pull_of(total_force) - force


class Release(Free):
    """Two frames held together until a signal, a force or a time lets go; then b flies, with six freedoms.

    While it holds, b stands in a where it was caught, and `total_force` is what it carries. Letting go takes no energy.
    With `again` it holds anew where `open` becomes false, wherever b is then: a perfectly plastic impact, in which the
    momenta of all other freedoms are kept, and the energy that is lost counts as dissipation. Forces that stay finite
    (friction, contacts, springs, drives) do nothing in an impact.
    """

    constraint_force = None  # while it holds, the total is a constraint's; while it does not, nothing is
    constraint_torque = None
    cut = None
    open = In(default=0.0, doc="above 0.5: lets go")
    held = Memory("held", doc="1 while it holds")
    asked = Memory(doc="1 where `open` was true in the step before")
    timed = Memory(doc="1 once the time has come")
    force = Param(None, "N", gt=0, doc="lets go where it carries more than this; any, if not given")
    time = Param(None, "s", doc="lets go at this time")
    again = Flag(doc="holds anew where `open` becomes false")
    initial = Sub(ReleaseInitial, {}, doc="start {held, position, rotate, velocity, angular_velocity}")
    holds = Out(doc="1 while it holds, else 0")
    derived_names = ("latch",)

    def internal_wires(self) -> dict[str, str]:
        return {"total_force": "total_force"}

    def state_start(self, initial: float | str) -> object:
        return float(self.initial.held) if initial == "held" else super().state_start(initial)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"latch": (float(self.again),)}

    def check(self) -> Iterable[Problem]:
        moved = [name for name in ("velocity", "angular_velocity") if any(getattr(self.initial, name))]
        if self.initial.held and moved:
            fix = "remove it, or write held: false"
            yield Problem(f"found {moved[0]} where b is held at the start", f".initial.{moved[0]}", fix)

    def instance_functions(self) -> dict[str, Equation]:
        own: dict[str, Equation] = {
            "out_holds": holding, "decide": let_go_at_any_force, "crossing_open": above_true,
        }  # fmt: skip
        if self.time is not None:
            own["crossing_time"] = after_time
        if self.force is not None:
            own |= {"decide": let_go, "crossing_force": above_force}
        return own

    def jumps(self) -> Iterable[tuple[float, float]]:
        return () if self.time is None else ((float(self.time), 0.0),)

    def parts(self) -> list[Part]:
        (joint,) = super().parts()
        return [replace(joint, hold="holds", held=self.initial.held)]

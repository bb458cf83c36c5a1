"""State feedback with a gain from a file or the netlist: the block `lqr`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from ..block import Block, Echo, Equation
from ..block_states import Memory, State
from ..errors import Problem
from ..params import Param, Struct, SubList
from ..ports import In, Out, Port, with_widths
from ..signal_params import AnyUnit, PerElement
from ..text.generated_functions import function_from
from .design_file import Designed, length_problem, shape_problem, spread_numbers


def between(place, grid):
    """Interval of a place in a growing grid, and the share of its way; the ends hold beyond."""
    last = len(grid) - 1
    if last == 0 or not place > grid[0]:
        return 0, 0.0
    if place >= grid[last]:
        return last - 1, 1.0
    k = 0
    while grid[k + 1] < place:
        k += 1
    return k, (place - grid[k]) / (grid[k + 1] - grid[k])


def mixed(values, first, step, share):
    """Linear interpolation between values[first] and values[first + step]."""
    if share == 0.0:
        return values[first]
    return values[first] + share * (values[first + step] - values[first])


def feedback_effort(row, inputs, grid, gains, ats, efforts):
    """u0 + v - K (x - x0 - r), row by row."""
    m = len(efforts) // len(grid)
    n = len(ats) // len(grid)
    k, share = between(inputs[2 * n + m], grid)
    effort = inputs[2 * n + row] + mixed(efforts, k * m + row, m, share)
    for j in range(n):
        gain = mixed(gains, (k * m + row) * n + j, m * n, share)
        effort -= gain * (inputs[j] - inputs[n + j] - mixed(ats, k * n + j, n, share))
    return effort


ARGUMENTS = "inputs, grid, gains, ats, efforts"
HELPERS = (feedback_effort, between, mixed)


@cache
def feedback_functions(m: int, sampled: bool) -> dict[str, Equation]:
    """Functions of a block with m efforts, held between samples or not."""
    rows = [f"feedback_effort({row}, {ARGUMENTS})" for row in range(m)]
    if not sampled:
        text = f"def feedback_out({ARGUMENTS}):\n    return {', '.join(rows)}\n"
        return {"out_effort": function_from(text, *HELPERS)}
    lines = "".join(f"    held[{k}] = {row}\n" for k, row in enumerate(rows))
    update = f"def feedback_sample({ARGUMENTS}, held):\n{lines}"
    return {"update": function_from(update, *HELPERS), "out_effort": held_entries(0, m)}


@cache
def held_entries(first: int, count: int) -> Equation:
    """Function that returns entries of the memory or state `held`."""
    entries = ", ".join(f"held[{k}]" for k in range(first, first + count))
    return function_from(f"def held_entries(held):\n    return {entries}\n")


class OperatingGain(NamedTuple):
    """Gain K, state x0 and effort u0 of one operating point."""

    value: float
    gain: Sequence[Sequence[float]]
    at: tuple[float, ...]
    effort_at: tuple[float, ...]


class Scheduled(Struct):
    """Gain of one operating point."""

    value = AnyUnit(doc="of the signal over which gains are scheduled")
    gain = AnyUnit(shape=(None, None), doc="K, a row for each effort")
    at = PerElement(0.0, doc="x0, state of the operating point; one number stands for all")
    effort_at = PerElement(0.0, doc="u0, effort of the operating point")


class Lqr(Designed):
    """Linear-quadratic regulator: effort = u0 + feedforward - K (state - x0 - target).

    `luff lqr` and `luff.lqr` find K, x0 and u0 for a model and write them to a `file`. With several `points` they are
    interpolated linearly over the input `schedule`, and hold beyond the ends. With a `sample_time` the effort is held
    between samples.
    """

    family = "control"
    kind = "lqr"
    in_file = ("points",)
    instead = ("gain", "at", "effort_at")
    state = In(doc="x, measured or estimated, in the order of the gain's columns")
    target = In(default=0.0, doc="r, wanted deviation of the state from the operating point")
    feedforward = In(default=0.0, doc="v, effort that is added")
    schedule = In(doc="signal over which gains are scheduled")
    effort = Out(doc="for the drives, in the order of the gain's rows")
    gain = AnyUnit(((1.0,),), shape=(None, None), live=False, doc="K, a row for each effort")
    at = PerElement(0.0, live=False, doc="x0, state of the operating point; one number stands for all")
    effort_at = PerElement(0.0, live=False, doc="u0, effort of the operating point")
    points = SubList(Scheduled, doc="gains over a signal, in place of gain: [{value, gain, at, effort_at}]")
    sample_time = Param(
        0.0, "s", ge=0, live=False, doc="time from one sample to the next, rounded to steps; 0: continuous"
    )
    held = Memory("first", size="efforts_held", doc="efforts since the last sample")
    derived_names = ("grid", "gains", "ats", "efforts")

    def operating_points(self) -> list[OperatingGain]:
        """Gains in the order of the schedule."""
        found: Sequence[Any] = self.design()["points"] or [Scheduled({**self.values, "value": 0.0})]
        n, m = len(found[0].gain[0]) if found[0].gain else 0, len(found[0].gain)
        return [
            OperatingGain(p.value, p.gain, spread_numbers(p.at, n), spread_numbers(p.effort_at, m))
            for p in found
        ]

    def check(self) -> Iterable[Problem]:
        problems = [*self.file_problems()]
        yield from problems
        if problems:
            return
        if self.points and {"gain", "at", "effort_at"} & self.given:
            yield Problem("found both points and a gain beside them", ".points", "leave one out")
            return
        place = (
            ".gain" if self.file is None and not self.points else ".points" if self.file is None else ".file"
        )
        found = self.operating_points()
        rows, columns = self.size()
        if not rows * columns:
            yield Problem("found an empty gain, expected a row for each effort", place)
            return
        for point in found:
            yield from shape_problem(point.gain, "a gain", rows, columns, place)
            yield from length_problem(point.at, "at", columns, place)
            yield from length_problem(point.effort_at, "effort_at", rows, place)
        if any(a.value >= b.value for a, b in pairwise(found)):
            yield Problem("expected points with values that grow", place)
        yield from self.sampling_problem(self.sample_time)

    def size(self) -> tuple[int, int]:
        """Numbers of efforts and of states."""
        gain = self.operating_points()[0].gain
        return len(gain), len(gain[0]) if gain else 0

    def efforts_held(self, step: float) -> int:
        return self.size()[0] if self.sampled() else 0

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        try:
            (m, n), several = self.size(), len(self.operating_points()) > 1
        except Exception:  # `check` tells
            return {name: port for name, port in known.items() if name != "schedule"}
        known["schedule"] = replace(known["schedule"], default=None if several else 0.0)
        return with_widths(known, {"state": n, "target": n, "feedforward": m, "effort": m})

    def width(self) -> int | None:
        return None

    def sampled(self) -> bool:
        return self.sample_time > 0.0

    def state_start(self, initial: float | str) -> object:
        return self.operating_points()[0].effort_at if initial == "first" else super().state_start(initial)

    def derived(self) -> dict[str, tuple[float, ...]]:
        found = self.operating_points()
        return {
            "grid": tuple(float(p.value) for p in found),
            "gains": tuple(float(k) for p in found for row in p.gain for k in row),
            "ats": tuple(x for p in found for x in p.at),
            "efforts": tuple(u for p in found for u in p.effort_at),
        }

    def instance_functions(self) -> dict[str, Equation]:
        return feedback_functions(self.size()[0], self.sampled())

    def echo(self) -> Echo | None:
        if not self.sampled():
            return None
        return Echo(sample_time=self.sample_time, by=HeldFeedback(self))


class HeldFeedback(Block, abstract=True):
    """Sampled state feedback as linear models see it: the rate of `held` is what the effort becomes less what it is."""

    derived_names = ("grid", "gains", "ats", "efforts")
    held = State(width="rows")

    def __init__(self, block: Lqr):
        super().__init__(block.name, {})
        self.of = block

    def rows(self) -> int:
        return self.of.size()[0]

    def ports(self) -> dict[str, Port]:
        return self.of.ports()

    def derived(self) -> dict[str, tuple[float, ...]]:
        return self.of.derived()

    def instance_functions(self) -> dict[str, Equation]:
        shown = "held" if self.rows() == 1 else ", ".join(f"held[{k}]" for k in range(self.rows()))
        out = function_from(f"def held_feedback(held):\n    return {shown}\n")
        return {"der": feedback_change, "out_effort": out}


def feedback_change(i, held, inputs, grid, gains, ats, efforts):
    own = held
    return feedback_effort(i, inputs, grid, gains, ats, efforts) - own[i]

"""How much a crane may carry at one place: the load at which the first check reaches its limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...blocks.errors import LuffError
from ..flat.opening import Diagram
from ..result.result import Result
from ..run.beside import Results
from ..run.parameters import started_near
from ..run.simulation import Simulation
from ..study.measures import in_shown_unit, measured, shown_unit, signal_unit
from ..study.settings import Requirement
from .checks import counted_rows, within
from .spec import Assessment
from .tipping import edges_of

CLOSE = 0.003  # how far below the limit the last evaluation stands, as a share of the load
TRIES = 14  # evaluations at one place, at most
LEAN = math.radians(10.0)  # a base that leans more than this has toppled
NOWHERE = "no equilibrium"
Excess = dict[str, float]  # by check: negative while it holds, and straight in the load as far as may be


@dataclass(frozen=True)
class Capacity:
    """The greatest load at a place, what limits it, and in how many evaluations it was found."""

    load: float
    limit: str
    evaluations: int
    least: float  # the load at which it was begun


def capacity(
    excess: Callable[[float], Excess | None], lower: float, upper: float, guess: float | None = None
) -> Capacity:
    """By secants from below: near tipping there is no equilibrium to look at. `excess` is None where none was found.

    Done is what the lines through the last two pairs of loads agree on, or what stands beside the last load.
    """
    count = 1
    here = excess(lower)
    if here is None:  # a body without mass may not have inertia: a hundredth of the range is nearly nothing
        count, lower = 2, lower + 0.01 * (upper - lower)
        here = excess(lower)
    if here is None:
        return Capacity(0.0, NOWHERE, count, lower)
    worst = max(here, key=lambda name: here[name])
    if here[worst] > 0.0:
        return Capacity(0.0, worst, count, lower)
    a, at_a = lower, here
    # checks are nearly straight in the load: half of what the neighbour bears tells where this place ends
    b = 0.5 * guess if guess is not None and lower < 0.4 * guess < upper else lower + 0.1 * (upper - lower)
    bad = upper
    at_b: Excess | None = None
    answer = Capacity(lower, NOWHERE, count, lower)
    while count < TRIES:
        count += 1
        at_b = excess(b)
        if at_b is None:
            bad = b
            if b - a < CLOSE * b:
                return Capacity(a, NOWHERE, count, lower)
            b = 0.5 * (a + b)
            continue
        root, name = _first_root(a, at_a, b, at_b, upper)
        agree = name == answer.limit and abs(root - answer.load) <= CLOSE / 3.0 * root
        answer = Capacity(root, name, count, lower)
        near = (1.0 - 2.0 * CLOSE) * root
        if (agree and bad >= near) or near <= b <= root / (1.0 - 2.0 * CLOSE):
            return answer
        wanted = (1.0 - CLOSE) * root
        a, at_a = b, at_b
        b = wanted if wanted < bad else 0.5 * (a + bad)
    return answer


def _first_root(a: float, at_a: Excess, b: float, at_b: Excess, upper: float) -> tuple[float, str]:
    """Where the first check reaches its limit, by straight lines through both loads."""
    root, limit = upper, ""
    for name, value in at_b.items():
        slope = (value - at_a[name]) / (b - a)
        if slope * abs(b - a) <= 1e-12 * max(1.0, abs(value)):
            continue
        there = b - value / slope
        if there < root:
            root, limit = there, name
    return root, limit


class ChartPoint:
    """One place of a chart: what its checks say of a load, by statics or by runs of the cases."""

    def __init__(
        self,
        assessment: Assessment,
        diagram: Diagram,
        load: str,
        at: Mapping[str, object],
        dynamic: bool,
        abreast: Results,
    ):
        self.assessment, self.diagram, self.load, self.at, self.dynamic = (
            assessment,
            diagram,
            load,
            at,
            dynamic,
        )
        self.message = ""  # why there was no equilibrium
        self.abreast = abreast  # makes the runs of all cases
        self.common = assessment.common

    def __call__(self, load: float) -> Excess | None:
        changes = {**self.common, **self.at, self.load: load}
        try:
            if not self.dynamic:
                return self._statics(changes)
            worst: Excess = {}
            cases = self.assessment.settings.cases
            sims = [
                Simulation(
                    self.diagram, {**self.common, **case.set, **self.at, self.load: load}, started_near
                )
                for case in cases.values()
            ]
            for name, result in zip(cases, self.abreast.results(sims), strict=True):
                for title, value in excess_of(self.assessment, name, result).items():
                    worst[title] = max(value, worst.get(title, -math.inf))
            return worst
        except LuffError as error:
            self.message = str(error)
            return None

    def _statics(self, changes: dict[str, object]) -> Excess | None:
        sim = Simulation(self.diagram, {**changes, "initial.solve": "static"}, started_near)
        values = sim.evaluate()
        base = self.assessment.settings.tipping.base if self.assessment.settings.tipping is not None else ""
        if any(abs(values.get(f"{base}.{name}", 0.0)) > LEAN for name in ("phi", "theta")):
            return None
        units = {column.name: column.unit for column in sim.program.columns}
        row = np.array([[*values.values()]])
        return excess_of(self.assessment, "", Result(np.zeros(1), list(values), row, units))


def excess_of(assessment: Assessment, case: str, result: Result) -> Excess:
    """By how much each check is beyond its limit: the greatest over the run."""
    window = assessment.settings.cases.get(case) if case else None
    rows = counted_rows(assessment, case, result) if window is not None else np.ones(len(result.time), bool)
    told: Excess = {}
    for title, section in assessment.settings.sections.items():
        told[title] = (
            float(result[f"{section.sensor}.von_mises"][rows].max()) / assessment.allowable(section) - 1.0
        )
    for title, rope in assessment.settings.ropes.items():
        told[title] = float(result[rope.tension][rows].max()) * rope.safety / rope.breaking - 1.0
    for limit in assessment.settings.limits:
        told[limit.title or limit.of] = _beyond(within(limit, window) if window else limit, result)
    if assessment.pads:
        told |= _tipping(assessment, np.column_stack([result[pad.force][rows] for pad in assessment.pads]))
    return told


def _beyond(limit: Requirement, result: Result) -> float:
    value, unit = measured(result, limit), shown_unit(signal_unit(result, limit), limit)
    beyond = []
    for bound, sign in ((limit.below, 1.0), (limit.above, -1.0)):
        if bound is not None:
            at = in_shown_unit(bound, unit)
            beyond.append(sign * (value - at) / (abs(at) or 1.0))
    return max(beyond)


def _tipping(assessment: Assessment, forces: np.ndarray) -> Excess:
    """Overturning less stabilising moment about each edge [N m]: straight in the load."""
    tipping = assessment.settings.tipping
    assert tipping is not None
    points = np.array([pad.at for pad in assessment.pads], float)
    dead, total = tipping.stabilising, forces.sum(axis=1)
    middle = points.mean(axis=0) if dead is None else np.array(dead.at, float)
    told: Excess = {}
    for edge in edges_of([pad.at for pad in assessment.pads]):
        weight = total if dead is None else np.full(len(total), dead.mass * tipping.unit_gravity)
        holding = weight * float(edge.distance(middle))
        overturning = holding - forces @ edge.distance(points)
        name = f"tipping over {edge.first + 1} to {edge.second + 1}"
        told[name] = float(np.max(tipping.reserve * overturning - holding))
    return told

"""Load capacity at one place: the load at which, from zero up, the first check reaches its limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from ...blocks.environment.wind import Wind
from ...blocks.errors import LuffError
from ..batch.study_lanes import LaneResults
from ..flatten.diagram import Diagram
from ..program.program import make_program
from ..program.start_signals import left_out_of_statics
from ..results.result import Result
from ..results.run_metrics import rows_between
from ..simulation.parameters import started_by_form
from ..simulation.simulation import Simulation
from ..studies.run_measures import in_shown_unit, known, measure_value, shown_unit, signal_unit
from ..studies.study_settings import Requirement
from .assessment_file import Assessment, watched
from .feet_slip import feet_slip, refuse_unrecorded
from .limit_checks import limit_within, rows_in_window
from .stability import moments, pad_edges

CLOSE = 0.003  # how far below the limit the last evaluation stands, as a share of the load
TRIES = 32  # evaluations at one place, at most
LEAN = math.radians(10.0)  # by definition, a base that leans more has toppled
LEANS = "base leans over 10 degrees"
SLID = 0.1  # [m] by definition, a base has slid away when a foot that pushes has slipped farther
SLIDES = "base slides over 0.1 m"
TINY = 1e-4  # of the model's own load: nearly nothing, where no load at all is no model
NUDGES = (0.0, -0.4 * CLOSE, 0.4 * CLOSE)  # beside a load at which a search for rest gives up
Excess = dict[str, float]  # by check: negative while it holds, and straight in the load as far as may be
Kind = Literal["rated", "none", "unknown", "range"]


class LoadOutcome(NamedTuple):
    """Outcome of one load: excess of the checks, or that the crane falls, or why nothing is known."""

    excess: Excess = {}
    falls: str = ""
    unknown: str = ""

    @property
    def broken(self) -> str:
        """The check that is farthest beyond its limit; empty where all hold."""
        worst = max(self.excess, key=lambda name: self.excess[name], default="")
        return worst if worst and self.excess[worst] > 0.0 else ""

    @property
    def holds(self) -> bool:
        return not (self.falls or self.unknown or self.broken)


def seen(excess: Excess) -> LoadOutcome:
    """Checks as they are, unless one is no number: then nothing is known of the load."""
    odd = [name for name, value in excess.items() if math.isnan(value) or value == -math.inf]
    return LoadOutcome(unknown=f"{odd[0]} is no number") if odd else LoadOutcome(excess)


@dataclass(frozen=True)
class Capacity:
    """Greatest load at a place, its limit, and the number of evaluations.

    `kind`: rated; none, where the crane does not bear the least load; unknown, where its checks or its rest were not
    found, for `reason`; range, where nothing limits the greatest load that was looked at.
    """

    load: float  # NaN where it is unknown
    limit: str
    evaluations: int
    kind: Kind = "rated"
    reason: str = ""


@dataclass
class Search:
    """Search for the greatest load from below; `bad` is the least load found that the crane does not bear."""

    held: list[tuple[float, Excess]] = field(default_factory=list)  # by load
    bad: float = math.inf
    beyond: LoadOutcome = LoadOutcome()  # noqa: RUF009
    unknown_from: float = math.inf  # the least load of which nothing is known
    why: str = ""
    count: int = 0

    def at(self, load: float, nudge: bool = False) -> Generator[float, LoadOutcome, LoadOutcome]:
        """Yield a load, whose outcome is sent; with `nudge`, where a search for rest gives up, also loads beside it."""
        one = LoadOutcome()
        for share in NUDGES if nudge else NUDGES[:1]:
            there = load * (1.0 + share)
            self.count += 1
            one = yield there
            if not one.unknown:
                self._take(there, one)
                return one
        self.unknown_from, self.why = min(self.unknown_from, load), one.unknown
        return one

    def _take(self, load: float, one: LoadOutcome) -> None:
        if one.holds:
            self.held = sorted([*self.held, (load, one.excess)], key=lambda each: each[0])
        elif load < self.bad:
            self.bad, self.beyond = load, one
            # nothing above it counts
            self.held = [each for each in self.held if each[0] < load]

    @property
    def good(self) -> float:
        return self.held[-1][0]

    def root(self, upper: float) -> tuple[float, str]:
        """Load at which the first check reaches its limit, linear between the loads on either side, or extrapolated
        from two."""
        if self.beyond.excess:
            (a, at_a), b, at_b = self.held[-1], self.bad, self.beyond.excess
        elif len(self.held) > 1:
            (a, at_a), (b, at_b) = self.held[-2:]
        else:
            return upper, ""
        first, limit = upper, ""
        for name, value in at_b.items():
            slope = (value - at_a[name]) / (b - a)
            there = b - value / slope if slope > 0.0 else math.inf
            if there < first:
                first, limit = there, name
        return first, limit

    def doubtful_load(self) -> float | None:
        """A load between those that hold at which a check may be beyond its limit, by twice the bend that they show."""
        for k, ((a, at_a), (b, at_b)) in enumerate(pairwise(self.held)):
            others = [self.held[j] for j in (k - 1, k + 2) if 0 <= j < len(self.held)]
            if not others:
                return 0.5 * (a + b)
            for c, at_c in others:
                for name in at_b:
                    slope = (at_b[name] - at_a[name]) / (b - a)
                    bend = 2.0 * ((at_c[name] - at_b[name]) / (c - b) - slope) / (c - a)
                    if bend >= 0.0:
                        continue  # below its chord, which holds
                    top = 0.5 * (a + b) - 0.5 * slope / bend  # of the parabola through both loads
                    if a < top < b and at_a[name] + (top - a) * (slope + bend * (top - b)) > 0.0:
                        return top
        return None


def capacity(
    look: Callable[[float], LoadOutcome], lower: float, upper: float, scale: float | None = None
) -> Capacity:
    """First load from `lower` up that is not borne, by `look` at each load that the search asks for."""
    search = capacity_search(lower, upper, scale)
    load = next(search)
    while True:
        try:
            load = search.send(look(load))
        except StopIteration as end:
            return end.value


def capacity_search(
    lower: float, upper: float, scale: float | None = None
) -> Generator[float, LoadOutcome, Capacity]:
    """Search for the first load from `lower` up that is not borne, by secants from below; `scale` is a usual load.

    A coroutine, so that several searches can share a group of runs: it yields a load, and its outcome is sent.

    Done is what stands within CLOSE below the straight line's end, where the bend of all checks over the loads that
    were looked at leaves no room for an earlier one.
    """
    scale = scale if scale is not None and 0.0 < scale < upper - lower else 0.1 * (upper - lower)
    search = Search()
    first = yield from search.at(lower)
    if lower == 0.0 and first.unknown:  # a body without mass may not have inertia
        lower = TINY * scale
        search.unknown_from = math.inf
        first = yield from search.at(lower)
    if first.unknown:
        return Capacity(math.nan, "unknown", search.count, "unknown", first.unknown)
    if not first.holds:
        return Capacity(0.0, first.falls or first.broken, search.count, "none")
    b, back = lower + min(scale, 0.1 * (upper - lower)), CLOSE
    root, limit = math.nan, ""
    while search.count < TRIES:
        one = yield from search.at(b, nudge=not limit and b < upper)
        lost = bool(one.unknown)
        good, end = search.good, min(search.bad, search.unknown_from)
        root, limit = search.root(upper)
        found: Capacity | None = None
        near = root <= good / (1.0 - 2.0 * CLOSE)
        # a check may bend beyond the last load that holds: the root is kept between two loads within 3 CLOSE, which
        # (1 + CLOSE) root and a load no more than 2 CLOSE below the root are
        if near and limit and end > good / (1.0 - 3.0 * CLOSE):
            b = min((1.0 + CLOSE) * root, upper)
            continue
        if limit and root <= end and near:
            found = Capacity(root, limit, search.count)
        elif search.bad < math.inf and search.bad - good <= CLOSE * search.bad:
            found = Capacity(good, search.beyond.falls or search.beyond.broken, search.count)
        elif good >= upper:
            found = Capacity(upper, "", search.count, "range")
        elif end < math.inf and end - good <= CLOSE * end:
            break
        earlier = search.doubtful_load() if found is not None else None
        if found is not None and earlier is None:
            return found
        back = 2.0 * back if lost else back
        wanted = earlier if earlier is not None else (1.0 - back) * root if limit else upper
        b = wanted if good < wanted < end or earlier is not None else 0.5 * (good + min(end, upper))
    name = search.why or f"the search did not end in {TRIES} loads"
    return Capacity(math.nan, "unknown", search.count, "unknown", f"{name}; {search.good:.6g} holds")


class ChartPoint:
    """Place of a chart: evaluates the checks for a load, by statics or by runs of the cases."""

    def __init__(
        self,
        assessment: Assessment,
        diagram: Diagram,
        load: str,
        at: Mapping[str, object],
        dynamic: bool,
        lane_results: LaneResults,
    ):
        self.assessment, self.diagram, self.load, self.at = assessment, diagram, load, at
        self.dynamic = dynamic
        self.error: LuffError | None = None  # of the last load at which nothing was found
        self.lane_results = lane_results  # makes the runs of all cases
        self.common = {**assessment.common, **at}
        self.winds = {} if dynamic else steady(assessment)

    def __call__(self, load: float) -> LoadOutcome:
        self.error = None
        try:
            return seen(self._dynamics(load) if self.dynamic else self._statics(load))
        except LuffError as error:
            self.error = error
            return outcome_of_error(error)

    def still(self, load: float) -> Simulation:
        """The model at rest in the mean wind."""
        return Simulation(self.diagram, {**self.changes(load), "initial.solve": "static"}, started_by_form)

    def changes(self, load: float) -> dict[str, object]:
        return {**self.winds, **self.common, self.load: load}

    def _statics(self, load: float) -> Excess:
        sim = self.still(load)
        values = sim.evaluate()
        units = {column.name: column.unit for column in sim.program.columns}
        return limit_excess(
            self.assessment, "", Result(np.zeros(1), list(values), np.array([[*values.values()]]), units)
        )

    def runs(self, load: float) -> list[Simulation]:
        """The motions of all cases under a load."""
        return [
            Simulation(
                self.diagram,
                {**self.assessment.common, **case.set, **self.at, self.load: load},
                started_by_form,
            )
            for case in self.assessment.settings.cases.values()
        ]

    def worst(self, results: Sequence[Result]) -> Excess:
        """Greatest excess of each check over the results of all cases."""
        worst: Excess = {}
        for name, result in zip(self.assessment.settings.cases, results, strict=True):
            for title, value in limit_excess(self.assessment, name, result).items():
                worst[title] = float(np.maximum(value, worst.get(title, -math.inf)))
        return worst

    def _dynamics(self, load: float) -> Excess:
        return self.worst(self.lane_results.results(self.runs(load), watched(self.assessment)))


def steady(assessment: Assessment) -> dict[str, object]:
    """Changes that leave the mean of all winds, at full strength: gusts are no matter of statics."""
    changes: dict[str, object] = {}
    for name, block in assessment.flat.blocks.items():
        if isinstance(block, Wind):
            changes |= {f"{name}.spectrum": "none"} if block.spectrum != "none" else {}
            changes |= {f"{name}.fade_in": 0.0} if block.fade_in > 0.0 else {}
    return changes


def effects_left_out(assessment: Assessment, gust: float = 1.0) -> list[str]:
    """Effects of the model's runs that statics leaves out; the wind that acts is `gust` times its mean."""
    acts = "its mean" if gust == 1.0 else f"a steady wind of {gust:g} times its mean"
    told = [
        f"gusts of {name}; {acts} acts"
        for name, block in assessment.flat.blocks.items()
        if isinstance(block, Wind) and block.spectrum != "none"
    ]
    return [*told, *left_out_of_statics(make_program(assessment.flat))]


def outcome_of_error(error: LuffError) -> LoadOutcome:
    """Outcome of an error: the crane falls, or its rest is unknown."""
    words = error.problems[0].message
    verdict = getattr(error, "verdict", "")
    if verdict in ("tips", "slides", "loose"):
        return LoadOutcome(falls=words.partition(":")[0])
    return LoadOutcome(unknown="; ".join(problem.message for problem in error.problems))


def limit_excess(assessment: Assessment, case: str, result: Result) -> Excess:
    """Excess of each check over its limit: the greatest over the run."""
    window = assessment.settings.cases.get(case) if case else None

    def values(*names: str) -> list[np.ndarray]:
        steps = result.at_steps(*names)
        rows = (
            rows_in_window(assessment, case, steps)
            if window is not None
            else rows_between(steps, 0.0, math.inf)
        )
        return [steps[name][rows] for name in names]

    told: Excess = {}
    for title, section in assessment.settings.sections.items():
        (stress,) = values(assessment.stress_of(section))
        told[title] = float(stress.max()) / assessment.allowable(section) - 1.0
    for title, rope in assessment.settings.ropes.items():
        (tension,) = values(rope.tension)
        told[title] = float(tension.max()) * rope.safety / rope.breaking - 1.0
    for limit in assessment.settings.limits:
        told[limit.title or limit.of] = _beyond(limit_within(limit, window) if window else limit, result)
    if assessment.pads:
        told |= _tipping(assessment, np.column_stack(values(*(pad.force for pad in assessment.pads))))
    tipping = assessment.settings.tipping
    base = assessment.flat.blocks.get(tipping.base) if tipping is not None else None
    turns = [f"{base.name}.{name}" for name in ("phi", "theta") if name in base.ports()] if base else []
    refuse_unrecorded(result, turns, "how far the base leans")
    cosines = [np.cos(values(name)[0]) for name in turns]
    if cosines:
        told[LEANS] = float(np.max(np.arccos(np.clip(np.prod(cosines, axis=0), -1.0, 1.0)))) / LEAN - 1.0
    slip = feet_slip(assessment, result)
    if slip is not None:
        rows = rows_in_window(assessment, case, result) if window is not None else slice(None)
        told[SLIDES] = float(np.max(slip.slips[rows])) / SLID - 1.0
    return told


def _beyond(limit: Requirement, result: Result) -> float:
    value, unit = measure_value(result, limit), shown_unit(signal_unit(result, limit), limit)
    beyond = []
    for bound, sign in ((limit.below, 1.0), (limit.above, -1.0)):
        if bound is not None:
            at = in_shown_unit(bound, unit)
            beyond.append(sign * (known(value, at, sign, limit.metric) - at) / (abs(at) or 1.0))
    return float(np.max(beyond))


def _tipping(assessment: Assessment, forces: np.ndarray) -> Excess:
    """Overturning moment, times the reserve asked for, less the stabilising one about each edge [N m]: straight in the
    load."""
    tipping = assessment.settings.tipping
    assert tipping is not None
    dead, places = tipping.stabilising, [pad.at for pad in assessment.pads]
    weight, at = (None, None) if dead is None else (dead.mass * tipping.unit_gravity, dead.at)
    told: Excess = {}
    for edge in pad_edges(places):
        about = moments(edge, forces, places, weight, at)
        excess = tipping.reserve * about.overturning - about.stabilising
        # at a reserve of 1 it tips, and pads that only push show no more than that
        excess = np.where(about.tips, np.maximum(excess, np.finfo(float).tiny), excess)
        told[f"tipping over {edge.first + 1} to {edge.second + 1}"] = float(np.max(excess))
    return told

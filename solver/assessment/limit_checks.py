"""Checks of an assessment's runs: utilisations, dynamic factors, damage, stability, ropes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...blocks.mechanics.strength_sensor import StrengthSensor
from ..results.recorded_run import RecordedRun
from ..results.result import Result
from ..results.run_metrics import rows_between
from ..results.verdict import Verdict, at_most
from ..studies.run_measures import (
    factor,
    heading,
    in_shown_unit,
    known,
    magnitude,
    measure_value,
    plain_metric,
    shown_unit,
    signal_unit,
)
from ..studies.study_settings import EXTREMES, Requirement
from .assessment_file import Assessment
from .assessment_settings import Case, DynamicFactor, SectionCheck
from .dynamic_factors import dynamic_factor, formula_text
from .stability import StabilityReserve, least_stability_reserve

Floats = NDArray[np.float64]
# metrics that take one row, and all whose value may be drawn beside the signal
ROW_OF: dict[str, Callable[[Floats], np.intp]] = {
    "maximum": np.argmax,
    "minimum": np.argmin,
    "peak": lambda values: np.argmax(np.abs(values)),
}
OF_SIGNAL = (*ROW_OF, "final", "initial", "mean", "rms")


@dataclass(frozen=True)
class Check:
    """Check of one run: its value, its limit, and the time at which it came nearest."""

    title: str
    kind: str  # section, rope, limit, tipping
    run: str
    time: float  # s; not a number where the whole run counts
    value: float
    limit: float
    unit: str
    utilisation: float
    curve: str = ""  # the signal that shows it
    what: str = ""  # is measured, in words
    side: str = "at most"  # or at least the limit
    per_unit: float = (
        math.nan
    )  # of the signal's units in one of the limit's, where the limit is one of the signal

    @property
    def verdict(self) -> Verdict:
        return at_most(self.utilisation, 1.0)

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds


@dataclass(frozen=True)
class Factor:
    """A dynamic factor in one case, beside that of a code."""

    title: str
    case: str
    simulated: float
    code: float | None
    source: str
    what: str = ""  # is measured, in words


def checks_of(assessment: Assessment, run: str, result: Result) -> Iterator[Check]:
    """Yield the checks of one run."""
    case, name = assessment.case(run), assessment.loads[run].case
    effect = assessment.loads[run].effect
    for title, section in assessment.settings.sections.items():
        yield _of_section(assessment, title, section, run, result, effect)
    for title, rope in assessment.settings.ropes.items():
        pulls = result.at_steps(rope.tension)
        rows = rows_in_window(assessment, name, pulls)
        tension = effect * pulls[rope.tension][rows]
        k = int(np.argmax(tension))
        # a rope that never pulls is infinitely safe; one whose pull is no number is not known to be
        safety = math.inf if tension[k] <= 0.0 else rope.breaking / float(tension[k])
        time = float(pulls.time[rows][k])
        use, what = (
            float(np.maximum(tension[k], 0.0)) * rope.safety / rope.breaking,
            f"least breaking force over {rope.tension}",
        )
        yield Check(title, "rope", run, time, safety, rope.safety, "", use, rope.tension, what, "at least")
    for limit in assessment.settings.limits:
        yield _of_limit(limit_within(limit, case), run, result, effect)
    if assessment.pads:
        yield _of_tipping(assessment, run, result)


def _of_section(
    assessment: Assessment,
    title: str,
    section: SectionCheck,
    run: str,
    result: Result,
    effect: float,
) -> Check:
    curve, sensor = assessment.stress_of(section), assessment.flat.blocks[section.sensor]
    numbers = [f"{section.sensor}.governing"] if isinstance(sensor, StrengthSensor) else []
    steps = result.at_steps(curve, *numbers)
    rows = rows_in_window(assessment, assessment.loads[run].case, steps)
    stress = effect * steps[curve][rows]
    k, allowable = int(np.argmax(stress)), assessment.allowable(section)
    use, time = float(stress[k]) / allowable, float(steps.time[rows][k])
    what = f"greatest stress of von Mises at {section.sensor}"
    if isinstance(sensor, StrengthSensor):
        what = sensor.words_of_governing(int(steps[numbers[0]][rows][k]))
    return Check(title, "section", run, time, float(stress[k]), allowable, "Pa", use, curve, what)


def limit_within(limit: Requirement, case: Case) -> Requirement:
    """A limit over the part of a case that counts."""
    one = copy(limit)
    one.start = max(limit.start, case.start)
    stops = [stop for stop in (limit.stop, case.stop) if stop is not None]
    one.stop = min(stops) if stops else None
    return one


def _of_limit(limit: Requirement, run: str, result: Result, effect: float) -> Check:
    """Utilisation of a bound: value over an upper bound, a lower bound over the value; of zero bounds by sign."""
    measured = measure_value(result, limit)
    has = signal_unit(result, limit)
    unit = shown_unit(has, limit)
    uses = []
    for bound, sign in ((limit.below, 1.0), (limit.above, -1.0)):
        if bound is not None:
            at = in_shown_unit(bound, unit)
            # an effect that moves away from the bound is favourable, and is not enlarged
            value = measured * (1.0 if effect > 1.0 and sign * measured < 0.0 else effect)
            uses.append((_utilisation(known(value, at, sign, limit.metric), at, sign), value, at, sign))
    use, value, at, sign = max(uses, key=lambda one: math.inf if math.isnan(one[0]) else one[0])
    time = _time_of(limit, result)
    direct = factor(has, unit) if limit.metric in OF_SIGNAL else math.nan
    what = f"{limit.metric.replace('_', ' ')} of {limit.of}"
    side = "at most" if sign > 0.0 else "at least"
    return Check(heading(limit), "limit", run, time, value, at, unit, use, limit.of, what, side, direct)


def _time_of(limit: Requirement, result: RecordedRun) -> float:
    """Time of the row that the metric takes [s]; NaN if it takes many."""
    pick = ROW_OF.get(limit.metric)
    if pick is None:
        return math.nan
    result = result.at_steps(limit.of)
    rows = rows_between(result, limit.start, np.inf if limit.stop is None else limit.stop)
    return float(result.time[rows][int(pick(magnitude(result[limit.of])[rows]))])


def _utilisation(value: float, bound: float, sign: float) -> float:
    """Utilisation of a bound: at most 1 within it, above 1 outside; NaN for a NaN."""
    inside = sign * value <= sign * bound
    if bound == 0.0 or value == 0.0 or value * bound < 0.0:
        return 0.0 if inside else math.inf
    return value / bound if sign * bound > 0.0 else bound / value


def _of_tipping(assessment: Assessment, run: str, result: RecordedRun) -> Check:
    tipping = assessment.settings.tipping
    assert tipping is not None
    result = result.at_steps(*(pad.force for pad in assessment.pads))
    rows = rows_in_window(assessment, assessment.loads[run].case, result)
    reserve = stability_reserve(assessment, result, rows)
    one, two = (
        assessment.pads[k].force.partition(".")[2] or assessment.pads[k].force
        for k in (reserve.edge.first, reserve.edge.second)
    )
    time = float(result.time[rows][reserve.row])
    # at 1 it tips, whatever reserve is asked for
    use = math.inf if reserve.value <= 1.0 else tipping.reserve / reserve.value
    what = f"stabilising over overturning moment, over the edge from {one} to {two}"
    value, least = reserve.value, tipping.reserve
    return Check("stability", "tipping", run, time, value, least, "", use, "", what, "at least")


def stability_reserve(
    assessment: Assessment, result: RecordedRun, rows: NDArray[np.bool_]
) -> StabilityReserve:
    tipping = assessment.settings.tipping
    assert tipping is not None
    forces = np.column_stack([result[pad.force][rows] for pad in assessment.pads])
    dead = tipping.stabilising
    weight = dead.mass * tipping.unit_gravity if dead is not None else None
    return least_stability_reserve(
        forces, [pad.at for pad in assessment.pads], weight, dead.at if dead is not None else None
    )


def lifted_pads(assessment: Assessment, result: RecordedRun) -> list[tuple[str, float]]:
    """Pads that carry nothing at some time, and when first."""
    told = []
    result = result.at_steps(*(pad.force for pad in assessment.pads))
    for pad in assessment.pads:
        bare = np.flatnonzero(result[pad.force] <= 0.0)
        if len(bare):
            told.append((pad.force, float(result.time[bare[0]])))
    return told


def factors_of(assessment: Assessment, title: str, entry: DynamicFactor, case: str, result: Result) -> Factor:
    over = entry.over
    above = result.at_steps(entry.of) if entry.by in EXTREMES else result
    rows = rows_in_window(assessment, case, above)
    top = plain_metric(above.time[rows], magnitude(above[entry.of])[rows], entry.by)
    base = result.at_steps(over.of or entry.of) if over.metric in EXTREMES else result
    base_rows = rows_between(base, over.start, np.inf if over.stop is None else over.stop)
    below = plain_metric(base.time[base_rows], magnitude(base[over.of or entry.of])[base_rows], over.metric)
    code = entry.code
    value = top / below if below != 0.0 else math.nan
    span = "" if over.start == 0.0 and over.stop is None else f" from {over.start:g} s"
    span += "" if over.stop is None else f" to {over.stop:g} s"
    words = {"final": "final value", "initial": "initial value"}
    by, below_ = (words.get(name, name) for name in (entry.by, over.metric))
    what = f"{by} of {entry.of} over the {below_} of {over.of or entry.of}{span}"
    if code is None:
        return Factor(title, case, value, None, "", what)
    return Factor(
        title,
        case,
        value,
        dynamic_factor(code, assessment.standard),
        formula_text(code, assessment.standard),
        what,
    )


def rows_in_window(assessment: Assessment, case: str, result: RecordedRun) -> NDArray[np.bool_]:
    """Rows of a run that count, by the window of its case."""
    window = assessment.settings.cases[case]
    return rows_between(result, window.start, np.inf if window.stop is None else window.stop)


def governing(checks: Sequence[Check]) -> list[Check]:
    """Worst check of each title: failures first, then unknown ones, then the largest utilisation."""
    worst: dict[str, Check] = {}
    for check in checks:
        if check.title not in worst or _severity(check) > _severity(worst[check.title]):
            worst[check.title] = check
    return list(worst.values())


def _severity(check: Check) -> tuple[int, float]:
    verdict = check.verdict
    return verdict.rank, 0.0 if verdict is Verdict.UNKNOWN else check.utilisation

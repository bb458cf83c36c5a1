"""Life of all cases together: damage of sections, bending of ropes, starts of drives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..results.cycle_counting import StressHistory, closed_cycles, count_signal, stress_history
from ..results.result import Result
from ..results.run_metrics import rising_crossings
from ..results.verdict import Verdict, at_most
from ..studies.run_measures import magnitude
from .assessment_file import Assessment
from .assessment_settings import DriveCheck, RopeCheck, SectionCheck
from .limit_checks import Floats, rows_in_window
from .rope_life import METRE, bending_cycles, feyrer_life

Results = Mapping[str, Result]  # by case


@dataclass(frozen=True)
class SectionDamage:
    """Damage of a section over the crane's life, at its worst point."""

    title: str
    damage: float
    limit: float
    point: str
    by_case: dict[str, float]
    history: StressHistory
    spectrum: Floats = field(compare=False, repr=False)  # range, mean, and how often in the life

    @property
    def verdict(self) -> Verdict:
        return at_most(self.damage, self.limit)

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds


@dataclass(frozen=True)
class RopeLife:
    """Bending of a rope over the crane's life, at the metre that is bent most."""

    title: str
    cycles: float
    at: float  # m from the rope's end
    by_case: dict[str, float]
    greatest: float  # tension while that metre is bent
    endured: float | None  # by Feyrer, at the greatest tension
    share: float | None  # of its life: the sum of 1/N over its cycles, each at its own tension (Miner)
    source: str

    @property
    def verdict(self) -> Verdict:
        return Verdict.HOLDS if self.share is None else at_most(self.share, 1.0)

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds


@dataclass(frozen=True)
class DriveDuty:
    """Duty of a drive in the crane's life."""

    title: str
    starts: float
    per_cycle: float  # starts in one run of a case, on average over the life
    travel: float  # in the unit of its speed, times s
    unit: str  # of the speed
    hours: float  # that it moves
    by_case: dict[str, float]  # starts
    limit: float | None

    @property
    def verdict(self) -> Verdict:
        return Verdict.HOLDS if self.limit is None else at_most(self.starts, self.limit)

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds


def section_damage(
    assessment: Assessment, title: str, check: SectionCheck, results: Results
) -> SectionDamage:
    """Damage of all cases that come in the life; as they are, without partial factors."""
    assert check.fatigue is not None
    points = assessment.flat.blocks[check.sensor].all_points  # type: ignore[attr-defined]
    sums = np.zeros(len(points))
    by_case: dict[str, list[float]] = {}
    for case, result in results.items():
        repeats = assessment.settings.cases[case].repeats
        columns = _stresses(assessment, case, check, result)
        by_case[case] = [repeats * count_signal(column, check.fatigue).damage for column in columns.T]
        sums += by_case[case]
    worst = int(np.argmax(sums))
    tables = []
    for case, result in results.items():
        column = _stresses(assessment, case, check, result)[:, worst]
        table = closed_cycles(column, check.fatigue.smallest)
        tables.append(table * [1.0, 1.0, assessment.settings.cases[case].repeats])
    whole = np.concatenate(tables) if tables else np.zeros((0, 3))
    shares = {case: each[worst] for case, each in by_case.items()}
    past = stress_history(whole, check.fatigue.slope)
    return SectionDamage(title, float(sums[worst]), check.damage, points[worst].name, shares, past, whole)


def _stresses(assessment: Assessment, case: str, check: SectionCheck, result: Result) -> Floats:
    """A column for each point of the section, in the rows that count."""
    steps = result.at_steps(f"{check.sensor}.stress")
    columns = np.reshape(steps[f"{check.sensor}.stress"], (len(steps.time), -1))
    return columns[rows_in_window(assessment, case, steps)]


def rope_life(assessment: Assessment, title: str, rope: RopeCheck, results: Results) -> RopeLife:
    """Bending of each metre over all cases that come in the life, in the rows that count."""
    lengths, tensions = {}, {}
    for case, result in results.items():
        steps = result.at_steps(rope.length, rope.tension)
        rows = rows_in_window(assessment, case, steps)
        lengths[case], tensions[case] = (
            rope.lead + rope.falls * steps[rope.length][rows],
            steps[rope.tension][rows],
        )
    if not all(np.isfinite(one).all() for one in (*lengths.values(), *tensions.values())):
        unknown = dict.fromkeys(results, math.nan)
        share = None if rope.feyrer is None else math.nan
        return RopeLife(title, math.nan, math.nan, unknown, math.nan, share, share, "a signal is no number")
    longest = max(float(length.max()) for length in lengths.values())
    places = np.arange(0.5 * METRE, longest + METRE, METRE)
    bent = {case: bending_cycles(length, places, rope.sheaves, rope.drum) for case, length in lengths.items()}

    def summed(of: Callable[[Floats], Floats]) -> dict[str, Floats]:
        """Sum of `of`(tension) over the cycles at each place, by case in the life."""
        cases = assessment.settings.cases
        return {
            case: cases[case].repeats * one.sum_by_place(of(tensions[case]), len(places))
            for case, one in bent.items()
        }

    def greatest(place: int) -> float:
        return max(
            float(tensions[case][one.rows[one.places == place]].max(initial=0.0))
            for case, one in bent.items()
        )

    cycles = summed(np.ones_like)
    endured = share = None
    if rope.feyrer is not None and rope.diameter:
        life = partial(feyrer_life, rope.feyrer, diameter=rope.diameter)
        wear = sum(summed(lambda tension: 1.0 / life(tension)).values())
        worst = int(np.argmax(wear))
        share, endured = float(wear[worst]), float(life(np.array([greatest(worst)]))[0])
    else:
        worst = int(np.argmax(sum(cycles.values())))
    by_case = {case: float(each[worst]) for case, each in cycles.items()}
    source = rope.feyrer.source or "Feyrer's regression with the given constants" if rope.feyrer else ""
    total, at = sum(by_case.values()), float(places[worst])
    return RopeLife(title, total, at, by_case, greatest(worst), endured, share, source)


def drive_duty(assessment: Assessment, title: str, drive: DriveCheck, results: Results) -> DriveDuty:
    """Starts, travel and time of a drive over all cases that come in the life."""
    by_case: dict[str, float] = {}
    travel = seconds = 0.0
    unit = ""
    for case, result in results.items():
        steps = result.at_steps(drive.speed)
        rows, repeats = rows_in_window(assessment, case, steps), assessment.settings.cases[case].repeats
        moves, time = np.abs(magnitude(steps[drive.speed])[rows]), steps.time[rows]
        unit = result.units.get(drive.speed, "")
        known = np.isfinite(moves).all()
        by_case[case] = (
            repeats * (rising_crossings(moves, drive.rest) + (moves[0] > drive.rest)) if known else math.nan
        )
        travel += repeats * float(np.trapezoid(moves, time))
        at_work = np.where(np.isfinite(moves), moves > drive.rest, np.nan)
        seconds += repeats * float(np.trapezoid(at_work, time))
    runs = sum(assessment.settings.cases[case].repeats for case in results)
    total = sum(by_case.values())
    return DriveDuty(title, total, total / runs, travel, unit, seconds / 3600.0, by_case, drive.most)

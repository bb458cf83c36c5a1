"""Run an assessment, and what it comes to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ..result.result import Result
from ..study.outcome import Outcome
from ..study.running import Progress, run
from ..study.store import StudyResult, read
from .checks import (
    Check,
    Factor,
    Life,
    RopeLife,
    checks_of,
    factors_of,
    governing,
    life_of,
    lifted,
    rope_life,
)
from .spec import Assessment, _cases, load


@dataclass
class Assessed:
    """All checks of all runs. `checks` are the governing ones, one for each title."""

    assessment: Assessment = field(repr=False)
    results: StudyResult = field(repr=False)
    every: list[Check] = field(repr=False)
    checks: list[Check]
    factors: list[Factor]
    lives: list[Life]
    ropes: list[RopeLife]
    lifted: dict[str, list[tuple[str, float]]]  # by run: pads that carry nothing at some time, and when first
    failed: dict[str, str]  # runs that did not end, and why
    outcomes: list[Outcome] = field(repr=False, default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether every run has ended and every check holds."""
        return not self.failed and all(one.holds for one in (*self.checks, *self.lives, *self.ropes))

    def as_dict(self) -> dict[str, object]:
        """Plain numbers, for JSON."""

        def told(one: Check | Life | RopeLife | Factor) -> dict[str, object]:
            record = {k: v for k, v in asdict(one).items() if k != "spectrum"}
            if isinstance(one, Life):
                record["history"] |= {"s_m": one.history.s_m, "class": one.history.stress_class}
            if not isinstance(one, Factor):
                record["holds"] = one.holds
            return record

        return {
            "name": self.assessment.name,
            "holds": self.holds,
            "checks": [told(one) for one in self.checks],
            "every": [told(one) for one in self.every],
            "factors": [told(one) for one in self.factors],
            "damage": [told(one) for one in self.lives],
            "ropes": [told(one) for one in self.ropes],
            "lifted": {run: [list(one) for one in pads] for run, pads in self.lifted.items() if pads},
            "failed": self.failed,
        }

    def save(self, path: str | Path, command: str = "") -> Path:
        """Write the report, one HTML file."""
        from .page import write

        return write(self, Path(path), command)


def judged(found: Assessment, results: StudyResult, outcomes: list[Outcome] | None = None) -> Assessed:
    """All checks of what was run."""
    settings = found.settings
    failed = {
        name: results.messages.get(name, "") or "it was not run"
        for name in found.loads
        if results.statuses.get(name) != "finished"
    }
    runs: dict[str, Result] = {}
    every: list[Check] = []
    up: dict[str, list[tuple[str, float]]] = {}
    for name in found.loads:
        if name in failed:
            continue
        runs[name] = results[name]
        every += _told(found, name, runs[name])
        up[name] = lifted(found, runs[name])
    cases = {case: runs[case] for case in settings.cases if case in runs}
    lasting = {case: result for case, result in cases.items() if settings.cases[case].repeats > 0.0}
    factors = [
        factors_of(found, title, entry, case, cases[case])
        for title, entry in settings.factors.items()
        for case in _cases(settings, entry.cases, title)
        if case in cases
    ]
    lives = [
        life_of(found, title, check, lasting)
        for title, check in settings.sections.items()
        if check.fatigue is not None and lasting
    ]
    ropes = [
        rope_life(found, title, rope, lasting)
        for title, rope in settings.ropes.items()
        if rope.length and lasting
    ]
    return Assessed(
        found, results, every, governing(every), factors, lives, ropes, up, failed, outcomes or []
    )


def _told(found: Assessment, name: str, result: Result) -> list[Check]:
    """A run as it is counts where no combination has its case; else those with partial factors do."""
    load_ = found.loads[name]
    covered = any(other.combination and other.case == load_.case for other in found.loads.values())
    return [] if covered and not load_.combination else list(checks_of(found, name, result))


def assess(
    path: str | Path | Assessment,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    files: Iterable[str | Path] = (),
    on: object = None,
    limit: float | None = None,
    report: str | Path | None = None,
    **changes: object,
) -> Assessed:
    """Run an assessment file, as `luff assess` does, and return its checks.

    `output` is NAME.h5 in the folder of the caller by default; runs that it holds already are not done again. `report`
    is an HTML file to write. `on` and `limit` are those of `study`.
    """
    found = path if isinstance(path, Assessment) else load(path, changes, files=files)
    target = (
        Path(output) if output is not None else Path(f"{(found.study.path or Path('assessment')).stem}.h5")
    )
    if target.suffix != ".h5":
        raise LuffError(Problem(f'found "{target.suffix}", expected .h5', str(target)))
    outcomes = run(found.study, target, jobs, progress, on=on, limit=limit)
    made = judged(found, read(target), outcomes)
    if report is not None:
        made.save(report)
    return made


def shown_number(value: float) -> str:
    if math.isnan(value):
        return ""
    return "inf" if math.isinf(value) else f"{value:.4g}"


def summary(made: Assessed) -> Mapping[str, list[list[str]]]:
    """Tables by their headings, the first row that of heads."""
    found: dict[str, list[list[str]]] = {}
    if made.checks:
        rows = [["check", "value", "limit", "unit", "utilisation", "governing run", "at", ""]]
        for one in sorted(made.checks, key=lambda one: -one.utilisation):
            value, bound, unit = scaled_unit(one.value, one.limit, one.unit)
            time = f"{one.time:.3f} s" if not math.isnan(one.time) else ""
            verdict = "holds" if one.holds else "FAILS"
            rows.append([one.title, value, bound, unit, f"{one.utilisation:.3f}", one.run, time, verdict])
        found["Checks"] = rows
    if made.factors:
        rows = [["dynamic factor", "case", "simulated", "by the code", "source"]]
        rows += [
            [
                one.title,
                one.case,
                shown_number(one.simulated),
                "" if one.code is None else shown_number(one.code),
                one.source,
            ]
            for one in made.factors
        ]
        found["Dynamic factors"] = rows
    if made.lives:
        rows = [["section", "damage", "limit", "worst point", "cycles", "greatest range", "s_m", "class", ""]]
        for life in made.lives:
            past = life.history
            verdict = "holds" if life.holds else "FAILS"
            rows.append(
                [life.title, shown_number(life.damage), shown_number(life.limit), life.point, shown_number(past.cycles),
                 f"{past.largest / 1e6:.4g} MPa", shown_number(past.s_m), past.stress_class, verdict]
            )  # fmt: skip
        found["Damage over the life"] = rows
    if made.ropes:
        rows = [["rope", "bending cycles", "at", "greatest tension", "endured", "share", ""]]
        for rope in made.ropes:
            endured = "" if rope.endured is None else shown_number(rope.endured)
            share = "" if rope.share is None else f"{rope.share:.3f}"
            verdict = "" if rope.share is None else "holds" if rope.holds else "FAILS"
            rows.append(
                [
                    rope.title,
                    shown_number(rope.cycles),
                    f"{rope.at:g} m",
                    f"{rope.greatest / 1e3:.4g} kN",
                    endured,
                    share,
                    verdict,
                ]
            )
        found["Bending of ropes over the life"] = rows
    bare = [[run, pad, f"{time:.3f} s"] for run, pads in made.lifted.items() for pad, time in pads]
    if bare:
        found["Pads that lift"] = [["run", "pad", "first at"], *bare]
    if made.failed:
        found["Runs that failed"] = [["run", "why"], *([name, why] for name, why in made.failed.items())]
    return found


def scaled_unit(value: float, limit: float, unit: str) -> tuple[str, str, str]:
    """Stresses in MPa, forces in kN."""
    factor, shown = {"Pa": (1e6, "MPa"), "N": (1e3, "kN"), "N*m": (1e3, "kN*m")}.get(unit, (1.0, unit))
    return shown_number(value / factor), shown_number(limit / factor), shown

"""Findings of an assessment: checks, factors, lives and failures, as numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from ..results.verdict import Verdict, together
from ..studies.study_store import StudyResult
from ..studies.variant_outcome import VariantOutcome
from .assessment_file import Assessment
from .fatigue import DriveDuty, RopeLife, SectionDamage
from .limit_checks import Check, Factor


@dataclass
class Findings:
    """Checks of all runs of an assessment; `checks` are the governing ones, one for each title."""

    assessment: Assessment = field(repr=False)
    results: StudyResult = field(repr=False)
    every: list[Check] = field(repr=False)
    checks: list[Check]
    factors: list[Factor]
    lives: list[SectionDamage]
    ropes: list[RopeLife]
    duties: list[DriveDuty]
    lifted: dict[str, list[tuple[str, float]]]  # by run: pads that carry nothing at some time, and when first
    failed: dict[str, str]  # runs that did not end, and why
    outcomes: list[VariantOutcome] = field(repr=False, default_factory=list)

    @property
    def judged(self) -> list[Check | SectionDamage | RopeLife | DriveDuty]:
        """Checks, lives of sections, ropes and duties of drives: all that has a verdict."""
        return [*self.checks, *self.lives, *self.ropes, *self.duties]

    @property
    def verdict(self) -> Verdict:
        """Verdict of all checks; unknown if a run has not ended and no check of the others fails."""
        of_runs = Verdict.UNKNOWN if self.failed else Verdict.HOLDS
        return together([of_runs, *(one.verdict for one in self.judged)])

    @property
    def holds(self) -> bool | None:
        """True if all checks hold, False if one fails, None if unknown."""
        return self.verdict.holds

    @property
    def warnings(self) -> dict[str, list[str]]:
        """Warnings of the runs, without their places in a file, each with the names of its runs."""
        told: dict[str, list[str]] = {}
        for name in self.assessment.loads:
            for remark in self.results[name].remarks if name not in self.failed else ():
                words = ": ".join(part for part in (remark.path, remark.message, remark.fix) if part)
                told.setdefault(words, []).append(name)
        return told

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            Checks, factors, damage, ropes, drives, failures, warnings and verdict.
        """

        def told(one: Check | SectionDamage | RopeLife | DriveDuty | Factor) -> dict[str, object]:
            record = {k: v for k, v in asdict(one).items() if k != "spectrum"}
            if isinstance(one, SectionDamage):
                record["history"] |= {"s_m": one.history.s_m, "class": one.history.stress_class}
            if not isinstance(one, Factor):
                record["verdict"], record["holds"] = one.verdict.value, one.holds
            return record

        return {
            "name": self.assessment.name,
            "verdict": self.verdict.value,
            "holds": self.holds,
            "checks": [told(one) for one in self.checks],
            "every": [told(one) for one in self.every],
            "factors": [told(one) for one in self.factors],
            "damage": [told(one) for one in self.lives],
            "ropes": [told(one) for one in self.ropes],
            "drives": [told(one) for one in self.duties],
            "lifted": {run: [list(one) for one in pads] for run, pads in self.lifted.items() if pads},
            "failed": self.failed,
            "warnings": self.warnings,
        }

"""Requirements of a study on its variants, and the number of variants that meet them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..results.table_files import TextTable
from ..results.verdict import Verdict
from .run_measures import beyond, heading
from .statistics import pass_rate
from .study_file import Study
from .study_settings import Requirement
from .study_store import StudyResult
from .study_tables import shown


@dataclass(frozen=True)
class PassRate:
    """Share of the variants that meet a requirement, and whether it is enough. Rates are shares of one."""

    title: str
    limits: str
    met: int
    of: int
    rate: float
    low: float  # Wilson's interval of the rate
    high: float
    confidence: float
    required: float
    worst: float  # nearest to a limit, or farthest beyond it
    worst_variant: str
    unit: str
    unknown: int = 0  # variants whose value is no number: they do not meet it, and might

    @property
    def verdict(self) -> Verdict:
        if self.rate >= self.required:
            return Verdict.HOLDS
        might = (self.met + self.unknown) / self.of >= self.required
        return Verdict.UNKNOWN if might else Verdict.FAILS

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "verdict": self.verdict.value, "holds": self.holds}


def judge_requirement(study: Study, results: StudyResult, entry: Requirement) -> PassRate | None:
    """None where no variant has ended. One that failed does not meet its requirements."""
    names = [v.name for v in study.chosen(entry.variants) if v.independent]
    failed = [name for name in names if results.statuses.get(name) == "failed"]
    finished = [name for name in names if results.statuses.get(name) == "finished"]
    if not failed and not finished:
        return None
    values = np.array([results.measured(name, entry) for name in finished])
    unit = results.shown_unit(entry) if finished else entry.unit
    excess = np.array([beyond(value, entry, unit) for value in values])
    bounds = ((entry.below, "below"), (entry.above, "above"))
    words = [f"{word} {limit.text}" for limit, word in bounds if limit is not None]
    met = int(np.sum(excess < 0.0))  # NaN is no pass
    rate = pass_rate(met, len(finished) + len(failed), entry.confidence / 100.0)
    worst = int(np.argmax(np.where(np.isnan(excess), np.inf, excess))) if finished else -1
    return PassRate(
        heading(entry),
        ", ".join(words),
        met,
        len(finished) + len(failed),
        *rate,
        entry.confidence / 100.0,
        entry.share / 100.0,
        float(values[worst]) if finished else float("nan"),
        finished[worst] if finished else failed[0],
        unit,
        int(np.sum(np.isnan(excess))),
    )


def verdicts(study: Study, results: StudyResult) -> list[PassRate]:
    """Pass rates of all requirements whose variants have ended."""
    verdicts = (judge_requirement(study, results, entry) for entry in study.settings.require)
    return [verdict for verdict in verdicts if verdict is not None]


def requirement_table(verdicts: Sequence[PassRate]) -> TextTable:
    rows = []
    for one in verdicts:
        unit = f" {one.unit}" if one.unit else ""
        rows.append(
            [
                f"{one.title} {one.limits}",
                f"{one.met} of {one.of}",
                f"{100 * one.rate:.4g} % ({100 * one.low:.4g} to {100 * one.high:.4g} at {100 * one.confidence:g} %)",
                f"{100 * one.required:g} %",
                f"{shown(one.worst)}{unit} in {one.worst_variant}",
                one.verdict.shown,
            ]
        )
    return TextTable([["requirement", "met by", "pass rate", "asked for", "worst", ""], *rows])

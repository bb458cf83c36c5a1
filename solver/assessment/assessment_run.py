"""Assessment of a crane: its runs and its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ..results.result import Result
from ..simulation.script_values import parameter_changes
from ..studies.study_run import Progress, run
from ..studies.study_store import StudyResult, read_study
from ..studies.variant_outcome import VariantOutcome
from .assessment_file import Assessment, _cases, load
from .assessment_report import write_page
from .assessment_settings import ChartEntry
from .chart_table import Chart
from .fatigue import drive_duty, rope_life, section_damage
from .findings import Findings
from .limit_checks import Check, checks_of, factors_of, governing, lifted_pads
from .load_chart import chart


class Assessed(Findings):
    """Checks of all runs of an assessment, with their verdict.

    `checks` are the governing ones, one for each title; `every` are all. `factors`, `lives`, `ropes` and `duties` are
    dynamic factors, damage of sections, ropes and drives; `failed` are the runs that did not end, with the reason.

    Examples
    --------
    See `luff.assess`.
    """

    def save(
        self, path: str | Path, command: str = "", jobs: int | None = None, against: Findings | None = None
    ) -> Path:
        """Write the report with the load charts that the file asks for, one HTML file.

        Parameters
        ----------
        path : str or Path
            The file.
        command : str, optional
            Command line that makes the same report, shown in it.
        jobs : int, optional
            Number of processes for the charts.
        against : Assessed, optional
            Another design, which the report compares with this one.

        Returns
        -------
        Path
            The file.
        """
        assessment = self.assessment
        charts = {name: self._chart(one, jobs) for name, one in assessment.settings.charts.items()}
        return write_page(self, Path(path), command, charts, against)

    def _chart(self, one: ChartEntry, jobs: int | None) -> Chart:
        """Load chart of an entry of `charts:`."""
        return chart(
            self.assessment, one.load, one.over, one.lower, one.upper, one.margin, (), one.dynamic, jobs,
            gust=one.gust, seeds=one.seeds, percentile=one.percentile,
        )  # fmt: skip


def judge_runs(
    assessment: Assessment, results: StudyResult, outcomes: list[VariantOutcome] | None = None
) -> Assessed:
    """Check all runs against the limits."""
    settings = assessment.settings
    failed = {
        name: results.messages.get(name, "") or "it was not run"
        for name in assessment.loads
        if results.statuses.get(name) != "finished"
    }
    runs: dict[str, Result] = {}
    every: list[Check] = []
    up: dict[str, list[tuple[str, float]]] = {}
    for name in assessment.loads:
        if name in failed:
            continue
        runs[name] = results[name]
        every += _told(assessment, name, runs[name])
        up[name] = lifted_pads(assessment, runs[name])
    cases = {case: runs[case] for case in settings.cases if case in runs}
    lasting = {case: result for case, result in cases.items() if settings.cases[case].repeats > 0.0}
    factors = [
        factors_of(assessment, title, entry, case, cases[case])
        for title, entry in settings.factors.items()
        for case in _cases(settings, entry.cases, title)
        if case in cases
    ]
    lives = [
        section_damage(assessment, title, check, lasting)
        for title, check in settings.sections.items()
        if check.fatigue is not None and lasting
    ]
    ropes = [
        rope_life(assessment, title, rope, lasting)
        for title, rope in settings.ropes.items()
        if rope.length and lasting
    ]
    duties = [
        drive_duty(assessment, title, drive, lasting) for title, drive in settings.drives.items() if lasting
    ]
    return Assessed(
        assessment,
        results,
        every,
        governing(every),
        factors,
        lives,
        ropes,
        duties,
        up,
        failed,
        outcomes or [],
    )


def _told(assessment: Assessment, name: str, result: Result) -> list[Check]:
    """Checks of a run; one without partial factors does not count where a combination has its case."""
    load_ = assessment.loads[name]
    covered = any(other.combination and other.case == load_.case for other in assessment.loads.values())
    return [] if covered and not load_.combination else list(checks_of(assessment, name, result))


def assess(
    path: str | Path | Assessment,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    files: Iterable[str | Path] = (),
    on: object = None,
    limit: float | None = None,
    report: str | Path | None = None,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Assessed:
    """Run all cases of an assessment file and check them against its limits, as `luff assess` does.

    Parameters
    ----------
    path : str or Path
        An assessment file.
    output : str or Path, optional
        An .h5 file for the runs; NAME.h5 in the current folder by default. Runs that it holds are not done again.
    jobs : int, optional
        Number of processes; one for each processor by default.
    progress : callable, optional
        Called with the state of the runs; they end when it returns False.
    files : iterable of str or Path, optional
        Folders, beside the file's own, that may be read.
    on : object, optional
        Dask in place of processes: the address of a scheduler, "local", a client or a cluster.
    limit : float, optional
        Time that the steps of a run may take [s].
    report : str or Path, optional
        An HTML file to write.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Assessed
        Checks, factors, lives and their verdict.

    Raises
    ------
    LuffError
        The file or the model is wrong, or `output` is no .h5 file.

    Examples
    --------
    >>> import luff, tempfile, yaml
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "swing.yaml"
    ...     limit = {"title": "swing", "metric": "peak", "of": "pin.position", "below": "70 deg"}
    ...     model = luff.load("library/templates/pendulum.yaml")
    ...     model.save(Path(folder) / "pendulum.yaml")
    ...     text = {"model": "./pendulum.yaml", "cases": {"as it is": {}}, "limits": [limit]}
    ...     _ = file.write_text(yaml.safe_dump({"luff": 1, **text}))
    ...     found = luff.assess(file, Path(folder) / "swing.h5")
    >>> found.verdict.value, round(found.checks[0].utilisation, 3)
    ('holds', 0.857)
    """
    assessment = (
        path if isinstance(path, Assessment) else load(path, parameter_changes(set, changes), files=files)
    )
    target = (
        Path(output)
        if output is not None
        else Path(f"{(assessment.study.path or Path('assessment')).stem}.h5")
    )
    if target.suffix != ".h5":
        raise LuffError(Problem(f'found "{target.suffix}", expected .h5', str(target)))
    outcomes = run(assessment.study, target, jobs, progress, on=on, limit=limit)
    made = judge_runs(assessment, read_study(target), outcomes)
    if report is not None:
        made.save(report, jobs=jobs)
    return made

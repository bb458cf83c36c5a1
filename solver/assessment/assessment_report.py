"""The report of an assessment: one HTML file with all that a reader needs to repeat it."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...blocks.errors import Problem
from ...version import told as version_told
from ..results.result_files import atomic_replace
from ..results.verdict import Verdict
from ..simulation.simulation import Simulation
from ..studies.markdown_escape import lane_summary
from . import html_elements, report_tables
from .assessment_figures import governing_curves, load_spectra
from .chart_table import Chart
from .design_comparison import comparison
from .findings import Findings
from .findings_tables import Rows, checks, summary, worst_first
from .three_view import draw_views


def write_page(
    made: Findings,
    path: Path,
    command: str,
    charts: Mapping[str, Chart] | None = None,
    against: Findings | None = None,
) -> Path:
    """Write the report as one HTML file that needs no other."""
    given = _page_content(made, command or command_of(made), charts or {})
    given["comparison"] = [] if against is None else comparison(made, against)
    text = html_elements.environment().get_template("report.html").render(given)
    with atomic_replace(path, "the report") as part:
        part.write_text(text, encoding="utf-8")
    return path


def command_of(made: Findings) -> str:
    """Command line that makes the same report."""
    words = made.assessment
    sets = [word for name, value in words.changes.items() for word in ("--set", f"{name}={value}")]
    return shlex.join(["luff", "assess", str(words.study.path), *sets, "--report", "report.html"])


def _page_content(made: Findings, command: str, charts: Mapping[str, Chart]) -> dict[str, object]:
    """Content that fills `assessment/templates/report.html`."""
    assessment = made.assessment
    sim = Simulation(assessment.study.diagram(), assessment.common)
    warned, quality = _quality(made, sim)
    ways = Counter(one.alone for one in made.outcomes if one.alone is not None)
    figures = {"Checks": governing_curves, "Damage over the life": load_spectra}
    return {
        "name": assessment.name,
        "about": [[name, value] for name, value in (assessment.settings.about or {}).items()],
        "answer": _answer_sentence(made),
        "nearest": _nearest_check(made),
        "doc": assessment.settings.doc,
        "crane": {
            "doc": sim.program.flat.doc,
            "picture": draw_views(sim),
            "data": [*report_tables.input_tables(assessment, sim)],
        },
        "cases": [*report_tables.case_tables(assessment)],
        "findings": [
            (heading, rows, [*figures[heading](made)] if heading in figures else [])
            for heading, rows in summary(made, whole=True).items()
        ],
        "charts": [*charts.items()],
        "every": _every(made) if len(made.every) > len(made.checks) else [],
        "assumptions": [*report_tables.assumptions(assessment)],
        "warned": warned,
        "quality": quality,
        "lanes": lane_summary(ways, "runs"),
        "versions": _versions(made),
        "command": command,
        "annexes": _annexes(made),
    }  # fmt: skip


def _answer_sentence(made: Findings) -> dict[str, object]:
    """Answer of the assessment, in a sentence."""
    fails, unknown = (
        [one.title for one in made.judged if one.verdict is word] for word in (Verdict.FAILS, Verdict.UNKNOWN)
    )
    runs = len({one.run for one in made.every})
    what = f"{len(made.checks)} checks, each in {runs} runs" if runs > 1 else f"{len(made.checks)} checks"
    what += f"; damage of {len(made.lives)} sections over the life" if made.lives else ""
    told = [f"{', '.join(fails)} of {what}"] if fails else []
    told += [f"not known of {', '.join(unknown)}: a value is no number"] if unknown else []
    told += [f"{len(made.failed)} runs did not end"] if made.failed else []
    return {"holds": made.holds, "of": what, "told": told, "word": "Checks fail" if fails else "Unknown"}


def _nearest_check(made: Findings) -> dict[str, str] | None:
    """The check that is nearest to its limit."""
    if not made.checks:
        return None
    worst = worst_first(made.checks)[0]
    use = "unknown" if worst.verdict is Verdict.UNKNOWN else f"{worst.utilisation:.3f}"
    return {"title": worst.title, "use": use, "run": worst.run}


def _every(made: Findings) -> Rows:
    rows = checks(made.every)
    return [["check", *rows[0][1:4], "run", *rows[0][5:]], *rows[1:]]


def _quality(made: Findings, sim: Simulation) -> tuple[list[tuple[str, str]], Rows]:
    """Warnings with the runs that gave them, and how well each run kept the equations."""
    warned: dict[str, list[str]] = {one: [] for one in map(_without_place, sim.remarks)} | made.warnings
    rows = [["run", "energy", "Newton and Euler", "constraints", "step", "of", "rows"]]
    for name in made.assessment.loads:
        if name in made.failed:
            continue
        result = made.results[name]
        quality = result.quality
        energy, step = (quality.get(key) for key in ("energy", "step_error"))
        energy = energy.get("relative_residual") if isinstance(energy, dict) else None
        doubt, where = "", ""
        if isinstance(step, dict):
            doubt = where = str(step.get("verdict"))
        if isinstance(step, dict) and "estimate" in step:
            doubt, where = _number(step.get("estimate")), f"{step.get('state')} at {step.get('time'):.4g} s"
        told = energy, quality.get("newton_euler_residual"), quality.get("constraint_violation")
        rows.append([name, *map(_number, told), doubt, where, str(len(result.time))])
    ran = len(rows) - 1
    told_of = [
        (words, "all runs" if len(runs) == ran else ", ".join(runs) or "the model")
        for words, runs in warned.items()
    ]
    return told_of, rows


def _without_place(remark: Problem) -> str:
    """Text of a remark without its place in a file: the same warning of several runs is one."""
    return ": ".join(part for part in (remark.path, remark.message, remark.fix) if part)


def _number(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float | int) else ""


def _versions(made: Findings) -> Rows:
    study, named, factors = made.assessment.study, made.assessment.settings.standard, made.assessment.standard
    own = [[f"factors {named}, SHA-256", hashlib.sha256(factors.text.encode()).hexdigest()]] if named else []
    return [
        ["luff", version_told()],
        ["Python", platform.python_version()],
        ["NumPy", np.__version__],
        ["machine", f"{platform.system()} {platform.machine()}"],
        [f"model {study.model.name}, SHA-256", hashlib.sha256(study.model.read_bytes()).hexdigest()],
        ["assessment, SHA-256", hashlib.sha256(study.text.encode()).hexdigest()],
        *own,
    ]


def _annexes(made: Findings) -> list[tuple[str, str, str]]:
    study = made.assessment.study
    model = study.model.read_bytes().decode("utf-8", "replace")
    return [("A", "The assessment file", study.text), ("B", "The model", model)]

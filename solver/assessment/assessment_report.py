"""The report of an assessment: one HTML file with all that a reader needs to repeat it."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
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
from .findings import Findings
from .findings_tables import Rows, checks, summary, worst_first
from .load_chart import Chart
from .three_view import draw_views

CLAIM = (
    "This report shows what a simulation gives beside limits and factors that its author chose. It claims conformity "
    "with no standard; formulas and numbers of standards are to be compared with the edition in use."
)
# what stands below the tables, for a reader who sees the words for the first time
NOTES = {
    "Checks": "Utilisation is the value over its limit, or a least value over what is there; above 1 a check fails. "
    "The governing run is named by its combination of partial factors, if it has one, and its case.",
    "Dynamic factors": "Ratio is the simulated factor over the code's factor: above 1 the code's is too small.",
    "Damage over the life": "Damage is Miner's sum at the worst point. s_m = nu k_m with nu = cycles/2e6, and its "
    "class, as EN 13001-3-1 has them.",
    "Bending of ropes over the life": "Of the metre whose life is used most, by cycles without constants of the rope's "
    "class; told is where its middle is, from the rope's end away from the drum. Endured is Feyrer's number of bending "
    "cycles at the greatest tension; the share is the sum over all cycles, each at its own tension.",
    "Starts of drives over the life": "A start is a rise of the speed above that of rest, also after a change of "
    "direction; travel counts both directions.",
    "Pads that lift": "When a pad first carries nothing; the crane then stands on the others.",
}
QUALITY = (
    "Energy: what the balance of the run leaves over, as a share of the largest of its terms. Newton and Euler: how "
    "far the worst body is from their laws under all that acts on it. Constraints: the largest gap in a closed loop "
    "[m, rad]. "
    "Step: the share of a state's range by which the step leaves it in doubt, and where."
)


def write_page(made: Findings, path: Path, command: str, charts: Mapping[str, Chart] | None = None) -> Path:
    """Write the report as one HTML file that needs no other."""
    text = "\n".join(_page(made, command or command_of(made), charts or {}))
    with atomic_replace(path, "the report") as part:
        part.write_text(text, encoding="utf-8")
    return path


def command_of(made: Findings) -> str:
    """Command line that makes the same report."""
    words = made.assessment
    sets = [word for name, value in words.changes.items() for word in ("--set", f"{name}={value}")]
    return shlex.join(["luff", "assess", str(words.study.path), *sets, "--report", "report.html"])


def _page(made: Findings, command: str, charts: Mapping[str, Chart]) -> Iterator[str]:
    assessment = made.assessment
    sim = _model(made)
    title = html_elements.text(assessment.name)
    yield f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>"
    yield f"<style>{html_elements.STYLE}</style></head><body><h1>{html_elements.text(assessment.name)}</h1>"
    yield from _heading(made)
    parts: list[tuple[str, Iterator[str]]] = [
        ("The crane", _crane(made, sim)),
        ("Load cases and combinations", map(html_elements.table, report_tables.case_tables(assessment))),
    ]
    for heading, rows in summary(made, whole=True).items():
        parts.append((heading, _finding(made, heading, rows)))
    if charts:
        parts.append(("Load charts", _charts(charts)))
    if len(made.every) > len(made.checks):
        parts.append(("All checks in all runs", iter([html_elements.table(_every(made))])))
    parts += [
        ("Assumptions", iter([html_elements.bullets(report_tables.assumptions(assessment))])),
        ("Warnings and quality of the runs", _quality(made, sim)),
        ("Versions, and how to repeat it", _versions(made, command)),
    ]
    for number, (heading, lines) in enumerate(parts, 1):
        yield f"<h2>{number} {html_elements.text(heading)}</h2>"
        yield from lines
    yield from _annexes(made)
    yield "</body></html>"


def _model(made: Findings) -> Simulation:
    study = made.assessment.study
    diagram = study.diagram()
    return Simulation(diagram, made.assessment.common)


def _heading(made: Findings) -> Iterator[str]:
    """Yield the heading: author, model, verdict."""
    assessment = made.assessment
    if assessment.settings.about:
        yield html_elements.table(
            [["", ""], *([name, value] for name, value in assessment.settings.about.items())]
        )
    fails, unknown = (
        [one.title for one in made.judged if one.verdict is word] for word in (Verdict.FAILS, Verdict.UNKNOWN)
    )
    runs = len({one.run for one in made.every})
    what = f"{len(made.checks)} checks, each in {runs} runs" if runs > 1 else f"{len(made.checks)} checks"
    what += f"; damage of {len(made.lives)} sections over the life" if made.lives else ""
    if made.holds:
        yield f"<p><span class='holds'>All checks hold</span>: {html_elements.text(what)}.</p>"
    else:
        told = [f"{', '.join(fails)} of {what}"] if fails else []
        told += [f"not known of {', '.join(unknown)}: a value is no number"] if unknown else []
        told += [f"{len(made.failed)} runs did not end"] if made.failed else []
        word = "Checks fail" if fails else "Unknown"
        yield f"<p><span class='fails'>{word}</span>: {html_elements.text('; '.join(told))}.</p>"
    if made.checks:
        worst = worst_first(made.checks)[0]
        use = "unknown" if worst.verdict is Verdict.UNKNOWN else f"{worst.utilisation:.3f}"
        yield html_elements.paragraph(
            f'Nearest to its limit is {worst.title}: utilisation {use} in the run "{worst.run}".'
        )
    if assessment.settings.doc:
        yield html_elements.paragraph(assessment.settings.doc)
    yield html_elements.paragraph(CLAIM, "note")


def _crane(made: Findings, sim: Simulation) -> Iterator[str]:
    yield html_elements.paragraph(sim.program.flat.doc)
    yield html_elements.figure(
        draw_views(sim), "As the model starts. Links are dark, ropes red, stands and supports grey."
    )
    for heading, rows in report_tables.input_tables(made.assessment, sim):
        if len(rows) > 1:
            yield f"<h3>{html_elements.text(heading)}</h3>"
            yield html_elements.table(rows)


def _finding(made: Findings, heading: str, rows: Rows) -> Iterator[str]:
    yield html_elements.table(rows)
    if heading in NOTES:
        yield html_elements.paragraph(NOTES[heading], "note")
    figures = {"Checks": governing_curves, "Damage over the life": load_spectra}.get(heading)
    for figure, caption in figures(made) if figures else ():
        yield html_elements.figure(figure, caption)


def _charts(charts: Mapping[str, Chart]) -> Iterator[str]:
    for name, chart in charts.items():
        how = "motions of all cases" if chart.dynamic else "statics"
        words = f"{name}: the load at which the first check of this report reaches its limit"
        words += f", over the margin of {chart.margin:g}" if chart.margin != 1.0 else ""
        words += f"; by {how}, without partial factors. Marks tell which check it is."
        yield html_elements.figure(chart.plot(), words)
        yield html_elements.table(chart.rows(digits=4))


def _every(made: Findings) -> Rows:
    rows = checks(made.every)
    return [["check", *rows[0][1:4], "run", *rows[0][5:]], *rows[1:]]


def _quality(made: Findings, sim: Simulation) -> Iterator[str]:
    """Warnings of the model and of each run, and how well the equations were kept."""
    warned: dict[str, list[str]] = {one: [] for one in map(_bare, sim.remarks)} | made.warnings
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
    if warned:
        yield html_elements.bullets(
            f"{words} (in {'all runs' if len(runs) == len(rows) - 1 else ', '.join(runs) or 'the model'})"
            for words, runs in warned.items()
        )
    else:
        yield html_elements.paragraph("Neither the model nor a run has given a warning.")
    if len(rows) > 1:
        yield html_elements.table(rows)
        yield html_elements.paragraph(QUALITY, "note")
    ways = Counter(one.alone for one in made.outcomes if one.alone is not None)
    for first, *alone in filter(None, [lane_summary(ways, "runs")]):
        yield html_elements.paragraph(
            f"{first} By themselves: {'; '.join(alone)}." if alone else first, "note"
        )


def _bare(remark: Problem) -> str:
    """Text of a remark without its place in a file: the same warning of several runs is one."""
    return ": ".join(part for part in (remark.path, remark.message, remark.fix) if part)


def _number(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float | int) else ""


def _versions(made: Findings, command: str) -> Iterator[str]:
    study = made.assessment.study
    rows = [
        ["luff", version_told()],
        ["Python", platform.python_version()],
        ["NumPy", np.__version__],
        ["machine", f"{platform.system()} {platform.machine()}"],
        [f"model {study.model.name}, SHA-256", hashlib.sha256(study.model.read_bytes()).hexdigest()],
        ["assessment, SHA-256", hashlib.sha256(study.text.encode()).hexdigest()],
    ]
    yield html_elements.table([["what", "version"], *rows], "long")
    yield html_elements.paragraph("This command makes the same report:")
    yield f"<pre>{html_elements.text(command)}</pre>"


def _annexes(made: Findings) -> Iterator[str]:
    study = made.assessment.study
    model = study.model.read_bytes().decode("utf-8", "replace")
    for letter, heading, text in (("A", "The assessment file", study.text), ("B", "The model", model)):
        yield f"<h2 class='annex'>Annex {letter}: {heading}</h2><pre>{html_elements.text(text)}</pre>"

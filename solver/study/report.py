"""The report of a study: its tables in Markdown and its figures, in one folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...blocks.errors import LuffError, NetlistError, Problem, RunError, in_order
from ..netlist import read as read_document
from ..result import Result
from ..stream import reason
from . import figures
from .measures import heading, measured, shown_unit
from .settings import TableSettings
from .spec import Study
from .store import StudyResult


def report(study: Study, results: StudyResult, folder: Path) -> list[Path]:
    """Write NAME.md with every table and figure, and the figures beside it; returns the files.

    What cannot be made is told at the end, when all else is written.
    """
    _make(folder)
    stem = study.path.stem if study.path else "study"
    problems: list[Problem] = []
    files: list[Path] = []
    lines = [f"# {study.name}", "", *([study.settings.doc.strip(), ""] if study.settings.doc.strip() else [])]
    sections = {"tables": study.settings.tables, "plots": study.settings.plots, "bars": study.settings.bars}
    for section, entries in sections.items():
        for k, entry in enumerate(entries):
            place = f"{section}[{k}]"
            chosen = _chosen(study, results, entry.variants)
            lines += [f"## {entry.title}", ""]
            if not chosen:
                lines += ["No variant of this has finished.", ""]
                continue
            try:
                if isinstance(entry, TableSettings) and section == "tables":
                    lines += [*table(entry, chosen), ""]
                    continue
                draw: Any = figures.bars if section == "bars" else figures.overlay
                made = figures.save(draw(entry, chosen), folder / f"{stem}-{slug(entry.title)}")
                files += made
                lines += [f"![{entry.title}]({made[0].name})", ""]
            except LuffError as error:
                problems += [Problem(p.message, p.path or place, p.fix, p.mark) for p in _at(error, place)]
                lines += [f"Not made: {error.problems[0].message}.", ""]
    lines += _failures(results)
    page = folder / f"{stem}.md"
    try:
        page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write the report: {reason(error)}", path=str(page)) from error
    if problems:
        document = read_document(study.text, str(study.path))
        raise NetlistError(in_order(p if p.mark else _marked(p, document) for p in problems))
    return [page, *files]


def tables(study: Study, results: StudyResult) -> list[str]:
    """All tables, for a terminal."""
    lines: list[str] = []
    for k, entry in enumerate(study.settings.tables):
        chosen = _chosen(study, results, entry.variants)
        if not chosen:
            continue
        try:
            lines += [entry.title, "", *table(entry, chosen), ""]
        except LuffError as error:
            document = read_document(study.text, str(study.path))
            raise NetlistError(_marked(p, document) for p in _at(error, f"tables[{k}]")) from None
    return lines


def numbers(entry: TableSettings, results: dict[str, Result]) -> dict[str, list[float]]:
    """The values of a table by variant."""
    return {name: [measured(result, column) for column in entry.columns] for name, result in results.items()}


def table(entry: TableSettings, results: dict[str, Result]) -> list[str]:
    """A table in Markdown, three digits."""
    first = next(iter(results.values()))
    heads = [heading(column) for column in entry.columns]
    units = [shown_unit(first, column) for column in entry.columns]
    titles = [f"{head} [{unit}]" if unit else head for head, unit in zip(heads, units, strict=True)]
    rows = [[name, *(f"{value:.3g}" for value in values)] for name, values in numbers(entry, results).items()]
    lines = [["variant", *titles], ["---", *("---:" for _ in titles)], *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"


def _chosen(study: Study, results: StudyResult, patterns: Sequence[str]) -> dict[str, Result]:
    """The finished ones of the variants that are asked for."""
    names = [variant.name for variant in study.chosen(patterns)]
    return {name: results[name] for name in names if results.statuses.get(name) == "finished"}


def _failures(results: StudyResult) -> list[str]:
    failed = [name for name, status in results.statuses.items() if status == "failed"]
    if not failed:
        return []
    return ["## Variants that failed", "", *(f"- {name}: {results.messages[name]}" for name in failed), ""]


def _at(error: LuffError, place: str) -> list[Problem]:
    """The name of a signal is what such an error calls its path; the entry is where it stands."""
    found = []
    for p in error.problems:
        message = f"{p.message}: {p.path}" if p.path else p.message
        found.append(Problem(message, place, p.fix))
    return found


def _marked(problem: Problem, document: Any) -> Problem:
    return problem.at(document.mark(problem.path))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write the report: {error.strerror}", path=str(folder)) from None

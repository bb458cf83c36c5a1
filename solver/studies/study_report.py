"""The report of a study: its tables in Markdown and its figures, in one folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...blocks.errors import LuffError, NetlistError, Problem, RunError, in_order
from ..netlist import Document, read_netlist
from ..results.figure_style import FigureStyle
from ..results.hdf5_stream import failure_reason
from ..results.table_files import TextTable
from . import distribution_figures, variant_figures
from .markdown_escape import escape_html, lane_summary
from .requirements import requirement_table, verdicts
from .study_file import SECTIONS, Study
from .study_store import SelectedVariants, StudyResult
from .study_tables import sensitivity_table, statistics_table, table
from .templates import SafeMarkdown, markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = 40  # of a table on a terminal


class Section(NamedTuple):
    """Presentation of an entry: a table, a figure, or both; of all variants, or of those that statistics may count."""

    table: Callable[..., TextTable] | None = None  # of the entry, the study, and its variants
    draw: Callable[..., Figure] | None = None
    independent: bool = False


# requirements are one table of all entries, and sensitivity indices compare variants that depend on each other
MADE: dict[str, Section] = {
    "tables": Section(lambda entry, study, chosen: table(entry, chosen)),
    "statistics": Section(lambda entry, study, chosen: statistics_table(entry, chosen), None, True),
    "sensitivity": Section(
        lambda entry, study, chosen: sensitivity_table(entry, study, chosen), distribution_figures.sensitivity
    ),
    "plots": Section(None, variant_figures.overlay),
    "fans": Section(None, distribution_figures.fan, True),
    "bars": Section(None, variant_figures.bars),
    "histograms": Section(None, distribution_figures.histogram, True),
    "scatters": Section(None, distribution_figures.scatter, True),
}


class Settings(Protocol):
    """Settings that all entries have."""

    title: str
    variants: Sequence[str]


class Entry(NamedTuple):
    """Entry of a section, with its place and its variants."""

    place: str
    section: Section
    settings: Settings
    chosen: SelectedVariants


@dataclass
class Part:
    """A section of the page: its table, its picture, and why there is none."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    picture: str = ""
    refused: str = ""


def report(study: Study, results: StudyResult, folder: Path, style: FigureStyle | None = None) -> list[Path]:
    """Write NAME.md with every table and figure, and beside it the figures and the tables as CSV and LaTeX.

    With a style of their own the figures are PDF files too. Returns the files.

    What cannot be made is told at the end, when all else is written.
    """
    _make(folder)
    stem = study.path.stem if study.path else "study"
    problems: list[Problem] = []
    files: list[Path] = []
    sections: list[Part] = []

    def refused(error: LuffError, place: str, part: Part) -> None:
        problems.extend(Problem(p.message, p.path or place, p.fix, p.mark) for p in _at(error, place))
        part.refused = error.problems[0].message

    try:
        if demands := _requirements(study, results):
            sections.append(Part("Requirements", demands.lines()))
            files += _table_files(demands, folder / f"{stem}-requirements")
    except LuffError as error:
        sections.append(Part())
        refused(error, "require", sections[-1])
    for place, section, entry, chosen in _entries(study, results):
        part = Part(entry.title)
        sections.append(part)
        if not chosen:
            part.lines = ["No variant of this has finished."]
            continue
        try:
            if section.table is not None:
                made = section.table(entry, study, chosen)
                part.lines = made.lines()
                files += _table_files(made, folder / f"{stem}-{file_slug(entry.title)}")
            if section.draw is not None:
                drawn = variant_figures.save(
                    partial(section.draw, entry, study, chosen),
                    folder / f"{stem}-{file_slug(entry.title)}",
                    style,
                )
                files += drawn
                part.picture = SafeMarkdown(drawn[0].name)
        except LuffError as error:
            refused(error, place, part)
    text = markdown(
        Path(__file__).with_name("templates"), "report.md",
        name=study.name, doc=SafeMarkdown(escape_html(study.settings.doc.strip())), sections=sections,
        failed=[(name, results.messages[name]) for name, status in results.statuses.items() if status == "failed"],
        lanes=lane_summary(Counter(results.alone.values()), "variants"),
    )  # fmt: skip
    page = folder / f"{stem}.md"
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write the report: {failure_reason(error)}", path=str(page)) from error
    if problems:
        document = read_netlist(study.text, str(study.path))
        raise NetlistError(in_order(p if p.mark else _marked(p, document) for p in problems))
    return [page, *files]


def tables(study: Study, results: StudyResult) -> list[str]:
    """Lines of all tables, for a terminal."""
    lines: list[str] = []
    with _placed(study, "require"):
        if demands := _requirements(study, results):
            lines += ["Requirements", "", *demands.lines(), ""]
    for place, section, entry, chosen in _entries(study, results):
        if section.table is not None and chosen:
            with _placed(study, place):
                lines += [entry.title, "", *_cut(section.table(entry, study, chosen).lines()), ""]
    return lines


@contextmanager
def _placed(study: Study, place: str) -> Iterator[None]:
    """A mistake has its place in the study's file."""
    try:
        yield
    except LuffError as error:
        document = read_netlist(study.text, str(study.path))
        raise NetlistError(_marked(p, document) for p in _at(error, place)) from None


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - ROWS - 2
    return lines if more <= 0 else [*lines[: ROWS + 2], f"{more} more: -r DIR writes them all"]


def _entries(study: Study, results: StudyResult) -> Iterator[Entry]:
    for name in SECTIONS:
        for k, entry in enumerate(getattr(study.settings, name) if name in MADE else ()):
            section = MADE[name]
            variants = study.chosen(entry.variants)
            names = [v.name for v in variants if v.independent or not section.independent]
            finished = [one for one in names if results.statuses.get(one) == "finished"]
            yield Entry(f"{name}[{k}]", section, entry, SelectedVariants(results, finished))


def _requirements(study: Study, results: StudyResult) -> TextTable | None:
    judged = verdicts(study, results)
    return requirement_table(judged) if judged else None


def _table_files(table: TextTable, path: Path) -> list[Path]:
    return [table.save(path.with_name(path.name + suffix)) for suffix in (".csv", ".tex")]


def file_slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"


def _at(error: LuffError, place: str) -> list[Problem]:
    """The name of a signal is what such an error calls its path; the entry is where it stands."""
    words = []
    for p in error.problems:
        message = f"{p.message}: {p.path}" if p.path else p.message
        words.append(Problem(message, place, p.fix))
    return words


def _marked(problem: Problem, document: Document) -> Problem:
    return problem.at(document.mark(problem.path))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write the report: {error.strerror}", path=str(folder)) from None

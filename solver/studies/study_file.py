"""Read a study file: its variants, and every mistake with its place before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ...blocks.errors import LuffError, Mark, NetlistError, Problem, did_you_mean, in_order
from ...blocks.text.data_files import OUTSIDE, named_file, within
from ...blocks.text.safe_read import regular_file, shown, whole_path
from ..diagram.composite_types import LIBRARY, is_file, library
from ..flatten.diagram import Diagram
from ..flatten.flatten import flatten
from ..flatten.unit_kinds import of_another_kind, own_unit
from ..netlist import Document, Given, document_of, path_steps
from ..simulation.operator_log import OperatorLog
from ..simulation.turning_points import Watched
from .run_measures import watched_by
from .sections import placed_in, read_record, refuse
from .study_settings import CYCLES, LEVELS, STEPS, TRACKING, Measure, StudySettings
from .study_units import signal_unit, wrong_units
from .study_variants import Variant, expand

# those that pick variants
SECTIONS = (
    "require", "tables", "statistics", "sensitivity", "plots", "fans", "bars", "histograms", "scatters"
)  # fmt: skip
CHECKED = 200  # variants whose changes are tried before anything runs; flattening one takes some milliseconds


@dataclass
class Study:
    """A study that can be run: its settings, the model, the variants in their order."""

    settings: StudySettings
    model: Path
    variants: list[Variant]
    text: str = ""
    path: Path | None = None
    allow_code: bool = False
    files: tuple[Path, ...] = ()  # folders beside the model's own from which it may read
    changes: Mapping[str, object] = field(default_factory=dict)  # for all variants, from outside the file
    watched: list[Watched] = field(default_factory=list)  # what is looked at after each step

    @property
    def name(self) -> str:
        return self.settings.name or (self.path.stem if self.path else "study")

    def diagram(self) -> Diagram:
        """The model as its file has it."""
        return Diagram.load(self.model, self.allow_code, self.files)

    def overrides(self, variant: Variant) -> dict[str, object]:
        """Overrides of a variant; those from outside win."""
        return {**self.settings.set, **variant.changes, **self.changes}

    @property
    def replay(self) -> str:
        """The file of what an operator did; empty where nobody did anything."""
        if not self.settings.replay:
            return ""
        return str(((self.path.parent if self.path else Path()) / self.settings.replay).resolve())

    def chosen(self, patterns: Sequence[str]) -> list[Variant]:
        """The variants that names or globs stand for; an error for one that stands for none."""
        picked: set[str] = set()
        for pattern in patterns:
            hits = {variant.name for variant in self.variants if variant.matches(pattern)}
            if not hits:
                names = [variant.name for variant in self.variants]
                raise LuffError(
                    "no variant of this study matches", path=pattern, fix=did_you_mean(pattern, names)
                )
            picked |= hits
        return [variant for variant in self.variants if variant.name in picked]


def load(
    source: Given,
    changes: Mapping[str, object] | None = None,
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> Study:
    """Read a study, from a file or a mapping. `changes` go into every variant, as `--set` does."""
    document, path = document_of(source, "study")
    raw = document.data
    if not isinstance(raw, dict):
        mark = Mark(str(path), 1, 1)
        raise NetlistError(Problem("found no sections, expected `luff: 1`, `model:`, `variants:`", mark=mark))
    if "blocks" in raw:
        mark = document.mark("blocks", key=True)
        raise NetlistError(
            Problem("this is a netlist, expected a study", mark=mark, fix="luff run runs a netlist")
        )
    with placed_in(document):
        settings = read_record(StudySettings, raw, "a study")
        refuse(_of_measures(settings), document)
        model = find_model(settings.model, path.resolve().parent, tuple(map(Path, files)))
        if settings.replay:
            _find_replay(settings.replay, path.resolve().parent, tuple(map(Path, files)))
    study = Study(
        settings, model, [], document.text, path, allow_code, tuple(map(Path, files)), dict(changes or {})
    )
    with placed_in(document):
        study.variants = expand(settings.variants)
        for section in SECTIONS:
            for k, entry in enumerate(getattr(settings, section)):
                _check_patterns(study, entry.variants, f"{section}[{k}].variants")
    study.watched = watched_by(settings.measures())
    check_changes(study, document)
    return study


def find_model(name: str, base: Path, files: Sequence[Path] = ()) -> Path:
    """The file of a model: in the study's folder, or below, or in one of `files`; or in the library."""
    if is_file(name):
        try:
            path = whole_path(base, name)
            status = regular_file(path, "a netlist")
            if not within(path, (base, LIBRARY, *files)):
                # before it is opened: what it holds is nobody's who wrote the study
                outside = f"{shown(name)} lies outside of the study's folder"
                raise LuffError(
                    Problem(outside, fix=OUTSIDE.replace("netlist", "study"), wants=str(path.parent))
                )
            if status is not None:
                return path
        except LuffError as error:
            raise LuffError(problem.at(path="model") for problem in error.problems) from None
        near = [other.name for other in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        raise LuffError(Problem(f"there is no file {shown(path)}", "model", did_you_mean(path.name, near)))
    if name not in library():
        fix = did_you_mean(name, library())
        raise LuffError(Problem(f'there is no netlist "{name}" in {LIBRARY.name}/', "model", fix))
    return library()[name]


def _find_replay(name: str, base: Path, files: Sequence[Path]) -> None:
    """Refuse what an operator did where the study may not read it, or where there is no such file."""
    try:
        named_file(base, name, files, "what an operator did", "study")
    except LuffError as error:
        raise LuffError(problem.at(path="replay") for problem in error.problems) from None


def check_changes(study: Study, document: Document) -> None:
    """Try what the variants change on the model; mistakes are told where the study says them."""
    diagram = study.diagram()
    if diagram.ports:
        mark = document.mark("model")
        raise NetlistError(
            Problem(f"{study.settings.model} is a block for others, it cannot run alone", mark=mark)
        )
    if study.replay:
        try:
            OperatorLog.read(study.replay)
        except LuffError as error:
            raise NetlistError(problem.at(document.mark("replay")) for problem in error.problems) from None
    flat = flatten(diagram)  # what is wrong with the model itself is told as such
    refuse(wrong_units(study.settings.placed_measures(), partial(signal_unit, flat)), document)
    common = {path: ("set", path) for path in study.settings.set}
    _try(diagram, study.settings.set, "what is set", common, document)
    # what the command changes is wrong before any variant is
    _try(
        diagram,
        {**study.settings.set, **study.changes},
        "what is set",
        dict.fromkeys(study.changes),
        document,
    )
    # random values are tried once: one that the model refuses fails as a variant, and the rest go on
    tried = [variant for variant in study.variants if not variant.drawn][:CHECKED]
    tried += [variant for variant in study.variants if variant.drawn][:1]
    problems: list[Problem] = []
    for variant in tried:
        try:
            changes = study.overrides(variant)
            _try(diagram, changes, f"the variant {variant.name}", {**common, **variant.places}, document)
        except NetlistError as error:
            problems += error.problems
    if problems:
        raise NetlistError(in_order(problems))


PlacesOfChanges = Mapping[str, tuple[str | int, ...] | None]


def _try(
    diagram: Diagram, changes: Mapping[str, object], what: str, places: PlacesOfChanges, document: Document
) -> None:
    """Refuse changes that the model does not take; `places` has None for those of the command."""
    try:
        flatten(diagram, changes)
    except LuffError as error:
        raise NetlistError([_told_where(p, what, places, document) for p in error.problems]) from None
    kinds = [
        Problem(wrong, path)
        for path, raw in changes.items()
        if (wrong := of_another_kind(raw, own_unit(diagram, path)))
    ]
    if kinds:
        raise NetlistError([_told_where(p, what, places, document) for p in kinds])


def _told_where(problem: Problem, what: str, places: PlacesOfChanges, document: Document) -> Problem:
    """A mistake that a change makes, with the place of the change in the study, or in the command."""
    where = _plain(problem.path)
    for path, place in places.items():
        if where.startswith(_plain(path)):
            if place is None:
                return replace(problem, path=f"--set {path}", mark=None)
            return replace(problem, mark=document.mark(place, key="nothing named" in problem.message))
    # a value that is wrong only where the model uses it
    message = f"the model refuses {what}: {problem}"
    place = list(places.values())[-1] if places else None
    return Problem(message, mark=document.mark(place)) if place else Problem(message, "--set")


def _plain(path: str) -> str:
    """`blocks.king.mass` and `king.mass` are one path, and so are `parameters.l1` and `l1`."""
    parts = path_steps(path)
    if len(parts) > 1 and parts[0] in ("blocks", "parameters"):
        parts = parts[1:]
    return "".join(f".{step}" for step in parts) + "."


def _of_measures(settings: StudySettings) -> Iterable[Problem]:
    for path, measure in settings.placed_measures():
        yield from measure_mistakes(measure, path)
    for k, entry in enumerate(settings.require):
        if entry.below is None and entry.above is None:
            yield Problem("a requirement needs a limit", f"require[{k}]", "add below: or above:")
    sampled = settings.variants.random
    if settings.sensitivity and (sampled is None or sampled.sampling != "saltelli"):
        fix = "variants: {random: {sampling: saltelli, ...}}"
        yield Problem("sensitivity indices need pairs of points", "sensitivity", fix)


def measure_mistakes(measure: Measure, path: str) -> Iterable[Problem]:
    if measure.metric in TRACKING and not measure.target:
        yield Problem(f"{measure.metric} needs a target: the signal to be followed", path)
    for key, given, takers in (
        ("target", measure.target, TRACKING),
        ("level", measure.level is not None, LEVELS),
        ("goal", measure.goal is not None, STEPS),
        ("within", "within" in measure.given, ("settling_time",)),
        ("over", measure.over is not None, ("ratio",)),
        ("fatigue", measure.fatigue.given, CYCLES),
    ):
        if given and measure.metric not in takers:
            fix = f"{key} is for {', '.join(takers)}"
            yield Problem(f"{measure.metric} takes no `{key}`", f"{path}.{key}", fix)
    for problem in measure.fatigue.problems():
        yield problem.at(path=f"{path}.fatigue{problem.path}")
    if measure.component is not None and not measure.metric.startswith("tracking"):
        fix = f'write it into the name: of: "{measure.of}[{measure.component}]"'
        yield Problem(f"{measure.metric} takes no `component`", f"{path}.component", fix)


def _check_patterns(study: Study, patterns: Sequence[str], path: str) -> None:
    for k, pattern in enumerate(patterns):
        try:
            study.chosen([pattern])
        except LuffError as error:
            message = f"{error.problems[0].message}: {pattern}"
            raise LuffError(Problem(message, f"{path}[{k}]", error.problems[0].fix)) from None
